#!/usr/bin/env bash
# The workflow files, with zizmor, and with actionlint if it is installed.
# needs: dev
# all: actionlint, which is built here.
set -euo pipefail
zizmor --offline --quiet .github conformance/action.yml
if ! command -v actionlint >/dev/null; then
  [ -n "$CI_ALL" ] || exit 0
  if ! command -v go >/dev/null || ! GOBIN="$CI_WORK/bin" go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.12; then
    echo "skipped: actionlint is not installed, and cannot be installed with go"
    exit 77
  fi
  PATH="$CI_WORK/bin:$PATH"
fi
actionlint
