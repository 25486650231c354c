"""What the tests on Spark need, and whether it is here."""

from __future__ import annotations

import os
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest


def missing() -> str | None:
    """Return the reason why Spark cannot run, or None."""
    if not find_spec("pyspark"):
        return "PySpark is not installed: pip install 'simhash-doc[spark]'"
    home = os.environ.get("JAVA_HOME")
    if not (shutil.which("java") or (home and shutil.which("java", path=Path(home) / "bin"))):
        return "Java is not installed: Spark needs Java 17 or newer"
    return None


def require_spark() -> None:
    """Skip the test module that calls this, with the reason, where Spark cannot run."""
    if reason := missing():
        pytest.skip(reason, allow_module_level=True)
