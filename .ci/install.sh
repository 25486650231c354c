#!/usr/bin/env bash
# Install packages into the active environment: with uv, which takes a fifth of the time of pip, or else with pip.
set -euo pipefail
if ! { { command -v uv >/dev/null || pip install -q uv; } && uv pip install -q "$@"; }; then
  echo "uv could not install $*: trying pip"
  pip install -q "$@"
fi
