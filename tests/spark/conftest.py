"""A session for the tests, on two cores of this process's Java, and whether Spark can run here."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


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


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    if reason := missing():
        pytest.skip(reason)
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.driver.memory", "2g")
        # Many small jobs: compiling each takes longer than running it.
        .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
        .config("spark.sql.codegen.wholeStage", "false")
        .config("spark.sql.codegen.factoryMode", "NO_CODEGEN")
        .config("spark.sql.adaptive.enabled", "false")  # test_a_job_of_spark_submit plans adaptively
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("warehouse")))
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()
