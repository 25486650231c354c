#!/usr/bin/env bash
# How many mutants the test vectors find.
# needs: test
set -euo pipefail
simhash-doc conformance mutants | tail -n 1
