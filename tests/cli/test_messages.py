"""Messages: limits with their option, sizes with a suffix, similar messages counted, what Ctrl-C leaves."""

from __future__ import annotations

import gzip
import pkgutil
import re
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
NOTHING = STORED.replace("1 document ", "0 documents ").format(" with --existing skip")


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
        ("store add --db s.sqlite in.jsonl", "store.loading.Loader._store_batch", NOTHING),
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
        if message.startswith(("finished", "0")) or not message or next(calls) == 2:
            raise KeyboardInterrupt
        return original(*arguments, **options)

    monkeypatch.setattr(f"simhash_doc.{place}", interrupted)
    done = run(*command.split())
    expected = f"simhash-doc: interrupted; {message}" if message else ""
    assert (done.returncode, done.stderr.strip()) == (130, expected)
    assert Path("s.sqlite").exists() == message.startswith("1 document stored")


TWICE = "- is given more than once: standard input can be read once"


@pytest.mark.parametrize(
    ("command", "status", "content", "message"),
    [
        *((command, 2, "a b c", TWICE) for command in ("fingerprint - -", "extract - -", "dedupe - -", "compare - -")),
        *((command, 2, "a b c", TWICE) for command in ("fingerprint --files-from - -", "find-all - -")),
        *((f"index {command}", 2, "", TWICE) for command in ("build j - -", "query i - -", "query i - --document -")),
        *((f"index {command}", 2, "", TWICE) for command in ("remove i - -", "remove i --ids - --ids -")),
        *((f"store {command} --db s", 2, "", TWICE) for command in ("add - -", "remove --ids - --ids -", "find - -")),
        ("table dedupe t.tsv -o k.tsv", 2, "", r"expected one of .jsonl, .json, .ndjson, .csv, .parquet, .pq$"),
        ("table fingerprint", 2, "PAR1xxxx", "standard input: Parquet cannot be piped"),
        ("fingerprint --scheme SD256 t.tsv", 2, "", "Invalid value for '--scheme': 'SD256' is not one of"),
        ("find-all", 1, '{"fingerprint": "larqgiqsckcca"}\n{"a": "x', "Unterminated string starting at column 7"),
        ("table fingerprint -q", 0, '{"text": null}', "^$"),
    ],
)  # fmt: skip
def test_a_wrong_turn_ends_with_a_message_that_leads_on(
    command: str, status: int, content: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.tsv").write_text("id\ttext\n1\ta\n")
    run("index", "build", "i", stdin=b"larqgiqsckcca")
    done = run(*command.split(), stdin=content.encode())
    assert (done.returncode, re.search(message, done.stderr) is not None) == (status, True), done.stderr


def test_ids_as_lines_are_given_with_an_option(tmp_path: Path) -> None:
    store = ("--db", tmp_path / "s.sqlite")
    run("store", "add", *store, stdin=b"larqgiqsckcca  a")
    assert "with --ids -" in run("store", "remove", *store, stdin=b"a").stderr
    assert "1 document removed" in run("store", "remove", *store, "--ids", "-", stdin=b"a").stderr
