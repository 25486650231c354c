#!/usr/bin/env bash
# Generated texts: each engine against the reference.
# needs: numba test
set -euo pipefail
python -c "import simhash_doc; simhash_doc.set_engine('numba')"  # compiles the loops, which takes longer than an answer may
for engine in python numpy numba; do
  echo "engine $engine"
  simhash-doc conformance fuzz --examples 300 --seed 1 -- simhash-doc conformance adapter --engine "$engine"
done
