#!/usr/bin/env bash
# The compiled core: the short vectors, and the tests of its engine.
# needs: dev
# native: yes
# all: its lints, the same bytes twice, the suite in an empty environment, all tests with it, its source.
set -euo pipefail
if ! command -v cargo >/dev/null; then
  echo "skipped: no Rust"
  exit 77
fi
[ -d "$CI_WORK/native" ] || .ci/native.sh
# In the environment of the runner, which installed the core there. The step tests has none.
simhash-doc conformance run --timeout 120 --quick -- simhash-doc conformance adapter --engine native | tail -n 40
pytest -q -n 0 -k native tests/engines tests/lookup tests/batch
[ -n "$CI_ALL" ] || exit 0
export CARGO_TARGET_DIR="$CI_WORK/native-target"
(
  cd ports/rust/python
  cargo fmt --check
  cargo clippy --quiet --all-targets -- -D warnings
)
if [ -z "$(git status --porcelain ports/rust release)" ]; then
  git clone --quiet --depth 1 "file://$PWD" "$CI_WORK/native-clone"
  "$CI_WORK/native-clients/bin/python" "$CI_WORK/native-clone/release/build.py" --output "$CI_WORK/native-again" native 2>/dev/null
  cmp "$CI_WORK/native-again/SHA256SUMS" <(cd "$CI_WORK" && sha256sum native/*)
else
  echo "skipped: the same bytes from another checkout, because there are changes that are not committed"
fi
pytest -q -n 0 tests/engines tests/lookup tests/batch tests/test_accumulator.py tests/conformance/test_package.py
python release/build.py --output "$CI_WORK/native-package" python 2>/dev/null
python3 -m venv "$CI_WORK/native-elsewhere"
. "$CI_WORK/native-elsewhere/bin/activate"
cd "$CI_WORK/native-elsewhere"
pip install -q "$CI_WORK"/native-package/python/*.whl "$CI_WORK"/native/*.whl
python -c "from simhash_doc import engine_info; assert engine_info().selected == 'native', engine_info()"
simhash-doc conformance run --timeout 120 --skip op:extract -- simhash-doc conformance adapter --engine native | tail -n 40
# What pip builds from source. The engine computes a sample before it is selected.
pip install -q --force-reinstall --no-deps "$CI_WORK"/native/*.tar.gz
python -c "from simhash_doc import engine_info; assert engine_info().selected == 'native', engine_info()"
