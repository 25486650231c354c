#!/usr/bin/env bash
# The site, built with warnings as errors, and its tests in a browser.
# needs: browser docs test
# debian: chromium
# all: the site as its workflow publishes it, with the workflow's own commands; a version of the specification.
set -euo pipefail
export SITE_URL=https://simhash-doc.example/
if [ -z "$CI_ALL" ]; then
  mkdocs build --strict -d "$CI_WORK/site" >"$CI_WORK/site.log" 2>&1 || { cat "$CI_WORK/site.log"; exit 1; } # -q hides warnings
  SIMHASH_DOC_TEST_SITE="$CI_WORK/site" pytest -n 0 -m '' -q tests/browser
  exit
fi
git clone -q --bare . "$CI_WORK/origin.git"
git clone -q "$CI_WORK/origin.git" "$CI_WORK/checkout"
python3 -m venv "$CI_WORK/site-venv"
(
  cd "$CI_WORK/checkout"
  # shellcheck disable=SC1091
  . "$CI_WORK/site-venv/bin/activate"
  mapfile -t commands < <(sed -n 's/^ *- run: //p' .github/workflows/docs.yml)
  [ "${#commands[@]}" = 2 ] || { echo "docs.yml has ${#commands[@]} commands in one line: expected pip and publish-site"; exit 1; }
  export REF_TYPE=branch REF_NAME=main
  for command in "${commands[@]}"; do
    bash -euo pipefail -c "$command" >"$CI_WORK/site.log" 2>&1 || { cat "$CI_WORK/site.log"; exit 1; }
  done
  if grep -E '^WARNING' "$CI_WORK/site.log"; then exit 1; fi
  # A version of the specification has an address of its own, and is published once.
  export REF_TYPE=tag REF_NAME=spec/v0.0.0-rc.1
  .ci/publish-site >"$CI_WORK/site.log" 2>&1 || { cat "$CI_WORK/site.log"; exit 1; }
  git fetch -q
  ! .ci/publish-site 2>/dev/null
)
git -C "$CI_WORK/origin.git" archive gh-pages | tar -x -C "$(mkdir "$CI_WORK/pages" && echo "$CI_WORK/pages")"
[ "$(cd "$CI_WORK/pages" && echo [0-9d]*)" = "0.0.0-rc.1 dev" ]
# The theme asks for the list of versions one level above the site, which is the root of the tests' server.
cp "$CI_WORK/pages/versions.json" "$CI_WORK/pages/dev/"
SIMHASH_DOC_TEST_SITE="$CI_WORK/pages/dev" pytest -n 0 -m '' -q tests/browser
