"""Messages: limits with their option, sizes with a suffix, similar messages counted, what Ctrl-C leaves."""

from __future__ import annotations

import gzip
import pkgutil
from itertools import count
from pathlib import Path
from typing import Any

import click
import pytest

from simhash_doc import Fingerprint
from simhash_doc.command_line.sizes import Size
from simhash_doc.console.sizes import shown_size
from tests.commands import run
from tests.extraction.samples import sample, warc

STORED = "1 document stored; the same command{} stores the others"


@pytest.mark.parametrize(
    ("text", "size"),
    [("65536", 65536), ("1k", 1024), ("1K", 1024), ("2KiB", 2048), ("3 MiB", 3 << 20), ("0.5M", 1 << 19),
     ("1.5GiB", 3 << 29), ("2mb", 2 << 20), ("0.25k", 256), ("7B", 7)],
)  # fmt: skip
def test_sizes_have_suffixes(text: str, size: int) -> None:
    assert Size().convert(text, None, None) == size


@pytest.mark.parametrize("text", ["", "0", "0.0001", "M", "-1", "1.5.5M", "1 X", "1T", "k1", "1e3", "٣"])
def test_what_is_not_a_size_is_rejected(text: str) -> None:
    with pytest.raises(click.BadParameter, match="is not a size"):
        Size().convert(text, None, None)


def test_a_limit_is_named_with_the_size_and_the_option(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_bytes(b"<html><body>" + b"<p>some words</p>" * 100_000)
    done = run("fingerprint", "--max-input-size", "0.5M", page)
    expected = f"{shown_size(page.stat().st_size)} are over the limit of 512 KiB; --max-input-size changes it"
    assert (done.stderr, done.returncode) == (f"simhash-doc: {page}: {expected}\n", 1)
    packed = tmp_path / "page.html.gz"
    packed.write_bytes(gzip.compress(page.read_bytes()))
    done = run("fingerprint", "--max-expanded-size", "1MiB", packed)
    assert "over the limit of 1 MiB; --max-expanded-size changes it" in done.stderr


def test_a_large_table_has_a_hint(tmp_path: Path) -> None:
    table = tmp_path / "table.parquet"
    table.write_bytes(b"PAR1" + bytes(5000))
    done = run("fingerprint", "--max-input-size", "1k", table)
    assert (
        "--max-input-size changes it; `simhash-doc table fingerprint` reads the rows of a Parquet file" in done.stderr
    )


def test_an_empty_file_is_called_empty(tmp_path: Path) -> None:
    (tmp_path / "empty").write_bytes(b"")
    done = run("fingerprint", tmp_path / "empty")
    assert (done.stderr, done.returncode) == (
        f"simhash-doc: {tmp_path / 'empty'}: has no fingerprint: it is empty\n",
        1,
    )


def test_of_similar_messages_ten_are_shown(tmp_path: Path) -> None:
    for number in range(25):
        (tmp_path / f"{number:02}.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    (tmp_path / "words.txt").write_bytes(sample("text"))
    (tmp_path / "digits.txt").write_bytes(b"12 34")
    done = run("fingerprint", *sorted(tmp_path.iterdir()))
    lines = done.stderr.splitlines()
    assert sum(".png: " in line for line in lines) == 10
    assert sum("digits.txt: has no fingerprint" in line for line in lines) == 1
    assert any(line.startswith("simhash-doc: 15 more: ") and "PNG image" in line for line in lines)
    assert "27 documents: 1 read, 26 failed" in lines[-1]


@pytest.mark.parametrize(
    ("command", "place", "message"),
    [
        ("store add --db s.sqlite in.jsonl", "store.loading.parse_item", STORED.format(" with --existing skip")),
        ("store add --existing skip --db s.sqlite in.jsonl", "store.loading.parse_item", STORED.format("")),
        (
            "find-all --memory 400M in.jsonl -o out.jsonl",
            "lookup.external._write_sorted",
            "finished parts are in out.jsonl.partial; the same command continues",
        ),
        (
            "archive annotate --index c.cdxj a.warc b.warc -o out.cdxj",
            "cli.archive._add_part",
            "1 of 2 WARC files finished, in out.cdxj.parts; the same command continues",
        ),
        ("store add --db s.sqlite in.jsonl", "store.loading.Loader._store_batch", "nothing is kept"),
        ("store add --db s.sqlite in.jsonl", "store.loading.Loader.__init__", ""),
        ("index build out.sdix in.jsonl", "lookup.corpus.build_index", ""),
    ],
)
def test_an_interrupted_command_tells_what_is_kept(
    command: str, place: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = (f'{{"id": "{number}", "fingerprint": "{Fingerprint(number)}"}}\n' for number in range(4))
    Path("in.jsonl").write_text("".join(lines))
    for name in ("a.warc", "b.warc"):
        Path(name).write_bytes(warc([("https://example.org/a", b"<p>one two three</p>", {})]))
    Path("c.cdxj").write_bytes(b"")
    monkeypatch.setattr("simhash_doc.store.loading.BATCH", 1)
    original, calls = pkgutil.resolve_name(f"simhash_doc.{place}"), count(1)

    def interrupted(*arguments: Any, **options: Any) -> Any:
        if message.startswith(("finished", "nothing")) or not message or next(calls) == 2:
            raise KeyboardInterrupt
        return original(*arguments, **options)

    monkeypatch.setattr(f"simhash_doc.{place}", interrupted)
    done = run(*command.split())
    expected = f"simhash-doc: interrupted; {message}" if message else ""
    assert (done.returncode, done.stderr.strip()) == (130, expected)
    assert Path("s.sqlite").exists() == message.startswith("1 document stored")
