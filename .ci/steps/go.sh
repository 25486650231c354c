#!/usr/bin/env bash
# The Go implementation: its format, its lints, its tests with the vectors, a short fuzz run, the conformance suite.
# needs: test
set -euo pipefail
if ! command -v go >/dev/null; then
  echo "skipped: no Go"
  exit 77
fi
# The analysis is a program of its own.
if ! command -v staticcheck >/dev/null; then
  if GOBIN="$CI_WORK/bin" go install honnef.co/go/tools/cmd/staticcheck@v0.6.1 2>"$CI_WORK/staticcheck.log"; then
    PATH="$CI_WORK/bin:$PATH"
  else
    echo "skipped: staticcheck is not installed, and cannot be installed with go"
  fi
fi
# The module has no dependencies, so nothing is downloaded.
export GOFLAGS=-mod=readonly GOPROXY=off GOTOOLCHAIN=local
(
  cd ports/go
  unformatted=$(gofmt -l .)
  if [ -n "$unformatted" ]; then
    echo "not formatted by gofmt: $unformatted"
    exit 1
  fi
  go vet ./...
  if command -v staticcheck >/dev/null; then staticcheck ./...; fi
  go test ./...
  for target in FuzzPieces FuzzBytes FuzzChunks FuzzParse FuzzIndex; do
    go test -run '^$' -fuzz "^$target\$" -fuzztime 4000x . | tail -n 1
  done
  go build -o "$CI_WORK/adapter-go" ./cmd/adapter
)
simhash-doc conformance run -- "$CI_WORK/adapter-go" | tail -n 3
