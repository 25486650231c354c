#!/usr/bin/env bash
# Every engine against the conformance suite, and the package in a full run.
# needs: numba test
set -euo pipefail
# Compiles the loops, which takes longer than an answer may. A long text is read by a loop of its own.
python -c "import simhash_doc; simhash_doc.set_engine('numba'); simhash_doc.fingerprint('word ' * 300_000)"
for engine in reference python numpy numba; do
  echo "engine $engine"
  case $engine in
    reference) how=--quick ;; # the step vectors computes the answers to large cases with it
    python) how="--full --examples 30" ;; # the report in the register is of a run with 100
    *) how= ;;
  esac
  # The engine `python` needs more than ten seconds for texts of 16 million characters.
  simhash-doc conformance run $how --timeout 120 -- simhash-doc conformance adapter --engine "$engine" | tail -n 5
done
# A slow test compares every scalar value of these engines with the engine python.
for engine in numpy numba; do
  echo "engine $engine"
  simhash-doc conformance fuzz --examples 100 --seed 1 --op buckets --op fingerprint \
    -- simhash-doc conformance adapter --engine "$engine"
done
