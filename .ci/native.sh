#!/usr/bin/env bash
# Build the compiled core as a release does, with the same clients, into $CI_WORK/native. Without Rust, nothing is built.
set -euo pipefail
command -v cargo >/dev/null || exit 0
python3 -m venv "$CI_WORK/native-clients"
. "$CI_WORK/native-clients/bin/activate"
.ci/install.sh --require-hashes -r release/requirements.txt
export CARGO_TARGET_DIR="$CI_WORK/native-target"
if ! python release/build.py --output "$CI_WORK" native >"$CI_WORK/native.log" 2>&1; then
  cat "$CI_WORK/native.log"
  rm -rf "$CI_WORK/native" # the step `native` builds it again, and fails
  exit 1
fi
