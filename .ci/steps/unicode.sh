#!/usr/bin/env bash
# Every Unicode scalar value: the package and the JavaScript implementation against the reference.
# needs: test
set -euo pipefail
# The steps fold and tokens are those of the engine python; a slow test compares the other engines with it.
simhash-doc conformance unicode -- simhash-doc conformance adapter --engine python
if command -v node >/dev/null; then
  echo "JavaScript"
  simhash-doc conformance unicode -- node conformance/implementations/js/adapter.mjs
else
  echo "skipped: JavaScript (no node)"
fi
