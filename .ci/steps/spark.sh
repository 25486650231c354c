#!/usr/bin/env bash
# The tests and doctests of Spark, in an environment of their own: PySpark needs an older pandas.
# debian: openjdk-17-jre-headless
# measured: yes
set -euo pipefail
if ! command -v java >/dev/null; then
  echo "skipped: no Java"
  exit 77
fi
python3 -m venv "$CI_WORK/spark"
. "$CI_WORK/spark/bin/activate"
pip install -q -e '.[spark,extract,fuzz]' 'pytest>=8.2' 'pytest-xdist>=3.6' ${COVERAGE_PROCESS_START:+coverage}
pytest -n 0 -m '' tests/spark --durations=5
pytest -n 0 -q --doctest-modules simhash_doc/spark -p no:cacheprovider
