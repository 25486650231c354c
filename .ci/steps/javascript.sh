#!/usr/bin/env bash
# The JavaScript implementation: its tests, its types, the conformance suite.
# needs: test
set -euo pipefail
if ! command -v node >/dev/null; then
  echo "skipped: no node"
  exit 77
fi
simhash-doc conformance run --full --examples 30 -- node conformance/implementations/js/adapter.mjs | tail -n 5
cd conformance/implementations/js
node --test >"$CI_WORK/node.log" || { tail -n 50 "$CI_WORK/node.log"; exit 1; }
grep -E '^# (tests|pass|fail)' "$CI_WORK/node.log"
if npm install --silent --no-save --no-package-lock --prefix "$CI_WORK/tsc" typescript@5.9.3; then
  PATH="$CI_WORK/tsc/node_modules/.bin:$PATH" npm run --silent check-types
else
  echo "skipped: types (TypeScript cannot be installed)"
fi
