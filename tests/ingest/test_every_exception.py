"""Exceptions of every kind at every stage of a document: one document fails, and every other one has its result."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import simhash_doc_extraction
from simhash_doc import fingerprint
from simhash_doc.engines.python import PythonEngine
from simhash_doc.engines.select import set_engine
from simhash_doc.ingest import extract_documents, fingerprint_documents, reading, workers
from simhash_doc_extraction.html import tree
from tests.commands import run

UNICODE = {
    "UnicodeDecodeError": ("utf-8", b"\xff", 0, 1, "invalid"),
    "UnicodeEncodeError": ("utf-8", "\ud800", 0, 1, "invalid"),
    "UnicodeTranslateError": ("\ud800", 0, 1, "invalid"),
}
GROUPS = ("BaseExceptionGroup", "ExceptionGroup")
KINDS = {
    name: kind
    for name, kind in vars(builtins).items()
    if isinstance(kind, type) and issubclass(kind, Exception) and not issubclass(kind, Warning) and name not in GROUPS
}
GOOD = "the keeper climbed the stairs of the tower"
CODES = {"internal", "unreadable", "over-limit", "missing-extra", "worker-failed"}


def raise_for(text: str | bytes) -> None:
    """Raise the exception that a text names, if it names one."""
    shown = text if isinstance(text, str) else text.decode("latin-1")
    if "raises " in shown:
        name = shown.split("raises ")[1].split()[0].strip("<.")
        raise KINDS[name](*UNICODE.get(name, ("on purpose",)))


def before(function: Callable[..., Any], argument: int = 0) -> Callable[..., Any]:
    """Return a function that first raises what the text in one of its arguments names."""

    def wrapped(*arguments: Any, **options: Any) -> Any:
        raise_for(arguments[argument])
        return function(*arguments, **options)

    return wrapped


def opened(function: Callable[..., Any]) -> Callable[..., Any]:
    def wrapped(path: str) -> Any:
        raise_for(Path(path).read_bytes())
        return function(path)

    return wrapped


def reader_of(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *arguments, **options: before(function(*arguments, **options))


STAGES: dict[str, tuple[object, str, Callable[..., Any]]] = {
    "open": (reading, "open_input", opened),
    "detect": (reading, "detect", before),
    "decode": (tree, "decoded", before),
    "read": (simhash_doc_extraction, "get_reader", reader_of),
    "parse": (workers, "extract", before),
    "count": (PythonEngine, "measure", lambda function: before(function, 1)),
}


@pytest.fixture
def documents(tmp_path: Path) -> list[Path]:
    """Return a good page and a page for each kind of exception, each twice: as a web page and as a text."""
    paths = []
    for name in ("", *KINDS):
        words = GOOD + (f" raises {name} here" if name else "")
        for path, content in ((f"{name}.html", f"<p>{words}</p>"), (f"{name}.txt", words)):
            paths.append(tmp_path / path)
            paths[-1].write_text(content, encoding="utf-8")
    return paths


@pytest.mark.parametrize("stage", STAGES)
def test_every_exception_at_every_stage_costs_one_document(
    stage: str, documents: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    set_engine("python")
    expected = fingerprint(GOOD)
    module, name, wrapper = STAGES[stage]
    monkeypatch.setattr(module, name, wrapper(getattr(module, name)))
    results = list(fingerprint_documents(documents, workers=2))
    assert [result.path for result in results] == [str(path) for path in documents]
    assert [result.fingerprint for result in results[:2]] == [expected, expected]
    failed = [result for result in results[2:] if result.error]
    assert len(failed) >= len(KINDS)  # of those that are no plain text
    assert {result.code for result in failed} <= CODES
    texts = list(extract_documents(documents, workers=2))
    assert len(texts) == len(documents)
    assert all(result.extracted and result.extracted.text == GOOD for result in texts[:2])


COMMANDS = (
    ("fingerprint", "."),
    ("extract", "."),
    ("dedupe", "."),
    ("store", "dedupe", "--db", "near.sqlite", "."),
    ("compare", ".txt", "EOFError.html"),
)
UNLIKE = ("EOFError", "KeyError", "MemoryError", "BrokenPipeError", "StopIteration", "RecursionError")
"""Exceptions that mean something else to a command, or to Python."""


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
@pytest.mark.parametrize("stage", ["open", "parse", "count"])
def test_a_command_reports_what_failed_and_does_the_rest(
    stage: str, command: tuple[str, ...], documents: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in documents:
        if path.stem not in (*UNLIKE, ".html", ".txt"):
            path.unlink()
    monkeypatch.chdir(documents[0].parent)
    monkeypatch.setenv("SIMHASH_DOC_ENGINE", "python")
    module, name, wrapper = STAGES[stage]
    monkeypatch.setattr(module, name, wrapper(getattr(module, name)))
    done = run(*command)
    assert "Traceback" not in done.stderr
    if (command[0], stage) == ("extract", "count"):
        assert done.returncode == 0
        return
    assert done.returncode == 1
    for kind in UNLIKE if command[-1] == "." else UNLIKE[:1]:
        assert f"{kind}.html" in done.stderr
