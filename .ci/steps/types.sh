#!/usr/bin/env bash
# Types, strict: mypy, and what mypy and pyright say about the cookbook and about wrong uses.
# needs: dev docs
set -euo pipefail
mypy
pyright --version  # a test is skipped where it cannot run
pytest -m '' tests/docs/test_cookbook.py -k 'mypy or pyright'
