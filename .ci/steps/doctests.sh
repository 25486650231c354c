#!/usr/bin/env bash
# The examples in docstrings.
# needs: test
set -euo pipefail
# Those of Spark and of the integrations are part of the steps spark and hosts. What imports the compiled core has none.
ignored=(spark integrations engines/native.py lookup/bucket_join.py)
pytest -q -n 0 --doctest-modules simhash_doc extraction "${ignored[@]/#/--ignore=simhash_doc/}" -p no:cacheprovider
