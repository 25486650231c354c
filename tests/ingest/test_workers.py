"""Worker processes: how many a run has, and one document in a process of its own."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import MISSING, fields
from importlib import import_module
from multiprocessing.util import spawnv_passfds
from pathlib import Path
from typing import Any

import pytest

from simhash_doc.engines.tracing import trace
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.ingest import ReadOptions, WorkerCrashedError, extract_in_sandbox, fingerprint_documents, workers
from simhash_doc.ingest.results import FingerprintResult, Result, TextResult
from simhash_doc.ingest.tasks import FingerprintTask, Task, TextTask
from simhash_doc.parallel.channel import JsonWire
from simhash_doc.parallel.pool import ordered_map
from simhash_doc_extraction import ExtractedText, LimitExceededError, Limits, NoTextError, extract
from simhash_doc_extraction.base import BlockDecision, ExceededLimit, Record
from tests.extraction.samples import file_name, sample


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of worker processes that were asked for."""
    numbers: list[int] = []

    def counting(*arguments: object, **options: object) -> object:
        numbers.append(arguments[2])  # type: ignore[arg-type]
        return ordered_map(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(workers, "ordered_map", counting)
    return numbers


@pytest.mark.parametrize(
    ("formats", "count"),
    [
        ([], []),
        (["text"], []),
        (["text", "text"], []),
        (["html"], [1]),
        (["text", "html", "text"], [3]),
        (["warc"], [8]),
        (["text", "warc"], [8]),
    ],
)
def test_plain_text_needs_no_process_and_a_crawl_all_of_them(
    tmp_path: Path, formats: list[str], count: list[int], started: list[int]
) -> None:
    paths = []
    for at, name in enumerate(formats):
        paths.append(tmp_path / f"{at}-{file_name(name)}")
        paths[-1].write_bytes(sample(name))
    results = list(fingerprint_documents(paths, workers=8))
    assert [result.fingerprint is not None for result in results] == [True] * len(paths)
    assert started == count


def test_much_plain_text_is_read_by_several_processes(tmp_path: Path, started: list[int]) -> None:
    paths = []
    for at in range(3):
        paths.append(tmp_path / f"{at}.txt")
        paths[-1].write_bytes(b"many words " * 200_000)
    assert len({result.fingerprint for result in fingerprint_documents(paths, workers=8)}) == 1
    assert started == [3]
    list(fingerprint_documents(paths[:1], workers=8))
    assert started == [3]


PAGE = b"<html><body><h1>Words</h1><p>of a page, which is read in another process.</p></body></html>"


def test_the_text_is_that_of_the_same_process() -> None:
    assert extract_in_sandbox(PAGE, name="a.html") == extract(PAGE, name="a.html")
    explained = extract_in_sandbox(PAGE, options=ReadOptions(explain=True))
    assert [block.text for block in explained.blocks if block.kept] == explained.text.split("\n\n")


def test_an_error_of_the_document_is_raised() -> None:
    with pytest.raises(NoTextError) as caught:
        extract_in_sandbox(b"", name="empty.html")
    assert caught.value.name == "empty.html"
    with pytest.raises(LimitExceededError, match="input_bytes=3"):
        extract_in_sandbox(PAGE, options=ReadOptions(limits=Limits(input_bytes=3)))


def _crash(*_: object) -> None:
    os._exit(3)


def test_a_crash_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_parsed", _crash)
    with pytest.raises(WorkerCrashedError, match="not read") as caught:
        extract_in_sandbox(PAGE, name="a.html")
    assert (caught.value.code, caught.value.name) == ("worker-failed", "a.html")


def try_everything(_: object) -> list[str] | str:
    """Try what a worker must not do, and return what was refused."""
    workers.confine(1 << 30)
    resource = pytest.importorskip("resource")
    interpreters: Any = import_module("_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters")
    limit, _hard = resource.getrlimit(resource.RLIMIT_AS)
    attempts: dict[str, Callable[[], object]] = {
        "memory": lambda: resource.setrlimit(resource.RLIMIT_AS, (limit + 1, resource.RLIM_INFINITY)),
        "socket": socket.socket,
        "subprocess": lambda: subprocess.run(["true"], check=True),
        "system": lambda: os.system("true"),
        "fork": os.fork,
        "spawn": lambda: os.posix_spawn("/bin/true", ["true"], {}),
        "exec": lambda: os.execv("/bin/true", ["true"]),
        "multiprocessing": lambda: spawnv_passfds(b"/bin/true", [b"true"], ()),
        "interpreter": interpreters.create,
    }
    refused = []
    for name, attempt in attempts.items():
        try:
            attempt()
        except (ValueError, PermissionError, RuntimeError, workers.ForbiddenInWorkerError):
            refused.append(name)
    return refused


@pytest.mark.skipif(sys.platform == "win32", reason="limits and processes of POSIX")
def test_a_worker_cannot_raise_its_limit_nor_start_a_process() -> None:
    (refused,) = ordered_map(
        try_everything, [0], 1, lambda _, error: str(error), JsonWire(list[str]), seconds=lambda _: 60
    )
    superuser = hasattr(os, "geteuid") and os.geteuid() == 0  # may raise every limit
    allowed = {"memory"} if superuser else set()
    others = {"socket", "subprocess", "system", "fork", "spawn", "exec", "multiprocessing", "interpreter"}
    assert {*refused} | allowed == {"memory", *others}


def test_every_part_of_a_result_comes_back() -> None:
    """Each field differs from its default, so that one that is forgotten shows."""
    exceeded = ExceededLimit("input_bytes", 3, "the record", 9)
    fingerprint = FingerprintResult(
        "a.html",
        "sd256",
        Fingerprint(1 << 255, "sd256"),
        tokens=3,
        distinct_tokens=2,
        support=1.5,
        warnings=("one: \udcff", "two"),
        trace=trace("two words", "sd256"),
        format="html",
        incomplete="truncated",
        text="two \ud83d\ude00 words",
        remainder="a1",
    )
    record = Record("https://example.org/", "20260101000000", 200, (("Content-Type", "text/html"),))
    block = BlockDecision("two", True, 0.75, (("length", 3.0, -0.5),), "outside")
    extracted = ExtractedText("two words", "html", "a.html", ("one",), (block,), "truncated", record, "a1")
    error: dict[str, Any] = {"error": "an error", "code": "over-limit", "exceeded": exceeded}
    options = ReadOptions()
    tasks: list[tuple[Task[Any], list[Result]]] = [
        (FingerprintTask(options, "sd256"), [fingerprint, FingerprintResult("a.html", "sd256", **error)]),
        (TextTask(options), [TextResult("a.html", extracted), TextResult("a.html", **error)]),
    ]
    for task, results in tasks:
        for field in fields(results[0]):
            assert field.default is MISSING or any(getattr(result, field.name) != field.default for result in results)
        for result in results:
            value, sent = task.pack(result)
            assert task.unpack("a.html", json.loads(json.dumps(value)), sent) == result


HOSTILE: list[dict[str, Any]] = [
    {"tokens": 10**30}, {"distinct_tokens": -(2**63) - 1}, {"support": float("inf")}, {"error": "both"},
    {"exceeded": {"field": "unknown", "value": 1, "subject": None, "size": None}},
    {"exceeded": {"field": "seconds", "value": float("inf"), "subject": None, "size": None}},
]  # fmt: skip


@pytest.mark.parametrize("wrong", HOSTILE)
def test_a_result_of_a_hostile_worker_that_no_file_can_store_is_refused(wrong: dict[str, Any]) -> None:
    task = FingerprintTask(ReadOptions(), "sd64")
    value, text = task.pack(FingerprintResult("a.html", "sd64", Fingerprint(1, "sd64")))
    assert isinstance(value, dict)
    with pytest.raises(ValueError, match=r"expected|without a value"):
        task.unpack("a.html", {**value, "members": wrong}, text)
    with pytest.raises(ValueError, match="without a value"):
        task.unpack("a.html", {**value, "value": None}, text)


@pytest.mark.parametrize("name", ["path", "scheme", "fingerprint", "unknown"])
def test_a_hostile_worker_sets_no_other_member_of_a_result(name: str) -> None:
    task = FingerprintTask(ReadOptions(), "sd64")
    value, text = task.pack(FingerprintResult("a.html", "sd64", Fingerprint(1, "sd64")))
    assert isinstance(value, dict)
    with pytest.raises(KeyError):
        task.unpack("a.html", {**value, "members": {name: "a"}}, text)


def test_a_text_of_a_hostile_worker_without_an_error_is_refused() -> None:
    task = TextTask(ReadOptions())
    value, text = task.pack(TextResult("a.html", error="an error"))
    assert isinstance(value, dict)
    with pytest.raises(ValueError, match="without a value"):
        task.unpack("a.html", {**value, "members": {}}, text)
