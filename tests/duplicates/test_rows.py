"""Duplicates among the rows of a column, against comparisons of all texts, and the similarity of texts."""

from __future__ import annotations

import datetime
import gc
import random
import string
import tracemalloc
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_doc import Policy, find_duplicates, fingerprint
from simhash_doc.duplicates import confirmation
from simhash_doc.duplicates.packed import PackedTexts
from simhash_doc.duplicates.rows import DuplicateRows
from simhash_doc.duplicates.similarity import TextTokens

pa = pytest.importorskip("pyarrow")

FIRST = Policy(keep="first")
_WORDS = [f"w{chr(97 + a)}{chr(97 + b)}" for a in range(20) for b in range(20)]


def _texts(count: int, seed: int = 1) -> list[str]:
    chosen = random.Random(seed)
    return [" ".join(chosen.sample(_WORDS, 30)) for _ in range(count)]


def test_clusters_representatives_and_reasons() -> None:
    one, other = _texts(2)
    found = find_duplicates([one, "12 34", one + " more", None, other, one, one.upper()])
    assert found.representatives.tolist() == [2, 1, 2, 3, 4, 2, 2]
    assert found.labels.tolist() == [0, -1, 0, -1, -1, 0, 0]
    assert [members.tolist() for members in found.clusters()] == [[0, 2, 5, 6]]
    near = "near-duplicate"
    unused = ["no token", "representative", "the text is null", "unique"]
    assert found.reasons.tolist() == [near, unused[0], unused[1], unused[2], unused[3], near, near]
    assert found.kept.tolist() == [False, True, True, True, True, False, False]


def test_distances_and_similarities_are_those_to_the_representative() -> None:
    one = _texts(1)[0]
    texts = [one, one + " more", one, one.upper(), None, "unrelated", "12", ""]
    found = find_duplicates(texts)
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
    rows = ["one two", "one two", "one two 3", one, one + " 4"]
    found = find_duplicates(rows, policy=Policy(min_tokens=3))
    assert found.reasons.tolist() == ["representative", "exact", "too few tokens", "near-duplicate", "representative"]


def test_exact_copies_are_told_from_near_ones() -> None:
    text = _texts(1)[0]
    found = find_duplicates([text, text, text.upper()], policy=FIRST)
    assert found.reasons.tolist() == ["representative", "exact", "near-duplicate"]


@pytest.mark.parametrize("min_tokens", [0, 2])
def test_equal_texts_without_a_token_are_exact_copies_and_empty_ones_are_not(min_tokens: int) -> None:
    found = find_duplicates(
        ["* 2 215,71", "", None, "12", "* 2 215,71", "", None, "13"], policy=Policy(min_tokens=min_tokens)
    )
    alone = ["no token", "the text is null", "no token"]
    assert found.reasons.tolist() == ["representative", *alone, "exact", *alone]
    assert found.representatives.tolist() == [0, 1, 2, 3, 0, 5, 6, 7]


def test_a_repeated_word_connects_no_unrelated_rows() -> None:
    texts = ["the " * 8 + " ".join(words.split()[:3]) for words in _texts(50)] + ["the the the the the the the the"]
    assert find_duplicates(texts, policy=Policy(distance=128 // 3)).kept.all()


def test_members_are_similar_to_their_representative_and_not_to_a_chain() -> None:
    words = _texts(1)[0].split()
    chain = [" ".join(_WORDS[100 : 100 + step] + words[step:]) for step in range(0, 31, 2)]
    found = find_duplicates(chain, policy=Policy(keep="first", min_similarity=0.5))
    for row, representative in enumerate(found.representatives.tolist()):
        a, b = set(chain[row].split()), set(chain[representative].split())
        assert len(a & b) / len(a | b) >= 0.5
        assert found.representatives[representative] == representative
    assert 1 < found.kept.sum() < len(chain)


def test_texts_that_differ_in_numbers_alone_are_kept_and_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[object] = []
    similarities = PackedTexts.similarities

    def counted(*texts: Any) -> Any:
        calls.append(texts)
        return similarities(*texts)

    monkeypatch.setattr(PackedTexts, "similarities", counted)
    monkeypatch.setattr(confirmation, "select_name", lambda size: "python")
    text = _texts(1)[0]
    found = find_duplicates([f"{text} {number}" for number in range(2000)])
    assert found.kept.all()
    assert (found.reasons == "own numbers").sum() == (found.resembles >= 0).sum() == 1999
    assert len(calls) == 1999  # each once, to tell what numbers alone keep


def letters(count: int, own: int) -> list[str]:
    """Return texts of one frame of 120 words, with own words between them."""
    chosen = random.Random(2)
    frame = chosen.sample(_WORDS, 120)
    return [" ".join([*frame[:60], *chosen.choices(_WORDS, k=own), *frame[60:]]) for _ in range(count)]


@pytest.mark.slow
@pytest.mark.parametrize(("own", "least"), [(1, 0.5), (12, 0.95)])
def test_rows_with_one_frame_take_memory_for_the_rows_and_not_for_their_pairs(own: int, least: float) -> None:
    texts = letters(2000, own)
    tracemalloc.start()
    try:
        kept = int(find_duplicates(texts, policy=Policy(min_similarity=least)).kept.sum())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert kept < 5 if own == 1 else kept > 1990
    assert peak < 24 << 20  # their pairs of fingerprints take 128 MB


@pytest.mark.parametrize("count", [50, 100, 101, 150])
def test_the_number_of_copies_decides_nothing(count: int) -> None:
    story = " ".join(random.Random(8).choices(_WORDS, k=120))
    texts = [f"{_WORDS[at]} {_WORDS[-at]} {story}" for at in range(count)]
    assert find_duplicates(texts).kept.sum() == 1


@pytest.mark.parametrize(
    ("left", "kept", "numbers"),
    [
        ("of 17", "of 17", "equal"),
        ("of 17", "of 17 and 18", "more"),
        ("of ١٧", "of 017", "equal"),
        ("of 17", "of 18", None),
        ("of 17 and 18", "of 18 and 17", None),
        ("of 17 and 17", "of 17 and 4", None),
    ],
)
def test_a_row_is_left_out_for_a_row_with_all_of_its_numbers(left: str, kept: str, numbers: str | None) -> None:
    text = _texts(1)[0]
    found = find_duplicates([f"{text} {left}", f"{text} {kept} it"], policy=Policy(min_similarity=0.8))
    ignored = find_duplicates(
        [f"{text} {left}", f"{text} {kept} it"], policy=Policy(min_similarity=0.8, numbers="ignore")
    )
    assert ignored.kept.tolist() == [False, True]
    if numbers is None:
        assert found.kept.all()
        assert ignored.numbers.tolist() == ["other", ""]
    else:
        assert (found.kept.tolist(), found.numbers.tolist()) == ([False, True], [numbers, ""])


@pytest.mark.parametrize(("one", "other"), [("3.05", "3.5"), ("1,050", "1,50"), ("12'007", "12'07"), ("٣٫٠٥", "٣٫٥")])
def test_zeros_inside_an_amount_are_not_lost(one: str, other: str) -> None:
    words = " ".join(f"w{letter}" for letter in string.ascii_lowercase)
    assert find_duplicates([f"{words} {one}", f"{words} {other}"]).kept.all()


def test_a_blank_form_takes_the_place_of_no_form_that_is_filled_in() -> None:
    fields = _texts(1)[0].split()
    blank = " ".join(f"{field} ____" for field in fields)
    forms = [" ".join(f"{field} {number * at % 97}" for at, field in enumerate(fields)) for number in range(2, 40)]
    found = find_duplicates([blank, *forms])
    assert found.kept.tolist() == [False] + [True] * len(forms)
    assert found.numbers[0] == "more"


def test_protected_rows_are_all_kept_and_come_first() -> None:
    text = _texts(1)[0]
    texts = [f"{text} more 8 9", text, text, text.upper()]
    found = find_duplicates(texts, protected=[False, True, False, True])
    assert found.representatives.tolist() == [0, 1, 1, 3]
    assert found.reasons.tolist() == ["own numbers", "representative", "exact", "unique"]


class _Again:
    """Texts that can be read again, of unknown number."""

    def __init__(self, texts: list[str | None]) -> None:
        self._texts = texts

    def __iter__(self) -> Iterator[str | None]:
        return iter(self._texts)


def test_each_row_is_reported_twice() -> None:
    steps: list[tuple[int, int | None]] = []
    texts = [*letters(300, 1), *_texts(200), None, "12 34", "12 34"]
    find_duplicates(texts, progress=lambda done, total: steps.append((done, total)))
    assert steps == sorted(steps)
    assert steps[-1] == (2 * len(texts), 2 * len(texts))
    steps.clear()
    find_duplicates(_Again(texts), progress=lambda done, total: steps.append((done, total)))  # type: ignore[arg-type]
    assert {total for _, total in steps} == {None}


def test_every_planted_edit_is_found() -> None:
    texts = _texts(500)
    edited = [" ".join(["changed", *text.split()[1:]]) for text in texts]
    found = find_duplicates(texts + edited, policy=FIRST)
    assert found.representatives.tolist() == [*range(500), *range(500)]


def test_the_least_value_is_kept_and_missing_ones_come_last() -> None:
    text = _texts(1)[0]
    days: list[Any] = [None, datetime.date(2026, 5, 2), datetime.date(2026, 5, 1)]
    assert find_duplicates([text] * 3, preferred=days).representatives.tolist() == [2, 2, 2]
    assert find_duplicates([text] * 3, preferred=np.array([np.nan, 7.0, 8.0])).representatives.tolist() == [1, 1, 1]


OTHERS = ("pandas", "polars", "duckdb")  # of the extra dev, which the quick tests do without


@pytest.mark.parametrize("arguments", [("text",), ()])
def test_the_rows_of_a_relation_have_no_fixed_order(arguments: tuple[Any, ...]) -> None:
    with pytest.warns(UserWarning, match=r"table = relation\.to_arrow_table\(\)"):
        find_duplicates(_duckdb(["a"]), *arguments)


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
    found, expected = find_duplicates(frame, "text"), find_duplicates(texts)
    assert isinstance(found, DuplicateRows)
    for name in ("labels", "representatives", "reasons"):
        assert getattr(found, name).tolist() == getattr(expected, name).tolist()


@pytest.mark.parametrize("make", ["pyarrow", *OTHERS])
def test_an_absent_column_is_reported_with_the_columns(make: str) -> None:
    if make == "duckdb":
        frame = _duckdb(["a"])
    else:
        module = pytest.importorskip(make)
        frame = (module.table if make == "pyarrow" else module.DataFrame)({"text": ["a"], "id": [1]})
    with pytest.raises(KeyError, match="no column 'txt'; the columns are 'text'"):
        find_duplicates(frame, "txt")


def test_a_lazy_frame_is_collected_first() -> None:
    frame = pytest.importorskip("polars").DataFrame({"text": ["a"]}).lazy()
    for arguments in ((frame, "text"), (frame,)):
        with pytest.raises(TypeError, match=r"is a LazyFrame, which has no rows yet; give its collect\(\)"):
            find_duplicates(*arguments)


def test_an_empty_column_has_no_clusters() -> None:
    assert len(find_duplicates([]).labels) == len(find_duplicates([]).clusters()) == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"keep": "best"}, "keep is 'best'; expected 'longest', 'first', 'oldest', 'newest', or 'column:NAME'"),
        ({"numbers": "no"}, "numbers is 'no'; expected 'keep' or 'ignore'"),
        ({"min_similarity": 0}, "min_similarity is 0; expected a number over 0, at most 1"),
        ({"min_tokens": -1}, "min_tokens is -1; expected 0 or more"),
    ],
)
def test_wrong_policies_are_errors(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Policy(**options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"preferred": [1]}, "preferred has 1 values; expected 2, one for each row"),
        ({"protected": [True]}, "protected has 1 values; expected 2, one for each row"),
        ({"policy": Policy(protected=("old/",))}, "the policy protects 'old/'; rows need a bool each"),
        ({"policy": Policy(keep="column:date")}, "keep is 'column:date'; rows need a value each: give `preferred`"),
    ],
)
def test_wrong_parameters_are_errors(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        find_duplicates(["one", "two"], **options)


def test_one_text_is_an_error() -> None:
    with pytest.raises(TypeError, match="texts is one str; expected a collection"):
        find_duplicates("one text")  # type: ignore[arg-type]


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
        found = find_duplicates([text] * 3, preferred=values)
    assert found.kept.tolist() == [False, False, True]


@pytest.mark.slow
def test_series_of_pandas_have_the_index_of_the_texts() -> None:
    """A library that takes them by position must not give a row the value of another."""
    pandas = pytest.importorskip("pandas")
    text = "The tide mill of the bay ground flour for the parish whenever the sea allowed it, by day and by night"
    frame = pandas.DataFrame({"text": [text, f"{text} indeed"], "date": [2, 1]}, index=["new", "old"])
    order, is_old = frame["date"], frame["date"] == 1
    for values in (order, order.tolist(), order.to_numpy(), pandas.Index(order)):
        assert find_duplicates(frame, "text", preferred=values).kept.tolist() == [False, True]
    for values in (is_old, is_old.tolist(), is_old.to_numpy(), iter(is_old.tolist())):
        assert find_duplicates(frame, "text", protected=values).kept.tolist() == [False, True]
    for wrong in (order[::-1], order.reset_index(drop=True), order.rename({"new": "newer"})):
        with pytest.raises(ValueError, match="texts and preferred have different indexes"):
            find_duplicates(frame["text"], preferred=wrong)
        with pytest.raises(ValueError, match="texts and protected have different indexes"):
            find_duplicates(frame, "text", preferred=order, protected=wrong == 1)
        with pytest.raises(ValueError, match="preferred and protected have different indexes"):
            find_duplicates(frame["text"].tolist(), preferred=order, protected=wrong == 1)
    assert find_duplicates(frame["text"].tolist(), preferred=order).kept.tolist() == [False, True]


def test_whether_rows_are_protected_may_come_from_an_iterator() -> None:
    assert find_duplicates(["one two"] * 2, protected=(at == 1 for at in range(2))).kept.tolist() == [False, True]


def test_no_file_is_left_open() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        find_duplicates(["one two three", "one two four"])
        gc.collect()
    assert not caught


def test_a_preferred_row_is_kept_though_a_similar_one_is_longer_and_has_more_numbers() -> None:
    text = "The tide mill of the bay ground flour for the parish whenever the sea allowed it, by day and by night " * 2
    policies = {"ignore": Policy(numbers="ignore"), "keep": Policy()}
    for numbers, policy in policies.items():
        found = find_duplicates([f"{text} 7 indeed", text], policy=policy, preferred=[2, 1])
        assert found.kept.tolist() == [numbers == "keep", True]
    assert find_duplicates([f"{text} indeed", text], preferred=[2, 1]).representatives.tolist() == [1, 1]


def test_the_result_is_shown_and_given_as_a_frame() -> None:
    text = "a lamp <at> the pier"
    found = find_duplicates([text, text, "Trains left at noon", None])
    assert (len(found), repr(found)) == (4, "<DuplicateRows: 3 of 4 rows are kept>")
    assert "<td>exact</td>" in found._repr_html_()
    pytest.importorskip("pandas")
    pytest.importorskip("polars")
    frame, other = found.to_pandas(), found.to_polars()
    assert frame["kept"].tolist() == other["kept"].to_list() == found.kept.tolist()
    assert frame["reason"].tolist() == other["reason"].to_list() == found.reasons.tolist()
    assert [*frame.columns] == other.columns


def test_the_frame_has_the_index_of_the_texts() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(
        {"t": ["a lamp", "a pier", "a lamp"]}, index=pd.MultiIndex.from_tuples([(2, "x"), (0, "y"), (1, "x")])
    )
    found = find_duplicates(frame, "t")
    frame["kept"] = found.to_pandas()["kept"]
    assert frame["kept"].tolist() == found.kept.tolist() == [True, True, False]
    shuffled = frame["t"].reset_index(drop=True).iloc[[2, 0, 1]]
    assert find_duplicates(shuffled).to_pandas()["kept"].to_dict() == {2: True, 0: False, 1: True}
    assert find_duplicates(["a lamp"]).to_pandas().index.tolist() == [0]


@given(st.lists(st.sampled_from(["a lamp at the pier", "the tide mill", "no words", "", None]), max_size=12))
def test_clusters_and_labels_are_the_same(texts: list[str | None]) -> None:
    found = find_duplicates(texts)
    clusters = [members.tolist() for members in found.clusters()]
    assert clusters == [
        np.flatnonzero(found.labels == number).tolist() for number in range(int(max(found.labels, default=-1)) + 1)
    ]
    assert all(len({found.representatives[row] for row in members}) == 1 for members in clusters)
