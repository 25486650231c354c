#!/usr/bin/env bash
# Lint, format and spelling.
# needs: dev
set -euo pipefail
ruff check .
ruff format --check .
codespell
