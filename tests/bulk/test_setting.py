"""Which engine works, and that nothing fails where numba is absent or broken."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import sys, warnings
{before}
from simhash_doc import fingerprint
from simhash_doc.bulk import is_fast, setting, use_fast
setting._WORTH_STARTING = 1000
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    made = [str(fingerprint("The quick brown fox " * 100)) for _ in range(3)]
assert made == ["{value}"] * 3, made
print(is_fast(), "llvmlite" in sys.modules, len(caught), *(str(warning.message) for warning in caught))
{after}
"""
VALUE = "larqgiqsckcca"


def run(
    before: str = "", after: str = "", path: Path | None = None, setting: str | None = None
) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "SIMHASH_DOC_FAST"}
    if setting is not None:
        environment["SIMHASH_DOC_FAST"] = setting
    if path is not None:
        environment["PYTHONPATH"] = str(path)
    script = SCRIPT.format(before=before, after=after, value=VALUE)
    return subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False)


def test_compiled_loops_start_when_there_is_enough_to_do() -> None:
    assert run().stdout == "True True 0\n"


def test_environment_variable_turns_them_off() -> None:
    assert run(setting="0").stdout == "False False 0\n"


def test_without_numba_the_default_engine_works_and_asking_for_the_other_says_what_to_install() -> None:
    done = run(before="sys.modules['numba'] = None", after="use_fast(True)")
    assert done.stdout == "False False 0\n"
    assert "pip install 'simhash-doc[fast]'" in done.stderr


def test_broken_numba_gives_one_warning_and_the_default_engine(tmp_path: Path) -> None:
    (tmp_path / "numba").mkdir()
    (tmp_path / "numba/__init__.py").write_text("raise OSError('libLLVM is gone')", encoding="utf-8")
    done = run(path=tmp_path)
    assert done.stdout.startswith("False False 1 numba is installed but cannot be used (OSError: libLLVM is gone)")
    assert "SIMHASH_DOC_FAST=0" in done.stdout


@pytest.mark.parametrize("wanted", ["True", "False"])
def test_choice_is_of_the_process_and_can_be_given_back(wanted: str) -> None:
    done = run(after=f"use_fast({wanted}); print(is_fast()); use_fast(None); print(is_fast())")
    assert done.stdout == f"True True 0\n{wanted}\nTrue\n"
