"""Tabular files on the command line: results, and errors of a file or a row."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from simhash_doc import Fingerprint, NoTokenError, fingerprint
from simhash_doc.reference import capped_counts, decode_utf8, tokens
from simhash_doc.schemes import SchemeId, get_scheme
from simhash_doc.tabular import job
from tests.commands import objects, run
from tests.provenance import provenance

WORDS = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "pi"]


def example_texts(n: int) -> list[str | None]:
    """Return n different texts, some of them without a word or null."""
    texts: list[str | None] = [" ".join(WORDS[at * step % 13] for step in range(3 + at % 40)) for at in range(n)]
    texts[3::50] = ["12 34"] * len(texts[3::50])
    texts[7::70] = [None] * len(texts[7::70])
    return texts


def example_table(n: int) -> pa.Table:
    return pa.table({"id": [f"d{at}" for at in range(n)], "other": list(range(n)), "text": example_texts(n)})


def write_parquet(path: Path, table: pa.Table, group: int = 100) -> Path:
    pq.write_table(table, path, row_group_size=group)
    return path


def write_lines(path: Path, table: pa.Table) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in table.to_pylist()), encoding="utf-8")
    return path


def expected_rows(table: pa.Table, scheme: SchemeId = "sd64", column: str = "text") -> list[dict[str, Any]]:
    """Return the rows of the result as JSON lines has them, from the functions for one text."""
    rows: list[dict[str, Any]] = []
    for row in table.to_pylist():
        computed: Fingerprint | None = None
        reason = "the text is null"
        if row[column] is not None:
            try:
                computed = fingerprint(row[column], scheme)
            except NoTokenError:
                reason = "no token"
        shown: dict[str, Any] = {"fingerprint": str(computed) if computed else None}
        shown |= {"hex": computed.hex if computed else None, "distinct_tokens": 0, "support": 0.0}
        if computed:
            counts = capped_counts(tokens(decode_utf8(row[column]) if isinstance(row[column], bytes) else row[column]))
            weights = counts.values()
            shown["distinct_tokens"] = len(counts)
            shown["support"] = round(sum(weights) ** 2 / sum(weight**2 for weight in weights), 2)
        rows.append({"id": row["id"], "scheme": scheme, **shown} | ({} if computed else {"reason": reason}))
    return with_provenance(rows, provenance(scheme))


def with_provenance(rows: list[dict[str, Any]], found: dict[str, Any]) -> list[dict[str, Any]]:
    """Add a provenance to the first row with a fingerprint."""
    first = next((row for row in rows if row["fingerprint"]), {})
    first["provenance"] = found
    return rows


def read_result(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a Parquet result in the form of JSON lines."""
    rows = []
    written = json.loads(pq.read_metadata(path).metadata[b"simhash_doc.provenance"])
    for row in pq.read_table(path).to_pylist():
        value, reason = row.pop("value"), row.pop("reason")
        row["hex"] = None if value is None else value.hex()
        rows.append(row | ({} if reason is None else {"reason": reason}))
    return with_provenance(rows, written)


TABLE = example_table(450)
LONE_SURROGATE = r"the row is not UTF-8: it has a lone surrogate, such as \ud800"
RECURSION = "maximum recursion depth exceeded while decoding a JSON array from a unicode string"
FINGERPRINT = ("table", "fingerprint", "--id", "id")


@pytest.fixture
def parquet(tmp_path: Path) -> Path:
    return write_parquet(tmp_path / "data.parquet", TABLE)


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "data.jsonl", TABLE)


@pytest.mark.parametrize("scheme", ["sd64", "sd128", "sd512"])
def test_parquet_to_parquet(parquet: Path, scheme: SchemeId, tmp_path: Path) -> None:
    output = tmp_path / "out.parquet"
    done = run(*FINGERPRINT, "--scheme", scheme, parquet, "-o", output)
    assert read_result(output) == expected_rows(TABLE, scheme)
    columns = ["id", "scheme", "fingerprint", "value", "distinct_tokens", "support", "reason"]
    assert pq.read_schema(output).names == columns
    assert pq.read_schema(output).field("value").type == pa.binary(get_scheme(scheme).bits // 8)
    assert done.stderr.splitlines() == [
        f"simhash-doc: {parquet}: 16 of 450 rows have no fingerprint; the output column 'reason' has the reasons:",
        "  9: no token",
        "  7: the text is null",
    ]
    assert (done.stdout, done.returncode) == ("", 0)
    assert sorted(os.listdir(tmp_path)) == ["data.parquet", "out.parquet"]


@pytest.mark.slow
def test_processes_give_the_same_file(parquet: Path, lines: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job, "_WORTH_WORKERS", 0)
    for source in (parquet, lines):
        outputs = [source.with_name(f"{jobs}{source.suffix}") for jobs in (1, 2)]
        for jobs, output in enumerate(outputs, 1):
            assert run(*FINGERPRINT, "-j", str(jobs), source, "-o", output).returncode == 0
        assert outputs[0].read_bytes() == outputs[1].read_bytes()


@pytest.mark.parametrize("output", ["out.parquet", "out.jsonl", "out.ndjson", "-"])
@pytest.mark.parametrize("kind", ["parquet", "lines", "standard input"])
def test_all_formats_in_and_out(kind: str, output: str, tmp_path: Path) -> None:
    source = write_parquet(tmp_path / "in.table", TABLE) if kind == "parquet" else write_lines(tmp_path / "in.x", TABLE)
    target = tmp_path / output if output != "-" else Path("-")
    if kind == "standard input":
        done = run(*FINGERPRINT, "-", "-o", target, stdin=source.read_bytes())
    else:
        done = run(*FINGERPRINT, source, "-o", target)
    if output == "-":
        rows = objects(done.stdout)
    else:
        rows = read_result(target) if output.endswith("parquet") else objects(target.read_text(encoding="utf-8"))
    assert rows == expected_rows(TABLE)
    assert done.returncode == 0


def test_csv_in_and_out(tmp_path: Path) -> None:
    texts = ["alpha beta", 'of "several"\r\nlines', "x " * 100_000, "", "alpha, beta"]
    with (tmp_path / "in.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerows([("id", "text"), *zip("abcde", texts, strict=True)])
        file.write('f,"alpha\ng,beta,gamma\ng\nh,delta\n')
    for source, stdin in ((tmp_path / "in.csv", b""), (Path("-"), (tmp_path / "in.csv").read_bytes())):
        output = tmp_path / f"{source.stem}.out.csv"
        done = run(*FINGERPRINT, source, "-o", output, stdin=stdin)
        assert done.returncode == 1
        with output.open(encoding="utf-8", newline="") as file:
            rows = {row["id"] or row["reason"]: row for row in csv.DictReader(file)}
        for name, text in (*zip("abce", [*texts[:3], texts[4]], strict=True), ("h", "delta")):
            expected = fingerprint(text)
            assert (rows[name]["fingerprint"], rows[name]["hex"]) == (str(expected), expected.hex)
        assert rows.pop("d")["reason"] == "no token"
        assert sorted(rows)[5:] == [
            "line 10: the row has 1 field, the header 2",
            "line 8: 'f,\"alpha' is not CSV: a quote is not closed",
            "line 9: the row has 3 fields, the header 2",
        ]


def test_short_texts_get_no_fingerprint_on_request(tmp_path: Path) -> None:
    table = pa.table({"id": [1, 2], "text": ["alpha beta " * 20, "gamma delta"]})
    for source in (write_parquet(tmp_path / "t.parquet", table), write_lines(tmp_path / "t.jsonl", table)):
        done = run(*FINGERPRINT, "--min-tokens", "3", source)
        rows = objects(done.stdout)
        assert [row.get("reason") for row in rows] == [None, "has fewer than 3 tokens"]
        assert (rows[1]["fingerprint"], done.returncode) == (None, 0)


def test_without_an_id_column_rows_and_lines_are_numbered(parquet: Path, lines: Path) -> None:
    for source, first in ((parquet, 0), (lines, 1)):
        done = run("table", "fingerprint", source)
        ids = [json.loads(line)["id"] for line in done.stdout.splitlines()]
        assert ids == list(range(first, first + len(TABLE)))


@pytest.mark.parametrize(
    ("ids", "shown"),
    [
        (pa.array([5, 6], pa.uint32()), [5, 6]),
        (pa.array(["ä", "b"]).dictionary_encode(), ["ä", "b"]),
        (pa.array(["a", "b"], pa.large_string()), ["a", "b"]),
        (pa.array([0, 86_400], pa.timestamp("ms")), ["1970-01-01 00:00:00.000", "1970-01-01 00:01:26.400"]),
        (pa.array([True, False]), [True, False]),
    ],
    ids=lambda ids: str(getattr(ids, "type", "")),
)
def test_ids_keep_their_type(ids: pa.Array, shown: list[object], tmp_path: Path) -> None:
    source = write_parquet(tmp_path / "data.parquet", pa.table({"id": ids, "text": ["alpha beta", "gamma"]}))
    assert run(*FINGERPRINT, source, "-o", tmp_path / "out.parquet").returncode == 0
    kept = pq.read_table(tmp_path / "out.parquet").column("id")
    plain = ids.dictionary_decode() if pa.types.is_dictionary(ids.type) else ids
    assert kept.to_pylist() == plain.to_pylist()
    assert kept.type == plain.type
    done = run(*FINGERPRINT, source)
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == shown


def test_text_columns_of_other_types(tmp_path: Path) -> None:
    texts = TABLE.column("text").combine_chunks()
    kinds = [pa.large_string(), pa.binary(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())]
    for number, kind in enumerate(kinds):
        column = texts.dictionary_encode() if pa.types.is_dictionary(kind) else texts.cast(kind)
        source = write_parquet(tmp_path / f"{number}.parquet", TABLE.set_column(2, "text", column))
        done = run(*FINGERPRINT, source)
        assert objects(done.stdout) == expected_rows(TABLE)


def test_id_and_text_may_be_one_column(tmp_path: Path) -> None:
    source = write_parquet(tmp_path / "data.parquet", pa.table({"text": ["alpha beta", None]}))
    done = run("table", "fingerprint", "--id", "text", source)
    rows = objects(done.stdout)
    assert [(row["id"], row.get("reason")) for row in rows] == [("alpha beta", None), (None, "row 1: the id is null")]


def test_a_row_whose_id_is_no_number_has_no_fingerprint(tmp_path: Path) -> None:
    texts = ["alpha beta", "gamma delta", "epsilon zeta"]
    table = pa.table({"id": pa.array([1.0, float("nan"), None]), "text": texts})
    pq.write_table(table, tmp_path / "in.parquet")
    out = tmp_path / "out.parquet"
    done = run("table", "fingerprint", "--id", "id", tmp_path / "in.parquet", "-o", out)
    rows = pq.read_table(out).to_pylist()
    assert (done.returncode, [row["id"] for row in rows]) == (1, [1.0, None, None])
    assert [row["reason"] for row in rows] == [None, "row 1: the id is null", "row 2: the id is null"]


@pytest.mark.parametrize("kind", ["parquet", "lines"])
def test_file_without_rows(kind: str, tmp_path: Path) -> None:
    empty = TABLE.slice(0, 0)
    source = write_parquet(tmp_path / "e.parquet", empty) if kind == "parquet" else write_lines(tmp_path / "e", empty)
    assert run(*FINGERPRINT, source, "-o", tmp_path / "out.parquet").returncode == 0
    assert pq.read_table(tmp_path / "out.parquet").num_rows == 0
    done = run(*FINGERPRINT, source)
    assert (done.stdout, done.stderr) == ("", f"simhash-doc: {source}: has no rows\n")


def test_invalid_lines_are_reported_and_the_others_kept(tmp_path: Path) -> None:
    wrong = {
        '{"id": "a", "text": "alpha beta"': "line 2: not JSON: Expecting ',' delimiter at column 33",
        "[1]": "line 3: not a JSON object",
        '{"id": null, "text": "x"}': "line 4: the id is null",
        '{"text": "x"}': "line 5: the id is null",
        '{"id": [1], "text": "x"}': "line 6: the id is a list, not a string or an integer",
        '{"id": true, "text": "x"}': "line 7: the id is a boolean, not a string or an integer",
        '{"id": 5, "text": "x"}': "line 8: the id 5 is not a string, as the first id is",
        '{"id": 9223372036854775808, "text": "x"}': "line 9: the id is an integer of more than 64 bits",
        '{"id": "\\ud800", "text": "x"}': f"line 10: {LONE_SURROGATE}",
        '{"id": "n", "text": null}': "the text is null",
        '{"id": "m"}': "the text is null",
        '{"id": "t", "text": {"a": 1}}': "line 13: the text is an object, not a string",
        '{"id": "d", "text": "12"}': "no token",
        '{"id": "s", "text": "x \\uD800"}': f"line 15: {LONE_SURROGATE}",
        "[" * 100_000: f"line 16: not JSON: {RECURSION}",
    }
    source = tmp_path / "data.jsonl"
    good = ['{"id": "good", "text": "alpha \\ud83d\\ude00 beta"}', '{"id": "last", "text": "alpha beta"}']
    text = "\n".join([good[0], *wrong, "", "  ", good[1]])
    source.write_bytes(b"\xef\xbb\xbf" + text.encode())
    done = run(*FINGERPRINT, source)
    rows = objects(done.stdout)
    assert [row.get("reason") for row in rows] == [None, *wrong.values(), None]
    assert [rows[at]["id"] for at in (0, 10, 11, 12, 13, 14, -1)] == ["good", "n", "m", "t", "d", "s", "last"]
    assert done.returncode == 1
    assert "simhash-doc: " + str(source) + ": 15 of 17 rows have no fingerprint" in done.stderr
    assert "  12: cannot be read, for example line 2: not JSON" in done.stderr


def test_rows_that_are_not_utf8_have_no_text_and_are_named(tmp_path: Path) -> None:
    header = b"id,text\n"
    bad = [b"a,Le n\xe9\n", b"b,Le n\xe0\n", b"\xe9,x\n"]
    good = "ä,grün\n".encode()
    (tmp_path / "in.csv").write_bytes(header + b"".join(bad) + good)
    (tmp_path / "in.jsonl").write_bytes(
        b"".join(b'{"id": "%s", "text": "%s"}\n' % tuple(row[:-1].split(b",")) for row in (b"z,one", *bad, good))
    )
    for name, output in (("in.csv", "out.csv"), ("in.jsonl", "out.parquet")):
        done = run(*FINGERPRINT, tmp_path / name)
        rows = objects(done.stdout)[-4:]
        assert [row["id"] for row in rows] == ["a", "b", None, "ä"]
        assert [row.get("reason") for row in rows] == [
            *(f"line {number}: the row is not UTF-8; convert the file to UTF-8" for number in (2, 3, 4)),
            None,
        ]
        assert [row["fingerprint"] for row in rows] == [None, None, None, str(fingerprint("grün"))]
        assert f"{tmp_path / name}: 3 of " in done.stderr
        assert "3: cannot be read, for example line 2: the row is not UTF-8" in done.stderr
        assert run(*FINGERPRINT, tmp_path / name, "-o", tmp_path / output).returncode == 1


HEADER = "id,text,größe\na,one,1\n"
UTF16 = "is not UTF-8: it looks like UTF-16"
NOT_UTF8 = ": line 1, the header, is not UTF-8; convert the file, as from Windows-1252: iconv -f "


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        *((name, HEADER.encode(code), UTF16)
          for name in ("in.csv", "in.txt") for code in ("utf-16", "utf-16-le", "utf-16-be")),
        *(("in.jsonl", '{"id": "a", "text": "one"}\n'.encode(code), UTF16)
          for code in ("utf-16", "utf-16-le", "utf-16-be")),
        *((name, HEADER.encode("latin-1"), NOT_UTF8) for name in ("in.csv", "in.txt")),
    ],
)  # fmt: skip
def test_another_encoding_is_named(name: str, content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    for command in ("fingerprint", "dedupe"):
        done = run("table", command, "--id", "id", tmp_path / name, "-o", tmp_path / "out.csv")
        assert done.returncode == 1
        assert message in done.stderr


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("name", ["in.csv", "in.txt", "in.csv.gz"])
@pytest.mark.parametrize("header", ["id,text,note", '"id","text","note"'])
def test_csv_of_other_programs_is_read_and_copied(name: str, delimiter: str, header: str, tmp_path: Path) -> None:
    rows = [["a", "one, two; three\tfour", "x"], ["b", "one, two; three\tfour", "y"], ["c", "five", "z"]]
    text = io.StringIO(newline="")
    text.write(header.replace(",", delimiter) + "\r\n")
    csv.writer(text, delimiter=delimiter).writerows(rows)
    data = text.getvalue().encode()
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    assert run(*FINGERPRINT, tmp_path / name, "-o", tmp_path / "prints.csv").returncode == 0
    found = list(csv.DictReader((tmp_path / "prints.csv").open(newline="")))
    assert [(row["id"], row["fingerprint"]) for row in found] == [(row[0], str(fingerprint(row[1]))) for row in rows]
    done = run("table", "dedupe", "--id", "id", "--keep", "first", tmp_path / name, "-o", tmp_path / "kept.csv")
    assert done.returncode == 0, done.stderr
    lines = data.splitlines(keepends=True)
    assert (tmp_path / "kept.csv").read_bytes() == b"".join([lines[0], lines[1], lines[3]])


def test_files_with_several_delimiters_are_not_one_table(tmp_path: Path) -> None:
    for name, delimiter in (("a.csv", ","), ("b.csv", ";")):
        (tmp_path / name).write_text(f"id{delimiter}text\n1{delimiter}one two\n")
    done = run("table", "dedupe", tmp_path / "a.csv", tmp_path / "b.csv", "-o", tmp_path / "kept.csv")
    assert (done.returncode, "b.csv: its columns are not those of" in done.stderr) == (2, True)


def test_compressed_lines_are_read_and_damage_is_named(lines: Path, tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl.gz"
    path.write_bytes(gzip.compress(lines.read_bytes()))
    for command in (FINGERPRINT, ("table", "dedupe", "--id", "id")):
        for source in (lines, path):
            done = run(*command, source, "-o", tmp_path / f"{source.name}.jsonl")
            assert done.returncode == 0, done.stderr
        assert (tmp_path / f"{path.name}.jsonl").read_bytes() == (tmp_path / f"{lines.name}.jsonl").read_bytes()
    done = run(*FINGERPRINT, "-", stdin=path.read_bytes())
    assert len(done.stdout.splitlines()) == len(TABLE)
    path.write_bytes(path.read_bytes()[:-20])
    for command in (FINGERPRINT, ("table", "dedupe", "--id", "id")):
        done = run(*command, path, "-o", tmp_path / "out.jsonl")
        assert (done.returncode, "in.jsonl.gz: cannot be read: " in done.stderr) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "message", "status"),
    [
        (("--column", "body", "data.parquet"), "no column 'body'; columns: id, other, text", 2),
        (("--column", "other", "data.parquet"), "column 'other' is of type int64; texts are strings or bytes", 2),
        (("--id", "key", "data.parquet"), "no column 'key'; columns: id, other, text", 2),
        (("--column", "body", "data.jsonl"), "no key 'body'; keys: id, other, text", 2),
        (("--id", "key", "data.jsonl"), "no key 'key'; keys: id, other, text", 2),
        (("absent.parquet",), "absent.parquet: cannot be read: No such file or directory", 1),
        ((".",), ".: is a directory; expected Parquet, CSV or JSON-lines files: name those", 2),
        (("data.parquet", "-o", "out.txt"), "out.txt: this command does not write the format of the extension .txt", 2),
        (("data.parquet", "-o", "data.parquet"), "data.parquet: is also an input", 2),
        (("data.parquet", "-o", "no/folder.parquet"), "cannot be written: No such file", 1),
        (("renamed.parquet",), "no column 'text'; columns: key, body", 2),
        (("renamed.jsonl",), "no key 'text'; keys: key, body", 2),
        (("data.parquet", "data.jsonl"), "unexpected extra argument (", 2),
        (("words.parquet",), "is not a Parquet file: it does not begin with PAR1", 1),
        (("cut.parquet",), "cut.parquet: cannot be read as Parquet", 1),
        (("array.json",), "found a JSON array; convert it to lines: jq -c '.[]' FILE", 2),
        (("words.txt",), "found a file that begins with b'just words", 2),
        (("--column", "body", "table.csv"), "no column 'body'; columns: id, text", 2),
        (("--id", "raw", "odd.parquet"), "and CSV cannot represent ids of type binary", 2),
        (("--id", "list", "odd.parquet"), "is of type list", 2),
        (("--column", "twice", "odd.parquet"), "2 columns have the name 'twice'", 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)  # fmt: skip
def test_usage_errors_and_unsuitable_files(
    arguments: tuple[str, ...], message: str, status: int, parquet: Path, lines: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = parquet.parent
    for name in ("words.parquet", "words.txt"):
        (folder / name).write_text("just words", encoding="utf-8")
    (folder / "cut.parquet").write_bytes(parquet.read_bytes()[:-100])
    (folder / "array.json").write_text('[{"id": 1}]', encoding="utf-8")
    write_parquet(folder / "renamed.parquet", pa.table({"key": [1], "body": ["alpha"]}))
    (folder / "renamed.jsonl").write_text('{"key": 1, "body": "alpha"}', encoding="utf-8")
    (folder / "table.csv").write_text("id,text\n1,alpha", encoding="utf-8")
    odd = pa.table(
        [pa.array([b"\xff"]), pa.array([[1]]), pa.array(["a"]), pa.array(["b"]), pa.array(["c"])],
        names=["raw", "list", "twice", "twice", "text"],
    )
    write_parquet(folder / "odd.parquet", odd)
    before = sorted(os.listdir(folder))
    monkeypatch.chdir(folder)
    for output in ("new.jsonl", "new.parquet") if not {"-o", "raw"} & {*arguments} else ():
        written = run("table", "fingerprint", *arguments, "-o", output)
        assert written.returncode > 0
        assert sorted(os.listdir(folder)) == before
    done = run("table", "fingerprint", *arguments)
    assert message in done.stderr
    assert (done.stdout, done.returncode) == ("", status)
    assert sorted(os.listdir(folder)) == before


def test_a_table_that_is_read_as_a_document_names_the_command(parquet: Path) -> None:
    done = run("fingerprint", parquet)
    assert "for a column of texts, use simhash-doc table fingerprint or table dedupe" in done.stderr
    assert (done.stdout, done.returncode) == ("", 1)


def test_corrupt_row_group_affects_its_rows_only(tmp_path: Path) -> None:
    table = example_table(300)
    source = write_parquet(tmp_path / "data.parquet", table)
    start = pq.read_metadata(source).row_group(1).column(2).data_page_offset
    corrupt = bytearray(source.read_bytes())
    corrupt[start : start + 40] = os.urandom(40)
    source.write_bytes(corrupt)
    done = run(*FINGERPRINT, source)
    rows = objects(done.stdout)
    good = expected_rows(table)
    assert rows[:100] + rows[200:] == good[:100] + good[200:]
    assert {row["id"] for row in rows[100:200]} == {None}
    assert "100: cannot be read, for example row group 1 is corrupt: " in done.stderr
    assert done.returncode == 1


def test_rows_of_a_batch_that_was_not_computed_have_the_reason(
    parquet: Path, lines: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(engine: str) -> None:
        raise MemoryError

    monkeypatch.setattr("simhash_doc.batch.api.get_engine", refuse)
    for source in (parquet, lines):
        done = run(*FINGERPRINT, source)
        rows = objects(done.stdout)
        assert [row["id"] for row in rows] == TABLE.column("id").to_pylist()
        assert {row["reason"] for row in rows} == {"not enough memory"}
        assert done.returncode == 1


def test_missing_extra_is_reported(parquet: Path) -> None:
    code = "import sys; sys.modules['pyarrow'] = None; from simhash_doc.cli import main; main()"
    command = [sys.executable, "-c", code, "table", "fingerprint", str(parquet)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "tables need pyarrow: pip install 'simhash-doc[tables]'" in done.stderr
    assert done.returncode == 1


def invalid_strings(values: list[bytes | None], kind: pa.DataType) -> pa.Array:
    """Return an array of strings whose bytes are not checked."""
    stored = pa.array(values, pa.large_binary() if kind == pa.large_string() else pa.binary())
    return pa.Array.from_buffers(kind, len(stored), stored.buffers(), stored.null_count)


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
@pytest.mark.parametrize("output", ["out.jsonl", "out.parquet"])
@pytest.mark.parametrize("is_dictionary", [False, True])
def test_invalid_ids_are_reported_and_the_other_rows_kept(
    kind: pa.DataType, output: str, is_dictionary: bool, tmp_path: Path
) -> None:
    stored = [b"first", b"\xb3\xff", None, b"\xed\xa0\x80", "größe".encode()]
    ids = invalid_strings(stored, kind)
    if is_dictionary:
        places = pa.array([0, 1, None, 2, 3], pa.int32())
        ids = pa.DictionaryArray.from_arrays(places, invalid_strings([*stored[:2], *stored[3:]], kind))
    source = write_parquet(tmp_path / "t.parquet", pa.table({"id": ids, "text": ["one two three"] * 5}))
    target = tmp_path / output
    done = run(*FINGERPRINT, source, "-o", target)
    assert done.returncode == 1
    rows = read_result(target) if output.endswith("parquet") else objects(target.read_text(encoding="utf-8"))
    assert [row["id"] for row in rows] == ["first", None, None, None, "größe"]
    why = "the id is not a valid value of its type, such as a string that is not UTF-8"
    expected = [None, f"row 1: {why}", "row 2: the id is null", f"row 3: {why}", None]
    assert [row.get("reason") for row in rows] == expected
    assert [row["fingerprint"] is None for row in rows] == [False, True, True, True, False]


def test_an_unknown_time_zone_of_ids_is_reported_before_the_run(tmp_path: Path) -> None:
    ids = pa.array([0], pa.timestamp("s", "No/Such_Zone"))
    source = write_parquet(tmp_path / "t.parquet", pa.table({"id": ids, "text": ["one two three"]}))
    done = run("table", "fingerprint", "--id", "id", source, "-o", tmp_path / "out.jsonl")
    assert (done.returncode, "cannot represent ids" in done.stderr) == (2, True)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("name", ["h.csv", "h.table"])
def test_a_header_has_line_breaks_in_quotes(tmp_path: Path, delimiter: str, end: str, name: str) -> None:
    header = f'"number{end}(""internal"", or{end}none)"{delimiter}text{delimiter}"last{end}"'
    rows = [f'"1{end}"{delimiter}the ferryman waits{delimiter}', f"2{delimiter}the ferryman waits{delimiter}x"]
    (tmp_path / name).write_bytes("".join(f"{row}{end}" for row in (header, *rows)).encode())
    done = run("table", "dedupe", tmp_path / name, "-o", tmp_path / "k.csv", "--clusters", tmp_path / "c.jsonl")
    assert (done.returncode, (tmp_path / "k.csv").read_bytes()) == (0, f"{header}{end}{rows[0]}{end}".encode())
    assert [row["id"] for row in objects((tmp_path / "c.jsonl").read_text())] == [5, 7]
    done = run("table", "fingerprint", tmp_path / name, "-o", tmp_path / "prints.csv")
    assert (done.returncode, (tmp_path / "prints.csv").read_text().count("sd64:")) == (0, 2)
    (tmp_path / name).write_bytes(f'"number{end}{delimiter}text{end}1{delimiter}the ferryman waits{end}'.encode())
    done = run("table", "dedupe", tmp_path / name, "-o", tmp_path / "k.csv")
    assert done.returncode > 0


def test_fingerprints_and_ids_below_a_header_with_line_breaks(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text('"the\nnumber",id,fingerprint\n1,a,larqgiqsckcca\n2,b,larqgiqsckcca\n')
    done = run("find-all", tmp_path / "in.csv", "-o", tmp_path / "pairs.csv")
    assert (done.returncode, (tmp_path / "pairs.csv").read_text().splitlines()[1:]) == (0, ["a,b,0"])
    assert run("index", "build", tmp_path / "i.sdix", tmp_path / "in.csv").returncode == 0
    done = run("index", "remove", tmp_path / "i.sdix", "--ids", tmp_path / "in.csv")
    assert (done.returncode, "2 paths removed" in done.stderr) == (0, True)


@pytest.mark.parametrize("kind", ["parquet", "csv", "jsonl"])
def test_a_column_of_ids_that_is_not_used_is_told(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    table = pa.table({"id": ["7", "8"], "text": ["The words of a draft", "Others"]})
    if kind == "csv":
        pyarrow.csv.write_csv(table, "t.csv")
    else:
        {"parquet": write_parquet, "jsonl": write_lines}[kind](Path(f"t.{kind}"), table)
    (tmp_path / "pairs.csv").write_text("a,b,distance\n7,8,3\n")
    numbers = "row numbers" if kind == "parquet" else "line numbers"
    told = f"t.{kind}: the ids are {numbers}; --id id takes them from the column 'id'"
    for command in (
        ("table", "fingerprint", f"t.{kind}"),
        ("table", "dedupe", f"t.{kind}", "-o", f"kept.{kind}", "--clusters", "clusters.csv"),
        ("table", "confirm", "--pairs", "pairs.csv", f"t.{kind}"),
    ):
        assert run(*command).stderr.count(told) == 1
        assert told not in run(*command, "--id", "id").stderr
    assert told not in run("table", "dedupe", f"t.{kind}", "-o", f"kept.{kind}").stderr, "no id is written"


@pytest.mark.parametrize("command", ["fingerprint", "dedupe"])
def test_two_columns_are_no_column(command: str, lines: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    done = run("table", command, "--column", "title", "--column", "text", lines, "-o", output)
    assert done.returncode == 2
    assert "title and text are two columns: join them to one first" in done.stderr
    assert not output.exists()
