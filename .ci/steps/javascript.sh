#!/usr/bin/env bash
# The JavaScript implementation: the short vectors.
# needs: test
# all: its tests, the installed package with all vectors and four runtimes, its types and size, a short fuzz run.
set -euo pipefail
if ! command -v node >/dev/null; then
  echo "skipped: no node"
  exit 77
fi
simhash-doc conformance run --timeout 120 --quick -- node ports/js/adapter.mjs | tail -n 40
[ -n "$CI_ALL" ] || exit 0
runtimes=$(.ci/runtimes.sh) || runtimes=
cd ports/js
node --test >"$CI_WORK/node.log" || { tail -n 50 "$CI_WORK/node.log"; exit 1; }
grep -E '^# (tests|pass|fail)' "$CI_WORK/node.log"
# The packed package, in a project of its own: the example of its README, and all that imports it by its name.
project="$CI_WORK/js-project"
mkdir "$project"
cp -r adapter adapter.mjs example.mjs types "$project"
cp -r . "$CI_WORK/js" # the tools are installed next to a copy
export SIMHASH_DOC_SPEC=$PWD/../../spec/simhash-doc.md
python ../../release/build.py --output "$CI_WORK/js-dist" js
cd "$project"
echo '{"type": "module"}' >package.json
npm install --silent "$CI_WORK"/js-dist/js/*.tgz
sed -n '/^```js$/,/^```$/{/^```/d;p}' node_modules/simhash-doc/README.md >readme.mjs
node readme.mjs
node example.mjs readme.mjs example.mjs
oldest=node
if [ -n "$runtimes" ]; then
  oldest=$runtimes/node
  for runtime in "$oldest" "$runtimes/deno run --allow-read" "$runtimes/bun"; do
    cmp <($runtime readme.mjs) <(node readme.mjs)
    cmp <($runtime example.mjs readme.mjs example.mjs) <(node example.mjs readme.mjs example.mjs)
  done
else
  echo "skipped: Node.js 18, Deno and Bun (they cannot be installed)"
fi
simhash-doc conformance run --timeout 120 -- "$oldest" adapter.mjs | tail -n 40
if ! npm install --silent --no-package-lock --prefix "$CI_WORK/js"; then
  echo "skipped: types, size and fuzzing (TypeScript, esbuild and fast-check cannot be installed)"
  exit
fi
tools="$CI_WORK/js/node_modules/.bin"
"$tools/tsc" --noEmit --strict --target es2022 --module nodenext types/usage.ts
bundled() { echo "export $1 from 'simhash-doc'" | "$tools/esbuild" --bundle --minify --format=esm | gzip -9 | wc -c; }
complete=$(bundled '*') part=$(bundled '{ distance }')
echo "bundled and compressed: $complete bytes, $part for distance alone"
((complete < 60000 && part < 3000))
npm run --silent --prefix "$CI_WORK/js" fuzz
