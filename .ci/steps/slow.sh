#!/usr/bin/env bash
# The tests that are marked slow, and the properties with more examples than by default.
# needs: dev docs
# debian: unicode-data postgresql fonts-noto-core fonts-noto-cjk
# measured: yes
# native: yes
# all: everything
set -euo pipefail
export SIMHASH_DOC_TEST_REQUIRE_POSTGRESQL=1
slow=(-m "(slow or hypothesis) and not browser" --hypothesis-profile=complete --durations=10)
if [ -n "${COVERAGE_PROCESS_START-}" ]; then
  # Only these execute lines that the quick tests do not. Traced, the others would take several times as long.
  pytest "${slow[@]}" tests/conformance tests/store tests/cli/test_documents.py tests/engines/test_native.py tests/lookup/test_pairs.py
else
  pytest "${slow[@]}"
fi
