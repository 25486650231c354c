#!/usr/bin/env bash
# Import contract: data flows one way, from layer to layer.
# needs: dev
set -euo pipefail
lint-imports --no-logo --no-cache
