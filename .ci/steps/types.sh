#!/usr/bin/env bash
# Types, strict.
# needs: dev docs
set -euo pipefail
mypy
