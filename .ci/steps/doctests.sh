#!/usr/bin/env bash
# The examples in docstrings.
# needs: test
set -euo pipefail
# Those of Spark are part of the step spark.
pytest -q -n 0 --doctest-modules simhash_doc --ignore simhash_doc/spark -p no:cacheprovider
