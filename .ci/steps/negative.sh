#!/usr/bin/env bash
# A wrong implementation fails, and its bug is named.
# needs: test
set -euo pipefail
report="$CI_WORK/mutant.txt"
if simhash-doc conformance run --timeout 120 --select 'cap/*' -- simhash-doc conformance adapter --mutant cap-seven >"$report"; then
  echo "the suite passed a mutant"
  exit 1
fi
grep -F "[cap-seven]" "$report" | sort | uniq -c
