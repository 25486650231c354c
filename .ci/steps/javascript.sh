#!/usr/bin/env bash
# The JavaScript implementation: its tests, its types, a short fuzz run, the conformance suite.
# needs: test
set -euo pipefail
if ! command -v node >/dev/null; then
  echo "skipped: no node"
  exit 77
fi
# The report in the register is of a full run.
simhash-doc conformance run -- node ports/js/adapter.mjs | tail -n 5
specification=$PWD/spec/simhash-doc.md
cd ports/js
node --test >"$CI_WORK/node.log" || { tail -n 50 "$CI_WORK/node.log"; exit 1; }
grep -E '^# (tests|pass|fail)' "$CI_WORK/node.log"
# The tools are installed next to a copy.
cp -r . "$CI_WORK/js"
cd "$CI_WORK/js"
if npm install --silent --no-package-lock; then
  npm run --silent check-types
  SIMHASH_DOC_SPEC="$specification" npm run --silent fuzz
else
  echo "skipped: types and fuzzing (TypeScript and fast-check cannot be installed)"
fi
