"""Generated inputs: a text in each form that an implementation supports.

The form is drawn after the text, so that a failing input is shrunk to the form `text` if it fails in that form, too.
"""

from __future__ import annotations

import re
from typing import Any

from hypothesis import strategies as st

from simhash_doc.conformance.fuzzing.texts import long_texts, pieces
from simhash_doc.conformance.inputs import expand

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
_ESCAPED = re.compile(rb"\xed(?:\xb2[\x80-\xbf]|\xb3[\x80-\xbf])")  # U+DC80 to U+DCFF in generalized UTF-8
_MOST_PARTS = 24


def inputs(forms: frozenset[str]) -> st.SearchStrategy[Members]:
    """Return short inputs as members of a request.

    Args:
        forms: those of `text`, `bytes`, `utf16` and `recipe` that the implementation reads.
    """
    return st.tuples(st.lists(_part(_ill_formed(forms)), max_size=_MOST_PARTS), _form(forms)).map(
        lambda drawn: _as_recipe(drawn[0], drawn[1]) if "recipe" in drawn[1] else _as_text(drawn[0], drawn[1])
    )


def long_inputs(forms: frozenset[str]) -> st.SearchStrategy[Members]:
    """Return long inputs as members of a request; see `long_texts` and `inputs`."""
    units = {"text": _as_utf8, "bytes": _as_utf8, "utf16": _as_utf16}
    plain = forms & units.keys()
    return st.tuples(long_texts(list(units.values()), _ill_formed(forms)), _form(frozenset(plain))).map(
        lambda drawn: _as_text([drawn[0]], drawn[1])
    )


def _ill_formed(forms: frozenset[str]) -> tuple[str, ...]:
    return _ILL_FORMED * ("bytes" in forms) + _SURROGATES * ("utf16" in forms)


def _form(forms: frozenset[str]) -> st.SearchStrategy[str]:
    known = [form for form in ("text", "bytes", "utf16", "recipe") if form in forms]
    return st.sampled_from([*known, *(["utf8 recipe"] if {"bytes", "recipe"} <= forms else [])])


def _part(more: tuple[str, ...]) -> st.SearchStrategy[Any]:
    """Return parts of recipes: mostly strings, some of them repeated."""
    piece = pieces(more)
    repeated = st.fixed_dictionaries({"repeat": piece, "count": st.integers(0, 12)})
    words = st.fixed_dictionaries(
        {
            "words": st.integers(0, 60),
            "distinct": st.integers(1, 40),
            "seed": st.integers(0, 2**31 - 1),
            "letters": st.sampled_from(["ab", "abcdefghijklmnop", "éß", "東京タ", "x"]),
        }
    )
    scalars = st.tuples(st.integers(0, 0x10FFFF), st.integers(0, 30), st.sampled_from(["{}", "x{}y ", "a{}{}\n"])).map(
        lambda drawn: {"scalars": [drawn[0], min(drawn[0] + drawn[1], 0x10FFFF)], "template": drawn[2]}
    )
    rare = st.one_of(words, scalars, st.fixed_dictionaries({"repeat": piece, "count": st.integers(12, 300)}))
    return st.one_of(piece, piece, piece, piece, repeated, repeated, repeated, rare)


def _as_recipe(parts: list[Any], form: str) -> Members:
    def scalar(part: Any) -> Any:
        if isinstance(part, str):
            return _SURROGATE.sub("\ufffd", part)
        return {**part, "repeat": scalar(part["repeat"])} if "repeat" in part else part

    recipe: dict[str, Any] = {"concat": [scalar(part) for part in parts]}
    return {"recipe": {"utf8": recipe} if form == "utf8 recipe" else recipe}


def _as_text(parts: list[Any], form: str) -> Members:
    text = "".join(map(expand, parts))
    if form == "bytes":
        return {"bytes": _as_utf8(text).hex()}
    return {"utf16": _as_utf16(text).hex()} if form == "utf16" else {"text": _SURROGATE.sub("\ufffd", text)}


def _as_utf8(text: str) -> bytes:
    """Return UTF-8 with the bytes that surrogates of "surrogateescape" stand for, and other surrogates as they are."""
    return _ESCAPED.sub(lambda match: bytes([_last_byte(match[0])]), text.encode("utf-8", "surrogatepass"))


def _last_byte(escaped: bytes) -> int:
    return ord(escaped.decode("utf-8", "surrogatepass")) & 0xFF


def _as_utf16(text: str) -> bytes:
    return text.encode("utf-16-be", "surrogatepass")
