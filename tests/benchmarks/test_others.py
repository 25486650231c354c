"""Simhash algorithms of other projects: against published values, against the projects, and their known defects."""

from __future__ import annotations

import importlib
import json
import string
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import simhash_doc
from benchmarks.others import clickhouse, one_e0ng, trafilatura, wayback

TEXTS = Path(__file__).parents[2] / "conformance/texts"
FOX = "The quick brown fox jumps over the lazy dog"
OLAP = (
    "ClickHouse® is a column-oriented database management system (DBMS) for online analytical processing of queries"
    " (OLAP)."
)
# Languages whose letters carry vowel signs, which are combining marks.
MARKED = ["bn", "gu", "hi", "kn", "ml", "mr", "ne", "si", "ta", "te"]
SAMPLES = [
    FOX,
    FOX.upper(),
    FOX * 8,
    "",
    "a",
    "ab",
    "abc",
    "été",
    "one two",
    "short and longer words, repeated words",
    "。",
    "!?",
    "I ate a pie",
    "A" * 200,
    *(path.read_text(encoding="utf-8") for path in sorted(TEXTS.glob("*.txt"))),
]


def text_of(language: str) -> str:
    return (TEXTS / f"{language}.txt").read_text(encoding="utf-8")


# Values that the projects publish themselves.


@pytest.mark.parametrize(
    ("function", "text", "ignore_case", "value"),
    [
        (clickhouse.ngram_simhash, "ClickHouse", False, 1627567969),
        (clickhouse.ngram_simhash, "ClickHouse", True, 562180645),
        (clickhouse.ngram_simhash_utf8, "ClickHouse", False, 1628157797),
        (clickhouse.ngram_simhash_utf8, "ClickHouse", True, 1636742693),
        (clickhouse.word_shingle_simhash, OLAP, False, 2328277067),
        (clickhouse.word_shingle_simhash, OLAP, True, 2194812424),
        (clickhouse.ngram_simhash, "what a cute cat.", False, 130877626),
        (clickhouse.ngram_simhash_utf8, "what a cute cat.", False, 2414681787),
        (clickhouse.word_shingle_simhash, "what a cute cat.", False, 3795742796),
        (clickhouse.ngram_simhash, "", False, 18446744073709551615),
    ],
)
def test_clickhouse_gives_the_values_of_its_manual_and_tests(
    function: Callable[..., int], text: str, ignore_case: bool, value: int
) -> None:
    assert function(text, ignore_case=ignore_case) == value


def test_trafilatura_gives_the_values_of_issue_782() -> None:
    assert trafilatura.content_fingerprint("行政長官岑浩") == "13dd8c82d4634a48"
    assert trafilatura.content_fingerprint("欢迎与我交流") == "58429793861fa351"


def test_wayback_gives_the_value_of_its_tests() -> None:
    # Of the time of MD5, with a width of 128 bits.
    assert one_e0ng.simhash_of({"two": 2, "three": 3, "one": 1}, 128) == 66237222457941138286276456718971054176
    counts = {"123": 1, "a": 1, "abc": 3, "b": 1, "c": 1, "my": 1, "test": 1, "title": 1}
    assert wayback.features("my title\nabc\na.b.c.\nabc.\ntest\n123\nabc") == counts


# The projects themselves, where they are installed.


def test_clickhouse_equals_clickhouse() -> None:
    chdb = pytest.importorskip("chdb", reason="ClickHouse as a library (pip install chdb)")
    functions: dict[str, Callable[[str], int]] = {
        "ngramSimHash": clickhouse.ngram_simhash,
        "ngramSimHashCaseInsensitive": lambda text: clickhouse.ngram_simhash(text, ignore_case=True),
        "ngramSimHashUTF8": clickhouse.ngram_simhash_utf8,
        "ngramSimHashCaseInsensitiveUTF8": lambda text: clickhouse.ngram_simhash_utf8(text, ignore_case=True),
        "wordShingleSimHash": clickhouse.word_shingle_simhash,
        "wordShingleSimHashCaseInsensitive": lambda text: clickhouse.word_shingle_simhash(text, ignore_case=True),
        "wordShingleSimHashUTF8": clickhouse.word_shingle_simhash,
    }
    calls = ", ".join(f"toString({name}(s))" for name in functions)
    rows = ", ".join(f"unhex('{text.encode().hex()}')" for text in SAMPLES)
    answer = str(chdb.query(f"SELECT {calls} FROM (SELECT arrayJoin([{rows}]) AS s)", "JSONCompactEachRow"))
    given = [json.loads(line) for line in answer.splitlines()]
    assert given == [[str(function(text)) for function in functions.values()] for text in SAMPLES]


def test_trafilatura_equals_trafilatura() -> None:
    package: Any = _package("trafilatura.deduplication", "pip install trafilatura")
    for text in SAMPLES:
        assert trafilatura.content_fingerprint(text) == package.content_fingerprint(text)
        for bits in (32, 128):
            assert trafilatura.simhash(text, bits) == package.Simhash(text, length=bits).hash


def test_1e0ng_equals_the_package_simhash() -> None:
    package: Any = _package("simhash", "pip install simhash")
    for text in SAMPLES:
        for bits in (64, 128):
            assert one_e0ng.simhash(text, bits) == package.Simhash(text, f=bits).value


def test_wayback_equals_the_package_that_it_calls() -> None:
    package: Any = _package("simhash", "pip install simhash")
    for text in SAMPLES:
        counts = wayback.features(text)
        if counts:
            expected = package.Simhash(dict(counts), f=wayback.BITS, hashfunc=wayback.blake2b).value
            assert wayback.simhash(text) == expected


def _package(name: str, how: str) -> Any:
    pytest.importorskip(name.partition(".")[0], reason=how)
    return importlib.import_module(name)


# What is lost, beside what the examples of docs/why-your-simhash-differs.md show.


def test_clickhouse_uses_32_of_64_bits() -> None:
    for text in (FOX, OLAP, text_of("de"), text_of("zh-Hans")):
        assert clickhouse.ngram_simhash(text) < 2**32
        assert clickhouse.ngram_simhash_utf8(text) < 2**32
        assert clickhouse.word_shingle_simhash(text) < 2**32


def test_chinese_had_one_value_in_trafilatura_before_issue_782() -> None:
    for text in ("行政長官岑浩。", "欢迎与我交流。"):
        assert trafilatura.simhash(text, unicode_punctuation=False) == 2**64 - 1
    assert trafilatura.simhash("行政長官岑浩。") != trafilatura.simhash("欢迎与我交流。")


@pytest.mark.parametrize("language", MARKED)
def test_trafilatura_drops_words_with_vowel_signs(language: str) -> None:
    text = text_of(language)
    assert len(trafilatura.tokens(text)) < len(text.split()) / 5
    marked = next(word for word in text.split() if not word.strip(string.punctuation).isalnum())
    assert simhash_doc.trace(marked).tokens


def test_wayback_keeps_leading_zeros_since_pull_request_27() -> None:
    assert {len(wayback.encoded(value)) for value in (0, 1, 2**256 - 1)} == {44}


def test_features_of_chunks_are_not_those_of_the_text() -> None:
    text = text_of("en")
    at = text.index(" ", len(text) // 2)
    chunks = text[:at], text[at:]
    for features in (clickhouse.byte_ngrams, clickhouse.word_shingles, trafilatura.tokens):
        assert sorted(features(chunks[0]) + features(chunks[1])) != sorted(features(text))
    assert one_e0ng.features(chunks[0]) + one_e0ng.features(chunks[1]) != one_e0ng.features(text)
    assert wayback.features(chunks[0]) + wayback.features(chunks[1]) == wayback.features(text)
