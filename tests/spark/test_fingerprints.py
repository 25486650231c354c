"""Fingerprints computed on Spark are those of the package, and rows without one have a reason."""

from __future__ import annotations

import json
import os
import re
import signal
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.spark.conftest import require_spark

require_spark()

import pyarrow as pa
from pyspark.sql import SparkSession

from simhash_doc import fingerprint
from simhash_doc import spark as package
from simhash_doc.ingest import TextResult, workers
from simhash_doc.ingest.tasks import UnparsedDocument
from simhash_doc.schemes import SchemeId
from simhash_doc.spark import fingerprinting, fingerprints, plan, simhash
from simhash_doc_extraction import ExtractedText
from tests.spark.tables import rows_of

DOCS = Path(__file__).parents[2] / "docs"
TEXTS = ["The quick brown fox", "Straße ﬁn Ἀθῆναι", "京都の冬は寒い", "नमस्ते दुनिया", "x " * 5000, "12 34", "", None]


@pytest.mark.parametrize("scheme", ["sd64", "sd512"])
def test_fingerprints_of_texts(spark: SparkSession, scheme: SchemeId) -> None:
    rows = [(at, text, ["kept", str(at)]) for at, text in enumerate(TEXTS * 40)]
    df = rows_of(spark, rows, "id int, text string, other array<string>")
    made = fingerprints(df, scheme=scheme).withColumn("column", simhash("text", scheme)).collect()
    assert len(made) == len(rows)
    for row in made:
        text = TEXTS[row["id"] % len(TEXTS)]
        assert row["column"] == row["fingerprint"]
        assert (row["text"], row["other"]) == (text, ["kept", str(row["id"])])
        if text and "34" not in text:
            assert (row["fingerprint"], row["reason"]) == (bytes(fingerprint(text, scheme)), None)
        else:
            assert row["fingerprint"] is None
            assert row["reason"].startswith("null: " if text is None else "no-token: ")


def test_bytes_are_utf_8(spark: SparkSession) -> None:
    data = b"caf\xe9 au lait"
    df = rows_of(spark, [(data,)], "body binary")
    (row,) = fingerprints(df, text_col="body", fp_col="fp", reason_col="why").collect()
    assert (row["fp"], row["why"]) == (bytes(fingerprint(data)), None)


needs_extraction = pytest.mark.skipif(not find_spec("lxml"), reason="needs the extra extract")


@needs_extraction
def test_documents_are_extracted(spark: SparkSession) -> None:
    words = " ".join(f"word{chr(97 + number)}" for number in range(26))
    page = f"<html><head><title>t</title></head><body><article><p>{words}.</p><p>{words}!</p></article></body></html>"
    rows = [("page", page.encode()), ("image", b"\x89PNG\r\n\x1a\n" + bytes(50)), ("none", None), ("empty", b"")]
    df = rows_of(spark, rows * 10, "id string, body binary")
    made = {
        (row["id"], row["fingerprint"], row["reason"])
        for row in fingerprints(df, text_col="body", extract=True).collect()
    }
    reasons = {name: (data is not None, (reason or "").partition(":")[0]) for name, data, reason in made}
    assert reasons == {
        "page": (True, ""),
        "image": (False, "unsupported-medium"),
        "none": (False, "null"),
        "empty": (False, "no-text"),
    }
    assert len(made) == 4


@needs_extraction
def test_a_crash_of_a_parser_costs_one_document(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_work", crashing)
    batches = [pa.record_batch({"body": [b"one text", b"crash", b"two texts"]}), pa.record_batch({"body": [b"three"]})]
    made = fingerprinting._fingerprinted("body", ["fp", "reason"], 1, True, "auto", iter(batches))
    rows = [row for batch in made for row in batch.to_pylist()]
    assert [row["fp"] is not None for row in rows] == [True, False, True, True]
    assert rows[1]["reason"].startswith("worker-failed: not read: its worker process died")


def crashing(_: object, document: UnparsedDocument) -> TextResult:
    assert isinstance(document.content, bytes)
    if document.content == b"crash":
        os.kill(os.getpid(), signal.SIGKILL)
    return TextResult(document.path, ExtractedText(document.content.decode(), "text"))


def test_the_documented_stream_finds_the_matches_of_each_batch(spark: SparkSession, tmp_path: Path) -> None:
    page = (DOCS / "spark.md").read_text(encoding="utf-8")
    (program,) = re.findall(r"```python\n((?:(?!```).)*foreachBatch.*?)```", page, re.DOTALL)
    program = re.sub(r'"(seen|matches|incoming|progress)', rf'"{tmp_path}/\1', program)
    known: dict[str, Any] = {"spark": spark}
    for batch, rows in enumerate(([("a", TEXTS[0]), ("b", TEXTS[1])], [("c", TEXTS[0]), ("d", None)])):
        (tmp_path / "incoming").mkdir(exist_ok=True)
        lines = [json.dumps({"id": name, "text": text}) for name, text in rows]
        (tmp_path / f"incoming/{batch}.json").write_text("\n".join(lines))
        if not batch:
            exec(compile(program, "docs/spark.md", "exec"), known)
        known["running"].processAllAvailable()
    known["running"].stop()
    found = {tuple(row) for row in spark.read.parquet(f"{tmp_path}/matches").collect()}
    assert found == {("c", "a", 0, 1)}
    assert spark.read.parquet(f"{tmp_path}/seen").count() == 4


def test_every_public_name_is_on_the_page_of_the_package() -> None:
    """The tests of the other packages are in tests/docs, which runs without PySpark."""
    page = (DOCS / "reference/spark.md").read_text(encoding="utf-8")
    assert set(package.__all__) == {name.rpartition(".")[2] for name in re.findall(r"^::: (\S+)$", page, re.MULTILINE)}


def test_bytes_of_joins_on_the_page_are_those_of_the_plan() -> None:
    found = plan(10**9)
    assert (found.blocks, found.tables) == (5, 10)
    row = f"| join: {found.tables} tables of 8 bytes | 80 | {found.shuffle_bytes / 1e9:.0f} GB |"
    assert row in (DOCS / "spark.md").read_text(encoding="utf-8")
