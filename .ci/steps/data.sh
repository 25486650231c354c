#!/usr/bin/env bash
# The Unicode tables are up to date and have their digests.
# needs: test
# debian: unicode-data
set -euo pipefail
python spec/generate_data.py --check
cd spec/data
if command -v sha256sum >/dev/null; then sha256sum --check --quiet SHA256SUMS; else shasum -a 256 -c SHA256SUMS >/dev/null; fi
