"""The archives and packages of a release."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


def make(checkout: Path, output: Path) -> dict[str, bytes]:
    script, place = str(checkout / "release/build.py"), str(output)
    subprocess.run([sys.executable, script, "spec", "vectors", "--output", place], check=True)
    return files(output)


def files(output: Path) -> dict[str, bytes]:
    return {path.relative_to(output).as_posix(): path.read_bytes() for path in output.rglob("*") if path.is_file()}


def members(path: Path) -> dict[str, bytes]:
    """Return the files of a tar archive."""
    with tarfile.open(path) as archive:
        return {entry.name: archive.extractfile(entry).read() for entry in archive}  # type: ignore[union-attr]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("dist")
    make(ROOT, output)
    return output


def test_two_checkouts_give_the_same_bytes(tmp_path: Path, built: Path) -> None:
    for folder in ("spec", "conformance", "LICENSES", "release"):
        if (ROOT / folder).exists():
            # Other times and another path than those of the first checkout.
            shutil.copytree(ROOT / folder, tmp_path / "elsewhere" / folder, copy_function=shutil.copyfile)
    again = make(tmp_path / "elsewhere", tmp_path / "dist")
    assert again == files(built)
    for line in again["SHA256SUMS"].decode().splitlines():
        digest, name = line.split("  ")
        assert hashlib.sha256(again[name]).hexdigest() == digest


def test_both_formats_hold_the_same_files(built: Path) -> None:
    for path in built.glob("*/*.tar.gz"):
        with zipfile.ZipFile(path.with_name(path.name.replace(".tar.gz", ".zip"))) as archive:
            assert {name: archive.read(name) for name in archive.namelist()} == members(path)


def test_links_lead_to_files_of_the_archive(built: Path) -> None:
    links = 0
    for path in built.glob("*/*.zip"):
        with zipfile.ZipFile(path) as archive:
            root, names = path.stem, set(archive.namelist())
            folders = {name.rpartition("/")[0] for name in names}
            for name in names:
                if name.count("/") == 1 and name.endswith(".md"):
                    for target in re.findall(r"\]\((?!https?:)([^)#]+)", archive.read(name).decode()):
                        assert f"{root}/{target}".rstrip("/") in names | folders, (name, target)
                        links += 1
    assert links > 20


def test_parentheses_that_held_only_a_link_to_elsewhere_are_left_out(built: Path) -> None:
    assert "([measured](" in (ROOT / "spec/search.md").read_text(encoding="utf-8")
    (path,) = built.glob("spec/*.zip")
    with zipfile.ZipFile(path) as archive:
        search = archive.read(f"{path.stem}/search.md").decode()
    assert "measured)" not in search
    assert "([Manku, Jain and Das Sarma 2007](https://doi.org/" in search
    assert "([the figures](rationale.md#scans))" in search


def test_digests_inside_the_archives_hold(built: Path) -> None:
    for path in built.glob("*/*.tar.gz"):
        held = members(path)
        (sums,) = (name for name in held if name.endswith("/SHA256SUMS"))
        for line in held[sums].decode().splitlines():
            digest, name = line.split("  ")
            assert hashlib.sha256(held[sums.removesuffix("SHA256SUMS") + name]).hexdigest() == digest


def test_the_archive_of_the_specification_has_every_document_and_schema(built: Path) -> None:
    (path,) = built.glob("spec/simhash-doc-spec-*.tar.gz")
    names = {name.partition("/")[2] for name in members(path)}
    expected = [*ROOT.glob("spec/*.md"), *ROOT.glob("spec/schemas/*")]
    assert {path.relative_to(ROOT / "spec").as_posix() for path in expected} <= names
    assert {"provenance.md", "schemas/provenance.schema.json"} <= names


def test_packages_carry_the_vectors_and_one_version(built: Path) -> None:
    packages = built / "vectors/packages"
    python = tomllib.loads((packages / "pypi/pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    npm = json.loads((packages / "npm/package.json").read_text(encoding="utf-8"))["version"]
    crate = tomllib.loads((packages / "crates/Cargo.toml").read_text(encoding="utf-8"))["package"]["version"]
    assert npm == crate == python.replace("rc", "-rc.")
    sums = (ROOT / "conformance/vectors/SHA256SUMS").read_bytes()
    for folder in ("pypi/simhash_doc_vectors/data", "npm", "crates/data"):
        assert (packages / folder / "vectors/SHA256SUMS").read_bytes() == sums
        assert (packages / folder / "schemas/vectors.schema.json").is_file()
