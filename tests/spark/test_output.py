"""Who may write an output folder, and the Python of the executors."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import MagicMock

import pytest

from tests.spark.requirements import require_spark

require_spark()

from pyspark.sql import SparkSession

from simhash_doc.spark import OutputError
from simhash_doc.spark.session import start_session
from simhash_doc.spark.storage import atomic_output


def test_a_second_run_on_an_output_fails_at_its_start(spark: SparkSession, tmp_path: Path) -> None:
    target = str(tmp_path / "out")
    with atomic_output(spark, target) as written:
        with pytest.raises(OutputError, match=r"delete .*\.out\.part and repeat"), atomic_output(spark, target):
            pass
        written.write(spark.range(3), "")
    assert {path.name for path in tmp_path.iterdir()} == {"out"}
    assert spark.read.parquet(target).count() == 3
    assert not (tmp_path / "out/_claim").exists()


@pytest.mark.parametrize(
    ("settings", "expected"), [([("spark.pyspark.python", "/opt/python")], "/opt/python"), ([], sys.executable)]
)
def test_the_property_names_the_python_of_the_executors(
    settings: list[tuple[str, str]], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setattr(SparkSession, "builder", SimpleNamespace(appName=lambda _: MagicMock()))
    start_session("local[1]", settings)
    assert os.environ["PYSPARK_PYTHON"] == expected
