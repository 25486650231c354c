#!/usr/bin/env bash
# Lint, format, spelling and licences.
# needs: dev
set -euo pipefail
ruff check .
ruff format --check .
codespell
reuse lint --quiet
