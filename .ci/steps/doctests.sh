#!/usr/bin/env bash
# The examples in docstrings.
# needs: test
set -euo pipefail
# Those of Spark and of the integrations are part of the steps spark and hosts.
pytest -q -n 0 --doctest-modules simhash_doc --ignore simhash_doc/spark --ignore simhash_doc/integrations -p no:cacheprovider
