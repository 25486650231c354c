"""Words trimmed and filtered as arrays (SD-FILTER-1, SD-FILTER-2)."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from simhash_doc.engines.unicode_tables import ALPHABETIC, CONNECTOR, WORD, tables
from simhash_doc.engines.xxh64 import LOW_BYTES
from simhash_doc.reference import trim
from simhash_doc.unicode_data import connectors

_U = np.uint64
_HIGH_BITS, _LETTER_BITS = _U(0x8080808080808080), _U(0x4040404040404040)
_UNDERSCORE = ord("_")
# Connectors of folded text besides the underscore: U+203F, U+2040, U+2054.
_CONNECTORS = [b"\xe2\x80\xbf", b"\xe2\x81\x80", b"\xe2\x81\x94"]

Places = npt.NDArray[np.intp]


def trimmed(text: bytes, windows: npt.NDArray[np.uint64], starts: Places, ends: Places) -> tuple[Places, Places]:
    """Return (starts, ends) of the words that the filter keeps, without connectors at their ends.

    See SD-FILTER-1 and SD-FILTER-2.

    Args:
        text: folded text as UTF-8.
        windows: `windows_of` it.
        starts: shape (n,); the first byte of each word.
        ends: shape (n,); the byte after each word.
    """
    data = np.frombuffer(text, np.uint8)
    first, last = data[starts], data[ends - 1]
    keep = (first >= ord("a")) & (first < 0x80)
    other = (first >= 0x80).nonzero()[0]
    if len(other):
        keep[other] = _begins_with_letter(windows[starts[other]])
    keep &= last != _UNDERSCORE
    if b"\xe2" in text:
        for connector in _CONNECTORS:
            if connector in text:
                keep &= last != connector[-1]
    rest = (~keep).nonzero()[0]
    if not len(rest):
        return starts, ends
    lengths = ends[rest] - starts[rest]
    heads = windows[starts[rest]] & LOW_BYTES[np.minimum(lengths, 8)]
    # Of digits, letters and underscores only the letters have both bits of 0x60.
    is_short = (lengths <= 8) & (heads & _HIGH_BITS == 0)
    has_letter = heads & (heads << _U(1)) & _LETTER_BITS != 0
    dropped = is_short & ~has_letter
    is_token = is_short & has_letter & (first[rest] != _UNDERSCORE) & (last[rest] != _UNDERSCORE)
    starts, ends = starts.copy(), ends.copy()
    ends[rest[dropped]] = starts[rest[dropped]]
    doubtful = rest[~(dropped | is_token)]
    known: dict[bytes, tuple[int, int]] = {}
    for i, start, end in zip(doubtful.tolist(), starts[doubtful].tolist(), ends[doubtful].tolist(), strict=True):
        word = text[start:end]
        if word not in known:
            known[word] = _trim(word)
        starts[i], ends[i] = start + known[word][0], start + known[word][1]
    kept = (ends > starts).nonzero()[0]
    return starts[kept], ends[kept]


def _trim(word: bytes) -> tuple[int, int]:
    """Return (start, end) of the token in a word; 0, 0 if there is none."""
    text = word.decode("utf-8")
    token = trim(text)
    if token is None:
        return 0, 0
    start = len(text[: len(text) - len(text.lstrip(connectors()))].encode("utf-8"))
    return start, start + len(token.encode("utf-8"))


def _begins_with_letter(windows: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
    """Return which words begin with an Alphabetic character; none begins with an ASCII character."""
    begins = _letter_leads().take(windows.astype(np.uint16))
    rest = (~begins).nonzero()[0]
    if len(rest):
        begins[rest] = _is_letter(_first_characters(windows[rest]))
    return begins


@cache
def _letter_leads() -> npt.NDArray[np.bool_]:
    """Return, by the first two bytes as a little-endian integer, whether every such word begins with a letter."""
    leads = np.zeros(1 << 16, bool)
    two = np.arange(0x80, 0x800, dtype=np.uint64)
    leads[0xC0 | two >> _U(6) | (_U(0x80) | two & _U(0x3F)) << _U(8)] = _is_letter(two)
    three = np.arange(0x800, 0x10000, 64, dtype=np.uint64)
    in_word = tables().classes[0x800:0x10000].reshape(-1, 64) & np.uint8(WORD) != 0
    all_letters = (_is_letter(np.arange(0x800, 0x10000, dtype=np.uint64)).reshape(-1, 64) | ~in_word).all(axis=1)
    leads[0xE0 | three >> _U(12) | (_U(0x80) | three >> _U(6) & _U(0x3F)) << _U(8)] = all_letters
    return leads


def _is_letter(code_points: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
    letters: npt.NDArray[np.bool_] = tables().classes[code_points] & np.uint8(ALPHABETIC | CONNECTOR) == ALPHABETIC
    return letters


def _first_characters(windows: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Return the first code point of each window of UTF-8; none is ASCII."""
    lead, second, third, fourth = (windows >> _U(8 * at) & _U(0x3F) for at in range(4))
    two = (lead & _U(0x1F)) << _U(6) | second
    three = (lead & _U(0x0F)) << _U(12) | second << _U(6) | third
    four = (lead & _U(0x07)) << _U(18) | second << _U(12) | third << _U(6) | fourth
    lead_byte = windows & _U(0xFF)
    return np.where(lead_byte < 0xE0, two, np.where(lead_byte < 0xF0, three, four))
