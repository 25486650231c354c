"""The words of folded texts as arrays: cut, trimmed, filtered, and each distinct one found (sections 6 to 9)."""

from __future__ import annotations

import secrets
from collections import Counter
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import xxhash

from simhash_doc.bulk.plain_trim import Places, trimmed
from simhash_doc.counts import TokenCounts
from simhash_doc.hashes import LONGEST, LOW_BYTES, eights_of, xxh64_of_short
from simhash_doc.links import REMOVED, SEPARATOR, digests
from simhash_doc.sums import Weighed

_WORD_BYTES = b"abcdefghijklmnopqrstuvwxyz0123456789_"
# A byte of a word, in texts whose other characters that are not ASCII have become spaces.
_IN_WORD = bytes(byte in _WORD_BYTES or 0x80 <= byte < REMOVED[0] for byte in range(256))
_PADDING = SEPARATOR * (LONGEST + 9)
_U = np.uint64
# Secret, so that nobody can choose words that are taken for the same at first sight.
_KEYS = tuple(_U(secrets.randbits(64) | 1) for _ in range(2))


class Words(NamedTuple):
    """Distinct words of documents, as parts of a text.

    Attributes:
        text: the bytes, and some more behind them.
        eights: `hashes.eights_of` it.
        documents: number of the document of each word, ascending.
        starts: where each begins, one of its occurrences.
        lengths: its bytes, at most `LONGEST`.
        occurrences: how often it occurs in the document.
        others: the words that are longer, by document and bytes.
    """

    text: bytes
    eights: npt.NDArray[np.uint64]
    documents: Places
    starts: Places
    lengths: npt.NDArray[np.uint8]
    occurrences: npt.NDArray[np.int64]
    others: Counter[tuple[int, bytes]]

    def weighed(self, words: int) -> list[Weighed]:
        """Return the words with their hashes."""
        hashes = xxh64_of_short(self.eights, self.starts, self.lengths, words)
        parts = [Weighed(self.documents, hashes, self.occurrences)]
        if self.others:
            tokens = sorted(self.others)
            parts.append(
                Weighed(
                    np.array([document for document, _ in tokens], np.intp),
                    np.array(
                        [[xxhash.xxh64_intdigest(token, word) for word in range(words)] for _, token in tokens], _U
                    ),
                    np.array([self.others[token] for token in tokens], np.int64),
                )
            )
        return parts

    def add_to(self, counts: TokenCounts) -> None:
        """Add the words of one document."""
        short = (self.lengths <= 8).nonzero()[0]
        counts.add_short(self.eights[self.starts[short]] & LOW_BYTES[self.lengths[short]], self.occurrences[short])
        longer = (self.lengths > 8).nonzero()[0]
        starts, ends = self.starts[longer].tolist(), (self.starts[longer] + self.lengths[longer]).tolist()
        words = (self.text[start:end] for start, end in zip(starts, ends, strict=True))
        counts.add(dict(zip(words, self.occurrences[longer].tolist(), strict=True)))
        counts.add({word: occurrences for (_, word), occurrences in self.others.items()})


def find_words(texts: bytes) -> Words:
    """Return the distinct words of folded texts, `SEPARATOR` between them, without links but digests.

    Args:
        texts: UTF-8, in which what is in no word is ASCII, or `links.REMOVED`.
    """
    text = texts + _PADDING
    starts, ends = _cut(text)
    long = ends - starts > LONGEST
    if long.any():
        runs = zip(starts[long].tolist(), ends[long].tolist(), strict=True)
        found = [place for start, end in runs for place in digests(text, start, end)]
        if found:
            blanked = bytearray(text)
            for start, end in found:
                blanked[start:end] = b" " * (end - start)
            text = bytes(blanked)
            starts, ends = _cut(text)
    starts, ends = trimmed(text, eights_of(text), starts, ends)
    borders = (np.frombuffer(texts, np.uint8) == SEPARATOR[0]).nonzero()[0]
    edges = np.concatenate(([0], starts.searchsorted(borders), [len(starts)]))
    documents = np.arange(len(borders) + 1).repeat(edges[1:] - edges[:-1])
    return _distinct(text, starts, ends, documents, len(borders))


def _cut(text: bytes) -> tuple[Places, Places]:
    """Return where the runs of word characters begin and end."""
    inside = np.frombuffer(text.translate(_IN_WORD), np.bool_)
    changes = (inside[1:] != inside[:-1]).nonzero()[0] + 1
    if inside[0]:
        changes = np.concatenate(([0], changes))
    return changes[::2], changes[1::2]


def _distinct(text: bytes, starts: Places, ends: Places, documents: Places, last_document: int) -> Words:
    """Return the distinct words of each document, by sorting."""
    eights = eights_of(text)
    lengths = ends - starts
    others: Counter[tuple[int, bytes]] = Counter()
    long = lengths > LONGEST
    if long.any():
        _count_singly(text, starts[long], ends[long], documents[long], others)
        starts, lengths, documents = starts[~long], lengths[~long], documents[~long]
    lanes, keys = _keys(eights, starts, lengths)
    # The document is the highest part of the key.
    bits = max(1, last_document.bit_length())
    keys >>= _U(bits)
    keys |= documents.astype(np.uint64) << _U(64 - bits)
    order = keys.argsort()
    keys = keys[order]
    same = keys[1:] == keys[:-1]
    wrong = _unlike_next(eights, starts, lengths, lanes, order, same)
    if wrong.any():
        # Never seen: words with one key are counted one by one.
        doubtful = np.isin(keys, keys[:-1][wrong])
        places = order[doubtful]
        _count_singly(text, starts[places], starts[places] + lengths[places], documents[places], others)
        order, keys = order[~doubtful], keys[~doubtful]
        same = keys[1:] == keys[:-1]
    firsts = np.concatenate(([True], ~same))[: len(keys)].nonzero()[0]
    occurrences = np.concatenate((firsts[1:], [len(keys)]))[: len(firsts)] - firsts
    chosen = order[firsts]
    return Words(text, eights, documents[chosen], starts[chosen], lengths[chosen].astype(np.uint8), occurrences, others)


def _count_singly(
    text: bytes, starts: Places, ends: Places, documents: Places, counts: Counter[tuple[int, bytes]]
) -> None:
    words = [text[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
    counts.update(zip(documents.tolist(), words, strict=True))


def _keys(
    eights: npt.NDArray[np.uint64], starts: Places, lengths: Places
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    """Return the first eight bytes of words, and a number for each that is the same for the same word."""
    lanes = eights[starts] & LOW_BYTES[np.minimum(lengths, 8)]
    keys = lanes * _KEYS[0]
    keys ^= keys >> _U(32)
    longer = (lengths > 8).nonzero()[0]
    at = 8
    while len(longer):
        lane = eights[starts[longer] + at] & LOW_BYTES[np.minimum(lengths[longer] - at, 8)]
        mixed = (keys[longer] + lane) * _KEYS[1]
        keys[longer] = mixed ^ mixed >> _U(32)
        at += 8
        longer = longer[lengths[longer] > at]
    return lanes, keys


def _unlike_next(
    eights: npt.NDArray[np.uint64],
    starts: Places,
    lengths: Places,
    lanes: npt.NDArray[np.uint64],
    order: Places,
    same: npt.NDArray[np.bool_],
) -> npt.NDArray[np.bool_]:
    """Tell which words in this order have the key of the next, but not its bytes."""
    lanes, sizes = lanes[order], lengths[order]
    wrong: npt.NDArray[np.bool_] = same & ((lanes[1:] != lanes[:-1]) | (sizes[1:] != sizes[:-1]))
    longer = (same & ~wrong & (sizes[1:] > 8)).nonzero()[0]
    at = 8
    while len(longer):
        here, following = (eights[starts[order[places]] + at] for places in (longer, longer + 1))
        wrong[longer[(here ^ following) & LOW_BYTES[np.minimum(sizes[longer] - at, 8)] != 0]] = True
        at += 8
        longer = longer[sizes[longer] > at]
    return wrong
