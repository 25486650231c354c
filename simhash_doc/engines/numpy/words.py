"""The words of folded texts as arrays: cut, trimmed, filtered and counted (SD-RUN-1 to SD-CAP-1)."""

from __future__ import annotations

import secrets
from collections import Counter
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from simhash_doc.engines.bit_sums import LOW_BYTES, MAX_LENGTH, WeightedTokens, windows_of, xxh64_of_short
from simhash_doc.engines.strings import REMOVED, SEPARATOR, digests
from simhash_doc.engines.token_counts import hash_each
from simhash_doc.engines.unicode_tables import ALPHABETIC, CONNECTOR, WORD, tables
from simhash_doc.reference import trim
from simhash_doc.unicode_data import connectors

_WORD_BYTES = b"abcdefghijklmnopqrstuvwxyz0123456789_"
# Bytes of words, in texts in which characters that are neither ASCII nor in a word have become spaces.
_IN_WORD = bytes(byte in _WORD_BYTES or 0x80 <= byte < REMOVED[0] for byte in range(256))
_PADDING = SEPARATOR * (MAX_LENGTH + 9)
_U = np.uint64
# Secret, so that nobody can choose different words with the same key.
_KEYS = tuple(_U(secrets.randbits(64) | 1) for _ in range(2))
# Different keys stay different when they are multiplied by it, and all their bits reach the high ones.
_ODD = _U(0x9E3779B97F4A7C15)


class Words(NamedTuple):
    """Distinct words of documents, as parts of a text. The arrays of words have the shape (n,).

    Attributes:
        text: the bytes of all documents, with padding.
        windows: `windows_of` the text.
        documents: number of the document of each word, ascending.
        starts: first byte of one occurrence of each word.
        lengths: bytes of each word, at most `MAX_LENGTH`.
        occurrences: how often each word occurs in the document.
        others: longer words, by document and bytes.
    """

    text: bytes
    windows: npt.NDArray[np.uint64]
    documents: Places
    starts: Places
    lengths: npt.NDArray[np.uint8]
    occurrences: npt.NDArray[np.int64]
    others: Counter[tuple[int, bytes]]

    def weighted(self, lanes: int) -> list[WeightedTokens]:
        """Return the words with their hashes."""
        hashes = xxh64_of_short(self.windows, self.starts, self.lengths, lanes)
        parts = [WeightedTokens(self.documents, hashes, self.occurrences)]
        if self.others:
            tokens = sorted(self.others)
            parts.append(
                WeightedTokens(
                    np.array([document for document, _ in tokens], np.intp),
                    hash_each([token for _, token in tokens], lanes),
                    np.array([self.others[token] for token in tokens], np.int64),
                )
            )
        return parts

    def counts(self) -> dict[bytes, int]:
        """Return the words of one document with their occurrences."""
        starts, ends = self.starts.tolist(), (self.starts + self.lengths).tolist()
        words = (self.text[start:end] for start, end in zip(starts, ends, strict=True))
        counts = dict(zip(words, self.occurrences.tolist(), strict=True))
        return counts | {word: occurrences for (_, word), occurrences in self.others.items()}


def find_words(texts: bytes) -> Words:
    """Return the distinct words of folded texts.

    Args:
        texts: UTF-8 joined by `SEPARATOR`, without links except digests. Characters in no word are ASCII, or
            `REMOVED`.
    """
    text = texts + _PADDING
    starts, ends = _cut(text)
    long = ends - starts > MAX_LENGTH
    if long.any():
        runs = zip(starts[long].tolist(), ends[long].tolist(), strict=True)
        found = [place for start, end in runs for place in digests(text, start, end)]
        if found:
            blanked = bytearray(text)
            for start, end in found:
                blanked[start:end] = b" " * (end - start)
            text = bytes(blanked)
            starts, ends = _cut(text)
    starts, ends = trimmed(text, windows_of(text), starts, ends)
    borders = (np.frombuffer(texts, np.uint8) == SEPARATOR[0]).nonzero()[0]
    edges = np.concatenate(([0], starts.searchsorted(borders), [len(starts)]))
    documents = np.arange(len(borders) + 1).repeat(edges[1:] - edges[:-1])
    return _distinct(text, starts, ends, documents, len(borders))


def _cut(text: bytes) -> tuple[Places, Places]:
    """Return (starts, ends) of the runs of word characters."""
    inside = np.frombuffer(text.translate(_IN_WORD), np.bool_)
    changes = (inside[1:] != inside[:-1]).nonzero()[0] + 1
    if inside[0]:
        changes = np.concatenate(([0], changes))
    return changes[::2], changes[1::2]


def _distinct(text: bytes, starts: Places, ends: Places, documents: Places, last_document: int) -> Words:
    """Return the distinct words of each document."""
    windows = windows_of(text)
    lengths = ends - starts
    others: Counter[tuple[int, bytes]] = Counter()
    long = lengths > MAX_LENGTH
    if long.any():
        _count_singly(text, starts[long], ends[long], documents[long], others)
        starts, lengths, documents = starts[~long], lengths[~long], documents[~long]
    heads, keys = _keys(windows, starts, lengths)
    # The document is the highest part of the key.
    bits = max(1, last_document.bit_length())
    keys >>= _U(bits)
    keys |= documents.astype(np.uint64) << _U(64 - bits)
    firsts = _first_equal(keys)
    unlike = _unlike_first(windows, starts, lengths, heads, firsts)
    if unlike.any():
        # Different words with the same key are counted one by one. This was never seen with random keys.
        doubtful = np.isin(firsts, firsts[unlike])
        places = doubtful.nonzero()[0]
        _count_singly(text, starts[places], starts[places] + lengths[places], documents[places], others)
        firsts = firsts[~doubtful]
    occurrences = np.bincount(firsts, minlength=1)
    chosen = occurrences.nonzero()[0]
    return Words(
        text,
        windows,
        documents[chosen],
        starts[chosen],
        lengths[chosen].astype(np.uint8),
        occurrences[chosen],
        others,
    )


def _first_equal(keys: npt.NDArray[np.uint64]) -> Places:
    """Return the place of the first equal key for each key: a hash table without chains, filled several times.

    Each time, the first of the keys with a slot is in it, and all that are equal to it find it. The others are tried
    again, with other slots.
    """
    firsts = np.zeros(len(keys), np.intp)
    rest = np.arange(len(keys))
    while len(rest):
        keys = keys * _ODD
        bits = len(rest).bit_length() + 1
        slots = (keys >> _U(64 - bits)).astype(np.intp)
        table = np.empty(1 << bits, np.intp)
        table[slots[::-1]] = np.arange(len(rest))[::-1]
        found = table[slots]
        firsts[rest] = rest[found]
        others = (keys[found] != keys).nonzero()[0]
        rest, keys = rest[others], keys[others]
    return firsts


def _count_singly(
    text: bytes, starts: Places, ends: Places, documents: Places, counts: Counter[tuple[int, bytes]]
) -> None:
    words = [text[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
    counts.update(zip(documents.tolist(), words, strict=True))


def _keys(
    windows: npt.NDArray[np.uint64], starts: Places, lengths: Places
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    """Return the first eight bytes of each word, and a key that equal words share."""
    heads = windows[starts] & LOW_BYTES[np.minimum(lengths, 8)]
    keys = heads * _KEYS[0]
    keys ^= keys >> _U(32)
    longer = (lengths > 8).nonzero()[0]
    at = 8
    while len(longer):
        piece = windows[starts[longer] + at] & LOW_BYTES[np.minimum(lengths[longer] - at, 8)]
        mixed = (keys[longer] + piece) * _KEYS[1]
        keys[longer] = mixed ^ mixed >> _U(32)
        at += 8
        longer = longer[lengths[longer] > at]
    return heads, keys


def _unlike_first(
    windows: npt.NDArray[np.uint64],
    starts: Places,
    lengths: Places,
    heads: npt.NDArray[np.uint64],
    firsts: Places,
) -> npt.NDArray[np.bool_]:
    """Return which words have other bytes than the first word with the same key."""
    unlike: npt.NDArray[np.bool_] = (heads != heads[firsts]) | (lengths != lengths[firsts])
    longer = (~unlike & (lengths > 8)).nonzero()[0]
    at = 8
    while len(longer):
        here, there = (windows[starts[places] + at] for places in (longer, firsts[longer]))
        unlike[longer[(here ^ there) & LOW_BYTES[np.minimum(lengths[longer] - at, 8)] != 0]] = True
        at += 8
        longer = longer[lengths[longer] > at]
    return unlike


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
