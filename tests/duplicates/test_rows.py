"""Duplicates among the rows of a column, against comparisons of all texts, and the similarity of texts."""

from __future__ import annotations

import datetime
import gc
import random
import tracemalloc
import warnings
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_doc import fingerprint
from simhash_doc.duplicates.packed import PackedTexts
from simhash_doc.duplicates.rows import DuplicateRows, find_duplicate_rows
from simhash_doc.duplicates.similarity import TextTokens

pa = pytest.importorskip("pyarrow")

_WORDS = [f"w{chr(97 + a)}{chr(97 + b)}" for a in range(20) for b in range(20)]


def _texts(count: int, seed: int = 1) -> list[str]:
    chosen = random.Random(seed)
    return [" ".join(chosen.sample(_WORDS, 30)) for _ in range(count)]


def test_clusters_representatives_and_reasons() -> None:
    one, other = _texts(2)
    found = find_duplicate_rows([one, "12 34", one + " more", None, other, one, one.upper()])
    assert found.representatives.tolist() == [2, 1, 2, 3, 4, 2, 2]
    assert found.clusters.tolist() == [0, -1, 0, -1, -1, 0, 0]
    near = "near-duplicate"
    unused = ["no token", "representative", "the text is null", "unique"]
    assert found.reasons.tolist() == [near, unused[0], unused[1], unused[2], unused[3], near, near]
    assert found.kept.tolist() == [False, True, True, True, True, False, False]


def test_rows_whose_text_cannot_be_read_have_a_reason_of_their_own() -> None:
    found = find_duplicate_rows([None, "one two", None], without_text={2: "the row is not UTF-8"})
    assert found.reasons.tolist() == ["the text is null", "unique", "the row is not UTF-8"]
    assert found.kept.all()


def test_distances_and_similarities_are_those_to_the_representative() -> None:
    one = _texts(1)[0]
    texts = [one, one + " more", one, one.upper(), None, "unrelated", "12", ""]
    found = find_duplicate_rows(texts)
    for row, representative in enumerate(found.representatives.tolist()):
        if row != representative:
            text, kept = str(texts[row]), str(texts[representative])
            assert found.distances[row] == fingerprint(text, "sd256").distance(fingerprint(kept, "sd256"))
            assert found.similarities[row] == TextTokens(text).similarity(TextTokens(kept)) < 1
        else:
            assert (found.distances[row], np.isnan(found.similarities[row])) == (-1, True)
    assert not found.kept[found.similarities > 0.1].any()


def test_short_texts_are_duplicates_of_equal_ones_only() -> None:
    one = _texts(1)[0]
    found = find_duplicate_rows(["one two", "one two", "one two 3", one, one + " 4"], min_tokens=3)
    assert found.reasons.tolist() == ["representative", "exact", "too few tokens", "near-duplicate", "representative"]


def test_exact_copies_are_told_from_near_ones() -> None:
    text = _texts(1)[0]
    found = find_duplicate_rows([text, text, text.upper()], keep="first")
    assert found.reasons.tolist() == ["representative", "exact", "near-duplicate"]


@pytest.mark.parametrize("min_tokens", [0, 2])
def test_equal_texts_without_a_token_are_exact_copies_and_empty_ones_are_not(min_tokens: int) -> None:
    found = find_duplicate_rows(["* 2 215,71", "", None, "12", "* 2 215,71", "", None, "13"], min_tokens=min_tokens)
    alone = ["no token", "the text is null", "no token"]
    assert found.reasons.tolist() == ["representative", *alone, "exact", *alone]
    assert found.representatives.tolist() == [0, 1, 2, 3, 0, 5, 6, 7]


def test_a_repeated_word_connects_no_unrelated_rows() -> None:
    texts = ["the " * 8 + " ".join(words.split()[:3]) for words in _texts(50)] + ["the the the the the the the the"]
    assert find_duplicate_rows(texts, distance=128 // 3).kept.all()


def test_members_are_similar_to_their_representative_and_not_to_a_chain() -> None:
    words = _texts(1)[0].split()
    chain = [" ".join(_WORDS[100 : 100 + step] + words[step:]) for step in range(0, 31, 2)]
    found = find_duplicate_rows(chain, keep="first")
    for row, representative in enumerate(found.representatives.tolist()):
        a, b = set(chain[row].split()), set(chain[representative].split())
        assert len(a & b) / len(a | b) >= 0.5
        assert found.representatives[representative] == representative
    assert 1 < found.kept.sum() < len(chain)


def test_texts_that_differ_in_numbers_are_compared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[object] = []
    monkeypatch.setattr(PackedTexts, "similarities", lambda *texts: calls.append(texts))
    text = _texts(1)[0]
    found = find_duplicate_rows([f"{text} {number}" for number in range(2000)])
    assert found.kept.sum() == 1
    assert not calls


def letters(count: int, own: int) -> list[str]:
    """Return texts of one template of 120 words, with own words between them."""
    chosen = random.Random(2)
    frame = chosen.sample(_WORDS, 120)
    return [" ".join([*frame[:60], *chosen.choices(_WORDS, k=own), *frame[60:]]) for _ in range(count)]


@pytest.mark.parametrize(("own", "least"), [(1, 0.5), pytest.param(12, 0.95, marks=pytest.mark.slow)])
def test_rows_of_one_template_take_memory_for_the_rows_and_not_for_their_pairs(own: int, least: float) -> None:
    texts = letters(2000, own)
    tracemalloc.start()
    try:
        kept = int(find_duplicate_rows(texts, min_similarity=least, templates="drop").kept.sum())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert kept < 5 if own == 1 else kept > 1990
    assert peak < 24 << 20  # their pairs of fingerprints take 128 MB


@pytest.mark.parametrize(("templates", "kept"), [("keep", 151), ("drop", 1)])
def test_rows_of_a_template_are_kept_unless_they_have_the_same_words_and_numbers(templates: Any, kept: int) -> None:
    names = [f"{first} {last}" for first in _WORDS[200:210] for last in _WORDS[210:225]]
    frame = " ".join(_WORDS[:100])
    texts = [f"Dear {name} order {number} {frame}" for number, name in enumerate(names)]
    texts += [f"Dear {names[3]} order 1000 {frame}", f"Dear {names[4].upper()} order 4 {frame}"]
    found = find_duplicate_rows(texts, keep="first", min_similarity=0.9, templates=templates)
    assert found.kept.sum() == kept
    if templates == "keep":
        assert Counter(found.reasons) == {"template": 150, "representative": 1, "near-duplicate": 1}
        assert found.representatives[-1] == 4
        assert not found.templates.any()
        assert not len(found.other_numbers)
    else:
        assert (found.templates == -1).all()


def test_a_text_that_is_a_template_of_few_or_of_edits_is_none() -> None:
    choose = random.Random(5)
    text = _WORDS[:200]
    edited = []
    for _ in range(300):
        words, place = text.copy(), choose.randrange(200)
        words[place : place + choose.randint(0, 1)] = choose.sample(_WORDS[200:], choose.randint(0, 1))
        edited.append(" ".join(words))
    assert find_duplicate_rows(edited, min_similarity=0.9).kept.sum() == 1
    assert find_duplicate_rows([f"{' '.join(text)} {word}" for word in _WORDS[200:300]]).kept.sum() == 1
    assert find_duplicate_rows([f"{' '.join(text)} {word}" for word in _WORDS[200:301]]).kept.sum() == 101


def test_texts_of_a_template_with_more_own_words_are_kept_as_well() -> None:
    frame = " ".join(_WORDS[:100])
    texts = [f"{frame} {word}" for word in _WORDS[100:250]]
    texts += [f"{frame} {' '.join(_WORDS[start : start + 30])} {end}" for start in (260, 300) for end in ("a", "b")]
    found = find_duplicate_rows(texts, keep="first", min_similarity=0.9)
    assert found.kept.all()
    assert not found.templates.any()
    assert find_duplicate_rows(texts, keep="first", min_similarity=0.9, templates="drop").kept.sum() == 3


def test_rows_left_out_with_other_numbers_are_told() -> None:
    text = _texts(1)[0]
    texts = [f"{text} 17", f"{text} 18", f"17 {text}", f"{text} 17", f"{text} 18", text + " more 19"]
    assert find_duplicate_rows(texts, keep="first").other_numbers.tolist() == [1, 4]


def test_each_row_is_reported_twice() -> None:
    advanced: list[int] = []
    texts = [*letters(300, 1), *_texts(200), None, "12 34", "12 34"]
    find_duplicate_rows(texts, advance=advanced.append)
    assert sum(advanced) == 2 * len(texts)


def test_every_planted_edit_is_found() -> None:
    texts = _texts(500)
    edited = [" ".join(["changed", *text.split()[1:]]) for text in texts]
    found = find_duplicate_rows(texts + edited, keep="first")
    assert found.representatives.tolist() == [*range(500), *range(500)]


def test_the_least_value_is_kept_and_missing_ones_come_last() -> None:
    text = _texts(1)[0]
    days: list[Any] = [None, datetime.date(2026, 5, 2), datetime.date(2026, 5, 1)]
    assert find_duplicate_rows([text] * 3, keep=days).representatives.tolist() == [2, 2, 2]
    assert find_duplicate_rows([text] * 3, keep=np.array([np.nan, 7.0, 8.0])).representatives.tolist() == [1, 1, 1]


OTHERS = ("pandas", "polars", "duckdb")  # of the extra dev, which the quick tests do without


@pytest.mark.parametrize("arguments", [("text",), ()])
def test_the_rows_of_a_relation_have_no_fixed_order(arguments: tuple[str, ...]) -> None:
    with pytest.warns(UserWarning, match=r"table = relation\.to_arrow_table\(\)"):
        find_duplicate_rows(_duckdb(["a"]), *arguments)


def _duckdb(rows: list[str | None]) -> Any:
    duckdb = pytest.importorskip("duckdb")
    table = pa.table({"text": rows})
    return duckdb.from_arrow(table)


@pytest.mark.parametrize("make", ["pyarrow", *(pytest.param(name, marks=pytest.mark.slow) for name in OTHERS)])
@pytest.mark.filterwarnings("ignore:the texts are a DuckDB relation")
def test_frames_tables_and_relations_give_the_same(make: str) -> None:
    texts: list[str | None] = [*_texts(20), None]
    texts += [text and text + " Ende" for text in texts]
    if make == "duckdb":
        frame = _duckdb(texts)
    else:
        module = pytest.importorskip(make)
        frame = module.table({"text": texts}) if make == "pyarrow" else module.DataFrame({"text": texts})
    found, expected = find_duplicate_rows(frame, "text"), find_duplicate_rows(texts)
    assert isinstance(found, DuplicateRows)
    for name in ("clusters", "representatives", "reasons"):
        assert getattr(found, name).tolist() == getattr(expected, name).tolist()


@pytest.mark.parametrize("make", ["pyarrow", *OTHERS])
def test_an_absent_column_is_reported_with_the_columns(make: str) -> None:
    if make == "duckdb":
        frame = _duckdb(["a"])
    else:
        module = pytest.importorskip(make)
        frame = (module.table if make == "pyarrow" else module.DataFrame)({"text": ["a"], "id": [1]})
    with pytest.raises(KeyError, match="no column 'txt'; the columns are 'text'"):
        find_duplicate_rows(frame, "txt")


def test_a_lazy_frame_is_collected_first() -> None:
    frame = pytest.importorskip("polars").DataFrame({"text": ["a"]}).lazy()
    for arguments in ((frame, "text"), (frame,)):
        with pytest.raises(TypeError, match=r"is a LazyFrame, which has no rows yet; give its collect\(\)"):
            find_duplicate_rows(*arguments)


def test_an_empty_column_has_no_clusters() -> None:
    assert len(find_duplicate_rows([]).clusters) == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"keep": "newest"}, "keep is 'newest'; expected 'longest', 'first', or a value for each row"),
        ({"keep": [1]}, "keep has 1 values; expected 2, one for each row"),
        ({"templates": "no"}, "templates is 'no'; expected 'keep' or 'drop'"),
        ({"min_similarity": 0}, "min_similarity is 0; expected a number over 0, at most 1"),
    ],
)
def test_wrong_parameters_are_errors(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        find_duplicate_rows(["one", "two"], **options)


def test_one_text_is_an_error() -> None:
    with pytest.raises(TypeError, match="give a list or a column of texts"):
        find_duplicate_rows("one text")


words = st.lists(st.sampled_from("alpha beta gamma delta epsilon zeta".split()), max_size=12)


@given(words, words)
def test_similarity_is_the_weighted_share_of_common_words(a: list[str], b: list[str]) -> None:
    left, right = (Counter({word: min(count, 8) for word, count in Counter(text).items()}) for text in (a, b))
    together = (left | right).total()
    for one, other in ((a, b), (b, a)):
        found = TextTokens(" ".join(one)).similarity(TextTokens(" ".join(other)))
        assert found == ((left & right).total() / together if together else 0)


@pytest.mark.parametrize(
    ("text", "equal"),
    [("Straße und Weg", "STRASSE, UND Weg!"), ("http://a.example/x\ud800y z", "http://a.example/x\ufffdy z")],
)
def test_texts_with_the_same_words_have_all_in_common(text: str, equal: str) -> None:
    assert TextTokens(text).similarity(TextTokens(equal)) == 1


def test_missing_values_of_pandas_are_preferred_last() -> None:
    pandas = pytest.importorskip("pandas")
    text = "The tide mill of the bay ground flour for the parish whenever the sea allowed it, by day and by night"
    values = pandas.array([None, 3, 2], dtype="Int64")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = find_duplicate_rows([text] * 3, keep=values)
    assert found.kept.tolist() == [False, False, True]


def test_no_file_is_left_open() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        find_duplicate_rows(["one two three", "one two four"])
        gc.collect()
    assert not caught
