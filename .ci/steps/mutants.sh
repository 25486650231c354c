#!/usr/bin/env bash
# How many mutants the test vectors find: all of the catalogue, and a sample of the systematic ones.
# needs: test
# all: everything
set -euo pipefail
simhash-doc conformance mutants | tail -n 1
python conformance/make_mutation_score.py --sample
python conformance/make_mutation_score.py --check
