#!/usr/bin/env bash
# Fuzzing of every parser and of the engines, guided by coverage, for five minutes; the properties with more, random, examples.
# needs: test
# native: yes
set -euo pipefail
if ! pip install -q atheris; then
  echo "skipped: atheris cannot be installed"
  exit 77
fi
python -m tests.fuzz.run --seconds "${FUZZ_SECONDS:-300}"
env -u CI pytest -q -m "hypothesis and not slow and not browser" --hypothesis-profile=thorough
