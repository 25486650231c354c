#!/usr/bin/env bash
# The integrations in their real hosts, and the page about vector stores, in an environment of its own.
# debian: mariadb-server
# measured: yes
set -euo pipefail
python3 -m venv "$CI_WORK/hosts"
. "$CI_WORK/hosts/bin/activate"
.ci/install.sh -e ".[hosts]" ${COVERAGE_PROCESS_START:+coverage}
pytest -q -n 0 -m slow tests/integrations --durations=5
pytest -q -n 0 --doctest-modules simhash_doc/integrations -p no:cacheprovider
pytest -q -n 0 tests/benchmarks/test_others.py::test_clickhouse_equals_clickhouse  # with the chdb that is installed here
