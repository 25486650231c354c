#!/usr/bin/env bash
# The reports of the dashboard are about the present vectors.
# needs: test
set -euo pipefail
python conformance/make_reports.py --check
