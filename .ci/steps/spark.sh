#!/usr/bin/env bash
# The tests and doctests of Spark, in an environment of their own: PySpark needs an older pandas.
# debian: openjdk-17-jre-headless
# measured: yes
# all: everything
set -euo pipefail
if ! command -v java >/dev/null; then
  echo "skipped: no Java"
  exit 77
fi
python3 -m venv "$CI_WORK/spark"
. "$CI_WORK/spark/bin/activate"
.ci/install.sh -e '.[spark,extract,fuzz]' 'pytest>=9.0' 'pytest-xdist>=3.6' ${COVERAGE_PROCESS_START:+coverage}
# One session: most of the time is planning in Java, and another Java would load and compile the same classes.
pytest -n 0 -m '' --doctest-modules simhash_doc/spark tests/spark --durations=5 --ignore tests/spark/test_cluster.py
# A cluster of several processes takes over a minute to start and to recover: the run that measures coverage has it.
if [ -n "${COVERAGE_PROCESS_START-}" ]; then
  pytest -n 0 -m '' tests/spark/test_cluster.py
fi
