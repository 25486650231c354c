#!/usr/bin/env bash
# The test command of the README.
# debian: unicode-data postgresql
# measured: yes
set -euo pipefail
export SIMHASH_DOC_TEST_REQUIRE_POSTGRESQL=1
[ "$(uname)" = Linux ] || unset SIMHASH_DOC_TEST_REQUIRE_POSTGRESQL
grep -qF "pip install -e '.[test]' && pytest" README.md
if [ -z "${CI_HERE-}" ]; then
  pip install -q -e '.[test]' && pytest
else
  pytest
fi
