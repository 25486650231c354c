#!/usr/bin/env bash
# The site, strict, and its tests in a browser.
# needs: browser docs test
# debian: chromium
set -euo pipefail
mkdocs build --strict --site-dir "$CI_WORK/site" 2>"$CI_WORK/mkdocs.log" || { cat "$CI_WORK/mkdocs.log"; exit 1; }
if grep -E '^WARNING' "$CI_WORK/mkdocs.log"; then exit 1; fi
SIMHASH_DOC_TEST_SITE="$CI_WORK/site" pytest -n 0 -m '' -q tests/browser
