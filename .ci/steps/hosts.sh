#!/usr/bin/env bash
# The integrations in their real hosts, of the newest and of the lowest versions, and the page about vector stores.
# debian: mariadb-server
# measured: yes
# all: everything
set -euo pipefail
python3 -m venv "$CI_WORK/hosts"
. "$CI_WORK/hosts/bin/activate"
.ci/install.sh -e ".[hosts]" ${COVERAGE_PROCESS_START:+coverage}
pytest -q -n 0 -m slow tests/integrations --durations=5
pytest -q -n 0 --doctest-modules simhash_doc/integrations -p no:cacheprovider
pytest -q -n 0 tests/benchmarks/test_others.py::test_clickhouse_equals_clickhouse  # with the chdb that is installed here
deactivate

# The lowest versions that pyproject.toml declares; data-juicer needs newer ones of other hosts. What an extra lacks is
# missing here, too. A host that cannot be imported would only be skipped.
python3 -m venv "$CI_WORK/lowest"
. "$CI_WORK/lowest/bin/activate"
pip install -q uv
uv pip install -q --resolution lowest-direct "pytest>=9.0" "pytest-xdist>=3.6" "hypothesis>=6.100" \
  -e ".[daft,datasets,datatrove,duckdb,extract,pandas,polars,ray,scrapy,sql]"
python -c "import daft, datasets, datatrove, duckdb, pandas, polars, ray, scrapy"
pytest -q -n 0 -m slow tests/integrations/test_hosts.py
pytest -q -n 0 tests/extraction/test_html.py tests/extraction/test_warc.py tests/extraction/test_xml.py tests/store/test_exact.py
uv pip install -q --resolution lowest-direct -e ".[data-juicer]"
pytest -q -n 0 -m slow tests/integrations/test_hosts.py -k juicer
