"""Who may write an output folder, the Python of the executors, and the number of partitions."""

from __future__ import annotations

import json
import os
import socket
import sys
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import MagicMock

import pytest

from tests.spark.conftest import require_spark

require_spark()

from pyspark.sql import SparkSession

from simhash_doc.spark import OutputError, storage
from simhash_doc.spark.session import PARTITIONS, fit_partitions, start_session
from simhash_doc.spark.storage import atomic_output


def test_a_second_run_on_an_output_fails_at_its_start(spark: SparkSession, tmp_path: Path) -> None:
    target = str(tmp_path / "out")
    with atomic_output(spark, target) as written:
        with pytest.raises(OutputError, match=f"process {os.getpid()} on "), atomic_output(spark, target):
            pass
        written.write(spark.range(3), "")
    assert {path.name for path in tmp_path.iterdir()} == {"out"}
    assert spark.read.parquet(target).count() == 3
    assert not (tmp_path / "out/_claim.json").exists()


@pytest.mark.parametrize(
    ("claim", "replaced"),
    [
        ([socket.gethostname(), os.getpid(), 1.0], True),  # the process number is used again
        (["another machine", os.getpid(), 1.0], False),
    ],
)
def test_only_what_a_killed_run_of_this_machine_left_is_replaced(
    claim: object, replaced: bool, spark: SparkSession, tmp_path: Path
) -> None:
    left = tmp_path / ".out.part"
    left.mkdir()
    (left / "remains.parquet").touch()
    (left / "_claim.json").write_text(json.dumps(claim))
    if replaced:
        with atomic_output(spark, str(tmp_path / "out")):
            pass
        assert not (tmp_path / "out/remains.parquet").exists()
        assert not left.exists()
    else:
        with (
            pytest.raises(OutputError, match=r"delete .*\.out\.part and repeat"),
            atomic_output(spark, str(tmp_path / "out")),
        ):
            pass
        assert (left / "remains.parquet").exists()


def test_a_folder_of_the_user_is_kept(spark: SparkSession, tmp_path: Path) -> None:
    left = tmp_path / ".out.part"
    left.mkdir()
    with atomic_output(spark, str(tmp_path / "out")):  # of a run that was killed before it wrote its claim
        pass
    left.mkdir()
    (left / "thesis.txt").touch()
    (tmp_path / "out").rename(tmp_path / "before")
    with (
        pytest.raises(OutputError, match=r"\.out\.part, which is not of a run"),
        atomic_output(spark, str(tmp_path / "out")),
    ):
        pass
    assert (left / "thesis.txt").exists()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs a link of another user")
@pytest.mark.parametrize("name", ["out", ".out.part", "folder"])
def test_a_link_of_another_user_is_not_followed(name: str, spark: SparkSession, tmp_path: Path) -> None:
    shared, victim = tmp_path / "shared", tmp_path / "victim"
    for folder in (shared, victim):
        folder.mkdir()
    shared.chmod(0o1777)
    (victim / "thesis.txt").touch()
    (shared / name).symlink_to(victim)
    os.lchown(shared / name, 1, 1)
    target = shared / ("folder/out" if name == "folder" else "out")
    with pytest.raises(OutputError, match=r"link of another user|exists"), atomic_output(spark, str(target)):
        pass
    assert os.listdir(victim) == ["thesis.txt"]


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


def test_partitions_fit_the_tables_until_the_user_sets_them(spark: SparkSession) -> None:
    session = spark.newSession()
    small, large = session.range(10), session.range(2_000_000)
    session.conf.unset(PARTITIONS)
    fitted = fit_partitions(large)
    assert 1 < fitted < 200
    assert fit_partitions(small) == 1  # the value of the job before is not the user's
    session.conf.set(PARTITIONS, 7)
    assert fit_partitions(large) == 7


def test_a_folder_that_another_run_claims_at_the_same_time_is_kept(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = storage._write_json

    def claim_first(session: SparkSession, name: str, value: object) -> None:
        write(session, name, ["other", 1, 0.0])
        write(session, name, value)

    monkeypatch.setattr(storage, "_write_json", claim_first)
    with pytest.raises(OutputError, match="cannot be written"), atomic_output(spark, str(tmp_path / "out")):
        pass
    assert (tmp_path / ".out.part" / "_claim.json").exists()
