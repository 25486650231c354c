#!/usr/bin/env bash
# The C implementation: its tables, its build without warnings, the short vectors.
# needs: test
# debian: cmake
# all: its lints, its tests with sanitizers and valgrind, a short fuzz run, the installed library with all vectors.
# all_debian: pkg-config valgrind clang clang-tidy
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
build c "adapter vectors benchmark"
simhash-doc conformance run --timeout 120 --quick -- "$CI_WORK/c/adapter" | tail -n 40
[ -n "$CI_ALL" ] || exit 0
build c-sanitized all -DSIMHASH_DOC_SANITIZE=ON
ctest --test-dir "$CI_WORK/c-sanitized" --output-on-failure | tail -n 8
if command -v valgrind >/dev/null; then
  # Large texts take half a minute; the sanitizers check them, too.
  mapfile -t vectors < <(ls ../../conformance/vectors/cases-*.json | grep -Ev 'cases-(large|dense)')
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
# The source archive, installed, in a project of its own: the example of the README by CMake in C and C++, by pkg-config
# and with the single header; the adapter.
python ../../release/build.py --output "$CI_WORK/c-dist" c
source="$CI_WORK/c-source" prefix="$CI_WORK/c-prefix" project="$CI_WORK/c-project"
mkdir -p "$source" "$project/single"
tar -xzf "$CI_WORK"/c-dist/c/simhash-doc-c-*.tar.gz -C "$source" --strip-components 1
cmake -S "$source" -B "$source/build" -DBUILD_TESTING=OFF -DBUILD_SHARED_LIBS=ON -DCMAKE_INSTALL_PREFIX="$prefix" >/dev/null
cmake --build "$source/build" -j2 >/dev/null
cmake --install "$source/build" >/dev/null
cp -r "$source/adapter" "$project"
cp "$CI_WORK/c-dist/c/simhash_doc.h" "$project/single"
sed -n '/^```c$/,/^```$/{/^```/d;p}' "$source/README.md" >"$project/example.c"
cp "$project/example.c" "$project/example.cpp"
cat >"$project/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.16)
project(example LANGUAGES C CXX)
find_package(simhash-doc 0.1 REQUIRED)
file(GLOB ADAPTER adapter/*.c)
add_executable(adapter ${ADAPTER})
add_executable(example-c example.c)
add_executable(example-cpp example.cpp)
foreach(program adapter example-c example-cpp)
  target_link_libraries(${program} simhash-doc::simhash_doc)
endforeach()
CMAKE
cd "$project"
cmake -S . -B build -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build build -j2 >/dev/null
build/example-c
build/example-cpp
if command -v pkg-config >/dev/null; then
  PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name simhash-doc.pc)")
  export PKG_CONFIG_PATH
  # shellcheck disable=SC2046 # several options
  cc example.c -o example $(pkg-config --cflags --libs simhash-doc) -Wl,-rpath,"$(pkg-config --variable=libdir simhash-doc)"
  ./example
  grep -F "VERSION \"$(pkg-config --modversion simhash-doc)\"" "$prefix/include/simhash_doc.h"
else
  echo "skipped: no pkg-config"
fi
printf '#define SIMHASH_DOC_IMPLEMENTATION\n#include "simhash_doc.h"\n' >single/library.c
cc -std=c11 -Wall -Wextra -Wpedantic -Werror -Isingle example.c single/library.c -o example-single
./example-single
simhash-doc conformance run --timeout 120 -- build/adapter | tail -n 40
