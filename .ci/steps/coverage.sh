#!/usr/bin/env bash
# Branch coverage of simhash_doc by the steps tests, slow and spark.
# needs: dev
set -euo pipefail
coverage combine -q "$CI_WORK/coverage"
coverage html -q -d build/coverage --fail-under=0
coverage report --skip-covered --sort=cover
