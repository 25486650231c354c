"""The comparison of our text with the text of other programs."""

from __future__ import annotations

import gzip
import io
import os
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.extraction import peers

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the tool forks")

SENTENCE = "The tide mill of the bay ground flour whenever the sea allowed it"
Run = Callable[..., str]


def _docx(text: str) -> bytes:
    word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        document = f'<w:document xmlns:w="{word}"><w:body><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:body></w:document>'
        archive.writestr("word/document.xml", document)
    return out.getvalue()


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the tool over the files of a folder, with a pandoc that prints one text for each."""

    def run(files: dict[str, bytes], answer: str, *options: str) -> str:
        programs, folder = tmp_path / "bin", tmp_path / "files" / "deep"
        programs.mkdir()
        folder.mkdir(parents=True)
        script = programs / "pandoc"
        script.write_text(f"#!/bin/sh\ncat > {tmp_path}/input\n{answer}\n", encoding="utf-8")
        script.chmod(0o755)
        for name, content in files.items():
            (folder / name).write_bytes(content)
        monkeypatch.setenv("PATH", f"{programs}{os.pathsep}/usr/bin{os.pathsep}/bin")
        monkeypatch.setattr(sys, "argv", ["peers", str(tmp_path / "files"), "--peer", "pandoc", *options])
        peers.main()
        return capsys.readouterr().out

    return run


def test_recall_and_precision_are_of_multisets_of_words(run: Run, tmp_path: Path) -> None:
    text = f"{SENTENCE} {SENTENCE}"
    document = _docx(text)
    printed = run({"mill.docx": document, "page.html": b"<p>no peer"}, f'echo "{text} granary granary"', "--worst", "1")
    assert "docx      pandoc          1      0     0.929   0.929     1.000   1.000" in printed
    assert "missing: granary\n" in printed
    assert "lowest precision" not in printed
    assert (tmp_path / "input").read_bytes() == document


def test_a_document_that_we_cannot_read_has_no_word_of_the_peer(run: Run) -> None:
    broken = _docx(SENTENCE).replace(b"<w:body>", b"<w:bodx>")
    printed = run({"broken.docx": broken}, f'echo "{SENTENCE} {SENTENCE}"')
    assert "docx      pandoc          1      0     0.000   0.000     1.000   0.000" in printed
    assert "damaged: " in printed


def test_few_words_do_not_count(run: Run) -> None:
    printed = run({"mill.md.gz": gzip.compress(SENTENCE.encode())}, "echo few words")
    assert "markdown" not in printed
    assert (printed.count("mill.md.gz"), "Traceback" in printed) == (1, False)  # among the most expensive files


def test_a_peer_that_fails_is_counted(run: Run) -> None:
    assert "docx      pandoc          0      1" in run({"mill.docx": _docx(SENTENCE)}, "exit 3")


def test_a_file_that_takes_too_long_is_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "extract", lambda *_, **__: time.sleep(60))
    printed = run({"mill.docx": _docx(SENTENCE)}, f'echo "{SENTENCE} {SENTENCE}"', "--seconds", "1")
    assert "over 1 s" in printed


def test_unspaced_scripts_are_compared_by_character() -> None:
    reading = peers.Reading("第一章 機械のこと", "", 0.0, 0.0)
    compared = peers.compare(Path("a"), reading, "第一章機械のこと" * 3)
    assert compared is not None
    assert compared.recall == pytest.approx(1 / 3)


def test_the_help_fits_80_columns(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(sys, "argv", ["peers", "--help"])
    with pytest.raises(SystemExit):
        peers.main()
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 80
