#!/usr/bin/env bash
# The Go implementation: its format, its tests with the vectors, the conformance suite.
# needs: test
set -euo pipefail
if ! command -v go >/dev/null; then
  echo "skipped: no Go"
  exit 77
fi
# The module has no dependencies, so nothing is downloaded.
export GOFLAGS=-mod=readonly GOPROXY=off GOTOOLCHAIN=local
(
  cd conformance/implementations/go
  unformatted=$(gofmt -l .)
  if [ -n "$unformatted" ]; then
    echo "not formatted by gofmt: $unformatted"
    exit 1
  fi
  go vet ./...
  go test ./...
  go build -o "$CI_WORK/adapter-go" ./cmd/adapter
)
simhash-doc conformance run -- "$CI_WORK/adapter-go" | tail -n 3
