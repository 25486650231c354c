"""`table dedupe`: rows that are kept, clusters, and options and files that do not fit."""

from __future__ import annotations

import base64
import csv
import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from simhash_doc import Policy, fingerprint
from simhash_doc.batch.api import compute
from simhash_doc.entries.entry import escaped_name
from simhash_doc.entries.parquet_files import plain_schema
from simhash_doc.tabular import TabularError
from simhash_doc.tabular.deduplication import ComparedTables, dedupe_tables
from simhash_doc.tabular.filtering import TabularFiles
from tests.commands import run
from tests.reports import parts, report_in, section, texts, tiles

TEXT = "The tide mill of the bay ground flour for the parish whenever the sea allowed it, by day and by night"
ROWS: list[dict[str, Any]] = [
    {"id": "a", "text": TEXT, "day": "2024-03-01", "n": "10", "note": "x"},
    {"id": "b", "text": "Trains left at noon", "day": None, "n": "3", "note": None},
    {"id": "c", "text": TEXT.upper() + " indeed", "day": "2024-01-01", "n": "9", "note": 'with "quotes", and a\nline'},
    {"id": "d", "text": TEXT, "day": None, "n": "", "note": ""},
]


def write(path: Path, rows: list[dict[str, Any]] = ROWS) -> Path:
    if path.suffix == ".parquet":
        schema = pa.schema([(name, pa.string()) for name in rows[0]], {"file": path.name})
        pq.write_table(pa.Table.from_pylist(rows, schema), path)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    else:
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    return path


def read(path: Path) -> list[dict[str, Any]]:
    if path.suffix == ".parquet":
        return pq.read_table(path).to_pylist()  # type: ignore[no-any-return]
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


SOURCES = ("in.parquet", "in.jsonl", "in.csv")


@pytest.mark.parametrize("name", SOURCES)
def test_kept_rows_have_all_columns(tmp_path: Path, name: str) -> None:
    source, output = write(tmp_path / name), (tmp_path / "kept").with_suffix(Path(name).suffix)
    done = run("table", "dedupe", source, "-o", output)
    assert (done.returncode, done.stdout) == (0, "")
    assert read(output) == [read(source)[at] for at in (1, 2)]


def test_one_row_has_its_numbers(tmp_path: Path) -> None:
    rows = [{"id": name, "text": f"{TEXT} {name}"} for name in "12"]
    source, page = write(tmp_path / "in.csv", rows), tmp_path / "page.html"
    told = run("table", "dedupe", source, "-o", tmp_path / "out.csv", "--html", page).stderr
    assert "1 row kept because of its numbers; --numbers ignore leaves it out" in told
    report = report_in(page.read_text())
    assert tiles(report)["kept because of its numbers"] == "1"
    (pair,) = parts(section(report, "Kept because of their numbers"), "rows")
    assert [one["name"] for one in pair] == [f"{source}:2 and {source}:3"]
    options = ("--numbers", "ignore", source, "-o", tmp_path / "out.csv")
    assert (
        "1 row left out with numbers that the kept row lacks; --numbers keep keeps it"
        in run("table", "dedupe", *options).stderr
    )
    run("table", "dedupe", *options, "--html", page)
    assert {"row kept", "left out (50 %)", "near-duplicate"} <= tiles(report_in(page.read_text())).keys()


def test_the_largest_cluster_and_what_numbers_decide_are_told(tmp_path: Path) -> None:
    rows = [{"id": f"r{at}", "text": f"Order {at} of {TEXT} {TEXT[::-1]}"} for at in range(40)]
    rows += [{"id": f"s{at}", "text": f"page 90 of 91 {rows[at]['text']}"} for at in range(4)]
    rows += [{"id": "n1", "text": "12"}, {"id": "n2", "text": ""}]
    source, output = write(tmp_path / "in.csv", rows), tmp_path / "out.csv"
    done = run("table", "dedupe", "--id", "id", source, "-o", output, "--html", tmp_path / "page.html")
    told = [line.removeprefix(f"simhash-doc: {source}: ") for line in done.stderr.splitlines()]
    assert told[0] == "42 rows kept of 46"
    assert told[1].startswith("the largest cluster has 2 rows; id r0 is the least similar to id s0, which is kept: ")
    assert told[2].startswith("4 rows left out with other words than the kept row; --min-similarity 100 keeps them; ")
    assert told[2].endswith("for example id r0: only in the kept text: page, 90, of, 91")
    assert told[3] == "39 rows kept because of their numbers; --numbers ignore leaves them out"
    page = report_in((tmp_path / "page.html").read_text())
    assert tiles(page)["kept because of their numbers"] == "39"
    assert parts(section(page, "The largest clusters"), "differs") == [[["page 90 of 91", "–"]]] * 4
    assert "left out with numbers" not in done.stderr
    options = ("--numbers", "ignore", "-q", "--id", "id", source, "-o", output)
    assert "left out with numbers that the kept row lacks; --numbers keep" in run("table", "dedupe", *options).stderr
    # What a file shows need not be told twice.
    assert not run("table", "dedupe", "--clusters", tmp_path / "c.csv", *options).stderr


def test_tables_that_are_never_left_out_are_among_the_inputs(tmp_path: Path) -> None:
    new, old = (write(tmp_path / f"{name}.jsonl", [{"id": name, "text": TEXT}]) for name in ("new", "old"))
    output = tmp_path / "kept.jsonl"
    assert run("table", "dedupe", new, old, "-o", output, "--never-remove", old).returncode == 0
    assert [row["id"] for row in read(output)] == ["old"]
    refused = run("table", "dedupe", new, "-o", output, "--never-remove", old)
    assert (refused.returncode, "is not among the tables that are compared" in refused.stderr) == (2, True)


def test_a_call_does_what_the_command_does(tmp_path: Path) -> None:
    source = write(tmp_path / "in.jsonl")
    run("table", "dedupe", "--keep", "column:id", source, "-o", tmp_path / "command.jsonl")
    found = dedupe_tables(ComparedTables((str(source),)), str(tmp_path / "call.jsonl"), Policy(keep="column:id"))
    assert (tmp_path / "call.jsonl").read_bytes() == (tmp_path / "command.jsonl").read_bytes()
    assert not found.kept.all()


def test_one_worker_per_core_by_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def computed(work: Any, lanes: int, workers: int, size: int = 0) -> Any:
        seen.append(workers)
        return compute(work, lanes, 1, size)

    monkeypatch.setattr("simhash_doc.duplicates.rows.compute", computed)
    monkeypatch.setattr("simhash_doc.parallel.pool.available_cores", lambda: 3)
    source = write(tmp_path / "in.csv")
    for jobs in ((), ("-j", "2")):
        assert run("table", "dedupe", *jobs, source, "-o", tmp_path / "out.csv").returncode == 0
    assert seen == [3, 2]


@pytest.mark.parametrize("name", SOURCES)
def test_several_files_are_one_table(tmp_path: Path, name: str) -> None:
    end = Path(name).suffix
    paths = [write(tmp_path / f"{at}{end}", rows) for at, rows in enumerate((ROWS[:2], ROWS[1:], ROWS[3:]))]
    output, clusters = tmp_path / f"kept{end}", tmp_path / "clusters.csv"
    done = run("table", "dedupe", *paths, "-o", output, "--clusters", clusters)
    assert done.returncode == 0, done.stderr
    assert [row["id"] for row in read(output)] == ["b", "c"]
    assert [(row["id"][len(str(tmp_path)) + 1 :][0], row["reason"]) for row in read(clusters)] == [
        ("0", "near-duplicate"),
        ("1", "representative"),
        ("1", "near-duplicate"),
        ("2", "near-duplicate"),
        ("0", "representative"),
        ("1", "exact"),
    ]


def test_rows_without_a_text_have_the_position_among_all_files(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b'{"text": "one"}\nnot JSON\n{"text": 5}\n{"text": null}\n')
    (tmp_path / "b.jsonl").write_bytes(b'{"text": "two"}\nnot JSON\n{"text": "\xff"}\n')
    rows = TabularFiles([str(tmp_path / name) for name in ("a.jsonl", "b.jsonl")], "json", "text", [])
    reasons = {1: "the text is an integer, not a string", 4: "the row is not UTF-8; convert the file to UTF-8"}
    assert (len(rows), rows.without_text) == (5, reasons)


def test_lines_and_records_are_copied_byte_for_byte(tmp_path: Path) -> None:
    lines = [
        b'{"text" :"one \\u00e4","n":1e3}\r\n',
        b"\n",
        b'{"text":"two \xff","n": 12345678901234567890123}\n',
        b'{"n":1}',
    ]
    (tmp_path / "in.jsonl").write_bytes(b"\xef\xbb\xbf" + b"".join(lines))
    records = [
        b'\xef\xbb\xbf"n",text\r\n',
        b'1,"one\r\nline"\r\n',
        b"\r\n",
        b"002,'two\xff'\n",
        b'2,"on""e"\n',
        b"3, one line",
    ]
    (tmp_path / "in.csv").write_bytes(b"".join(records))
    for name, kept in (
        ("in.jsonl", lines[0] + lines[2] + lines[3] + b"\n"),
        ("in.csv", b"".join(records[at] for at in (0, 1, 3, 4))[3:]),
    ):
        output = tmp_path / f"kept{Path(name).suffix}"
        done = run("table", "dedupe", tmp_path / name, "-o", output)
        assert (done.returncode, done.stderr.count(": line ")) == (1, 1)
        assert output.read_bytes() == kept


def test_rows_that_are_not_utf8_are_kept_and_named(tmp_path: Path) -> None:
    texts = [b"Le n\xe9", b"one two", b"Le n\xe0", b"one two"]
    (tmp_path / "in.csv").write_bytes(b"".join(b"%s,1\n" % text for text in (b"text", *texts)).replace(b"t,1", b"t,n"))
    lines = [*(b'{"text": "%s"}\n' % text for text in texts), rb'{"text": "x \ud800"}', rb'{"text": "x \uDFFF"}']
    lines += [b'{"text": "x \xef\xbf\xbd"}\n']
    (tmp_path / "in.jsonl").write_bytes(b"".join(line.rstrip() + b"\n" for line in lines))
    for name, bad, kept in (("in.csv", (2, 4), [0, 1, 2, 3]), ("in.jsonl", (1, 3, 5, 6), [0, 1, 2, 4, 5, 6])):
        output, clusters = tmp_path / f"kept{Path(name).suffix}", tmp_path / "clusters.csv"
        done = run("table", "dedupe", tmp_path / name, "-o", output, "--clusters", clusters)
        named = [line for line in done.stderr.splitlines() if "is not UTF-8" in line]
        assert [line.partition(": line ")[2].partition(":")[0] for line in named[: len(bad)]] == [*map(str, bad)]
        count = "2 rows kept without comparison: the row is not UTF-8; convert the file to UTF-8"
        assert (done.returncode, count in done.stderr, "null" in done.stderr) == (1, True, False)
        rows = (tmp_path / name).read_bytes().splitlines()
        assert output.read_bytes().splitlines() == [rows[at] for at in kept]
        assert [row["reason"] for row in read(clusters)] == ["representative", "exact"]


def test_clusters_name_the_representative_with_distance_and_similarity(tmp_path: Path) -> None:
    clusters = tmp_path / "clusters.csv"
    source = write(tmp_path / "in.jsonl")
    done = run("table", "dedupe", "--id", "id", source, "-o", tmp_path / "k.jsonl", "--clusters", clusters)
    assert done.returncode == 0, done.stderr
    far = str(fingerprint(TEXT, "sd256").distance(fingerprint(TEXT + " indeed", "sd256")))
    rows = [list(row.values()) for row in read(clusters)]
    share = rows[0][4]
    assert rows == [
        ["a", "0", "c", far, share, "equal", "near-duplicate"],
        ["c", "0", "c", "", "", "", "representative"],
        ["d", "0", "c", far, share, "equal", "near-duplicate"],
    ]
    assert 0.9 < float(str(share)) < 1
    for name in ("g.jsonl", "g.parquet"):
        run("table", "dedupe", "--id", "id", source, "-o", tmp_path / "k.jsonl", "--clusters", tmp_path / name)
        assert [(row["distance"], row["similarity"]) for row in read(tmp_path / name)] == [
            (int(far), float(str(share))),
            (None, None),
            (int(far), float(str(share))),
        ]


@pytest.mark.parametrize(
    ("keep", "kept"),
    [("first", "ab"), ("longest", "bc"), ("column:day", "bc"), ("column:n", "bc"), ("column:id", "ab")],
)
def test_keep(tmp_path: Path, keep: str, kept: str) -> None:
    for name in ("in.parquet", "in.csv"):
        output = tmp_path / f"kept{Path(name).suffix}"
        rows = [
            row | {"n": row["n"] if "csv" in name else (row["n"] or "").zfill(2).replace("00", "99")} for row in ROWS
        ]
        run("table", "dedupe", "--keep", keep, write(tmp_path / name, rows), "-o", output)
        assert "".join(str(row["id"]) for row in read(output)) == kept


def test_rows_that_cannot_be_compared_are_kept_and_bad_lines_named(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    lines = [
        '{"text": null}',
        '{"text": "12"}',
        "not JSON",
        '{"text": "one word"}',
        '{"text": "one word"}',
        '{"text": 5}',
        '{"text": "word"}',
    ]
    source.write_text("\n".join(lines))
    outputs = ("-o", tmp_path / "kept.jsonl", "--clusters", tmp_path / "g.jsonl")
    done = run("table", "dedupe", "--min-tokens", "2", source, *outputs)
    assert done.returncode == 1
    for message in (
        "line 3: not JSON",
        "line 6: the text is an integer",
        "1 row kept without comparison: no token",
        "1 row kept without comparison: the text is null",
        "1 row kept without comparison: the text is an integer, not a string",
        "1 row with fewer tokens than --min-tokens kept",
    ):
        assert message in done.stderr
    assert (tmp_path / "kept.jsonl").read_text().splitlines() == [lines[at] for at in (0, 1, 3, 5, 6)]
    assert [(row["id"], row["representative"]) for row in read(tmp_path / "g.jsonl")] == [(4, 4), (5, 4)]


@pytest.mark.parametrize("name", SOURCES)
def test_one_of_equal_rows_without_a_word_is_kept(tmp_path: Path, name: str) -> None:
    source = write(tmp_path / name, [{"text": text, "n": n} for text, n in (("* 2", "1"), ("* 2", "2"), ("3", "3"))])
    output = tmp_path / f"kept{source.suffix}"
    done = run("table", "dedupe", source, "-o", output)
    assert (done.returncode, [row["n"] for row in read(output)]) == (0, ["1", "3"])
    assert "1 row kept without comparison: no token" in done.stderr


def test_bad_records_and_row_groups_are_named_and_the_others_kept(tmp_path: Path) -> None:
    texts = ["one two", "three", "one two", "four"]
    (tmp_path / "in.csv").write_text('text,n\none two,1\n"three,1\none two,1,1\none two,2\nfour,1\nfive\n')
    done = run("table", "dedupe", tmp_path / "in.csv", "-o", tmp_path / "kept.csv")
    assert done.returncode == 1
    assert "line 3" in done.stderr
    assert "line 4: the row has 3 fields, the header 2" in done.stderr
    assert "line 7: the row has 1 field, the header 2" in done.stderr
    assert (tmp_path / "kept.csv").read_text() == "text,n\none two,1\nfour,1\n"
    source = tmp_path / "in.parquet"
    pq.write_table(pa.table({"text": texts, "n": ["a" * 99] * 4}), source, row_group_size=1, compression="none")
    data = bytearray(source.read_bytes())
    start = pq.read_metadata(source).row_group(0).column(1).dictionary_page_offset
    data[start : start + 40] = b"\xff" * 40
    source.write_bytes(data)
    done = run("table", "dedupe", source, "-o", tmp_path / "kept.parquet")
    assert (done.returncode, "row group 0, rows 0 to 0, is corrupt" in done.stderr) == (1, True)
    assert [row["text"] for row in read(tmp_path / "kept.parquet")] == texts[1:]


def test_a_file_that_changes_is_an_error(tmp_path: Path) -> None:
    source = write(tmp_path / "in.jsonl")
    rows = TabularFiles([str(source)], "json", "text", [])
    source.write_text('{"text": "another"}\n')
    with pytest.raises(TabularError, match="has changed while it was read"):
        rows.write(io.BytesIO(), np.ones(4, np.bool_))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--keep", "oldest"], "'oldest' is not a rule; expected longest, first, or column:NAME"),
        (["--distance", "auto"], "'auto' is not a whole number"),
        (["--column", "body"], "no column 'body'; columns: "),
        (["--id", "absent"], "no column 'absent'"),
        (["--keep", "column:absent"], "no column 'absent'"),
        (["--clusters", "clusters.xyz"], "extension"),
        (["--clusters", "clusters.txt"], "clusters.txt: this command does not write the format of the extension .txt"),
        (["-o", "-"], "-o FILE"),
        (["-o", "k.csv"], "write a file that ends with .parquet"),
        (["--scheme", "sd64", "--distance", "250"], "distance"),
        (["in.csv"], "write a file that ends with .csv"),
        (["other.parquet"], "other.parquet: its columns are not those of in.parquet"),
    ],
)
def test_options_and_files_that_do_not_fit(
    tmp_path: Path, options: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(Path("in.csv"))
    write(Path("other.parquet"), [{"text": TEXT}])
    before = sorted(tmp_path.iterdir())
    done = run("table", "dedupe", write(Path("in.parquet")), "-o", "k.parquet", *options)
    assert done.returncode == 2
    assert message in done.stderr
    assert sorted(tmp_path.iterdir()) == sorted([*before, tmp_path / "in.parquet"])


def test_quiet_and_pandas_is_not_imported(tmp_path: Path) -> None:
    source = write(tmp_path / "in.parquet")
    code = "import sys; from simhash_doc.cli import main\ntry: main()\nfinally: print('pandas' in sys.modules)"
    command = [sys.executable, "-c", code, "table", "dedupe", "-q", str(source)]
    command += ["-o", str(tmp_path / "out.parquet")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("False\n", "")


VIEWS = pa.schema(
    [
        ("id", pa.string_view()),
        ("text", pa.string_view()),
        ("raw", pa.binary_view()),
        ("tags", pa.list_(pa.string_view())),
        ("long", pa.large_list(pa.struct([("name", pa.string_view()), ("n", pa.int64())]))),
        ("pair", pa.list_(pa.string_view(), 2)),
        ("kind", pa.map_(pa.string(), pa.binary_view())),
    ]
)


def test_columns_of_views_are_read_and_copied(tmp_path: Path) -> None:
    rows = [
        {
            "id": name,
            "text": text,
            "raw": b"\xff",
            "tags": ["x", None],
            "long": [{"name": name, "n": 1}],
            "pair": ["a", "b"],
            "kind": [("k", b"v")],
        }
        for name, text in (("a", TEXT), ("b", "Trains left at noon"), ("c", TEXT + " indeed"), ("d", None))
    ]
    source, output, clusters = (tmp_path / name for name in ("in.parquet", "kept.parquet", "clusters.parquet"))
    # As other programs write it: pyarrow cannot write all views.
    with pq.ParquetWriter(source, plain_schema(VIEWS), store_schema=False) as writer:
        writer.write_table(pa.Table.from_pylist(rows, plain_schema(VIEWS)))
        writer.add_key_value_metadata({b"ARROW:schema": base64.b64encode(VIEWS.serialize())})
    assert pq.ParquetFile(source).schema_arrow.types == VIEWS.types
    done = run("table", "dedupe", "--id", "id", "--keep", "column:id", source, "-o", output, "--clusters", clusters)
    assert done.returncode == 0, done.stderr
    assert pq.read_schema(output) == plain_schema(VIEWS)
    assert pq.read_table(output).to_pylist() == [rows[at] for at in (0, 1, 3)]
    assert pq.read_table(clusters).column("id").to_pylist() == ["a", "c"]
    done = run("table", "fingerprint", "--id", "id", source, "-o", output)
    assert done.returncode == 0, done.stderr
    assert pq.read_table(output).column("id").to_pylist() == ["a", "b", "c", "d"]


REPEATED = {
    "in.csv": '{0},text,other,{1}\r\n1,"' + TEXT + '",x,2\r\n',
    "in.jsonl": '{{"{0}": "1", "text": "' + TEXT + '", "{1}": "2"}}\n',
}


@pytest.mark.parametrize("name", ["in.csv", "in.jsonl", "in.parquet"])
@pytest.mark.parametrize("command", ["dedupe", "fingerprint"])
@pytest.mark.parametrize("twice", ["id", "text", "other"])
def test_a_column_that_is_there_twice_is_not_used(tmp_path: Path, name: str, command: str, twice: str) -> None:
    path, output = tmp_path / name, tmp_path / f"out{Path(name).suffix}"
    names = ["id", "text", "other", twice]
    if name == "in.parquet":
        pq.write_table(pa.table([["1"], [TEXT], ["x"], ["2"]], names), path)
    else:
        path.write_text(REPEATED[name].format("id", twice), "utf-8")
    done = run("table", command, "--id", "id", path, "-o", output)
    if twice == "other":
        assert done.returncode == 0, done.stderr
        return
    assert done.returncode in (1, 2)
    assert f"2 {'keys' if name == 'in.jsonl' else 'columns'} have the name '{twice}'; rename all but one" in done.stderr


@pytest.mark.parametrize("compression", ["zstd", "snappy", "gzip", "none", "lz4"])
def test_the_compression_stays(tmp_path: Path, compression: str) -> None:
    source, output = write(tmp_path / "in.parquet"), tmp_path / "kept.parquet"
    pq.write_table(pq.read_table(source), source, compression=compression)
    assert run("table", "dedupe", source, "-o", output).returncode == 0
    codecs = [pq.ParquetFile(path).metadata.row_group(0).column(0).compression for path in (source, output)]
    assert codecs[0] == codecs[1]


@pytest.mark.parametrize("old_name", ["old.jsonl", "old.parquet"])
def test_new_rows_are_left_out_for_old_ones(old_name: str, tmp_path: Path) -> None:
    """Old rows are kept whatever they are, and come first; the ids of both tables are in the clusters."""
    others = ["Trains left at noon today and every day from the station", "A second text of words that no other has"]
    old = [{"id": "o1", "text": TEXT}, {"id": "o2", "text": TEXT.upper()}, {"id": "o3", "text": others[0]}]
    new = [
        {"id": "n1", "text": TEXT + " indeed", "extra": "1"},
        {"id": "n2", "text": others[1], "extra": "2"},
        {"id": "n3", "text": others[0], "extra": "3"},
        {"id": "n4", "text": others[1].title(), "extra": "4"},
    ]
    write(tmp_path / old_name, old)
    write(tmp_path / "new.parquet", new)
    clusters, html = tmp_path / "clusters.jsonl", tmp_path / "page.html"
    command = ("table", "dedupe", "--id", "id", tmp_path / "new.parquet", "--against", tmp_path / old_name)
    done = run(*command, "--keep", "first", "-o", tmp_path / "kept.parquet", "--clusters", clusters, "--html", html)
    assert done.returncode == 0, done.stderr
    assert [row["id"] for row in read(tmp_path / "kept.parquet")] == ["n2"]
    assert "1 row kept of 4" in done.stderr
    assert f"2 rows left out for rows of {tmp_path / old_name}" in done.stderr
    found = {row["id"]: row["representative"] for row in read(clusters)}
    assert found == {"o1": "o1", "n1": "o1", "o3": "o3", "n3": "o3", "n2": "n2", "n4": "n2"}
    report = report_in(html.read_text())
    assert "id o1 and id n1" in parts(report, "name")
    assert report["heading"] == "You keep 1 of 4 rows"
    assert f", compared also with {len(old)} earlier rows: " in report["about"]
    assert tiles(report)["left out (75 %)"] == "3"
    done = run(*command[:2], *command[4:], "-o", tmp_path / "kept.parquet", "--clusters", clusters)
    assert {row["representative"] for row in read(clusters)} >= {f"{tmp_path / old_name}:{int('jsonl' in old_name)}"}


def test_the_page_shows_how_near_rows_are_that_are_left_out(tmp_path: Path) -> None:
    words = [f"word{chr(97 + at)}{chr(97 + at % 7)}" for at in range(26)]
    rows = [{"id": f"<{at}>", "text": " ".join([*words, *["more"] * (at % 3), "more"[: at % 4]])} for at in range(30)]
    rows += [{"id": "other", "text": "Trains left at noon"}]
    write(tmp_path / "in.jsonl", rows)
    page = tmp_path / "page.html"
    done = run("table", "dedupe", "--id", "id", tmp_path / "in.jsonl", "-o", tmp_path / "k.jsonl", "--html", page)
    assert done.returncode == 0, done.stderr
    report = report_in(page.read_text())
    kept = len(read(tmp_path / "k.jsonl"))
    assert report["heading"] == f"You keep {kept} of 31 rows"
    similarity, distance, _ = parts(report, "histograms")[0]
    for histogram in (similarity, distance):
        assert sum(count for _, count in histogram["bars"]) == 31 - kept
        assert histogram["bars"][0][1] * histogram["bars"][-1][1]  # no empty bar at the ends
    assert 1 <= len(*parts(section(report, "Near the threshold"), "rows")) <= 10
    assert "<1>" in "".join(texts(report))
    assert "Nothing has been deleted." in texts(report)
    assert not re.search(r"(src|href)=|https?://|<id>", page.read_text().replace("http://www.w3.org/2000/svg", ""))
    done = run("table", "dedupe", tmp_path / "in.jsonl", "-o", tmp_path / "k.jsonl", "--html", tmp_path / "in.jsonl")
    assert done.returncode == 2
    write(tmp_path / "one.jsonl", rows[-1:])
    assert run("table", "dedupe", tmp_path / "one.jsonl", "-o", tmp_path / "k.jsonl", "--html", page).returncode == 0
    assert "The largest cluster" not in parts(report_in(page.read_text()), "title")


def test_ids_like_escapes_are_those_of_the_table_in_each_format(tmp_path: Path) -> None:
    names = ["caf\udce9", r"caf\udce9", r"caf\\udce9"]
    stored = [escaped_name(name) for name in names]
    pq.write_table(pa.table({"id": stored, "text": [TEXT] * 3}), tmp_path / "in.parquet")
    write(tmp_path / "in.jsonl", [{"id": name, "text": TEXT} for name in names])
    for source in ("in.parquet", "in.jsonl"):
        output = tmp_path / f"out{Path(source).suffix}"
        for clusters in ("clusters.parquet", "clusters.jsonl", "clusters.csv"):
            options = ["--id", "id", "--clusters", str(tmp_path / clusters), "-o", str(output)]
            assert run("table", "dedupe", tmp_path / source, *options).returncode == 0
        assert [row["id"] for row in read(tmp_path / "clusters.parquet")] == stored
        assert [row["id"] for row in read(tmp_path / "clusters.jsonl")] == names
        assert (tmp_path / "clusters.csv").read_bytes().count(b"\ncaf\xe9,") == 1
    for prints in ("prints.parquet", "prints.jsonl"):  # a table with literal names gives them, too
        write(tmp_path / "in.jsonl", [{"id": name, "text": TEXT} for name in names[1:]])
        assert run("table", "fingerprint", "--id", "id", tmp_path / "in.jsonl", "-o", tmp_path / prints).returncode == 0
    assert [row["id"] for row in read(tmp_path / "prints.parquet")] == stored[1:]
    assert [row["id"] for row in read(tmp_path / "prints.jsonl")] == names[1:]


def test_a_row_with_other_values_that_are_not_utf8_is_compared(tmp_path: Path) -> None:
    rows = [b'{"text": "%s", "note": "a"}\n' % TEXT.encode(), b'{"text": "%s", "note": "\xe9"}\n' % TEXT.encode()]
    rows += [rb'{"text": "another one", "note": "\udce9"}' + b"\n"]
    (tmp_path / "in.jsonl").write_bytes(b"".join(rows))
    done = run("table", "dedupe", tmp_path / "in.jsonl", "-o", tmp_path / "out.jsonl")
    assert (done.returncode, (tmp_path / "out.jsonl").read_bytes()) == (0, rows[0] + rows[2])
    done = run("table", "fingerprint", tmp_path / "in.jsonl")
    assert (done.returncode, done.stdout.count('"fingerprint": "sd64:')) == (0, 3)


@pytest.mark.parametrize("name", SOURCES)
def test_a_column_may_have_no_name(tmp_path: Path, name: str) -> None:
    source = write(tmp_path / name, [{"": "7", "text": TEXT}, {"": "8", "text": TEXT}])
    output, clusters = tmp_path / f"out{source.suffix}", tmp_path / "clusters.jsonl"
    assert run("table", "dedupe", "--id", "", source, "-o", output, "--clusters", clusters).returncode == 0
    assert [row["id"] for row in read(clusters)] == ["7", "8"]
    assert run("table", "fingerprint", "--id", "", source, "-o", clusters).returncode == 0
    assert [row["id"] for row in read(clusters)] == ["7", "8"]
    for arguments in (("fingerprint",), ("dedupe", "-o", str(output))):
        done = run("table", *arguments, "--column", "", source)
        assert (done.returncode, "has no rows" in done.stderr) == (0, False)
    assert len(read(output)) == 2


def test_long_ids_are_cut_in_messages(tmp_path: Path) -> None:
    source = write(tmp_path / "in.jsonl", [{"id": letter * 10_000, "text": TEXT} for letter in "ab"])
    done = run("table", "dedupe", "--id", "id", source, "-o", tmp_path / "out.jsonl")
    assert f"id {'b' * 97}... is the least similar to id {'a' * 97}..., which is kept" in done.stderr


@pytest.mark.parametrize("written", ["Text", " text ", "te\ufb06"])
@pytest.mark.parametrize("name", SOURCES)
def test_a_name_that_looks_like_the_column_is_told(tmp_path: Path, name: str, written: str) -> None:
    column = "test" if "\ufb06" in written else "text"
    source = write(tmp_path / name, [{written: TEXT}])
    done = run("table", "dedupe", "--column", column, source, "-o", tmp_path / f"out{source.suffix}")
    assert (done.returncode, f"{written!a} differs in its case, spaces or Unicode form" in done.stderr) == (2, True)


@pytest.mark.parametrize("command", ["fingerprint", "dedupe"])
def test_a_header_without_the_column_is_told_also_without_rows(tmp_path: Path, command: str) -> None:
    (tmp_path / "in.csv").write_bytes(b"id,body\n")
    done = run("table", command, tmp_path / "in.csv", "-o", tmp_path / "out.csv")
    assert (done.returncode, "no column 'text'; columns: id, body" in done.stderr) == (2, True)
    (tmp_path / "in.csv").write_bytes(b"id,text")
    assert run("table", command, "--id", "id", tmp_path / "in.csv", "-o", tmp_path / "out.csv").returncode == 0


def test_an_object_in_several_lines_is_told(tmp_path: Path) -> None:
    (tmp_path / "in.json").write_text(json.dumps({"text": TEXT}, indent=1), "utf-8")
    done = run("table", "fingerprint", tmp_path / "in.json")
    assert (done.returncode, "found an object in several lines; convert it to one: jq -c . FILE" in done.stderr) == (
        2,
        True,
    )


@pytest.mark.parametrize("output", ["clusters.parquet", "clusters.jsonl"])
def test_clusters_without_rows_have_the_type_of_the_ids(tmp_path: Path, output: str) -> None:
    pq.write_table(pa.table({"id": pa.array([1, 2], pa.int8()), "text": ["one two", "three"]}), tmp_path / "in.parquet")
    for options, kind in (["--id", "id"], pa.int8()), ([], pa.int64()):
        done = run(
            "table",
            "dedupe",
            *options,
            tmp_path / "in.parquet",
            "-o",
            tmp_path / "out.parquet",
            "--clusters",
            tmp_path / output,
        )
        assert (done.returncode, (tmp_path / output).exists()) == (0, True)
        if output.endswith("parquet"):
            schema = pq.read_schema(tmp_path / output)
            assert (schema.field("id").type, schema.field("representative").type) == (kind, kind)
    run("table", "fingerprint", "--id", "id", tmp_path / "in.parquet", "-o", tmp_path / "prints.parquet")
    for command, column in (("find-all", "a"), ("find-clusters", "member")):
        assert run(command, tmp_path / "prints.parquet", "-o", tmp_path / "found.parquet").returncode == 0
        assert pq.read_schema(tmp_path / "found.parquet").field(column).type == pa.int8()


def test_numbers_of_rows_in_place_of_ids_are_told_although_quiet(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text("id,text\n7,a lamp at the pier\n", encoding="utf-8")
    for command in ("fingerprint", "dedupe"):
        clusters = ("--clusters", tmp_path / "c.csv") if command == "dedupe" else ()
        done = run("table", command, "-q", source, "-o", tmp_path / "out.csv", *clusters)
        assert "--id id takes them from the column 'id'" in done.stderr
        assert run("table", command, "-q", "--id", "id", source, "-o", tmp_path / "out.csv", *clusters).stderr == ""
