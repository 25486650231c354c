"""Build and run adapters in other languages."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import IO, Any

import pytest

from simhash_doc.conformance.scaffold import LANGUAGES, write_adapter

NEEDED = {
    "python": ("python3",),
    "js": ("node",),
    "go": ("go",),
    "rust": ("cargo",),
    "java": ("javac", "java"),
    "c": ("cc",),
}
TIME_LIMIT = 60  # seconds; a hanging adapter is ended, and its pipe with it


class Conversation:
    """The two ends of a running adapter."""

    def __init__(self, requests: IO[bytes], answers: IO[bytes]) -> None:
        self._requests, self._answers = requests, answers

    def ask(self, request: Mapping[str, Any], *, ascii_only: bool = True) -> Any:
        """Send a request and return the answer."""
        self._requests.write(json.dumps(request, ensure_ascii=ascii_only).encode() + b"\n")
        self._requests.flush()
        return json.loads(self._answers.readline())

    def hang_up(self) -> bytes:
        """End the requests and return what the adapter still writes."""
        self._requests.close()
        return self._answers.read()


def require_toolchain(language: str) -> None:
    missing = [program for program in NEEDED[language] if not shutil.which(program)]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")


def start_adapter(language: str, directory: Path) -> Path:
    """Write an adapter template with its dependencies, or skip the test."""
    require_toolchain(language)
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


@contextmanager
def running(language: str, directory: Path) -> Iterator[Conversation]:
    """Run an adapter as its README says. It must exit with status 0 after the last request."""
    command = shlex.split(LANGUAGES[language].command)
    with subprocess.Popen(command, cwd=directory, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        guard = Timer(TIME_LIMIT, process.kill)
        guard.start()
        try:
            yield Conversation(process.stdin, process.stdout)
            process.stdin.close()
            assert process.wait() == 0
        finally:
            process.kill()
            guard.cancel()
