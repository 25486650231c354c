#!/usr/bin/env bash
# The tests that are marked slow.
# needs: dev
# debian: unicode-data postgresql
# measured: yes
set -euo pipefail
export SIMHASH_DOC_TEST_REQUIRE_POSTGRESQL=1
slow=(-m "slow and not browser" --durations=10)
if [ -n "${COVERAGE_PROCESS_START-}" ]; then
  # Only these execute lines that the quick tests do not. Traced, the others would take several times as long.
  pytest "${slow[@]}" tests/store tests/engines/test_{numba,collisions}.py
else
  pytest "${slow[@]}"
fi
