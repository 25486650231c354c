"""The words of folded texts as arrays: cut, trimmed, filtered and counted (SD-RUN-1 to SD-CAP-1)."""

from __future__ import annotations

import secrets
from collections import Counter
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import xxhash

from simhash_doc.engines.bit_sums import WeightedTokens
from simhash_doc.engines.numpy.trim import Places, trimmed
from simhash_doc.engines.python.links import REMOVED, SEPARATOR, digests
from simhash_doc.engines.token_counts import TokenCounts
from simhash_doc.engines.xxh64 import LOW_BYTES, MAX_LENGTH, windows_of, xxh64_of_short

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
                    np.array(
                        [[xxhash.xxh64_intdigest(token, lane) for lane in range(lanes)] for _, token in tokens], _U
                    ),
                    np.array([self.others[token] for token in tokens], np.int64),
                )
            )
        return parts

    def add_to(self, counts: TokenCounts) -> None:
        """Add the words of one document."""
        short = (self.lengths <= 8).nonzero()[0]
        counts.add_short(self.windows[self.starts[short]] & LOW_BYTES[self.lengths[short]], self.occurrences[short])
        longer = (self.lengths > 8).nonzero()[0]
        starts, ends = self.starts[longer].tolist(), (self.starts[longer] + self.lengths[longer]).tolist()
        words = (self.text[start:end] for start, end in zip(starts, ends, strict=True))
        counts.add(dict(zip(words, self.occurrences[longer].tolist(), strict=True)))
        counts.add({word: occurrences for (_, word), occurrences in self.others.items()})


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
