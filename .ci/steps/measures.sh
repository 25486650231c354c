#!/usr/bin/env bash
# The measures of the code beside their targets: lines, modules on the way of a command, climbing imports.
# needs: dev
set -euo pipefail
python .ci/measures.py
