"""Reading documents from Python: one opening and one detection per source, and results without any output."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest

from simhash_doc import UnknownSchemeError, fingerprint
from simhash_doc.ingest import (
    ReadOptions,
    extract_contents,
    extract_documents,
    fingerprint_documents,
    reading,
    workers,
)
from simhash_doc.ingest.results import UNREADABLE
from simhash_doc.ingest.walk import Source, walk
from simhash_doc_extraction import Limits, detect, extract
from tests.extraction.samples import FORMATS, file_name, sample

INNER = {"mbox": "eml", "wacz": "html", "warc": "html"}
"""Container -> format of the document in its sample."""

SLOW = b"{\\rtf1 " + b"{}" * 2_000_000 + b"}"  # many groups


def forbidden(path: str) -> None:
    raise AssertionError(f"{path} is opened again in the worker process")


class Opened:
    """Counts how often each file in a folder is opened, as an audit hook, which cannot be removed."""

    def __init__(self) -> None:
        self.folder = ""
        self.counts: Counter[str] = Counter()
        sys.addaudithook(self._watch)

    def _watch(self, event: str, arguments: tuple[object, ...]) -> None:
        if self.folder and event == "open" and str(arguments[0]).startswith(self.folder):
            self.counts[Path(str(arguments[0])).name] += 1


OPENED = Opened()


@pytest.fixture
def opened(tmp_path: Path) -> Opened:
    OPENED.folder, OPENED.counts = str(tmp_path), Counter()
    return OPENED


@pytest.fixture
def detected(monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
    """The names of the documents whose format this process detected."""
    names: list[str | None] = []

    def recording(data: bytes, name: str | None = None) -> str:
        names.append(name)
        return detect(data, name)

    monkeypatch.setattr(reading, "detect", recording)
    return names


@pytest.fixture
def documents(tmp_path: Path) -> list[Path]:
    """One file per format."""
    paths = [tmp_path / f"{name}-{file_name(name)}" for name in FORMATS]
    for path, name in zip(paths, FORMATS, strict=True):
        path.write_bytes(sample(name))
    return paths


def test_results_are_in_order_and_nothing_is_printed(
    documents: list[Path], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.7\n")
    paths = [tmp_path / "missing", *documents, broken]
    results = list(fingerprint_documents(paths, "sd128", workers=2))
    assert [result.path.partition("#")[0] for result in results] == list(map(str, paths))
    assert [result.code is None for result in results] == [False, *[True] * len(documents), False]
    assert results[0].code == UNREADABLE
    for result, name in zip(results[1:-1], FORMATS, strict=True):
        text = extract(sample(INNER.get(name, name)), name=file_name(name)).text
        assert result.fingerprint == fingerprint(text, "sd128")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("with_others", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", FORMATS)
def test_a_file_is_opened_once_and_its_format_detected_once(
    name: str,
    with_others: bool,
    tmp_path: Path,
    opened: Opened,
    detected: list[str | None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / file_name(name)
    path.write_bytes(sample(name))
    monkeypatch.setattr(workers, "open", forbidden, raising=False)
    paths = [path]
    if with_others:
        # So much that worker processes are started for text too.
        paths += [tmp_path / "large.txt"]
        paths[1].write_bytes(b"many words " * 500_000)
    opened.counts.clear()
    results = list(fingerprint_documents(paths))
    assert [result.error for result in results] == [None] * len(paths)
    assert opened.counts == {path.name: 1 for path in paths}
    # The format of a ZIP file shows in the complete file, which a worker process has.
    expected = [str(path) for path in paths if not path.read_bytes().startswith(b"PK")]
    assert detected == expected


def test_a_named_pipe_is_opened_once(tmp_path: Path, opened: Opened, detected: list[str | None]) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = subprocess.Popen(["/bin/sh", "-c", f"printf 'one two three' > {pipe}"])
    (result,) = fingerprint_documents([pipe])
    assert writer.wait() == 0
    assert (result.fingerprint, result.tokens) == (fingerprint("one two three"), 3)
    assert (opened.counts, detected) == ({"pipe": 1}, [str(pipe)])


def test_a_stream_of_text_keeps_its_place_among_other_documents(tmp_path: Path) -> None:
    pipe, page = tmp_path / "pipe", tmp_path / "a.html"
    page.write_bytes(sample("html"))
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(b"one two three",))
    writer.start()
    results = list(fingerprint_documents([page, pipe, page]))
    writer.join()
    assert [result.path for result in results] == [str(page), str(pipe), str(page)]
    assert results[1].fingerprint == fingerprint("one two three")


@pytest.mark.parametrize("name", ["text", "html"])
def test_a_file_that_is_too_large_to_be_sent_is_read_by_the_worker(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "_SENT", 10)
    monkeypatch.setattr(reading, "_WORTH_WORKERS", 1)
    path = tmp_path / file_name(name)
    path.write_bytes(sample(name))
    for result in fingerprint_documents([path, path]):
        assert result.fingerprint == fingerprint(extract(sample(name)).text)


def test_texts_of_documents(documents: list[Path], tmp_path: Path) -> None:
    invalid = tmp_path / "invalid.txt"
    invalid.write_bytes(b"caf\xc3\xa9 " * 5 + b"\xff")
    *results, last = extract_documents([*documents, invalid])
    for result, name in zip(results, FORMATS, strict=True):
        assert result.extracted is not None
        assert result.extracted.text == extract(sample(INNER.get(name, name)), name=file_name(name)).text
    assert last.extracted is not None
    assert last.extracted.text == "café " * 5 + "\ufffd"
    assert "first invalid byte at offset 30" in last.warnings[0]
    (limited,) = extract_documents([invalid], options=ReadOptions(limits=Limits(input_bytes=3)))
    assert (limited.extracted, limited.code) == (None, "over-limit")


@pytest.mark.slow
def test_contents_in_memory_are_parsed_in_a_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_time_limit", lambda limits, size: 0.2 if size == len(SLOW) else 60)
    contents = [None, sample("html"), None, SLOW, sample("pdf"), gzip.compress(b"one two"), b"", None]
    results = list(extract_contents(contents))
    assert [result is None for result in results] == [data is None for data in contents]
    codes = [result.code for result in results if result]
    assert codes == [None, "over-limit", None, None, "no-text"]
    assert results[1] is not None
    assert results[1].extracted is not None
    assert results[1].extracted.text == extract(sample("html")).text
    assert list(extract_contents([None, None])) == [None, None]
    assert list(extract_contents([])) == []


def test_contents_are_drawn_as_results_are_taken() -> None:
    drawn = 0

    def endless() -> object:
        nonlocal drawn
        while True:
            drawn += 1
            yield b"one two three"

    results = extract_contents(endless())  # type: ignore[arg-type]
    for _ in range(3):
        assert next(results)
    assert drawn < 20


def test_skipped_and_counted(documents: list[Path], tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / ".hidden").write_text("hidden", encoding="utf-8")
    results = fingerprint_documents([tmp_path])
    assert results.expected == len(documents)
    assert [(skipped.path, skipped.reason) for skipped in results.skipped] == [
        (str(tmp_path / "pipe"), "not a regular file")
    ]
    assert len(list(results)) == len(documents)
    assert results.expected is None  # after a WARC file


def test_unknown_scheme_is_reported_before_any_document_is_read(tmp_path: Path) -> None:
    with pytest.raises(UnknownSchemeError):
        fingerprint_documents([tmp_path], "sd65")  # type: ignore[arg-type]


def test_each_part_counts_what_it_skips(tmp_path: Path) -> None:
    (tmp_path / "script.js").write_text("let a = 1")
    (tmp_path / "image").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(8))
    (tmp_path / "a.txt").write_text("one two three")
    walked = walk([tmp_path])
    results = fingerprint_documents(walked.sources)
    assert [result.path for result in results] == [str(tmp_path / "a.txt")]
    assert results.source == Source(str(tmp_path / "a.txt"), found=True)
    assert (walked.skipped_formats, results.skipped_formats) == ({"JavaScript": 1}, {"image": 1})
    assert (walked.skipped, results.skipped) == (fingerprint_documents(tmp_path).skipped, [])
