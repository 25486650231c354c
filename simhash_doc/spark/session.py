"""The Spark session of the commands, and results in its cache.

Importing this module needs no Spark, so it can report that it is missing.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from simhash_doc.errors import MissingExtraError, SimhashDocError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

PARTITIONS = "spark.sql.shuffle.partitions"
_FITTED = "spark.simhash_doc.partitions"  # what `fit_partitions` set, which the next job of the session replaces
_SMALL_TASK, _LARGE_TASK = 1 << 17, 1 << 25  # bytes of fingerprints and ids, which each task reads of a table
_TASKS_PER_CORE = 4
# Documents are much larger than rows of numbers, and packed rows have 8 KB.
_DEFAULTS = {"spark.sql.execution.arrow.maxRecordsPerBatch": "1000"}

_CONNECT = (
    "this session is of Spark Connect, on which only `fingerprints` and `simhash` run: the search needs the number of "
    "cores and the files of the cluster; use a session of a master, as that of spark-submit"
)


class SparkConnectError(SimhashDocError, TypeError):
    """A table of Spark Connect was given to a function that needs the cluster itself."""

    code = "spark-connect"


def reject_connect(of: DataFrame | SparkSession) -> None:
    """Reject what belongs to a session of Spark Connect.

    Raises:
        SparkConnectError: it does.
    """
    if ".connect." in type(of).__module__:
        raise SparkConnectError(_CONNECT)


def start_session(master: str | None = None, settings: Sequence[tuple[str, str]] = ()) -> SparkSession:
    """Return the session of this process, created if there is none.

    Args:
        master: URL of the cluster; None for that of Spark's configuration, else all cores of this machine.
        settings: configuration properties and their values.

    Raises:
        MissingExtraError: Java is not installed.
        SparkConnectError: the master, or SPARK_REMOTE, is of Spark Connect.
    """
    from pyspark.sql import SparkSession

    if (master or "").startswith("sc:"):
        raise SparkConnectError(_CONNECT)
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
    shown = {"spark.ui.showConsoleProgress": str(sys.stderr.isatty()).lower()}
    for name, value in {**_DEFAULTS, **shown, **dict(settings)}.items():
        builder = builder.config(name, value)
    with _ended_on_error():
        session = builder.getOrCreate()
    reject_connect(session)
    if not submitted:
        session.sparkContext.setLogLevel("ERROR")
    return session


@contextmanager
def _ended_on_error() -> Iterator[None]:
    """If the block fails or is interrupted, end the processes that it started.

    The Java process of PySpark ends with this process, but not if this process ends while Java is starting.
    """
    import psutil  # which the workers of Spark, who import this module, do not need

    own = psutil.Process()
    before = {*own.children(recursive=True)}
    try:
        yield
    except BaseException:
        for process in {*own.children(recursive=True)} - before:
            with suppress(psutil.NoSuchProcess):
                process.terminate()
        raise


def fit_partitions(*tables: DataFrame) -> int:
    """Set the number of partitions of a shuffle by the size of tables, unless the user has set it; return it.

    Spark's 200 are meant for a cluster: of 20,000 fingerprints, most would be empty, and of 10^10 too large.
    """
    session = tables[0].sparkSession
    context = session.sparkContext
    is_set = session._jsparkSession.conf().getAll().contains(PARTITIONS)  # at the start or later
    if not is_set or session.conf.get(PARTITIONS) == session.conf.get(_FITTED, ""):
        plans = (table._jdf.queryExecution().optimizedPlan() for table in tables)
        size = sum(int(str(plan.stats().sizeInBytes())) for plan in plans)
        few = min(size // _SMALL_TASK + 1, _TASKS_PER_CORE * context.defaultParallelism)
        for name in (PARTITIONS, _FITTED):
            session.conf.set(name, max(few, size // _LARGE_TASK))
    return int(session.conf.get(PARTITIONS) or 0)


@dataclass(frozen=True)
class Cached:
    """A lazily computed result with tables in the cache. Leaving its `with` block frees them.

    Attributes:
        cached: the tables.
    """

    cached: list[DataFrame]

    def unpersist(self) -> None:
        """Free the memory and disk of the cached tables."""
        for table in self.cached:
            table.unpersist()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.unpersist()


@contextmanager
def freed_on_error(result: Cached) -> Iterator[None]:
    """Free the cached tables of a result if the block fails."""
    try:
        yield
    except BaseException:
        result.unpersist()
        raise


def _require_java() -> None:
    home = os.environ.get("JAVA_HOME")
    if not (shutil.which("java") or (home and shutil.which("java", path=Path(home) / "bin"))):
        raise MissingExtraError(
            "Java is not installed: Spark needs Java 17 or newer, such as Debian's openjdk-17-jre-headless"
        )
