#!/usr/bin/env bash
# The tests that are marked slow, and the properties with more examples than by default.
# needs: dev docs
# debian: unicode-data postgresql
# measured: yes
# native: yes
set -euo pipefail
export SIMHASH_DOC_TEST_REQUIRE_POSTGRESQL=1
# Each process of pytest would compile the loops for itself, at the same time as the others.
python -c "import simhash_doc as s; s.set_engine('numba'); s.fingerprint('word'); s.fingerprint('word ' * 300_000)" &
SIMHASH_DOC_ENGINE=numba python -c "
import numpy as np
from simhash_doc.lookup import find_all
values = np.arange(64, dtype=np.uint64)
find_all(values, distance=3), find_all(values.reshape(-1, 4), distance=3)" &
wait
slow=(-m "(slow or hypothesis) and not browser" --hypothesis-profile=complete --durations=10)
if [ -n "${COVERAGE_PROCESS_START-}" ]; then
  # Only these execute lines that the quick tests do not. Traced, the others would take several times as long.
  pytest "${slow[@]}" tests/conformance tests/store tests/cli/test_documents.py tests/engines/test_numba.py tests/lookup/test_pairs.py
else
  pytest "${slow[@]}"
fi
