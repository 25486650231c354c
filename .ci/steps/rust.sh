#!/usr/bin/env bash
# The Rust implementation: its format, the short vectors.
# needs: test
# all: its lints, its tests, its oldest Rust, a system without std, the packaged crate with all vectors.
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
# Compiling takes most of the time: the tests are optimized a little, what they depend on is not, and overflows end them.
# The suite runs all vectors with the optimized crate below.
profile=(--config profile.dev.debug=false --config profile.dev.opt-level=1 --config 'profile.dev.package."*".opt-level=0')
cargo build "${profile[@]}" --quiet --example adapter
simhash-doc conformance run --timeout 120 --quick -- "$CARGO_TARGET_DIR/debug/examples/adapter" | tail -n 40
[ -n "$CI_ALL" ] || exit 0
cargo clippy --quiet --all-targets -- -D warnings
PROPTEST_CASES=256 cargo test "${profile[@]}" --quiet >"$CI_WORK/rust.log" 2>&1 || { tail -n 50 "$CI_WORK/rust.log"; exit 1; }
grep -E '^test result' "$CI_WORK/rust.log"
oldest=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
if rustup run "$oldest" cargo --version 2>/dev/null; then
  rustup run "$oldest" cargo check --quiet
else
  echo "skipped: no Rust $oldest (rustup toolchain install $oldest)"
fi
target=thumbv7em-none-eabi # it has no std
if [ -d "$(rustc --print sysroot)/lib/rustlib/$target" ]; then
  cargo build --quiet --target "$target"
else
  echo "skipped: no std-less target (rustup target add $target)"
fi
# The packaged crate, in a project of its own: the example of the README, and the adapter.
python ../../release/build.py --output "$CI_WORK/rust-dist" rust 2>"$CI_WORK/rust.log" || { tail -n 50 "$CI_WORK/rust.log"; exit 1; }
project="$CI_WORK/rust-project"
mkdir -p "$project/crate" "$project/src/bin"
tar -xzf "$CI_WORK"/rust-dist/rust/simhash-doc-*.crate -C "$project/crate" --strip-components 1
cp -r examples/adapter "$project/src/bin/adapter"
sed -n '/^```rust$/,/^```$/{/^```/d;p}' "$project/crate/README.md" >"$project/src/main.rs"
cat >"$project/Cargo.toml" <<TOML
[package]
name = "example"
edition = "2024"
[dependencies]
simhash-doc = { path = "crate" }
serde_json = "1"
TOML
export CARGO_TARGET_DIR="$project/target"
cd "$project"
cargo build --quiet --release
cargo run --quiet --release --bin example
simhash-doc conformance run --timeout 120 -- target/release/adapter | tail -n 40
