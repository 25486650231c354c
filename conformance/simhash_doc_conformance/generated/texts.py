"""Generated texts in each form of input: of edge fragments, and long ones with edge fragments across chunk borders."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from simhash_doc_conformance.vectors.inputs import DIGITS

# Pieces of text on which implementations often differ. Generated texts are built from them.
FRAGMENTS = [
    *"aAzZ09_ \t\n.,:@/-'’",
    "http://", "www.", "a.example", "ann@", "doi:", "10.1000/1", "0123456789abcdef" * 2,
    "123e4567-e89b-12d3-a456-426614174000",
    *"éÉßﬁİıΣςǰΐ²Å",  # fold to several, to ASCII, or compose
    *"\u0301\u0316\u0345\u0338\u0308\u3099\u0f71\u0f72\u1dca",  # marks in several combining classes
    "\u0301" * 27, "\u0301\u0316" * 14, "\u0301" * 31,
    *"\u00ad\u200b\u200d\ufeff\ufe0f\u034f\U000e0041",  # default-ignorable
    *"\u1100\u1161\u11a8가각",  # Hangul jamo and syllables
    *"東京タワーひｶﾞ々〇。、",
    *"ภาษาລາວខ្មែမြန်",
    *"हिन्दीবাংলা",
    *"\u2040‿＿",  # connectors
    *"\U0001d400\U00020000\U0001e900\U0001f600",  # supplementary planes
    *"\u0378\U0001e6c0\U000efffe\uffff\ufffd\ue000",  # unassigned, non-characters, private use
]  # fmt: skip


# Sizes of the buffers of usual readers.
BORDERS = (4096, 8192, 65536)
_FILLERS = ("a ", "no ", "a", "ab1_", "x\n", "é", "東", "가", "\U0001d400 ", "a\u0301")
_LINKS = (
    "", "http://", "http://a", "x+y://b", "a1://", "www.a.b", "www.a", "a@b.c", "a.b_c%d@e-f.g", "mailto:a@b", "doi:1",
    "urn:a", "arxiv:1", "hdl:a", "10.1000/1", "10.1234.5/x", "10.123/x", "10.1000/", "0123456789abcdef" * 2, "a" * 31,
    "f" * 128, "f" * 129, "123e4567-e89b-12d3-a456-426614174000", "123e4567-e89b-12d3-a456-42661417400",
)  # fmt: skip
_AROUND = ("", " ", "", "é", "東", "x", "_", "-", ".", "/", "://", "\u0301", "1", "\n")
# What programs take for the start of a format, of an encoding, or of markup.
_STARTS = (
    "", "", "", "", "\ufeff", "\ufeff\ufeff", "\ufffe", "<?xml version='1.0' encoding='latin1'?>", "<!DOCTYPE html>",
    "<!-- ", "---\n", "# ", "> ",
    "// ", "%PDF-1.7\n", "{\\rtf1 ", "PK\x03\x04", "MZ", "\x1b[1m", "+/v8-", "GIF89a", "\0\0", "@charset \"latin1\";",
    "# coding: latin1\n", "=?utf-8?q?",
)  # fmt: skip
# The first and the number of letters of which words are made that are longer than a buffer.
_SCRIPTS = ((0x4E00, 20_000), (0x430, 32), (0x628, 19), (0xAC00, 11_172), (0xE01, 46), (0x10428, 40), (0x61, 26))
_WORD_SIZES = (31, 32, 33, 64, 65, 128, 137, 255, 256, 257, 512, 1000, 1025, 4097, 8193, 65_537)
_REPEATED = ("no ", "a ", "東 ", "x-y ")
# On both sides of the limits of counters, and of the cap.
_COUNTS = (1, 2, 7, 8, 9, 127, 128, 129, 255, 256, 257, 511, 512, 32768, 65535, 65536, 65537)
_MOST_BEFORE = 48  # units between the start of an edge and the border


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
    listed = st.lists(st.one_of(piece, repeated), max_size=30).map("".join)
    return st.tuples(st.sampled_from(_STARTS), listed).map("".join)


def _links() -> st.SearchStrategy[str]:
    """Return links, complete or truncated, with text directly before and after them."""
    parts = st.sampled_from(_AROUND), st.sampled_from(_LINKS), st.sampled_from(_AROUND)
    return st.tuples(*parts).map("".join)


@st.composite
def _across_borders(draw: st.DrawFn, more: Sequence[str]) -> str:
    """Return filler up to a border, edge fragments across it, the same at the next borders, and a short end."""
    filler = draw(st.sampled_from(_FILLERS))
    size_of = draw(st.sampled_from([len, lambda text: len(_as_utf8(text)), lambda text: len(_as_utf16(text))]))
    border = draw(st.sampled_from(BORDERS))
    edges = draw(st.lists(st.tuples(st.integers(0, _MOST_BEFORE), texts(more)), min_size=1, max_size=3))
    text, size = "", 0
    for number, (before, edge) in enumerate(edges, 1):
        missing, unit = max(0, number * border - before - size), size_of(filler)
        padding = (missing % unit) // size_of("b")
        added = filler * (missing // unit) + "b" * padding + edge
        text, size = text + added, size + size_of(added)
    return text + draw(texts(more))


def _repeated_tokens() -> st.SearchStrategy[str]:
    """Return texts of one to three tokens, each repeated as often as a counter can hold, or once more."""
    part = st.tuples(st.sampled_from(_REPEATED), st.sampled_from(_COUNTS)).map(lambda pair: pair[0] * pair[1])
    return st.lists(part, min_size=1, max_size=3).map(lambda parts: "".join([*parts, "end"]))


def _vocabularies() -> st.SearchStrategy[str]:
    """Return texts of up to 2,000 distinct tokens, each repeated: their sums exceed the limit of a bucket."""
    return st.tuples(st.integers(1, 2000), st.integers(1, 9)).map(
        lambda pair: "".join(f"w{_letters(number)} " for number in range(pair[0])) * pair[1]
    )


def _long_words() -> st.SearchStrategy[str]:
    """Return texts with a word of many letters, which differ if the script has enough, between two others."""
    return st.tuples(st.sampled_from(_SCRIPTS), st.sampled_from(_WORD_SIZES)).map(
        lambda pair: f"a {''.join(chr(pair[0][0] + at % pair[0][1]) for at in range(pair[1]))} end"
    )


def _letters(number: int) -> str:
    return "".join(chr(ord("a") + int(digit)) for digit in str(number))


Members = dict[str, Any]
# Parts of bytes that are not UTF-8, as the surrogates of Python's error handler "surrogateescape".
_ILL_FORMED = tuple(
    part.decode("utf-8", "surrogateescape")
    for part in (
        b"\x80", b"\xbf\xbf", b"\xc0\xaf", b"\xc3", b"\xe0\x80\x80", b"\xe2\x82", b"\xe6\x9d", b"\xed\xa0\x80",
        b"\xf0\x9f\x98", b"\xf0\x80\x80\x80", b"\xf4\x90\x80\x80", b"\xf8\x88\x80\x80\x80", b"\xfe", b"\xff",
    )
)  # fmt: skip
_SURROGATES = ("\ud800", "\udc00", "\udbff", "\udfff", "\ud83d", "\ude00", "\ud800\ud800\udc00")
_SURROGATE = re.compile("[\ud800-\udfff]")
_PIECES = (1, 2, 3, 7, 64, 4096, 65_536)  # units
_MOST_PIECES = 10_000


def inputs(forms: frozenset[str]) -> st.SearchStrategy[Members]:
    """Return short inputs as members of a request, in those of `text`, `bytes` and `utf16` that are in `forms`."""
    return _in_forms(texts(_ill_formed(forms)), forms)


def long_inputs(forms: frozenset[str]) -> st.SearchStrategy[Members]:
    """Return inputs of 4,000 to 200,000 characters: across borders, of repeated tokens, of many distinct tokens."""
    drawn = st.one_of(_across_borders(_ill_formed(forms)), _repeated_tokens(), _vocabularies(), _long_words())
    return _in_forms(drawn, forms)


def with_cuts(drawn: st.SearchStrategy[Members], forms: frozenset[str]) -> st.SearchStrategy[Members]:
    """Return the same inputs, most of those in the forms with `cuts`: into pieces of one size, or anywhere."""

    def cut(members: Members) -> st.SearchStrategy[Members]:
        units = next((len(members[form]) // DIGITS[form] for form in forms & members.keys()), 0)
        sizes = st.sampled_from(_PIECES).map(lambda size: list(range(size, units, max(size, units // _MOST_PIECES))))
        anywhere = st.lists(st.integers(0, units), max_size=8).map(sorted)
        twice = st.one_of(sizes, anywhere).map(lambda at: sorted([*at, *at])[:_MOST_PIECES])
        cuts = st.one_of(sizes, anywhere, twice)
        return st.one_of(st.just(members), cuts.map(lambda at: {**members, "cuts": at})) if units else st.just(members)

    return drawn.flatmap(cut) if forms else drawn


def _ill_formed(forms: frozenset[str]) -> tuple[str, ...]:
    return _ILL_FORMED * ("bytes" in forms) + _SURROGATES * ("utf16" in forms)


def _in_forms(drawn: st.SearchStrategy[str], forms: frozenset[str]) -> st.SearchStrategy[Members]:
    known = [form for form in ("text", "bytes", "utf16") if form in forms]
    return st.tuples(drawn, st.sampled_from(known)).map(lambda pair: _as_input(*pair))


def _as_input(text: str, form: str) -> Members:
    if form == "text":
        return {"text": _SURROGATE.sub("\ufffd", text)}
    return {form: (_as_utf8 if form == "bytes" else _as_utf16)(text).hex()}


def _as_utf8(text: str) -> bytes:
    """Return UTF-8 with the bytes that surrogates of "surrogateescape" stand for, and other surrogates as they are."""
    return b"".join(
        character.encode("utf-8", "surrogateescape" if "\udc80" <= character <= "\udcff" else "surrogatepass")
        for character in text
    )


def _as_utf16(text: str) -> bytes:
    return text.encode("utf-16-be", "surrogatepass")
