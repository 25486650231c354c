#!/usr/bin/env bash
# Print the folder of the programs node, deno and bun: the oldest Node.js, Deno and Bun, installed once in a run.
set -euo pipefail
place="$CI_WORK/runtimes"
mkdir -p "$place"
exec 9>"$place/lock" # the steps that need them run side by side
flock 9
if [ ! -e "$place/installed" ]; then
  npm install --silent --no-save --prefix "$place" node@18 deno@2 bun@1 >&2
  touch "$place/installed"
fi
echo "$place/node_modules/.bin"
