"""JSON lines with any value wrong: a documented error of that line, or a value that is allowed."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_doc import SimhashDocError, fingerprint
from simhash_doc.entries.entry_files import EntryReader
from simhash_doc.entries.json_lines import parse_object
from simhash_doc.ingest import EXTRACTOR
from simhash_doc.provenance import Provenance
from simhash_doc.store.objects import parse_id, parse_item, parse_query
from tests.commands import run
from tests.damaged_json import damaged

DOCUMENT: dict[str, Any] = {
    "id": "a",
    "uri": "http://x/",
    "collection": "c",
    "scheme": "sd64",
    "fingerprint": str(fingerprint("one two three four")),
    "hex": "0" * 16,
    "metadata": {"k": 1, "m": "x"},
    "time": "2024-01-01T00:00:00+00:00",
    "provenance": Provenance.of_package("sd64", extractor=EXTRACTOR).to_dict(),
}
COLLECTION = {"collection": "c", "scheme": "sd64", "slices": 4}


@pytest.mark.parametrize("parse", [parse_item, parse_query, parse_id])
@pytest.mark.parametrize("record", [DOCUMENT, COLLECTION])
def test_any_value_of_a_line_may_be_wrong(parse: Any, record: dict[str, Any]) -> None:
    accepted = 0
    for what, text in damaged(record):
        try:
            parse(parse_object(text))
            accepted += 1
        except SimhashDocError:
            continue
        except Exception as error:
            raise AssertionError(what) from error
    assert accepted or record is COLLECTION


@pytest.mark.parametrize("command", [("index", "build", "--force", "i.sdix"), ("find-clusters",), ("find-all",)])
def test_commands_report_wrong_lines_and_read_the_others(
    command: tuple[str, ...], tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [json.dumps(DOCUMENT), *(text for _, text in damaged(DOCUMENT)), json.dumps(DOCUMENT)]
    done = run(*command, stdin="\n".join(lines).encode())
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert 5 < done.stderr.count("\n") < 20


@pytest.mark.parametrize("command", [("find-all",), ("index", "build", "--force", "i.sdix"), ("decode",)])
@pytest.mark.parametrize("value", ["0", "1.5", "true", '["sd64"]', '{"a": 1}'])
def test_a_scheme_that_is_no_text_is_reported(
    command: tuple[str, ...], value: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    plain = json.dumps({"id": "a", "fingerprint": DOCUMENT["fingerprint"]})
    done = run(*command, stdin="\n".join([plain, f'{plain[:-1]}, "scheme": {value}}}', plain]).encode())
    assert done.returncode == 1
    assert "line 2: the scheme" in done.stderr
    assert "is not a string" in done.stderr


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("value", ["true", "1.5", "NaN", "1e400"])
def test_a_line_with_an_id_that_no_index_holds_is_reported_and_the_others_are_kept(
    value: str, first: int, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = DOCUMENT["fingerprint"]
    lines = [f'{{"id": "a{number}", "fingerprint": "{text}"}}' for number in range(3)]
    lines.insert(first, f'{{"id": {value}, "fingerprint": "{text}"}}')
    done = run("index", "build", "i.sdix", stdin="\n".join(lines).encode())
    assert (done.returncode, f"line {first + 1}: the id" in done.stderr) == (1, True)
    found = run("index", "query", "i.sdix", text)
    assert all(f'"a{number}"' in found.stdout for number in range(3))
    assert "true" not in found.stdout


# Without those whose quote would close that of a damaged row, and give a record of two fields with it.
NAMES = st.text("ab,\n ", min_size=1).filter(lambda name: not re.match(r",[^,]*\n", name))


@given(
    rows=st.lists(
        st.tuples(st.sampled_from(["", "quote", "long", "field", "short"]), NAMES),
        min_size=1,
        max_size=12,
    )
)
def test_a_damaged_row_of_csv_is_named_and_all_others_are_read(rows: list[tuple[str, str]]) -> None:
    text = str(fingerprint("one two three four"))
    broken = {"quote": f'"b,{text}', "long": f"{'x' * 140_000},{text}", "field": f"a,b,{text}", "short": "a"}
    expected, bad = [], []
    out = io.StringIO("id,fingerprint\r\n")
    out.seek(0, io.SEEK_END)
    for damage, name in rows:
        if damage:
            bad.append(f"line {out.getvalue().count(chr(10)) + 1}")
            out.write(f"{broken[damage]}\r\n")
        else:
            expected.append(f"{name}x")
            csv.writer(out).writerow((f"{name}x", text))
    problems: list[str] = []
    reader = EntryReader()
    reader.read(io.BytesIO(out.getvalue().encode()), lambda place, error: problems.append(place))
    assert (reader.entries().names or [], problems) == (expected, bad)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("id|fingerprint\na|{0}\n", "no column 'fingerprint'; columns: id|fingerprint"),
        ("id,fingerprint,n\na,{0}\nb,{0},1\n", "line 2: the row has 2 fields, the header 3"),
        ("id,fingerprint,n\na,{0},1,2\nb,{0},1\n", "line 2: the row has 4 fields, the header 3"),
        ("id,other\na,b\nb,c\n", "no column 'fingerprint'; columns: id, other"),
    ],
)
def test_a_table_that_does_not_fit_is_described(content: str, message: str, tmp_path: Any) -> None:
    (tmp_path / "in.csv").write_text(content.format(fingerprint("one two three four")))
    done = run("find-all", "--input-format", "csv", tmp_path / "in.csv")
    assert (done.returncode, message in done.stderr) == (1, True)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("input_format", ["auto", "csv", "text"])
def test_fingerprints_in_utf16_are_described(encoding: str, input_format: str, tmp_path: Any) -> None:
    (tmp_path / "in.csv").write_bytes(f"id,fingerprint\na,{fingerprint('one')}\n".encode(encoding))
    done = run("find-all", "--input-format", input_format, tmp_path / "in.csv")
    assert (done.returncode, done.stderr.count("it is binary or UTF-16")) == (1, 1)
