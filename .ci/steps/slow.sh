#!/usr/bin/env bash
# The tests that are marked slow, and those of properties with more examples.
# needs: dev
# debian: unicode-data postgresql
# measured: yes
set -euo pipefail
export SIMHASH_DOC_TEST_REQUIRE_POSTGRESQL=1
# Traced for the coverage, these would take several times as long; the others execute the same lines.
untraced=(
  tests/conformance/test_{javascript,mutants,scaffold,vectors}.py
  tests/engines/test_{equality,every_character,worst_texts}.py
  tests/lookup tests/spec tests/test_accumulator.py
  tests/store/test_processes.py tests/tabular/test_resuming.py
)
slow=(-m "(slow or hypothesis) and not browser" --hypothesis-profile=thorough --durations=10)
env -u COVERAGE_PROCESS_START pytest "${slow[@]}" "${untraced[@]}"
pytest "${slow[@]}" "${untraced[@]/#/--ignore=}"
