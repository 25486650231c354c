#!/usr/bin/env bash
# The Unicode tables are up to date. A test compares their digests.
# needs: test
# debian: unicode-data
set -euo pipefail
python spec/generate_data.py --check
