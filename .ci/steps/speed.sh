#!/usr/bin/env bash
# Nothing became slower by half: times of the package in proportion to those of work that does not change.
# needs: test
# native: yes
# all: everything
set -euo pipefail
python -m benchmarks.regression
