#!/usr/bin/env bash
# The Rust implementation in WebAssembly: its lints, the same bytes twice, the installed package with the vectors.
# needs: test
# all: everything
set -euo pipefail
target=wasm32-unknown-unknown
if ! command -v node >/dev/null || ! command -v cargo >/dev/null || [ ! -d "$(rustc --print sysroot)/lib/rustlib/$target" ]; then
  echo "skipped: no node, or no Rust with the target $target (rustup target add $target)"
  exit 77
fi
(
  cd ports/rust/wasm
  cargo fmt --check
  CARGO_TARGET_DIR="$CI_WORK/wasm" cargo clippy --quiet --target "$target" -- -D warnings
)
python release/build.py --output "$CI_WORK/wasm-dist" js wasm
git clone --quiet --depth 1 "file://$PWD" "$CI_WORK/wasm-clone"
if [ -z "$(git status --porcelain ports/rust)" ]; then
  python "$CI_WORK/wasm-clone/release/build.py" --output "$CI_WORK/wasm-again" wasm
  cmp "$CI_WORK"/wasm-dist/wasm/*.tgz "$CI_WORK"/wasm-again/wasm/*.tgz
else
  echo "skipped: the same bytes from another checkout, because ports/rust has changes that are not committed"
fi
runtimes=$(.ci/runtimes.sh) || runtimes=
project="$CI_WORK/wasm-project"
mkdir "$project"
cp -r ports/js/adapter ports/js/adapter.mjs "$project"
cd "$project"
echo '{"type": "module"}' >package.json
npm install --silent "$CI_WORK"/wasm-dist/{js,wasm}/*.tgz
sed -n '/^```js$/,/^```$/{/^```/d;p}' node_modules/simhash-doc-wasm/README.md >readme.mjs
node readme.mjs
oldest=node
if [ -n "$runtimes" ]; then
  oldest=$runtimes/node
  for runtime in "$oldest" "$runtimes/deno run --allow-read" "$runtimes/bun"; do
    cmp <($runtime readme.mjs) <(node readme.mjs)
  done
else
  echo "skipped: Node.js 18, Deno and Bun (they cannot be installed)"
fi
sed -i "s/'simhash-doc'/'simhash-doc-wasm'/" adapter/operations.js
simhash-doc conformance run --timeout 120 --skip pairs/size-65541 -- "$oldest" adapter.mjs | tail -n 40
