"""`table confirm`: pairs of any search, compared by their texts."""

from __future__ import annotations

import datetime
import json
import os
import random
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from simhash_doc.duplicates.similarity import TextTokens
from simhash_doc.entries.entry import escaped_name, unescaped_name
from simhash_doc.tabular import confirming
from tests.commands import objects, run
from tests.tabular.test_filtering import read, write

WORDS = [a + b + c for a in "bdfgklmnprst" for b in "aeiou" for c in "lmnrst"]


def similar_texts(count: int) -> list[str]:
    """Return texts in families, whose members share from half to all of their words; some words are repeated."""
    choose = random.Random(count)
    texts: list[str] = []
    while len(texts) < count:
        words = choose.choices(WORDS, k=40)
        for changes in (0, 1, 3, 8, 20):
            changed = [*words, *["oft"] * choose.randrange(12)]
            for at in choose.sample(range(40), changes):
                changed[at] = choose.choice(WORDS)
            texts.append(" ".join(changed))
    return texts[:count]


TEXTS = similar_texts(60)
IDS = [100 + 7 * at for at in range(len(TEXTS))]


def expected(first: str, second: str) -> tuple[float, float]:
    """Return the share of common words, each at most 8 times, and of common distinct words."""
    a, b = (Counter({word: min(count, 8) for word, count in Counter(text.split()).items()}) for text in (first, second))
    return (a & b).total() / (a | b).total(), len(a.keys() & b.keys()) / len(a.keys() | b.keys())


def brute_force(pairs: list[tuple[Any, Any]], least: float) -> dict[tuple[Any, Any], float]:
    texts = dict(zip(IDS, TEXTS, strict=True))
    found = {pair: expected(texts[int(pair[0])], texts[int(pair[1])]) for pair in pairs}
    return {pair: round(shares[0], 4) for pair, shares in found.items() if min(shares) >= least}


@pytest.fixture
def table(tmp_path: Path) -> Path:
    pq.write_table(pa.table({"id": IDS, "text": TEXTS}), tmp_path / "texts.parquet")
    return tmp_path / "texts.parquet"


@pytest.fixture
def fingerprints(table: Path, tmp_path: Path) -> Path:
    output = tmp_path / "fingerprints.parquet"
    assert run("table", "fingerprint", "--id", "id", "--scheme", "sd256", table, "-o", output).returncode == 0
    return output


@pytest.mark.parametrize("percent", ["0", "50", "83", "100"])
@pytest.mark.parametrize("name", ["pairs.parquet", "pairs.jsonl", "pairs.csv"])
def test_pairs_of_a_search_are_confirmed(
    fingerprints: Path, table: Path, tmp_path: Path, name: str, percent: str
) -> None:
    pairs, output = tmp_path / name, tmp_path / f"confirmed-{name}"
    assert run("find-all", "--distance", "90", fingerprints, "-o", pairs).returncode == 0
    given = [(row["a"], row["b"]) for row in read(pairs)]
    similar = brute_force(given, int(percent) / 100)
    done = run("table", "confirm", "--pairs", pairs, "--id", "id", "--min-similarity", percent, table, "-o", output)
    rows = read(output)
    assert {(row["a"], row["b"]): float(row["similarity"]) for row in rows} == similar
    assert [(row["a"], row["b"], row["distance"]) for row in rows] == [
        (row["a"], row["b"], row["distance"]) for row in read(pairs) if (row["a"], row["b"]) in similar
    ]
    assert (done.returncode, done.stderr) == (0, f"simhash-doc: {pairs}: {len(rows)} pairs written, 0 not compared\n")


def test_answers_of_an_index_and_of_a_store_are_confirmed(fingerprints: Path, table: Path, tmp_path: Path) -> None:
    index, store = tmp_path / "all.sdix", tmp_path / "near.sqlite"
    assert run("index", "build", "--distance", "20", index, fingerprints).returncode == 0
    for name in ("matches.jsonl", "matches.parquet", "matches.csv"):
        matches = tmp_path / name
        assert run("index", "query", index, fingerprints, "-o", matches).returncode == 0
        found = run("table", "confirm", "--pairs", matches, "--id", "id", table)
        rows = objects(found.stdout)
        confirmed = {(int(row["query"]), int(row["match"])): row["similarity"] for row in rows}
        assert confirmed.items() <= brute_force([(a, b) for a in IDS for b in IDS], 0.83).items()
        assert len(confirmed) > len(IDS)  # each with itself, and with others
    texts = write(tmp_path / "texts.jsonl", [{"id": f"n{at}", "text": text} for at, text in enumerate(TEXTS)])
    run("table", "fingerprint", "--id", "id", "--scheme", "sd256", texts, "-o", tmp_path / "named.jsonl")
    assert run("store", "add", "--db", store, tmp_path / "named.jsonl").returncode == 0
    answers = tmp_path / "answers.jsonl"
    assert (
        run("store", "find", "--db", store, "--distance", "20", tmp_path / "named.jsonl", "-o", answers).returncode == 0
    )
    rows = objects(run("table", "confirm", "--pairs", answers, "--id", "id", texts).stdout)
    of_store = {(IDS[int(row["query"][1:])], IDS[int(row["match"][1:])]): row["similarity"] for row in rows}
    assert of_store == confirmed


def test_the_second_ids_may_be_of_another_table(tmp_path: Path) -> None:
    new = write(tmp_path / "new.jsonl", [{"text": TEXTS[0]}, {"text": TEXTS[5]}])
    old = write(tmp_path / "old.csv", [{"text": TEXTS[9]}, {"text": TEXTS[1]}])
    pairs = write(tmp_path / "pairs.csv", [{"a": "1", "b": "3"}, {"a": "2", "b": "3"}, {"a": "2", "b": "2"}])
    done = run("table", "confirm", "--pairs", pairs, new, "--against", old)
    share = round(expected(TEXTS[0], TEXTS[1])[0], 4)
    assert objects(done.stdout) == [{"a": "1", "b": "3", "distance": None, "similarity": share}]


def test_pairs_without_texts_are_named_and_counted(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [{"id": 7, "text": TEXTS[0]}, {"id": "7", "text": TEXTS[5]}, {"id": 8, "text": None}]
    texts, pairs = write(tmp_path / "texts.jsonl", rows), tmp_path / "pairs.jsonl"
    given = [(7, 7), (7, "7"), (7, 8), (9, 9), (9, 8)]
    lines = [json.dumps({"a": a, "b": b, "distance": 1}) for a, b in given]
    pairs.write_text("\n".join([*lines, "no pair", '{"a": 7}']), "utf-8")
    done = run("table", "confirm", "--pairs", pairs, "--id", "id", "--min-similarity", "0", texts)
    assert [(row["a"], row["b"]) for row in objects(done.stdout)] == [(7, 7), (7, "7")]
    assert done.returncode == 1
    assert [line.removeprefix(f"simhash-doc: {pairs}: ") for line in done.stderr.splitlines()] == [
        "line 3: the row with the id '8' has no text",
        "line 4: no row has the id '9'",
        "line 5: no row has the id '9' and the row with the id '8' has no text",
        "line 6: not JSON: Expecting value at column 1",
        f"line 7: has no pair of ids; {confirming._EXPECTED}",
        "2 pairs written, 5 not compared",
    ]


def test_a_forgotten_column_of_ids_is_named(tmp_path: Path) -> None:
    texts = write(tmp_path / "texts.jsonl", [{"path": "a", "text": TEXTS[0]}, {"path": "b", "text": TEXTS[1]}])
    pairs = write(tmp_path / "pairs.csv", [{"a": "a", "b": "b"}])
    done = run("table", "confirm", "--pairs", pairs, texts)
    assert (done.returncode, done.stdout) == (1, "")
    assert "simhash-doc: the ids were line numbers; --id names a column of ids\n" in done.stderr
    assert "--id names" not in run("table", "confirm", "--pairs", pairs, "--id", "path", texts).stderr


def test_ids_keep_their_type(tmp_path: Path) -> None:
    pairs, texts, output = tmp_path / "pairs.jsonl", tmp_path / "texts.jsonl", tmp_path / "out.parquet"
    write(texts, [{"id": at, "text": TEXTS[0]} for at in range(2)])
    pairs.write_text('{"a": 0, "b": 1}\n', "utf-8")
    assert run("table", "confirm", "--pairs", pairs, "--id", "id", texts, "-o", output).returncode == 0
    assert pq.read_schema(output).field("a").type == pa.int64()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"x": 1}\n', "has no pairs; expected the columns a and b"),
        ("a,distance,b,a\n1,2,1,1\n", "2 columns have the name 'a'"),
        ('{"a": 1, "b": 2}\n{"a": 1, "b": 2}\n', "the id '1' is in the rows"),
    ],
)
def test_files_that_do_not_fit(tmp_path: Path, content: str, message: str) -> None:
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text(content, "utf-8")
    texts = write(tmp_path / "texts.jsonl", [{"id": 1, "text": TEXTS[0]}, {"id": 1, "text": TEXTS[1]}])
    done = run("table", "confirm", "--pairs", pairs, "--id", "id", texts)
    assert done.returncode == 2
    assert message in done.stderr
    assert not done.stdout


def test_memory_holds_few_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    living: Counter[str] = Counter()
    most = 0

    class Counted(TextTokens):
        __slots__ = ("__weakref__",)

        def __init__(self, text: str) -> None:
            nonlocal most
            super().__init__(text)
            living["now"] += 1
            most = max(most, living["now"])

        def __del__(self) -> None:
            living["now"] -= 1

    monkeypatch.setattr(confirming, "TextTokens", Counted)
    monkeypatch.setattr(confirming, "_CACHED", 4)
    texts = write(tmp_path / "texts.jsonl", [{"id": at, "text": text} for at, text in enumerate(TEXTS)])
    pairs = write(tmp_path / "pairs.jsonl", [{"a": a, "b": b} for a, b in combinations(range(len(TEXTS)), 2)])
    done = run("table", "confirm", "--pairs", pairs, "--id", "id", texts)
    assert done.returncode == 0
    assert most <= 8


NAMES = [b"a.txt", b"caf\xe9", rb"caf\udce9", rb"caf\\udce9", "é".encode(), "e\u0301".encode(), b'new\nline,;"q"', b"7"]


@pytest.mark.parametrize("form", ["parquet", "jsonl", "csv"])
def test_names_of_every_kind_find_their_texts(tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    for at, name in enumerate(NAMES):
        words = TEXTS[0].split()
        Path("folder", os.fsdecode(name)).write_text(" ".join([*words[: 40 - at], "other"]), "utf-8")
    done = [
        run("extract", "--json", "folder", "-o", "texts.jsonl"),
        run("fingerprint", "--scheme", "sd256", "folder", "-o", f"found.{form}"),
        run("find-all", "--distance", "100", f"found.{form}", "-o", f"pairs.{form}"),
        run("table", "confirm", "--pairs", f"pairs.{form}", "--id", "path", "--min-similarity", "0", "texts.jsonl",
            "-o", f"out.{form}"),
        run("table", "confirm", "--pairs", f"out.{form}", "--id", "path", "texts.jsonl", "--min-similarity", "0",
            "-o", "again.jsonl"),
    ]  # fmt: skip
    assert [one.returncode for one in done] == [0] * 5
    texts = {row["path"]: TextTokens(row["text"]) for row in read(Path("texts.jsonl"))}
    assert {os.fsencode(name) for name in texts} == {b"folder/" + name for name in NAMES}
    rows = read(Path("again.jsonl"))
    assert {frozenset((row["a"], row["b"])) for row in rows} == {*map(frozenset, combinations(texts, 2))}
    for row in rows:
        assert row["similarity"] == round(texts[row["a"]].similarity(texts[row["b"]]), 4)
        assert type(row["distance"]) is int


def test_names_of_a_table_of_parquet_are_those_of_other_formats(tmp_path: Path) -> None:
    names = ["caf\udce9", r"caf\udce9", r"caf\\udce9", "plain"]
    texts = pa.table({"id": list(map(escaped_name, names)), "text": TEXTS[:4]})
    lines = write(tmp_path / "pairs.jsonl", [{"a": "plain", "b": name} for name in names])
    found = []
    for kind in (pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())):
        pq.write_table(texts.cast(pa.schema([("id", kind), ("text", pa.string())])), tmp_path / "in.parquet")
        for output in ("out.parquet", "out.jsonl"):
            arguments: list[str | Path] = [
                "--pairs",
                lines,
                "--id",
                "id",
                "--min-similarity",
                "0",
                tmp_path / "in.parquet",
            ]
            assert run("table", "confirm", *arguments, "-o", tmp_path / output).returncode == 0
            lines = tmp_path / output
            found.append([unescaped_name(row["b"]) if "parquet" in output else row["b"] for row in read(lines)])
    assert found == [names] * 6


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"  4  a.txt  b.txt\n", "expected Parquet, CSV, or JSON lines with one object per line"),
        (b"a,b,\xe9\n1,2,3\n", "line 1, the header, is not UTF-8"),
    ],
)
def test_files_that_are_no_pairs(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "pairs").write_bytes(content)
    done = run("table", "confirm", "--pairs", tmp_path / "pairs", write(tmp_path / "texts.jsonl", [{"text": "one"}]))
    assert done.returncode in (1, 2)
    assert (message in done.stderr, done.stdout, done.stderr.count("Traceback")) == (True, "", 0)


def test_ids_that_are_none_are_named(tmp_path: Path) -> None:
    texts = write(tmp_path / "texts.csv", [{"id": "None", "text": TEXTS[0]}, {"id": "7", "text": TEXTS[0]}])
    pq.write_table(pa.table({"a": [None, "7"], "b": ["7", "None"]}), tmp_path / "pairs.parquet")
    (tmp_path / "pairs.jsonl").write_text('{"a": [1], "b": "7"}\n{"a": "7", "b": "None"}\n', "utf-8")
    for name, place in (("pairs.parquet", "row 0"), ("pairs.jsonl", "line 1")):
        done = run("table", "confirm", "--pairs", tmp_path / name, "--id", "id", texts)
        assert [(row["a"], row["b"]) for row in objects(done.stdout)] == [("7", "None")]
        assert (done.returncode, f"{name}: {place}: has no pair of ids" in done.stderr) == (1, True)


def test_texts_of_ids_find_dates_and_other_types_are_told(tmp_path: Path) -> None:
    days = [datetime.date(2020, 1, day) for day in (1, 2)]
    pq.write_table(pa.table({"id": days, "text": TEXTS[:2]}), tmp_path / "dates.parquet")
    pq.write_table(pa.table({"a": ["2020-01-01"], "b": ["2020-01-02"]}), tmp_path / "pairs.parquet")
    options: list[str | Path] = ["--pairs", tmp_path / "pairs.parquet", "--id", "id", "--min-similarity", "0"]
    done = run("table", "confirm", *options, tmp_path / "dates.parquet", "-o", tmp_path / "out.parquet")
    assert (done.returncode, len(read(tmp_path / "out.parquet"))) == (0, 1)
    texts = write(tmp_path / "texts.jsonl", [{"id": at, "text": text} for at, text in enumerate(TEXTS[:2])])
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text('{"a": "0", "b": "1"}\n', "utf-8")
    done = run("table", "confirm", "--pairs", pairs, "--id", "id", texts)
    assert "the types of the ids differ, and so do the ids: str in the pairs, int in the table" in done.stderr
