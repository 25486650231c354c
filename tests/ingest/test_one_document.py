"""One document extracted in a worker process."""

from __future__ import annotations

import os

import pytest

from simhash_doc.extract import LimitExceededError, Limits, NoTextError, extract
from simhash_doc.ingest import ReadOptions, WorkerCrashedError, extract_in_sandbox, one_document

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
    monkeypatch.setattr(one_document, "_extract", _crash)
    with pytest.raises(WorkerCrashedError, match="not read") as caught:
        extract_in_sandbox(PAGE, name="a.html")
    assert (caught.value.code, caught.value.name) == ("worker-failed", "a.html")
