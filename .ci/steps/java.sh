#!/usr/bin/env bash
# The Java implementation: its format, its tests with the vectors and generated inputs, the conformance suite.
# needs: test
# debian: maven openjdk-17-jdk-headless
set -euo pipefail
for program in mvn javac; do
  if ! command -v "$program" >/dev/null; then
    echo "skipped: no $program"
    exit 77
  fi
done
cd ports/java
java tools/GenerateUnicodeData.java ../../spec/data "$CI_WORK/UnicodeData.java"
cmp "$CI_WORK/UnicodeData.java" src/main/java/io/github/simhashdoc/UnicodeData.java
# One start of Maven: format, lints, documentation, tests.
if ! mvn -B -q -Dstyle.color=never -DbuildDirectory="$CI_WORK/java" test >"$CI_WORK/java.log" 2>&1; then
  if grep -Eq 'Could not (transfer|find) artifact|Unknown host' "$CI_WORK/java.log"; then
    echo "skipped: the plugins of Maven, JUnit or jqwik cannot be downloaded"
    exit 77
  fi
  tail -n 50 "$CI_WORK/java.log"
  exit 1
fi
grep -h '^Tests run' "$CI_WORK"/java/surefire-reports/*.txt
simhash-doc conformance run -- \
  java -cp "$CI_WORK/java/classes:$CI_WORK/java/test-classes" io.github.simhashdoc.Adapter | tail -n 3
