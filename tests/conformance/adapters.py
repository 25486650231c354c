"""Build and run adapters in other languages."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from simhash_doc_conformance.adapters.scaffold import LANGUAGES, write_adapter

NEEDED = {
    "python": ("python3",),
    "js": ("node",),
    "go": ("go",),
    "rust": ("cargo",),
    "java": ("javac", "java"),
    "c": ("cc",),
    "r": ("Rscript",),
}
TIME_LIMIT = 60  # seconds


def start_adapter(language: str, directory: Path) -> Path:
    """Write an adapter template with its dependencies, or skip the test."""
    if missing := [program for program in NEEDED[language] if not shutil.which(program)]:
        pytest.skip(f"not installed: {', '.join(missing)}")
    write_adapter(language, directory)
    if language == "rust":
        fetched = subprocess.run(["cargo", "fetch"], cwd=directory, capture_output=True, text=True, check=False)
        if fetched.returncode:
            pytest.skip(f"cargo fetch failed: {fetched.stderr.strip()}")
    return directory


def build(language: str, directory: Path) -> None:
    """Build an adapter as its README says."""
    if command := shlex.split(LANGUAGES[language].build):
        built = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
        assert built.returncode == 0, built.stderr
        assert "warning" not in built.stderr


def answers(language: str, directory: Path, *requests: Mapping[str, Any], ascii_only: bool = True) -> list[Any]:
    """Run an adapter as its README says, and return its answers. It must exit with status 0 after the last request."""
    lines = "".join(f"{json.dumps(request, ensure_ascii=ascii_only)}\n" for request in requests).encode()
    command = shlex.split(LANGUAGES[language].command)
    done = subprocess.run(command, cwd=directory, input=lines, stdout=subprocess.PIPE, timeout=TIME_LIMIT, check=True)
    return [json.loads(line) for line in done.stdout.split(b"\n")[:-1]]
