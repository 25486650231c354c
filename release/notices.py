"""Choose the crates of others that the compiled core is built with, and write their licences.

    python release/notices.py

Writes the newest versions that fit to release/crates.txt: with others, a wheel would have other bytes. Each wheel
contains the code of crates, compiled, and the MIT License requires its text in every copy:
ports/rust/python/licenses/crates.txt. `build.py` builds with these versions, and compares the licences.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from release.archives import ROOT, ReleaseError, write

MODULE = ROOT / "ports/rust/python"
NOTICES = MODULE / "licenses/crates.txt"
CRATES = ROOT / "release/crates.txt"
BEGIN = """\
The module simhash_doc_native contains these Rust crates, compiled. Here are their licences.

It also contains parts of the standard library of Rust: Copyright (c) The Rust Project Contributors and others. They are
under the MIT License or the Apache License 2.0. Each installation of Rust names them all, in COPYRIGHT-library.html.
"""


def notices() -> str:
    """Return what `NOTICES` must hold for the locked crates: the licences of those that are linked, each text once.

    Raises:
        ReleaseError: cargo is not installed or failed, or a crate has no text of the MIT License.
    """
    texts: dict[str, list[str]] = {}
    for crate in _needed(linked=True):
        texts.setdefault(_licence(crate), []).append(crate["name"])
    return "\n".join([BEGIN, *(f"== {', '.join(names)}\n\n{text}" for text, names in texts.items())])


def lock() -> None:
    """Write the lock file of the Rust workspace, which is not committed, with the versions of `CRATES`.

    Raises:
        ReleaseError: cargo is not installed or failed.
    """
    _cargo("generate-lockfile")
    for line in CRATES.read_text(encoding="utf-8").splitlines():
        name, version = line.split()
        compatible = re.match(r"0\.\d+|\d+", version)  # an incompatible version may be locked beside it
        assert compatible
        _cargo("update", "--quiet", f"{name}@{compatible[0]}", "--precise", version)


def _cargo(*arguments: str) -> bytes:
    if shutil.which("cargo") is None:
        raise ReleaseError("cargo is not installed")
    done = subprocess.run(["cargo", *arguments], cwd=MODULE, stdout=subprocess.PIPE, check=False)
    if done.returncode:
        raise ReleaseError(f"cargo {' '.join(arguments)}: failed in {MODULE.relative_to(ROOT)}")
    return done.stdout


def _needed(*, linked: bool) -> list[dict[str, Any]]:
    """Return the packages of others that the module is built with, on any platform, sorted by name.

    Args:
        linked: only those whose code is in the module, which macros and what builds it are not.
    """
    metadata = json.loads(_cargo("metadata", "--locked", "--format-version=1"))
    packages = {package["id"]: package for package in metadata["packages"]}
    needs = {node["id"]: node["deps"] for node in metadata["resolve"]["nodes"]}
    found, todo = set[str](), [metadata["resolve"]["root"]]
    while todo:
        name = todo.pop()
        is_macro = any("proc-macro" in target["kind"] for target in packages[name]["targets"])
        if name in found or (is_macro and linked):
            continue
        found.add(name)
        kinds = {None} if linked else {None, "build"}
        todo += [one["pkg"] for one in needs[name] if any(kind["kind"] in kinds for kind in one["dep_kinds"])]
    return sorted((packages[name] for name in found if packages[name]["source"]), key=lambda package: package["name"])


def _licence(crate: dict[str, Any]) -> str:
    """Return the text of the MIT License with the copyright notice of a crate."""
    files = sorted(Path(crate["manifest_path"]).parent.glob("LICENSE*"))
    files = [file for file in files if "MIT" in file.name] or files
    if "MIT" not in crate["license"] or len(files) != 1:
        names = [file.name for file in files]
        raise ReleaseError(
            f"the crate {crate['name']} is under {crate['license']}, in {names}; expected the MIT License in one file: "
            "say in release/notices.py what its licence requires"
        )
    return "\n".join(line.rstrip() for line in files[0].read_text(encoding="utf-8").strip().splitlines()) + "\n"


if __name__ == "__main__":
    _cargo("generate-lockfile")
    write(CRATES, "".join(f"{crate['name']} {crate['version']}\n" for crate in _needed(linked=False)).encode())
    write(NOTICES, notices().encode())
