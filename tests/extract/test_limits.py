"""Limits: values that no system supports are rejected where they are given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from simhash_doc.extract import Limits
from simhash_doc.extract.errors import LimitValueError
from simhash_doc.ingest import ReadOptions
from tests.commands import run

NAMES = ("input_bytes", "expanded_bytes", "pages", "seconds")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", [0, -1, 10**16, 10**30, float("nan"), float("inf")])
def test_limits_are_checked(name: str, value: Any) -> None:
    with pytest.raises(LimitValueError, match=f"^{name} is "):
        Limits(**{name: value})


@pytest.mark.parametrize("value", [0, -1, 1.5, 1 << 51])
def test_memory_is_checked(value: Any) -> None:
    with pytest.raises(LimitValueError, match=r"^max_memory is "):
        ReadOptions(max_memory=value)


OVER = ("seconds=3000000", "seconds=1e300", "seconds=inf", "input-size=9999999999G", "memory=9999999999G")
LARGEST = ("seconds=1000000", "input-size=1048576G", "expanded-size=1048576G", "memory=1048576G", "pages=1000000000")


@pytest.mark.parametrize("option", OVER)
def test_values_over_the_largest_are_usage_errors(option: str, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<html><p>some words")
    done = run("fingerprint", f"--max-{option}", tmp_path / "a.html")
    assert (done.returncode, "Invalid value" in done.stderr) == (2, True)


@pytest.mark.parametrize("option", LARGEST)
def test_the_largest_values_work(option: str, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<html><p>some words")
    done = run("fingerprint", f"--max-{option}", tmp_path / "a.html")
    assert (done.returncode, done.stderr) == (0, "")
