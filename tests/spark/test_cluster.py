"""A real cluster on this machine: a master and two workers in processes of their own, one of which is killed."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import tarfile
import time
import urllib.request
import venv
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.spark.conftest import require_spark

require_spark()

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq
import pyspark

from simhash_doc.arrays import Values
from simhash_doc.duplicates.definition import assign
from simhash_doc.lookup import find_clusters
from simhash_doc.schemes import get_scheme
from simhash_doc.spark.columns import column_from_lanes
from tests.spark.tables import values_of

ROOT = Path(__file__).parents[2]
ENTRIES = 60_000
QUICK_START = "-XX:TieredStopAtLevel=1"  # compiling takes longer than a short job
PATIENCE = 180  # seconds
SETTINGS = {
    "spark.driver.memory": "1g",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.extraJavaOptions": QUICK_START,
    "spark.executor.extraJavaOptions": QUICK_START,
    "spark.executor.memory": "512m",
    "spark.sql.codegen.wholeStage": "false",
}


class Cluster:
    """A master and workers; their processes and those that they start are ended with it."""

    def __init__(self, stack: ExitStack, folder: Path) -> None:
        self._stack, self._folder = stack, folder
        port, self._web = free_port(), free_port()
        self.url = f"spark://127.0.0.1:{port}"
        self.start("Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", str(self._web))
        self.workers = [self.start_worker(number) for number in range(2)]

    def start_worker(self, number: int) -> subprocess.Popen[bytes]:
        here = ("--work-dir", str(self._folder / f"worker{number}"), "--host", "127.0.0.1")
        return self.start("Worker", *here, "--cores", "1", "--memory", "1g", "--webui-port", str(free_port()), self.url)

    def start(self, role: str, *arguments: str) -> subprocess.Popen[bytes]:
        home = Path(pyspark.__file__).parent
        log = self._stack.enter_context((self._folder / f"{role}-{time.monotonic_ns()}.log").open("wb"))
        process = subprocess.Popen(
            [str(home / "bin/spark-class"), f"org.apache.spark.deploy.{role.lower()}.{role}", *arguments],
            stdout=log,
            stderr=log,
            env={
                **os.environ,
                "SPARK_HOME": str(home),
                "SPARK_DAEMON_MEMORY": "256m",
                "SPARK_DAEMON_JAVA_OPTS": QUICK_START,
                "PYSPARK_PYTHON": sys.executable,
            },
            start_new_session=True,
        )
        self._stack.callback(end, process)
        return process

    def state(self) -> dict[str, Any]:
        # While it starts, the server may answer with an empty page.
        with suppress(OSError, ValueError), urllib.request.urlopen(f"http://127.0.0.1:{self._web}/json/") as answer:
            state: dict[str, Any] = json.load(answer)
            return state
        return {}

    def alive(self) -> int:
        return sum(worker["state"] == "ALIVE" for worker in self.state().get("workers", []))


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and all of its session."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def free_port() -> int:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        port: int = server.getsockname()[1]
        return port


def wait_until(condition: Any, what: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"not within {PATIENCE} seconds: {what}"
        time.sleep(0.1)


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    with ExitStack() as stack:
        started = Cluster(stack, tmp_path)
        wait_until(lambda: started.alive() == 2, "two workers are registered")
        yield started


def test_a_worker_killed_in_mid_job_changes_nothing(cluster: Cluster, tmp_path: Path) -> None:
    values = values_of("planted", ENTRIES)
    pq.write_table(
        pa.table({"id": np.arange(len(values)), "fingerprint": column_from_lanes(values.reshape(-1, 1))}),
        tmp_path / "in.parquet",
        row_group_size=len(values) // 8,
    )
    web = free_port()
    settings = SETTINGS | {
        "spark.ui.port": str(web),
        "spark.sql.files.maxPartitionBytes": "1m",
        "spark.sql.shuffle.partitions": "6",
        "spark.sql.adaptive.enabled": "false",
    }
    command = [str(Path(sys.executable).parent / "simhash-doc"), "spark", "dedupe", "--fingerprint", "fingerprint"]
    command += ["--input", str(tmp_path / "in.parquet"), "--output", str(tmp_path / "out"), "--master", cluster.url]
    for name, value in settings.items():
        command += ["--conf", f"{name}={value}"]
    job = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "PYSPARK_PYTHON": sys.executable}
    )
    try:
        # When tables have been cached and written for the shuffle on both workers, one of them goes with all it has.
        wait_until(lambda: job.poll() is not None or done_on_both(web), "both workers have finished tasks")
        assert job.poll() is None, job.stderr.read().decode() if job.stderr else ""
        end(cluster.workers[0])
        output, errors = job.communicate(timeout=PATIENCE)
    finally:
        job.kill()
    assert job.returncode == 0, errors.decode()[-3000:]
    assert cluster.alive() == 1
    assert json.loads(output)["documents"] == len(values)
    rows = pq.read_table(tmp_path / "out/documents", columns=["id", "cluster"])
    ids, names = rows["id"].to_numpy(), rows["cluster"].to_numpy()
    assert np.array_equal(np.sort(ids), np.arange(len(values)))
    assert np.array_equal(representatives(values)[ids], names)


@pytest.mark.slow
def test_the_documented_command_of_spark_submit(cluster: Cluster, tmp_path: Path) -> None:
    values = values_of("planted", 2000)
    ids, fingerprints = np.arange(len(values)), column_from_lanes(values.reshape(-1, 1))
    pq.write_table(pa.table({"id": ids, "fingerprint": fingerprints}), tmp_path / "pages")
    environment_here(tmp_path / "environment.tar.gz")
    (command,) = re.findall(r"^    spark-submit .*\n(?:    .*\n)+", (ROOT / "docs/spark.md").read_text(), re.MULTILINE)
    command = command.replace("spark://host:7077", cluster.url).replace("hdfs://", str(tmp_path))
    command = command.strip() + " --fingerprint fingerprint"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYSPARK")}
    defaults = SETTINGS | {"spark.ui.enabled": "false"}
    (tmp_path / "spark-defaults.conf").write_text("".join(f"{name} {value}\n" for name, value in defaults.items()))
    environment |= {"SPARK_CONF_DIR": str(tmp_path)}
    environment |= {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "SPARK_LOCAL_IP": "127.0.0.1"}
    done = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=2 * PATIENCE
    )
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    report = json.loads(done.stdout.splitlines()[-1])
    assert report["documents"] == len(values)
    assert report["partitions"] == 1  # of Spark's 200, most would be empty
    groups = pq.read_table(tmp_path / "clusters/monday/documents", columns=["cluster"]).column(0).value_counts()
    sizes = sorted(group["counts"] for group in groups.to_pylist())
    assert sizes == sorted(np.unique(representatives(values), return_counts=True)[1].tolist())


def representatives(values: Values) -> npt.NDArray[np.int64]:
    """Return the representative of each entry, as the definition in memory says it."""
    found = np.arange(len(values))
    for members in find_clusters(values):
        found[members] = members[assign(values[members].reshape(-1, 1), get_scheme("sd64").close)]
    return found


def environment_here(archive: Path) -> None:
    """Pack an environment that has the packages of this one, as venv-pack packs copies of them."""
    folder = archive.parent / "packed"
    venv.create(folder)
    (packages,) = folder.glob("lib/*/site-packages")
    (packages / "here.pth").write_text(
        "".join(f"import site; site.addsitedir({path!r})\n" for path in sys.path if path)
    )
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(folder, "")


def done_on_both(web: int) -> bool:
    """Return True if each of two executors has finished ten tasks and holds cached tables or shuffle files."""
    with suppress(OSError, ValueError):
        base = f"http://127.0.0.1:{web}/api/v1/applications"
        with urllib.request.urlopen(base) as answer:
            (application,) = json.load(answer)
        with urllib.request.urlopen(f"{base}/{application['id']}/executors") as answer:
            executors = [row for row in json.load(answer) if row["id"] != "driver"]
        return len(executors) == 2 and all(
            row["completedTasks"] >= 10 and row["totalShuffleWrite"] > 0 for row in executors
        )
    return False
