#!/usr/bin/env bash
# Every engine against the conformance suite.
# needs: numba test
set -euo pipefail
python -c "import simhash_doc; simhash_doc.set_engine('numba')"  # compiles the loops, which takes longer than an answer may
for engine in reference python numpy numba; do
  echo "engine $engine"
  simhash-doc conformance run -- simhash-doc conformance adapter --engine "$engine" | tail -n 3
done
