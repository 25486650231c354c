#!/usr/bin/env bash
# Types, strict: mypy, and what mypy and pyright say about the cookbook and about wrong uses.
# needs: dev docs
set -euo pipefail
export PYRIGHT_PYTHON_IGNORE_WARNINGS=1  # it asks a server for its newest version otherwise
mypy
pyright --version  # a test is skipped where it cannot run
pytest -m '' tests/docs/test_cookbook.py -k 'mypy or pyright'
