#!/usr/bin/env bash
# The test command of the README.
# debian: unicode-data
# measured: yes
set -euo pipefail
grep -qF "pip install -e '.[test]' && pytest" README.md
if [ -z "${CI_HERE-}" ]; then
  env -u COVERAGE_PROCESS_START pip install -q -e '.[test]' && pytest --durations=10
else
  pytest --durations=10
fi
