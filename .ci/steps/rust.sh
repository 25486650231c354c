#!/usr/bin/env bash
# The Rust implementation: its format, its lints, its tests, the conformance suite.
# needs: test
set -euo pipefail
if ! command -v cargo >/dev/null; then
  echo "skipped: no Rust"
  exit 77
fi
export CARGO_TARGET_DIR="$CI_WORK/rust"
cd ports/rust
if ! cargo fetch --quiet; then
  echo "skipped: the dependencies of the tests cannot be downloaded"
  exit 77
fi
cargo fmt --check
cargo clippy --quiet --all-targets -- -D warnings
cargo build --quiet --release --example adapter
simhash-doc conformance run -- "$CARGO_TARGET_DIR/release/examples/adapter" | tail -n 3
PROPTEST_CASES=256 cargo test --quiet --release >"$CI_WORK/rust.log" 2>&1 || { tail -n 50 "$CI_WORK/rust.log"; exit 1; }
grep -E '^test result' "$CI_WORK/rust.log"
