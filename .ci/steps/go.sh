#!/usr/bin/env bash
# The Go implementation: its format, vet, the short vectors.
# needs: test
# all: staticcheck, its tests, also with the oldest Go, a short fuzz run, the installed module with all vectors, its tag.
set -euo pipefail
if ! command -v go >/dev/null; then
  echo "skipped: no Go"
  exit 77
fi
# The module has no dependencies, so nothing is downloaded; and it has no C.
alone=(GOFLAGS=-mod=readonly GOPROXY=off GOTOOLCHAIN=local CGO_ENABLED=0)
(
  export "${alone[@]}"
  cd ports/go
  unformatted=$(gofmt -l .)
  if [ -n "$unformatted" ]; then
    echo "not formatted by gofmt: $unformatted"
    exit 1
  fi
  go vet ./...
  go build -o "$CI_WORK/adapter-go" ./cmd/adapter
)
simhash-doc conformance run --timeout 120 --quick -- "$CI_WORK/adapter-go" | tail -n 40
[ -n "$CI_ALL" ] || exit 0
# The analysis is a program of its own.
if ! command -v staticcheck >/dev/null; then
  if GOBIN="$CI_WORK/bin" go install honnef.co/go/tools/cmd/staticcheck@v0.6.1 2>"$CI_WORK/staticcheck.log"; then
    PATH="$CI_WORK/bin:$PATH"
  else
    echo "skipped: staticcheck is not installed, and cannot be installed with go"
  fi
fi
oldest=go$(sed -n 's/^go //p' ports/go/go.mod).0
if GOTOOLCHAIN=$oldest go version 2>"$CI_WORK/oldest.log"; then
  (cd ports/go && GOTOOLCHAIN=$oldest go test ./...)
else
  echo "skipped: the tests with $oldest, which cannot be downloaded"
fi
export "${alone[@]}"
(
  cd ports/go
  if command -v staticcheck >/dev/null; then staticcheck ./...; fi
  go test ./...
  for target in FuzzPieces FuzzBytes FuzzChunks FuzzParse FuzzIndex; do
    go test -run '^$' -fuzz "^$target\$" -fuzztime 4000x . | tail -n 1
  done
)
python release/build.py --output "$CI_WORK/go-dist" go
# A cache of its own, so that no older build of the same version is found.
export GOFLAGS=-modcacherw GOMODCACHE="$CI_WORK/gomod" GOSUMDB=off GOPROXY="file://$CI_WORK/go-dist/go"
module=$(sed -n 's/^module //p' ports/go/go.mod)
project="$CI_WORK/go-project"
mkdir "$project"
sed -n '/^```go$/,/^```$/{/^```/d;p}' ports/go/README.md >"$project/main.go"
(
  cd "$project"
  go mod init example 2>/dev/null
  go get "$module"
  go run .
  go build -o "$CI_WORK/adapter-go" "$module/cmd/adapter"
)
simhash-doc conformance run --timeout 120 -- "$CI_WORK/adapter-go" | tail -n 40
# The tag gives the module that was built.
version=$(go list -C "$project" -m -f '{{.Version}}' "$module")
git clone --quiet --bare --depth 1 "file://$PWD" "$CI_WORK/go.git"
git -C "$CI_WORK/go.git" tag "ports/go/$version"
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0="url.file://$CI_WORK/go.git.insteadOf" GIT_CONFIG_VALUE_0="https://${module%/ports/go}"
GOPROXY=direct GOMODCACHE="$CI_WORK/gomod-tag" go mod download -json "$module@$version" >"$CI_WORK/tag.json"
sum=$(sed -n 's/.*"Sum": "\(.*\)",/\1/p' "$CI_WORK/tag.json")
if [ -n "$(git status --porcelain ports/go)" ]; then
  echo "skipped: the digest of the tagged module, because ports/go has changes that are not committed"
else
  grep -F "$module $version $sum" "$project/go.sum"
fi
