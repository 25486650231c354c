"""The encoding of text that declares none and is not UTF-8: a guess.

Resiliparse guesses from the bytes, with models of lower-case text. Here, its guess is checked by the letters: Cyrillic
and Greek capitals, KOI8-U and Mac Roman are none of its models. Decision 015 gives the figures.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

_FALLBACK = "cp1252"
_GUESS_BYTES = 256 * 1024
_LETTERS_BYTES = 16 * 1024
"""From so many bytes, the letters are counted."""

_CYRILLIC = ("cp1251", "koi8-u", "iso8859-5", "cp866", "mac-cyrillic")
_GREEK = ("iso8859-7", "cp1253")
_OTHER_NAMES = {"koi8-r": "koi8-u"}
_ONLY_KOI8_U = frozenset(b"\xa4\xa6\xa7\xad\xb4\xb6\xb7\xbd")
"""Letters of Ukrainian, which are lines of boxes in KOI8-R."""

_FREQUENT = {  # range of the script, and the letters that are most of every text in it
    **dict.fromkeys(_CYRILLIC, ("\u0400", "\u0491", frozenset("оаеинтсрвліу"))),
    **dict.fromkeys(_GREEK, ("\u0370", "\u03ff", frozenset("αοιεησντυρίόά"))),
}
_LEAST_FREQUENT = 0.5
_SIGNS = frozenset("«»„“”‘’…–—№©\xa0°•")

_WEAK = frozenset(
    "cp1250 cp1252 cp1254 cp1257 iso8859-1 iso8859-2 iso8859-3 iso8859-4 iso8859-9 iso8859-10 iso8859-13 iso8859-14 "
    "iso8859-15 iso8859-16 cp437 cp850 cp852 cp865 utf-8 cp874".split()
)
"""Guesses for Cyrillic and Greek capitals."""

_CONFUSED = frozenset("cp1252 cp1257 iso8859-1 iso8859-13 iso8859-15 cp437 cp850 cp852 cp865".split())
"""Guesses for Mac Roman."""

_WESTERN = frozenset("éèàçñáíóúäöüßåøæêîôûïãõ")
_QUOTES = frozenset("’‘“”–—…«»„•")
_TAG = re.compile(rb"<[^<>]*>")
_NOT_ASCII = re.compile(r"[^\0-\x7f]")
_MARGIN, _LEAST_WESTERN = 0.2, 0.8


def guess(data: bytes, codec: Callable[[str], str | None]) -> str:
    """Return the most likely encoding of text, as a name of a Python codec.

    Args:
        data: the text.
        codec: returns the codec for a label.
    """
    from resiliparse.parse.encoding import detect_encoding  # in the extra `extract`

    label = detect_encoding(data, max_len=_GUESS_BYTES, html5_compatible=False)
    first = (codec(label) if label else None) or _FALLBACK
    start = _from_first_letter(data)
    high = sum(byte > 0x7F for byte in start)
    letters = sum(byte | 0x20 in _ASCII_LETTERS for byte in start)
    if _OTHER_NAMES.get(first, first) in _FREQUENT or (first in _WEAK and high > letters):
        return _by_script(start) or first
    if first in _CONFUSED:
        share, mac = (_western(start.decode(name, "replace")) for name in (first, "mac-roman"))
        if mac > max(share + _MARGIN, _LEAST_WESTERN):
            return "mac-roman"
    return first


_ASCII_LETTERS = frozenset(b"abcdefghijklmnopqrstuvwxyz")


def _from_first_letter(data: bytes) -> bytes:
    """Return the part of a text, or of a page without its tags, in which letters outside of ASCII begin."""
    first = next((at for at, byte in enumerate(data[:_GUESS_BYTES]) if byte > 0x7F), 0)
    return _TAG.sub(b" ", data[max(0, first - 40) : first + _LETTERS_BYTES])


def _by_script(data: bytes) -> str | None:
    """Return the encoding in which most letters are the frequent ones of Cyrillic or Greek, or None."""
    shares = {name: _frequent(data.decode(name, "replace"), *_FREQUENT[name]) for name in _FREQUENT}
    best = max(shares, key=lambda name: shares[name])
    if shares[best] <= _LEAST_FREQUENT:
        return None
    return "koi8-r" if best == "koi8-u" and _ONLY_KOI8_U.isdisjoint(data) else best


def _frequent(text: str, low: str, high: str, frequent: frozenset[str]) -> float:
    """Return the share of frequent letters among those of a script, less for other signs and capitals within words."""
    others = _NOT_ASCII.findall(text)
    letters = [one for one in others if low <= one <= high]
    strange = len(others) - len(letters) - sum(one in _SIGNS for one in others)
    mixed = sum(one.islower() and other.isupper() for one, other in pairwise(text))
    found = sum(one.lower() in frequent for one in letters)
    return (found - 3 * mixed - 5 * strange) / len(letters) if letters else -1.0


def _western(text: str) -> float:
    """Return how likely the characters outside of ASCII are letters of western languages and quotation marks."""
    count = score = 0.0
    for found in _NOT_ASCII.finditer(text):
        one, before, after = found[0], text[found.start() - 1 : found.start()], text[found.end() : found.end() + 1]
        is_mixed = one.isupper() and before.islower()
        count += 1
        if one.lower() in _WESTERN and not is_mixed:
            score += 1
        elif one in _QUOTES:
            score += 0.9
        elif not one.isalpha() and before.isalpha() and after.isalpha():
            score -= 1
    return score / count if count else 0.0
