"""What the text of a block says about it, as numbers: its characters, its words, its likeness to the title."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from simhash_doc_extraction.html.blocks import Array
from simhash_doc_extraction.html.metadata import Metadata
from simhash_doc_extraction.html.names import opens_boilerplate
from simhash_doc_extraction.html.tree import Bools, Integers, size_of

_SPACE, _UPPER, _DIGIT, _STOP, _WIDE_STOP, _CLOSING, _WIDE, _LETTER, _KNOWN = (1 << bit for bit in range(9))
_kinds = np.zeros(0x110000, dtype=np.uint16)
"""For each character what it is, as a sum of the bits above, or 0 if it was in no text so far."""

_WORD = re.compile(r"\w+")
_PRICE = re.compile(r"[$€£¥₹]\s?\d|\d\s?(?:€|zł|kr|USD|EUR)\b")
_WIDE_CHARACTER = 3  # characters of an alphabet that say as much
_LABEL = 80
_TITLE = 300
_SAMPLE = 200
_AT_ONCE = 1 << 18  # characters that are measured at once, to bound the memory


def text_features(texts: list[str], metadata: Metadata) -> dict[str, Array]:
    """Return what each text says.

    Args:
        texts: texts that neither are empty nor end with white space.
        metadata: what the page declares about itself.

    Returns:
        Name of a feature -> its value for each text. `characters` are those that are not white space; `size` counts a
        character of Chinese, Japanese or Korean as three.
    """
    different = list(dict.fromkeys(texts))
    numbers = {text: number for number, text in enumerate(different)}
    places = np.fromiter(map(numbers.__getitem__, texts), dtype=np.int64, count=len(texts))
    ends = np.cumsum(np.fromiter(map(len, different), dtype=np.int64, count=len(different)))
    starts = [0, *(np.flatnonzero(np.diff(ends // _AT_ONCE)) + 1).tolist(), len(different)]
    parts = [_features(different[first:last], metadata.title) for first, last in pairwise(starts)]
    features = {name: np.concatenate([part[name] for part in parts])[places] for name in parts[0]}
    features["copies"] = np.bincount(places)[places].astype(float)
    return features


def _features(texts: list[str], title: str) -> dict[str, Array]:
    lower = list(map(str.lower, texts))
    features = _counts(texts)
    opening = np.array(list(map(opens_boilerplate, lower)), dtype=float)
    is_short = np.array([len(text) <= _LABEL for text in texts])
    features["is_label"] = opening * is_short * (1 - features["ends_sentence"])
    features["opens_boilerplate"] = opening
    features["in_title"] = _in_title(lower, features["size"], title)
    return features


def _characters(texts: list[str]) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint16]]:
    """Return the characters of texts, with a line end after each, and what they are."""
    codes = np.frombuffer("\n".join([*texts, ""]).encode("utf-32-le", "surrogatepass"), dtype="<u4")
    kinds: npt.NDArray[np.uint16] = np.empty(len(codes), dtype=np.uint16)
    for start in range(0, len(codes), _AT_ONCE):
        part = codes[start : start + _AT_ONCE]
        found = _kinds[part]
        if not found.all():
            for code in set(part[found == 0].tolist()):
                _kinds[code] = _kind(chr(code))
            found = _kinds[part]
        kinds[start : start + _AT_ONCE] = found
    return codes, kinds


def _kind(character: str) -> int:
    return (
        _KNOWN
        | _SPACE * character.isspace()
        | _UPPER * character.isupper()
        | _DIGIT * character.isdecimal()
        | _LETTER * (_WORD.match(character) is not None)
        | _STOP * (character in ".!?…")
        | _WIDE_STOP * (character in "。！？।؟۔")
        | _CLOSING * (character in "\"'”’»)]")
        | _WIDE * (size_of(character) == _WIDE_CHARACTER)
    )


def _counts(texts: list[str]) -> dict[str, Array]:
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    ends = np.cumsum(lengths + 1) - 1
    starts = ends - lengths
    kinds = _characters(texts)[1]

    def count(found: Bools, until: Integers = ends) -> Array:
        places = np.flatnonzero(found)
        return (np.searchsorted(places, until) - np.searchsorted(places, starts)).astype(float)

    is_space = kinds & _SPACE > 0
    begins_word = ~is_space
    begins_word[1:] &= is_space[:-1]
    ends_sentence = kinds & _STOP > 0
    ends_sentence[:-1] &= kinds[1:] & (_CLOSING | _SPACE) > 0
    ends_sentence |= kinds & _WIDE_STOP > 0
    characters, words = lengths - count(is_space), count(begins_word)
    digits = count(kinds & _DIGIT > 0, np.minimum(ends, starts + _SAMPLE))
    is_price = np.zeros(len(texts))
    for number in np.flatnonzero(digits).tolist():
        is_price[number] = _PRICE.search(texts[number], 0, _SAMPLE) is not None
    size = characters + (_WIDE_CHARACTER - 1) * count(kinds & _WIDE > 0)
    return {
        "characters": characters,
        "size": size,
        "words": words,
        "sentences": count(ends_sentence),
        "ends_sentence": (ends_sentence[ends - 1] | (ends_sentence[ends - 2] & (lengths > 1))).astype(float),
        "capitals": count(begins_word & (kinds & _UPPER > 0)) / words,
        "digits": digits / np.minimum(characters, _SAMPLE),
        "price": is_price,
    }


def _in_title(lower: list[str], sizes: Array, title: str) -> Array:
    """Return how much of each text is in the title of the page, from 0 to 1; less if it is a small part of it."""
    found = np.zeros(len(lower))
    wanted = set(_WORD.findall(title.lower()))
    short = np.flatnonzero(sizes < _TITLE).tolist() if wanted else []
    codes, kinds = _characters([lower[number] for number in short])
    spaced = np.where(kinds & _LETTER > 0, codes, np.uint32(ord(" "))).tobytes().decode("utf-32-le", "surrogatepass")
    start = 0
    for number in short:
        end = start + len(lower[number])
        if not wanted.isdisjoint(words := spaced[start:end].split()):
            own = set(words)
            common = len(own & wanted)
            found[number] = common / len(own) * min(1.0, 2 * common / len(wanted))
        start = end + 1
    return found
