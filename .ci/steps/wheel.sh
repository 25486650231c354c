#!/usr/bin/env bash
# The wheel, installed elsewhere and tried.
set -euo pipefail
place="$CI_WORK/wheel"
mkdir "$place"
python -m pip wheel -q --no-deps -w "$place" .
wheel=$(echo "$place"/simhash_doc-*.whl)
python - "$wheel" <<'PYTHON'
import sys
import zipfile
from pathlib import Path

names = set(zipfile.ZipFile(sys.argv[1]).namelist())
tops = {name.split("/")[0] for name in names}
assert all(top.startswith("simhash_doc") for top in tops), tops
folders = ("spec/data", "conformance/schemas", "conformance/vectors")
published = [path for folder in folders for path in Path(folder).rglob("*") if path.is_file()]
missing = [path for path in published if f"simhash_doc/published/{path.as_posix()}" not in names]
assert not missing, missing
PYTHON
cp README.md spec/simhash-doc.md "$place"
cp README.md "$place/readme.txt"
cd "$place"
python3 -m venv elsewhere
. elsewhere/bin/activate
pip install -q "$wheel"
simhash-doc fingerprint readme.txt # plain text needs no extra; anything else says what to install
if simhash-doc fingerprint README.md 2>missing.txt; then
  echo "Markdown was read without the extra"
  exit 1
fi
grep -F "pip install 'simhash-doc[extract]'" missing.txt
pip install -q "$wheel[extract]"
python -m simhash_doc fingerprint README.md simhash-doc.md
simhash-doc compare README.md simhash-doc.md
# That the vectors are found; the step engines runs them all.
simhash-doc conformance run --select 'cap/*' -- simhash-doc conformance adapter | tail -n 3
