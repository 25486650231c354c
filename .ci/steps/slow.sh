#!/usr/bin/env bash
# The tests that are marked slow.
# needs: dev
# debian: unicode-data postgresql
# measured: yes
set -euo pipefail
export SIMHASH_DOC_TEST_REQUIRE_POSTGRESQL=1
pytest -m "slow and not browser" --hypothesis-profile=thorough --durations=10
