#!/usr/bin/env bash
# The test vectors and the traceability table are up to date.
# needs: test
set -euo pipefail
python conformance/make_vectors.py --check
python conformance/make_traceability.py --check
