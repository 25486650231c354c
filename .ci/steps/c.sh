#!/usr/bin/env bash
# The C implementation: its lints, its tests with sanitizers and valgrind, a short fuzz run, the conformance suite.
# needs: test
# debian: cmake valgrind clang clang-tidy
set -euo pipefail
for program in cc cmake; do
  if ! command -v "$program" >/dev/null; then
    echo "skipped: no $program"
    exit 77
  fi
done
cd ports/c
python tools/generate_unicode_data.py ../../spec/data "$CI_WORK/unicode_data.c"
cmp "$CI_WORK/unicode_data.c" src/unicode_data.c
# Build in a directory: its name, the targets, the options.
build() {
  cmake -S . -B "$CI_WORK/$1" -DCMAKE_C_FLAGS=-Werror "${@:3}" >/dev/null
  cmake --build "$CI_WORK/$1" -j2 --target $2 >"$CI_WORK/$1.log" 2>&1 || { tail -n 50 "$CI_WORK/$1.log"; exit 1; }
}
build c-sanitized all -DSIMHASH_DOC_SANITIZE=ON
ctest --test-dir "$CI_WORK/c-sanitized" --output-on-failure | tail -n 8
build c "adapter vectors benchmark"
simhash-doc conformance run -- "$CI_WORK/c/adapter" | tail -n 3
if command -v valgrind >/dev/null; then
  # Large texts take half a minute; the sanitizers check them, too.
  mapfile -t vectors < <(ls ../../conformance/vectors/cases-*.json | grep -Ev 'cases-(large|dense|index-sizes)')  # the runner generates the entries of index sizes
  valgrind -q --leak-check=full --error-exitcode=1 "$CI_WORK/c/vectors" "${vectors[@]}"
else
  echo "skipped: no valgrind"
fi
if command -v clang >/dev/null; then
  CC=clang build c-fuzz fuzz -DSIMHASH_DOC_FUZZ=ON
  "$CI_WORK/c-fuzz/fuzz" -max_len=600 -max_total_time=3 -artifact_prefix="$CI_WORK/" 2>&1 | tail -n 1
else
  echo "skipped: no clang, so the fuzzer is not built"
fi
if command -v clang-tidy >/dev/null; then
  # The analysis of the generated tables takes long and finds nothing.
  mapfile -t sources < <(ls src/*.c | grep -v unicode_data)
  clang-tidy --quiet "${sources[@]}" -- -std=c11 -Iinclude 2>/dev/null
else
  echo "skipped: no clang-tidy"
fi
