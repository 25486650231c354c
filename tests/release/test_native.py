"""The wheel of the compiled core: what a release changes in it, and which one the package takes."""

from __future__ import annotations

import base64
import csv
import hashlib
import tomllib
import zipfile
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

from release.archives import ROOT
from release.build import _files, _forget_checkout

SBOM = "a-1.0.dist-info/sboms/a.cyclonedx.json"
RECORD = "a-1.0.dist-info/RECORD"


def wheel(path: Path, module: str = "a/a.abi3.so") -> Path:
    """Write a wheel as maturin does, with the list of components of a crate in this checkout."""
    sbom = f'{{"bom-ref": "path+{ROOT.as_uri()}/ports/rust#a@1.0"}}'
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in {module: "code", SBOM: sbom, RECORD: f"{module},,\n{SBOM},,\n{RECORD},,\n"}.items():
            entry = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
            entry.external_attr = 0o755 << 16
            archive.writestr(entry, text)
    return path


def test_a_wheel_does_not_name_the_checkout_and_records_what_it_holds(tmp_path: Path) -> None:
    path = wheel(tmp_path / "a-1.0-cp311-abi3-any.whl")
    _forget_checkout(path)
    with zipfile.ZipFile(path) as archive:
        held = {entry.filename: archive.read(entry) for entry in archive.infolist()}
        modes = {entry.external_attr >> 16 for entry in archive.infolist()}
    assert held[SBOM] == b'{"bom-ref": "path+file:///ports/rust#a@1.0"}'
    assert held["a/a.abi3.so"] == b"code"
    assert modes == {0o755}
    *recorded, own = csv.reader(held[RECORD].decode().splitlines())
    assert own == [RECORD, "", ""]
    for name, digest, size in recorded:
        sha256 = base64.urlsafe_b64encode(hashlib.sha256(held[name]).digest()).decode().rstrip("=")
        assert (digest, size) == (f"sha256={sha256}", str(len(held[name])))


def test_the_module_has_one_name_in_the_list_of_contents_on_all_systems(tmp_path: Path) -> None:
    names = [set(_files(wheel(tmp_path / f"{suffix}.whl", f"a/a.{suffix}"))) for suffix in ("abi3.so", "pyd")]
    assert names[0] == names[1] >= {"a/a.abi3.so", "a.dist-info/RECORD"}


def test_the_extra_takes_the_module_of_this_checkout() -> None:
    def loaded(name: str) -> Any:
        return tomllib.loads((ROOT / name).read_text(encoding="utf-8"))

    (fast,) = loaded("pyproject.toml")["project"]["optional-dependencies"]["fast"]
    version = loaded("ports/rust/python/Cargo.toml")["package"]["version"]
    requirement = Requirement(fast)
    assert requirement.name == loaded("ports/rust/python/pyproject.toml")["project"]["name"]
    assert version in requirement.specifier
    major, minor, _ = version.split(".")
    assert f"{major}.{int(minor) + 1}.0" not in requirement.specifier
