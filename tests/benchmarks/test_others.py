"""Simhash algorithms of other projects: against published values, against the projects, and their known defects."""

from __future__ import annotations

import hashlib
import importlib
import json
import string
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import simhash_doc
from benchmarks import others

TEXTS = Path(__file__).parents[2] / "conformance/texts"
OLAP = (
    "ClickHouse® is a column-oriented database management system (DBMS) for online analytical processing of queries"
    " (OLAP)."
)
# Languages whose letters carry vowel signs, which are combining marks.
MARKED = ["bn", "gu", "hi", "kn", "ml", "mr", "ne", "si", "ta", "te"]
FOX = "The quick brown fox jumps over the lazy dog"
SAMPLES = [
    *(FOX, FOX.upper(), FOX * 8, "", "a", "ab", "abc", "été", "one two", "short and longer words, repeated words"),
    *("。", "!?", "I ate a pie", "A" * 200),
    *(path.read_text(encoding="utf-8") for path in sorted(TEXTS.glob("*.txt"))),
]


# Values that the projects publish themselves.


@pytest.mark.parametrize(
    ("function", "text", "value"),
    [
        (others.clickhouse_ngram, "ClickHouse", 1627567969),
        (others.clickhouse_ngram_utf8, "ClickHouse", 1628157797),
        (others.clickhouse_word_shingle, OLAP, 2328277067),
        (others.clickhouse_ngram, "what a cute cat.", 130877626),
        (others.clickhouse_ngram_utf8, "what a cute cat.", 2414681787),
        (others.clickhouse_word_shingle, "what a cute cat.", 3795742796),
        (others.clickhouse_ngram, "", 18446744073709551615),
        (others.trafilatura, "行政長官岑浩", 0x13DD8C82D4634A48),
        (others.trafilatura, "欢迎与我交流", 0x58429793861FA351),
    ],
)
def test_an_algorithm_gives_the_values_that_its_project_publishes(
    function: Callable[[str], int], text: str, value: int
) -> None:
    assert function(text) == value


def test_wayback_gives_the_value_of_its_tests() -> None:
    # Of the time of MD5, with a width of 128 bits.
    found = others.simhash_of({"two": 2, "three": 3, "one": 1}, 128, hashlib.md5)
    assert found == 66237222457941138286276456718971054176
    counts = {"123": 1, "a": 1, "abc": 3, "b": 1, "c": 1, "my": 1, "test": 1, "title": 1}
    assert others.wayback_features("my title\nabc\na.b.c.\nabc.\ntest\n123\nabc") == counts


# The projects themselves, where they are installed.


def test_clickhouse_equals_clickhouse() -> None:
    chdb = pytest.importorskip("chdb", reason="ClickHouse as a library (pip install chdb)")
    functions: dict[str, Callable[[str], int]] = {
        "ngramSimHash": others.clickhouse_ngram,
        "ngramSimHashUTF8": others.clickhouse_ngram_utf8,
        "wordShingleSimHash": others.clickhouse_word_shingle,
        "wordShingleSimHashUTF8": others.clickhouse_word_shingle,
    }
    calls = ", ".join(f"toString({name}(s))" for name in functions)
    rows = ", ".join(f"unhex('{text.encode().hex()}')" for text in SAMPLES)
    answer = str(chdb.query(f"SELECT {calls} FROM (SELECT arrayJoin([{rows}]) AS s)", "JSONCompactEachRow"))
    given = [json.loads(line) for line in answer.splitlines()]
    assert given == [[str(function(text)) for function in functions.values()] for text in SAMPLES]


def test_trafilatura_equals_trafilatura() -> None:
    pytest.importorskip("trafilatura", reason="pip install trafilatura")
    package: Any = importlib.import_module("trafilatura.deduplication")
    for text in SAMPLES:
        for bits in (32, 64, 128):
            assert others.trafilatura(text, bits) == package.Simhash(text, length=bits).hash


def test_1e0ng_and_wayback_equal_the_package_simhash() -> None:
    package: Any = pytest.importorskip("simhash", reason="pip install simhash")

    def blake2b(data: bytes) -> int:
        return int.from_bytes(hashlib.blake2b(data).digest(), "big")

    for text in SAMPLES:
        for bits in (64, 128):
            assert others.one_e0ng(text, bits) == package.Simhash(text, f=bits).value
        if counts := others.wayback_features(text):
            assert others.wayback(text) == package.Simhash(dict(counts), f=256, hashfunc=blake2b).value


# What is lost, in addition to what the examples of docs/why-your-simhash-differs.md show.


@pytest.mark.parametrize("language", MARKED)
def test_trafilatura_drops_words_with_vowel_signs(language: str) -> None:
    text = (TEXTS / f"{language}.txt").read_text(encoding="utf-8")
    assert len(others.trafilatura_tokens(text)) < len(text.split()) / 5
    marked = next(word for word in text.split() if not word.strip(string.punctuation).isalnum())
    assert simhash_doc.trace(marked).tokens


def test_wayback_keeps_leading_zeros() -> None:
    assert {len(others.wayback_base64(value)) for value in (0, 1, 2**256 - 1)} == {44}
