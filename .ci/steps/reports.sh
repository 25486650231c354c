#!/usr/bin/env bash
# The register of implementations agrees with its reports, and they are of the present vectors.
# needs: test
set -euo pipefail
python conformance/make_reports.py --check
