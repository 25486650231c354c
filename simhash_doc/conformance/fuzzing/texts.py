"""Generated texts: short ones of edge fragments, and long ones with edge fragments across usual chunk borders."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hypothesis import strategies as st

from simhash_doc.conformance.edge_fragments import FRAGMENTS

# Sizes of the buffers of usual readers.
BORDERS = (4096, 8192, 65536)
_FILLERS = ("a ", "no ", "a", "ab1_", "x\n", "é", "東", "가", "\U0001d400 ", "a\u0301")
_LINKS = (
    "", "http://", "http://a", "x+y://b", "a1://", "www.a.b", "www.a", "a@b.c", "a.b_c%d@e-f.g", "mailto:a@b", "doi:1",
    "urn:a", "arxiv:1", "hdl:a", "10.1000/1", "10.1234.5/x", "10.123/x", "10.1000/", "0123456789abcdef" * 2, "a" * 31,
    "f" * 128, "f" * 129, "123e4567-e89b-12d3-a456-426614174000", "123e4567-e89b-12d3-a456-42661417400",
)  # fmt: skip
_AROUND = ("", " ", "", "é", "東", "x", "_", "-", ".", "/", "://", "\u0301", "1", "\n")
_REPEATED = ("no ", "a ", "東 ", "x-y ")
# On both sides of the limits of counters, and of the cap.
_COUNTS = (1, 2, 7, 8, 9, 127, 128, 129, 255, 256, 257, 511, 512, 32768, 65535, 65536, 65537)
_MOST_BEFORE = 48  # units between the start of an edge and the border

Encode = Callable[[str], bytes]


def pieces(more: Sequence[str] = ()) -> st.SearchStrategy[str]:
    """Return fragments at the edges of definitions, and short arbitrary texts.

    Args:
        more: further fragments, such as lone surrogates.
    """
    arbitrary = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
    kinds = [st.sampled_from(FRAGMENTS), arbitrary, _links()]
    return st.one_of([*kinds, st.sampled_from(more)] if more else kinds)


def texts(more: Sequence[str] = ()) -> st.SearchStrategy[str]:
    """Return texts of edge fragments and of arbitrary characters, some of them repeated."""
    piece = pieces(more)
    repeated = st.tuples(piece, st.integers(1, 12)).map(lambda pair: pair[0] * pair[1])
    return st.lists(st.one_of(piece, repeated), max_size=30).map("".join)


def long_texts(encodings: Sequence[Encode], more: Sequence[str] = ()) -> st.SearchStrategy[str]:
    """Return texts of 4,000 to 200,000 characters: across borders, of repeated tokens, and of many distinct tokens.

    Args:
        encodings: those whose bytes count up to a border, besides characters.
        more: further fragments.
    """
    return st.one_of(_across_borders(encodings, more), _repeated_tokens(), _vocabularies())


def _links() -> st.SearchStrategy[str]:
    """Return links, complete or truncated, with text directly before and after them."""
    parts = st.sampled_from(_AROUND), st.sampled_from(_LINKS), st.sampled_from(_AROUND)
    return st.tuples(*parts).map("".join)


@st.composite
def _across_borders(draw: st.DrawFn, encodings: Sequence[Encode], more: Sequence[str]) -> str:
    """Return filler up to a border, edge fragments across it, the same at the next borders, and a short end."""
    filler = draw(st.sampled_from(_FILLERS))
    encode = draw(st.sampled_from([None, *encodings]))
    border = draw(st.sampled_from(BORDERS))
    edges = draw(st.lists(st.tuples(st.integers(0, _MOST_BEFORE), texts(more)), min_size=1, max_size=3))
    text, size = "", 0
    for number, (before, edge) in enumerate(edges, 1):
        missing, unit = max(0, number * border - before - size), _size(filler, encode)
        padding = (missing % unit) // _size("b", encode)
        added = filler * (missing // unit) + "b" * padding + edge
        text, size = text + added, size + _size(added, encode)
    return text + draw(texts(more))


def _size(text: str, encode: Encode | None) -> int:
    return len(text if encode is None else encode(text))


def _repeated_tokens() -> st.SearchStrategy[str]:
    """Return texts of one to three tokens, each repeated as often as a counter can hold, or once more."""
    part = st.tuples(st.sampled_from(_REPEATED), st.sampled_from(_COUNTS)).map(lambda pair: pair[0] * pair[1])
    return st.lists(part, min_size=1, max_size=3).map(lambda parts: "".join([*parts, "end"]))


def _vocabularies() -> st.SearchStrategy[str]:
    """Return texts of up to 2,000 distinct tokens, each repeated: their sums exceed the limit of a bucket."""
    return st.tuples(st.integers(1, 2000), st.integers(1, 9)).map(
        lambda pair: "".join(f"w{_letters(number)} " for number in range(pair[0])) * pair[1]
    )


def _letters(number: int) -> str:
    return "".join(chr(ord("a") + int(digit)) for digit in str(number))
