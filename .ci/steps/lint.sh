#!/usr/bin/env bash
# Lint, format, spelling and licences; long sentences that a change adds are printed only.
# needs: dev
set -euo pipefail
ruff check .
ruff format --check .
codespell
reuse lint --quiet
python3 .ci/prose.py
