#!/usr/bin/env bash
# Every engine and every index of one machine against the conformance suite, without its large cases.
# PostgreSQL is in the step slow, Spark in spark.
# needs: test
# all: the large cases, long histories, and the package in a full run.
set -euo pipefail
# Not the reference: the step vectors computes all answers with it. With --all, one engine makes a full run: python, whose
# steps are compared with the reference by thousands of characters at once; tests compare the engines on generated texts,
# and a slow one on every character. The engine native is in the step native. One engine searches in all cases, because
# python has no joins of its own; and one extracts, which needs no engine.
for engine in python numpy; do
  echo "engine $engine"
  case $engine$CI_ALL in
    python1) how="--full --examples 10 --skip op:extract --skip op:query --skip op:update --skip op:find_all" ;;
    *1) how= ;;
    *) how=--quick ;;
  esac
  simhash-doc conformance run --timeout 120 $how -- simhash-doc conformance adapter --engine "$engine" | tail -n 5
done
# Long histories are steps of one kind, each with its own transaction on the disk: with --all only.
long=(--skip 'update/again-*' --skip 'update/removals-*' --skip 'update/one-by-one-*')
if [ -n "$CI_ALL" ]; then long=(); fi
for index in directory clusters sqlite; do
  echo "index $index"
  case $index in
    sqlite) how="--known-failures conformance/known-failures-store.txt" ;;
    *) how= ;;
  esac
  simhash-doc conformance run --quick --timeout 600 $how "${long[@]}" --select op:query --select op:find_all \
    --select op:update -- simhash-doc conformance adapter --index $index | tail -n 3
done
