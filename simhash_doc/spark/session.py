"""The Spark session of the commands. Importing this module needs no Spark, so it can report that it is missing."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from simhash_doc.errors import SimhashDocError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Documents are much larger than rows of numbers, and packed rows have 8 KB.
_DEFAULTS = {"spark.sql.execution.arrow.maxRecordsPerBatch": "1000"}


class SparkMissingError(SimhashDocError, ImportError):
    """PySpark, or the Java that it runs on, is not installed."""

    code = "missing-extra"


def start_session(master: str | None = None, settings: Sequence[tuple[str, str]] = ()) -> SparkSession:
    """Return the session of this process, created if there is none.

    Args:
        master: URL of the cluster; None for that of Spark's configuration, else all cores of this machine.
        settings: configuration properties and their values.

    Raises:
        SparkMissingError: Java is not installed.
    """
    from pyspark.sql import SparkSession

    submitted = "PYSPARK_GATEWAY_PORT" in os.environ
    if not submitted:
        _require_java()
        # Workers on this machine must find the packages that this process finds. The property alone has an effect
        # only in spark-submit.
        chosen = dict(settings).get("spark.pyspark.python")
        os.environ["PYSPARK_PYTHON"] = chosen or os.environ.get("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("simhash-doc")
    if master:
        builder = builder.master(master)
    # Spark's 200 partitions are meant for a cluster; on one machine most of them would be empty.
    local = not submitted and (master or "local").startswith("local")
    partitions = {"spark.sql.shuffle.partitions": str(4 * (os.cpu_count() or 1))} if local else {}
    shown = {"spark.ui.showConsoleProgress": str(sys.stderr.isatty()).lower()}
    for name, value in {**_DEFAULTS, **partitions, **shown, **dict(settings)}.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    if not submitted:
        session.sparkContext.setLogLevel("ERROR")
    return session


def _require_java() -> None:
    home = os.environ.get("JAVA_HOME")
    if not (shutil.which("java") or (home and shutil.which("java", path=Path(home) / "bin"))):
        raise SparkMissingError(
            "Java is not installed: Spark needs Java 17 or newer, such as Debian's openjdk-17-jre-headless"
        )
