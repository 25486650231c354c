"""Fingerprints read from every form that a command writes."""

from __future__ import annotations

import gzip
import io
import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_doc import Fingerprint, fingerprint
from simhash_doc.entries.digits import Decoded, decode_digits
from simhash_doc.entries.entry import EntryOrError, parse_texts
from simhash_doc.entries.entry_files import Entries, EntryReader
from simhash_doc.entries.line_formats import Lines
from simhash_doc.lookup import Corpus
from simhash_doc.provenance import METADATA_KEY, Provenance
from simhash_doc.schemes import Scheme, SchemeId, get_scheme
from simhash_doc.store.objects import read_objects
from tests.commands import objects, run
from tests.values import to_ints

SCHEMES = ["sd64", "sd128", "sd256", "sd512"]
TEXTS = ["alpha beta gamma delta epsilon zeta eta theta iota", "something else altogether, as it seems", "12 34"]


def read(*contents: bytes, **options: Any) -> tuple[Entries, list[tuple[str, str]]]:
    problems: list[tuple[str, str]] = []
    reader = EntryReader(**options)
    for content in contents:
        reader.read(io.BytesIO(content), lambda place, error: problems.append((place, str(error))))
    return reader.entries(), problems


SHOWN: dict[str, Callable[[Fingerprint], str]] = {
    "hex": lambda one: one.hex,
    "0x": lambda one: f"0x{one.hex}",
    "base32": lambda one: one.base32,
    "upper": lambda one: str(one).upper(),
}


class Pipe(io.RawIOBase):
    """A stream that cannot be rewound, and gives a few bytes at a time."""

    def __init__(self, data: bytes) -> None:
        self._rest = io.BytesIO(data)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self._rest.read(min(7, len(buffer)))
        buffer[: len(data)] = data
        return len(data)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / 'some\nfolder, \\ "quoted"'
    folder.mkdir()
    for number, text in enumerate(TEXTS):
        (folder / f"{number}  two spaces.txt").write_text(text, encoding="utf-8")
    return folder


def written_forms(folder: Path, scheme: SchemeId, tmp_path: Path) -> dict[str, bytes]:
    """Return the outputs of the commands that write fingerprints."""
    options = ["fingerprint", "--scheme", scheme]
    table = tmp_path / "table.jsonl"
    table.write_text("".join(json.dumps({"id": f"row {at}", "text": text}) + "\n" for at, text in enumerate(TEXTS)))
    rows = ["table", *options, "--id", "id", str(table)]
    run(*rows, "-o", tmp_path / f"{scheme}.parquet")
    added = run(*options, "--json", folder).stdout
    database = tmp_path / f"{scheme}.sqlite"
    run("store", "add", "--db", database, stdin=added.encode())
    text = run(*options, folder).stdout.encode("utf-8", "surrogateescape")
    return {
        "text": text,
        "bare": text.replace(f"{scheme}:".encode(), b""),
        "json": added.encode(),
        "csv": run(*options, "--csv", folder).stdout.encode(),
        "rows": run(*rows).stdout.encode(),
        "parquet": (tmp_path / f"{scheme}.parquet").read_bytes(),
        "export": run("store", "export", "--db", database).stdout.encode(),
    }


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_form_that_is_written_is_read(folder: Path, tmp_path: Path, scheme: SchemeId) -> None:
    expected = [fingerprint(text, scheme) for text in TEXTS[:2]]
    paths = [str(folder / f"{number}  two spaces.txt") for number in range(2)]
    skipped = {"rows": 1, "parquet": 1, "export": 1}
    for form, content in written_forms(folder, scheme, tmp_path).items():
        names = ["row 0", "row 1"] if form in ("rows", "parquet") else paths
        found, problems = read(content)
        assert (problems, found.scheme.id, found.skipped) == ([], scheme, skipped.get(form, 0)), form
        assert sorted(zip(to_ints(found.values), found.names or [], strict=True)) == sorted(
            zip((one.value for one in expected), names, strict=True)
        ), form
        piped: list[object] = []
        reader = EntryReader()
        reader.read(io.BufferedReader(Pipe(content)), lambda _, error, to=piped: to.append(error))  # type: ignore[misc]
        assert (piped, to_ints(reader.entries().values)) == ([], to_ints(found.values)), form
        records = [record for _, record in read_objects(io.BytesIO(content)) if isinstance(record, dict)]
        assert {row["fingerprint"] for row in records if "fingerprint" in row} == set(map(str, expected)), form


@given(
    values=st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 50), min_size=1, max_size=20),
    scheme=st.sampled_from(SCHEMES),
    form=st.sampled_from(["hex", "0x", "base32", "canonical", "upper", "custom"]),
    line_end=st.sampled_from(["\n", "\r\n"]),
    data=st.data(),
)
def test_digits_read_as_arrays_are_those_of_single_lines(
    values: list[int], scheme: SchemeId, form: str, line_end: str, data: st.DataObject
) -> None:
    shifts = [data.draw(st.sampled_from([0, get_scheme(scheme).bits - 64])) for _ in values]
    made = [
        Fingerprint(value << shift, scheme, canonical=form != "custom")
        for value, shift in zip(values, shifts, strict=True)
    ]
    lines = [SHOWN.get(form, str)(one) for one in made]
    line_format = "hex" if form in ("hex", "0x") else "base32"
    found, problems = read(line_end.join(lines).encode(), input_format=line_format)
    assert (problems, to_ints(found.values), found.canonical) == ([], [one.value for one in made], form != "custom")
    assert found.names is None


@given(st.data())
def test_texts_read_as_arrays_are_those_read_one_by_one(data: st.DataObject) -> None:
    values = data.draw(st.lists(st.integers(0, 2**64 - 1), max_size=6))
    shown: list[Callable[[Fingerprint], str]] = [SHOWN["hex"], SHOWN["base32"], SHOWN["upper"], str]
    texts = [data.draw(st.sampled_from(shown))(Fingerprint(value)) for value in values]
    expected = [bytes(Fingerprint(value)) for value in values]
    assert parse_texts(texts) == (expected, {})
    others = data.draw(st.lists(st.sampled_from([None, "", "x\ny", "sd64:aaaaaaaaaaaa1", "sd65:aa"]), max_size=3))
    found, problems = parse_texts([*texts, *others])
    assert found == [*expected, *[None] * len(others)]
    assert {*problems} == {at for at, text in enumerate(others, len(texts)) if text}


def test_the_scheme_of_a_row_is_that_of_its_text() -> None:
    text, wide = str(fingerprint(TEXTS[0])), str(fingerprint(TEXTS[0], "sd128"))
    found, problems = parse_texts([text, text, wide, wide.partition(":")[2]], ["sd64", "sd128", "sd128", "sd128"])
    assert [one and len(one) for one in found] == [8, None, 16, 16]
    assert list(problems) == [1]


def test_wide_fingerprints_are_narrowed_on_request() -> None:
    wide, narrow = Fingerprint(0x5823032212128420 << 192 | 99, "sd256"), Fingerprint(0x5823032212128421)
    for content in (f"{wide}\n{narrow}\n", f"{narrow.hex}\n{wide.hex}\n", f"{wide}  a\n{narrow}  b\n"):
        found, problems = read(content.encode(), scheme="sd64", narrow=True)
        assert (problems, sorted(to_ints(found.values))) == ([], [wide.narrow("sd64").value, narrow.value])
        mixed, problems = read(content.encode())
        assert (len(mixed.values), len(problems)) == (1, 1)
        assert "fingerprints of different schemes cannot be compared" in problems[0][1]
    _, problems = read(f"{narrow}\n".encode(), scheme="sd128", narrow=True)
    assert "which is narrower than sd128" in problems[0][1]


def test_files_in_several_forms_are_combined() -> None:
    one, two = Fingerprint(1), Fingerprint(2)
    rows = f'path,fingerprint\r\n"a ""b""\nc",{two}\r\nd,\r\n'
    nameless = json.dumps({"fingerprint": str(one)}).encode()
    found, problems = read(f"{one}\n".encode(), rows.encode(), b"", b"\n \n", nameless)
    assert (problems, to_ints(found.values), found.skipped) == ([], [1, 2, 1], 1)
    assert found.names == [None, 'a "b"\nc', None]


@pytest.mark.parametrize(
    ("content", "place", "reason"),
    [
        (b"PAR1 and nothing else", "", "not a valid Parquet file"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\n", "", "it is binary or UTF-16"),
        (b"SQLite format 3\0\x10\0", "", "simhash-doc store export --db DATABASE |"),
        (b"path,fingerprint\na,sd64:xxx\n", "line 2", "characters"),
        (b"path,fingerprint\na,\0\n", "line 2", ""),
        (b'{"path": ["a"], "fingerprint": "sd64:larqgiqsckcca"}', "line 1", "neither a string nor a number"),
        (b"sd64:larqgiqsckcca  a\nsd64:larqgiqsckcca b\n", "line 2", "two spaces and a path"),
    ],
)
def test_what_cannot_be_read_is_reported_with_its_place(content: bytes, place: str, reason: str) -> None:
    _, ((where, error),) = read(content)
    assert (where, reason in error) == (place, True)


def test_a_parquet_file_is_not_read_as_lines() -> None:
    _, problems = read(b"PAR1\x15\0\n\n", input_format="json")
    assert problems == [("", "it is a Parquet file, not json")]


def test_rows_of_a_table_of_another_scheme_are_reported() -> None:
    one = Fingerprint(1, "sd128")
    buffer = io.BytesIO()
    pq.write_table(pa.table({"id": ["a", "b"], "scheme": ["sd128"] * 2, "fingerprint": [str(one), None]}), buffer)
    found, ((place, error),) = read(b"sd64:larqgiqsckcca\n", buffer.getvalue())
    assert (place, found.skipped, len(found.values)) == ("row 0", 1, 1)
    assert "different schemes" in error


def test_the_provenance_of_a_table_is_that_of_its_rows() -> None:
    columns = {"id": ["a", "b"], "scheme": ["sd64"] * 2, "fingerprint": [str(Fingerprint(1)), str(Fingerprint(2))]}
    for scheme in ("sd64", "sd128"):
        buffer = io.BytesIO()
        provenance = Provenance.of_package(scheme)
        pq.write_table(pa.table(columns).replace_schema_metadata({METADATA_KEY: provenance.to_json()}), buffer)
        found, problems = read(buffer.getvalue())
        if scheme == "sd64":
            assert (problems, found.names, found.provenances) == ([], ["a", "b"], (provenance,))
        else:
            assert [place for place, _ in problems] == ["row 0", "row 1"]


def test_rows_with_less_support_are_left_out_of_every_form() -> None:
    texts = [str(Fingerprint(value)) for value in range(4)]
    supports = [20.0, 3.0, None, 15.0]
    rows = zip(texts, supports, strict=True)
    lines = "".join(json.dumps({"fingerprint": text, "support": support}) + "\n" for text, support in rows)
    table = "fingerprint,support\n" + "".join(
        f"{text},{support or ''}\n" for text, support in zip(texts, supports, strict=True)
    )
    buffer = io.BytesIO()
    pq.write_table(pa.table({"fingerprint": texts, "support": supports}), buffer)
    for content in (lines.encode(), table.encode(), buffer.getvalue()):
        found, problems = read(content, min_support=15.0)
        assert (problems, to_ints(found.values), found.weak, found.unknown) == ([], [0, 2, 3], 1, 1)
        found, problems = read(content, min_support=0.0)
        assert (problems, to_ints(found.values), found.weak, found.unknown) == ([], [0, 1, 2, 3], 1, 0)


@pytest.mark.parametrize("line", ["{0}", "{0}  a", '{{"id": "a", "fingerprint": "{0}"}}', "fingerprint,id\n{0},a"])
def test_a_byte_order_mark_is_no_part_of_the_first_line(line: str) -> None:
    content = b"\xef\xbb\xbf" + line.format(Fingerprint(7)).encode()
    found, problems = read(content)
    ((_, fields),) = read_objects(io.BytesIO(content))
    assert (problems, to_ints(found.values)) == ([], [7])
    assert isinstance(fields, dict)
    assert fields["fingerprint"] == str(Fingerprint(7))


def test_a_line_with_a_null_character_costs_no_other_line() -> None:
    found, problems = read(b"\0\nsd64:larqgiqsckcca\n")
    assert (len(found.values), [place for place, _ in problems]) == (1, ["line 1"])


def test_a_form_is_detected_from_most_lines() -> None:
    numbers = random.Random(5)
    digits = [f"{numbers.getrandbits(64):016x}" for _ in range(50)] + ["1234567890123456"]
    found, problems = read("\n".join(reversed(digits)).encode())
    assert (problems, found.format, to_ints(found.values)[0]) == ([], "hex", 0x1234567890123456)


@given(count=st.integers(1, 31).filter(lambda count: count != 16), value=st.integers(0, 2**128 - 1))
def test_truncated_hexadecimal_digits_are_an_error(count: int, value: int) -> None:
    """They are no number whose zeros are left out: that one begins with 0x, or is decimal."""
    whole = [f"{one:016x}" for one in (0xCB0F8CB11D855F37, 0xD22A9DD001E87E56)]
    found, problems = read("\n".join([*whole, f"{value:032x}"[:count]]).encode())
    assert (len(found.values), [place for place, _ in problems]) == (2, ["line 3"])


@pytest.mark.parametrize("form", ["base32", "text", "json", "hex"])
def test_a_line_of_another_format_gets_that_of_the_file_and_its_own(form: str) -> None:
    shown = {"base32": "{0}", "text": "{0}  a.txt", "json": '{{"fingerprint": "{0}"}}', "hex": "{0.hex}"}
    own, other = ("hex", Fingerprint(0xEF).hex) if form != "hex" else ("base32", str(Fingerprint(0xEF)))
    content = "".join(shown[form].format(Fingerprint(value)) + "\n" for value in (0xAB, 0xCD)) + other
    _, problems = read(content.encode())
    assert [place for place, _ in problems] == ["line 3"]
    assert f"'{other}' has the format {own}, but the file is read as {form}" in problems[0][1]
    *_, (place, error) = read_objects(io.BytesIO(content.encode()))
    reason = "is not a JSON object" if form == "json" else f"has the format {own}, but"
    assert (place, reason in str(error)) == ("line 3", True)


@pytest.mark.parametrize("form", ["decimal", "hex", "base32"])
def test_a_uniform_file_is_not_read_line_by_line(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def counted(lines: Lines, at: int, scheme: Scheme | None) -> EntryOrError | None:
        calls.append(at)
        return read_one(lines, at, scheme)

    read_one = Lines.entry
    monkeypatch.setattr(Lines, "entry", counted)
    numbers = random.Random(7)
    made = [Fingerprint(numbers.getrandbits(64)) for _ in range(5000)]
    shown = [{"decimal": str(one.value), "hex": one.hex, "base32": str(one)}[form] for one in made]
    found, problems = read("\n".join(shown).encode())
    assert (problems, to_ints(found.values)) == ([], [one.value for one in made])
    assert len(calls) < 5


_ONE = "sd64:aaaaaaaaaaaac"
_WRONG = [f"{_ONE}\r", f" {_ONE}", "\n", "sd64:aaaaaaaaaaaab", f"sd128:{26 * 'a'}"]
_NOT_PLAIN = ["0000000000000001", "0x1", "", None, 5, *_WRONG]
_OBJECT: st.SearchStrategy[dict[str, object]] = st.fixed_dictionaries(
    {},
    optional={
        "fingerprint": st.sampled_from([_ONE, "aaaaaaaaaaaac", "sd64+custom:aaaaaaaaaaaac", *_NOT_PLAIN]),
        "hex": st.just("0000000000000002"),
        "id": st.sampled_from(["a", "", 7, None, ["b"], True]),
        "path": st.sampled_from(["p", 3, None]),
        "scheme": st.sampled_from(["sd64", "sd64+custom", "sd128", None, 4]),
        "support": st.sampled_from([3.5, 20, None, "x"]),
        "provenance": st.sampled_from([None, {}, 1]),
    },
)
_JSON_LINE = _OBJECT.map(json.dumps) | st.sampled_from(["", "[1]", f'{{"fingerprint": "{_ONE}"', "{} {}", "x"])
_FORMS = [_ONE, _ONE.upper(), "aaaaaaaaaaaac", "sd64+custom:aaaaaaaaaaaac", "5823032212128420", "0x5823032212128420"]
_ODD = [
    "sd64:aaaaaaaaaaaab",
    "sd64:aaa1aaaaaaaaa",
    "sd65:aaaaaaaaaaaaa",
    "58230g2212128420",
    "sd128:aa",
    "AB",
    "\u0663",
    "",
]
_DIGITS = st.sampled_from([*_FORMS, *_ODD])
_LINE = _DIGITS | st.integers(2**64 - 3, 2**64 + 3).map(str) | st.text(max_size=30)
_PATHS = ["a", "two words", "  b", "c \t", "", "   ", "\\d\\n", "\\\\", "é\u3000x", "\u2028", "f\r", "g\x85", "h  i"]
_TEXT_LINE = st.tuples(_DIGITS, st.sampled_from(["  ", "  ", " ", "\t"]), st.sampled_from(_PATHS)).map("".join)


_FIRST = {"decimal": "7", "hex": "0" * 16, "base32": _ONE, "text": f"{_ONE}  a", "json": f'{{"fingerprint": "{_ONE}"}}'}


@pytest.mark.parametrize("form", [*_FIRST])
@given(data=st.data(), min_support=st.sampled_from([0.0, 15.0]), scheme=st.sampled_from(["sd64", None]))
def test_lines_in_bulk_are_read_as_one_by_one(
    form: str, data: st.DataObject, min_support: float, scheme: SchemeId | None
) -> None:
    lines = data.draw(st.lists({"text": _TEXT_LINE, "json": _JSON_LINE}.get(form, _LINE), max_size=12))
    content = "\n".join([_FIRST[form], *lines]).encode("utf-8", "replace")

    def none_plain(texts: list[str], form: str, scheme: Scheme) -> Decoded:
        return decode_digits([], form, scheme)

    bulk, problems = read(content, scheme=scheme, min_support=min_support, input_format=form)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("simhash_doc.entries.entry_files.decode_digits", none_plain)
        single, expected = read(content, scheme=scheme, min_support=min_support, input_format=form)
    assert problems == expected
    assert bulk.values.tolist() == single.values.tolist()
    assert bulk.gaps.tolist() == single.gaps.tolist()
    assert replace(bulk, values=single.values, gaps=single.gaps) == single


@pytest.mark.parametrize("name", ["in.csv", "in.jsonl", "in.parquet"])
@pytest.mark.parametrize("twice", ["fingerprint", "path", "note"])
def test_a_column_that_is_there_twice_is_an_error_if_it_is_used(tmp_path: Path, name: str, twice: str) -> None:
    path, text = tmp_path / name, str(fingerprint("one two three"))
    if name == "in.csv":
        path.write_text(f"fingerprint,path,note,{twice}\n{text},a,x,y\n{text},b,x,y\n", "utf-8")
    elif name == "in.jsonl":
        line = {"fingerprint": text, "path": "{}", "note": "x"}
        last = json.dumps(text if twice == "fingerprint" else "y")
        row = json.dumps(line).removesuffix("}") + f', "{twice}": {last}}}\n'
        path.write_text(row.replace("{}", "a") + row.replace("{}", "b"), "utf-8")
    else:
        pq.write_table(
            pa.table([[text] * 2, ["a", "b"], ["x"] * 2, ["y"] * 2], ["fingerprint", "path", "note", twice]), path
        )
    assert run("store", "add", "--db", tmp_path / "n.sqlite", stdin=b"larqgiqsckcca  a").returncode == 0
    commands: list[tuple[str | Path, ...]] = [
        ("find-all", path),
        ("find-clusters", path),
        ("index", "build", tmp_path / "i.sdix", path),
        ("store", "add", "--db", tmp_path / "s.sqlite", path),
        ("store", "find", "--db", tmp_path / "n.sqlite", path),
    ]
    for command in commands:
        done = run(*command)
        message = f"2 {'keys' if name == 'in.jsonl' else 'columns'} have the name '{twice}'; rename all but one"
        assert (message in done.stderr, done.returncode) == ((True, 1) if twice != "note" else (False, 0)), done.stderr


def test_a_name_within_another_object_is_not_twice() -> None:
    line = {"fingerprint": str(fingerprint("one two three")), "path": "a", "metadata": {"path": "b", "text": '"path"'}}
    assert read(json.dumps(line).encode())[0].names == ["a"]


@pytest.mark.parametrize("delimiter", [";", "\t"])
@pytest.mark.parametrize("quote", ["", '"'])
def test_csv_of_other_programs_is_read(delimiter: str, quote: str) -> None:
    text = str(fingerprint("one two three"))
    rows = [["path", "fingerprint"], ["a, b", text], ["c", text]]
    content = "\n".join(delimiter.join(f"{quote}{cell}{quote}" for cell in row) for row in rows).encode()
    for input_format in ("auto", "csv"):
        found, problems = read(content, input_format=input_format)
        assert (found.names, problems) == (["a, b", "c"], [])


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("kind", ["binary", "large_binary", "fixed", "dictionary", "view"])
def test_fingerprints_as_bytes_are_read(scheme: SchemeId, kind: str, tmp_path: Path) -> None:
    prints = [fingerprint(text, scheme) for text in TEXTS[:2]]
    width = len(bytes(prints[0]))
    types = {
        "binary": pa.binary(),
        "large_binary": pa.large_binary(),
        "fixed": pa.binary(width),
        "view": pa.binary_view(),
    }
    column = pa.array([bytes(prints[0]), None, bytes(prints[1])], types.get(kind, pa.binary()))
    table = pa.table(
        {"fingerprint": column.dictionary_encode() if kind == "dictionary" else column, "id": ["a", "b", "c"]}
    )
    path = tmp_path / "in.parquet"
    pq.write_table(table, path)
    found, problems = read(path.read_bytes())
    assert (found.scheme.id, found.names, found.skipped, problems) == (scheme, ["a", "c"], 1, [])
    assert to_ints(found.values) == [one.value for one in prints]
    database = tmp_path / "s.sqlite"
    assert "2 documents added" in run("store", "add", "--db", database, path).stderr
    found_lines = run("store", "find", "--db", database, path).stdout.splitlines()
    assert [json.loads(line)["matches"][0]["fingerprint"] for line in found_lines] == [str(one) for one in prints]


def test_compressed_fingerprints_are_read(tmp_path: Path) -> None:
    lines = "".join(f"{fingerprint(TEXTS[0])}  {at}\n" for at in range(2)).encode()
    (tmp_path / "in.txt.gz").write_bytes(gzip.compress(lines))
    plain = run("find-all", stdin=lines).stdout
    assert run("find-all", tmp_path / "in.txt.gz").stdout == plain != ""
    assert run("find-all", stdin=gzip.compress(lines)).stdout == plain
    (tmp_path / "in.txt.gz").write_bytes(gzip.compress(lines)[:-9])
    done = run("find-all", tmp_path / "in.txt.gz")
    assert (done.returncode, "in.txt.gz: cannot be read: the gzip data are damaged" in done.stderr) == (1, True)


def test_16_digits_are_hexadecimal_in_every_place(tmp_path: Path) -> None:
    wanted = Fingerprint(0x5823032212128420)
    digits = wanted.hex
    rows = {"in.jsonl": f'{{"fingerprint": "{digits}"}}', "in.csv": f"fingerprint\n{digits}", "in.txt": digits}
    for name, content in rows.items():
        (tmp_path / name).write_text(f"{content}\n")
        run("index", "build", "--force", tmp_path / "in.sdix", tmp_path / name)
        assert Corpus.open(tmp_path / "in.sdix").values().tolist() == [wanted.value]
        for query in (digits, f"0x{digits}", str(wanted)):
            (answer,) = objects(run("index", "query", tmp_path / "in.sdix", query).stdout)
            assert [match["distance"] for match in answer["matches"]] == [0]
            assert objects(run("compare", "--json", query, str(wanted)).stdout)[0]["distance"] == 0
            assert objects(run("decode", "--json", query).stdout)[0]["fingerprint"] == str(wanted)
    (tmp_path / "decimal.txt").write_text(f"{wanted.value}\n1234567890123456\n")  # other lines tell
    assert to_ints(read((tmp_path / "decimal.txt").read_bytes())[0].values) == [wanted.value, 1234567890123456]
