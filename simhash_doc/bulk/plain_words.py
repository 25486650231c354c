"""The words of folded texts as arrays: cut, trimmed, filtered, and each distinct one found (sections 6 to 9)."""

from __future__ import annotations

import secrets
from collections import Counter
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import xxhash

from simhash_doc.bulk.tables import ALPHABETIC, CONNECTOR, WORD, tables
from simhash_doc.counts import TokenCounts
from simhash_doc.hashes import LONGEST, xxh64_of_short
from simhash_doc.links import REMOVED, SEPARATOR, digests
from simhash_doc.pinned import connectors
from simhash_doc.reference import trim
from simhash_doc.sums import Weighed

_WORD_BYTES = b"abcdefghijklmnopqrstuvwxyz0123456789_"
# A byte of a word, in texts whose other characters that are not ASCII have become spaces.
_IN_WORD = bytes(byte in _WORD_BYTES or 0x80 <= byte < REMOVED[0] for byte in range(256))
_PADDING = SEPARATOR * (LONGEST + 9)
_U = np.uint64
_LOW_BYTES = np.array([(1 << 8 * count) - 1 for count in range(9)], np.uint64)
_HIGH_BITS, _LETTER_BITS = _U(0x8080808080808080), _U(0x4040404040404040)
_UNDERSCORE = ord("_")
# Connectors of folded text besides the underscore: U+203F, U+2040, U+2054.
_CONNECTORS = [b"\xe2\x80\xbf", b"\xe2\x81\x80", b"\xe2\x81\x94"]
# Secret, so that nobody can choose words that are taken for the same at first sight.
_KEYS = tuple(_U(secrets.randbits(64) | 1) for _ in range(2))

Places = npt.NDArray[np.intp]


class Words(NamedTuple):
    """Distinct words of documents, as parts of a text.

    Attributes:
        text: the bytes, and some more behind them.
        eights: the eight bytes that begin at each byte of the text, as little-endian integers.
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
        short = np.flatnonzero(self.lengths <= 8)
        counts.add_short(self.eights[self.starts[short]] & _LOW_BYTES[self.lengths[short]], self.occurrences[short])
        longer = np.flatnonzero(self.lengths > 8)
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
    starts, ends = _trimmed(text, starts, ends)
    borders = np.flatnonzero(np.frombuffer(texts, np.uint8) == SEPARATOR[0])
    edges = np.concatenate(([0], np.searchsorted(starts, borders), [len(starts)]))
    documents = np.repeat(np.arange(len(borders) + 1), np.diff(edges))
    return _distinct(text, starts, ends, documents, len(borders))


def _cut(text: bytes) -> tuple[Places, Places]:
    """Return where the runs of word characters begin and end."""
    inside = np.frombuffer(text.translate(_IN_WORD), np.bool_)
    changes = np.flatnonzero(inside[1:] != inside[:-1]) + 1
    if inside[0]:
        changes = np.concatenate(([0], changes))
    return changes[::2], changes[1::2]


def _trimmed(text: bytes, starts: Places, ends: Places) -> tuple[Places, Places]:
    """Return the words that the filter keeps, without connectors at their ends (SD-FILTER-1, SD-FILTER-2)."""
    data, eights = np.frombuffer(text, np.uint8), _eights(text)
    first, last = data[starts], data[ends - 1]
    plain = (first >= ord("a")) & (first < 0x80)
    other = np.flatnonzero(first >= 0x80)
    if len(other):
        plain[other] = _begins_with_letter(eights[starts[other]])
    plain &= last != _UNDERSCORE
    if b"\xe2" in text:
        for connector in _CONNECTORS:
            if connector in text:
                plain &= last != connector[-1]
    rest = np.flatnonzero(~plain)
    if not len(rest):
        return starts, ends
    lengths = ends[rest] - starts[rest]
    lanes = eights[starts[rest]] & _LOW_BYTES[np.minimum(lengths, 8)]
    # Of digits, letters and underscores only the letters have both bits of 0x60.
    is_short = (lengths <= 8) & (lanes & _HIGH_BITS == 0)
    has_letter = lanes & (lanes << _U(1)) & _LETTER_BITS != 0
    dropped = is_short & ~has_letter
    is_whole = is_short & has_letter & (first[rest] != _UNDERSCORE) & (last[rest] != _UNDERSCORE)
    starts, ends = starts.copy(), ends.copy()
    ends[rest[dropped]] = starts[rest[dropped]]
    doubtful = rest[~(dropped | is_whole)]
    known: dict[bytes, tuple[int, int]] = {}
    for i, start, end in zip(doubtful.tolist(), starts[doubtful].tolist(), ends[doubtful].tolist(), strict=True):
        word = text[start:end]
        if word not in known:
            known[word] = _trim(word)
        starts[i], ends[i] = start + known[word][0], start + known[word][1]
    kept = np.flatnonzero(ends > starts)
    return starts[kept], ends[kept]


def _trim(word: bytes) -> tuple[int, int]:
    """Return where the token in a word begins and ends; the same if there is none."""
    text = word.decode("utf-8")
    token = trim(text)
    if token is None:
        return 0, 0
    start = len(text[: len(text) - len(text.lstrip(connectors()))].encode("utf-8"))
    return start, start + len(token.encode("utf-8"))


def _begins_with_letter(eights: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
    """Tell which words begin with an Alphabetic character, none of them with an ASCII one."""
    begins = _letter_leads().take(eights.astype(np.uint16))
    rest = np.flatnonzero(~begins)
    if len(rest):
        begins[rest] = _is_letter(_first_characters(eights[rest]))
    return begins


@cache
def _letter_leads() -> npt.NDArray[np.bool_]:
    """Return whether a word that begins with two bytes, as a little-endian integer, surely begins with a letter."""
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


def _first_characters(eights: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Return the code points that begin UTF-8 bytes, none of them ASCII."""
    lead, second, third, fourth = (eights >> _U(8 * at) & _U(0x3F) for at in range(4))
    two = (lead & _U(0x1F)) << _U(6) | second
    three = (lead & _U(0x0F)) << _U(12) | second << _U(6) | third
    four = (lead & _U(0x07)) << _U(18) | second << _U(12) | third << _U(6) | fourth
    whole_lead = eights & _U(0xFF)
    return np.where(whole_lead < 0xE0, two, np.where(whole_lead < 0xF0, three, four))


def _distinct(text: bytes, starts: Places, ends: Places, documents: Places, last_document: int) -> Words:
    """Return the distinct words of each document, by sorting."""
    eights = _eights(text)
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
    order = np.argsort(keys)
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
    firsts = np.flatnonzero(np.concatenate(([True], ~same))[: len(keys)])
    occurrences = np.diff(firsts, append=len(keys))
    chosen = order[firsts]
    return Words(text, eights, documents[chosen], starts[chosen], lengths[chosen].astype(np.uint8), occurrences, others)


def _count_singly(
    text: bytes, starts: Places, ends: Places, documents: Places, counts: Counter[tuple[int, bytes]]
) -> None:
    words = [text[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
    counts.update(zip(documents.tolist(), words, strict=True))


def _eights(text: bytes) -> npt.NDArray[np.uint64]:
    return np.ndarray(len(text) - 7, "<u8", text, strides=(1,))


def _keys(
    eights: npt.NDArray[np.uint64], starts: Places, lengths: Places
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    """Return the first eight bytes of words, and a number for each that is the same for the same word."""
    lanes = eights[starts] & _LOW_BYTES[np.minimum(lengths, 8)]
    keys = lanes * _KEYS[0]
    keys ^= keys >> _U(32)
    longer = np.flatnonzero(lengths > 8)
    for at in range(8, LONGEST, 8):
        lane = eights[starts[longer] + at] & _LOW_BYTES[np.minimum(lengths[longer] - at, 8)]
        mixed = (keys[longer] + lane) * _KEYS[1]
        keys[longer] = mixed ^ mixed >> _U(32)
        longer = longer[lengths[longer] > at + 8]
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
    longer = np.flatnonzero(same & ~wrong & (sizes[1:] > 8))
    for at in range(8, LONGEST, 8):
        here, following = (eights[starts[order[places]] + at] for places in (longer, longer + 1))
        wrong[longer[(here ^ following) & _LOW_BYTES[np.minimum(sizes[longer] - at, 8)] != 0]] = True
        longer = longer[sizes[longer] > at + 8]
    return wrong
