"""Every requirement that a file cites is in the specification."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from simhash_doc.conformance.requirements import requirements

ROOT = Path(__file__).parents[2]
_IDENTIFIER = re.compile(r"\bSD-[A-Z]+-\d+\b")


def _tracked_files() -> list[Path]:
    try:
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    return [ROOT / name for name in listed.decode().split("\0") if name]


def _citations(text: str) -> set[str]:
    return set(_IDENTIFIER.findall(text))


def test_every_cited_requirement_exists() -> None:
    unknown = {}
    for path in _tracked_files():
        try:
            cited = _citations(path.read_text(encoding="utf-8"))
        except (UnicodeDecodeError, OSError):  # not text, or deleted and not committed
            continue
        if missing := cited - set(requirements()):
            unknown[str(path.relative_to(ROOT))] = sorted(missing)
    assert unknown == {}


def test_citations_are_found() -> None:
    assert _citations("(SD-FOLD-1 to SD-FOLD-5), not SD-FOLD or xSD-CAP-1") == {"SD-FOLD-1", "SD-FOLD-5"}
