"""The differences between two texts, as reports show them."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from simhash_doc.cli.text_differences import difference, equal_words
from simhash_doc.report.document import Run, plain

WORDS = st.lists(st.sampled_from(["a", "bb", "<c>", "d,", "né", "茶", "馆", "e-f"]), max_size=30)


def without(styles: set[str], text: Sequence[str | Run]) -> str:
    """Return the text of one side: without what only the other has, and without spaces, which may differ."""
    return plain([one for one in text if isinstance(one, str) or one.style not in styles]).replace(" ", "")


@given(words=WORDS, other=WORDS)
def test_differences_keep_both_texts(words: list[str], other: list[str]) -> None:
    for left, right in ((words, other), (words, [*other, *words])):
        if text := difference(" ".join(left), " \n".join(right), context=1000).text:
            assert without({"ins", "moved-here"}, text) == "".join(left)
            assert without({"del", "moved-away"}, text) == "".join(right)
        else:
            assert left == right


def test_white_space_is_no_difference() -> None:
    found = difference("one  two\nthree", " one two three\n")
    assert (found.text, found.summary) == ((), "only capitals or white space differ")


def test_capital_letters_are_no_difference() -> None:
    found = difference("One two THREE", "ONE 2 three")
    assert found.text == ("One", Run(" two", "del"), Run(" 2", "ins"), " THREE")
    assert difference("Straße", "STRASSE").summary == "only capitals or white space differ"


def test_signs_are_apart_from_words() -> None:
    assert difference("he came, saw", "he came; saw").text == ("he came", Run(",", "del"), Run(";", "ins"), " saw")
    assert difference("he came, saw", "he came; saw").summary == "only signs differ"


def test_signs_of_writing_without_spaces_are_compared_one_by_one() -> None:
    assert difference("茶馆开门", "茶馆关门").text == ("茶馆", Run("开", "del"), Run("关", "ins"), "门")


def test_a_passage_that_stands_elsewhere_is_moved() -> None:
    """Also if something else changed beside it."""
    passage, other = "the mill stood still all winter", "nobody knows when the wheel began to turn again"
    found = difference(f"{passage}. {other}", f"{other} (2). {passage}, too")
    assert (found.removed, found.added, found.summary) == (0, 2, "2 words only here, 6 words moved")
    for style in ("moved-away", "moved-here"):
        (moved,) = [one.text for one in found.text if isinstance(one, Run) and one.style == style]
        assert moved.strip(" .") == passage


def test_long_equal_stretches_are_shortened() -> None:
    words = " ".join(f"word{chr(97 + at % 26)}" for at in range(100))
    found = difference(f"{words} one {words}", f"{words} two {words}", context=2)
    skipped = Run("[… 98 equal words …]", "skip")
    assert found.text == (
        " ", skipped, " wordu wordv", Run(" one", "del"), Run(" two", "ins"), " worda wordb ", skipped
    )  # fmt: skip
    assert found.summary == "1 word only in the kept text, 1 word only here"


def test_differences_of_long_texts_take_linear_work() -> None:
    once = [f"{chr(0x4E00 + at)} " for at in range(4000)]
    left, right = [*once, *["! "] * 4000], [word for one in once for word in (one, "! ")]
    compared = 0

    class Word(str):
        __slots__ = ()
        __hash__ = str.__hash__

        def __eq__(self, other: object) -> bool:
            nonlocal compared
            compared += 1
            return str.__eq__(self, other)

    list(equal_words([*map(Word, left)], [*map(Word, right)]))
    assert compared < 20 * len(left)
