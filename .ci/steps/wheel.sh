#!/usr/bin/env bash
# The wheel and the source distribution: the same bytes twice, installed elsewhere with each Python, and tried.
# needs: dev
# all: everything
set -euo pipefail
place="$CI_WORK/wheel"
python release/build.py --output "$place" python 2>"$CI_WORK/build.log" || { cat "$CI_WORK/build.log"; exit 1; }
python release/build.py --output "$place/again" python 2>/dev/null
cmp "$place"/python/*.whl "$place"/again/python/*.whl
cmp "$place"/python/*.tar.gz "$place"/again/python/*.tar.gz
wheel=$(echo "$place"/python/simhash_doc-*.whl)
python - "$wheel" <<'PYTHON'
import sys
import zipfile
from pathlib import Path

packed = zipfile.ZipFile(sys.argv[1])
inside = {name: packed.read(name) for name in packed.namelist() if "/published/" in name}
published = {
    f"{inside}{path.relative_to(folder).as_posix()}": path
    for folder, inside in (
        ("spec", "simhash_doc/published/spec/"),
        ("conformance/schemas", "simhash_doc_conformance/published/schemas/"),
        ("conformance/vectors", "simhash_doc_conformance/published/vectors/"),
    )
    for path in Path(folder).rglob("*")
}
expected = {name: path.read_bytes() for name, path in published.items() if path.is_file() and "__pycache__" not in name}
assert {name: data for name, data in expected.items() if inside.get(name) != data} == {}
PYTHON
cp README.md spec/simhash-doc.md "$place"
cp README.md "$place/readme.txt"
cd "$place"
python3 -m venv elsewhere
. elsewhere/bin/activate
pip install -q "$wheel" pipx uv
for number in 11 12 13 14; do
  found=
  for candidate in "python3.$number" "${PYENV_ROOT:-$HOME/.pyenv}/versions/3.$number".*/bin/python; do
    "$candidate" -c "import sys; sys.exit(sys.version_info[:2] != (3, $number))" 2>/dev/null || continue
    found=$("$candidate" --version)
    echo "$found"
    uv venv -q --python "$("$candidate" -c "import sys; print(sys.executable)")" "with-3.$number"
    uv pip install -q --python "with-3.$number" "$wheel" # pip installs it above
    "with-3.$number/bin/simhash-doc" fingerprint readme.txt # plain text needs no extra
    "with-3.$number/bin/simhash-doc" conformance run --timeout 120 --select 'cap/*' -- \
      "with-3.$number/bin/simhash-doc" conformance adapter | tail -n 1
    break
  done
  [ -n "$found" ] || echo "skipped: the wheel with Python 3.$number, which is not installed"
done
python -c "from simhash_doc import engine_info; print(engine_info().unavailable['native'])" # all below works without it
if simhash-doc fingerprint README.md 2>missing.txt; then
  echo "Markdown was read without the extra"
  exit 1
fi
grep -F "pip install 'simhash-doc[extract]'" missing.txt
PIPX_HOME=$PWD/pipx pipx run --spec "$wheel" simhash-doc fingerprint readme.txt
UV_CACHE_DIR=$PWD/uv uvx --no-python-downloads --from "$wheel" simhash-doc fingerprint readme.txt
pip install -q "$wheel[extract]"
python -m simhash_doc fingerprint README.md simhash-doc.md
simhash-doc compare README.md simhash-doc.md
simhash-doc conformance run --timeout 120 --quick -- simhash-doc conformance adapter | tail -n 40
