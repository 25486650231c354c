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
from simhash_doc.engines.token_counts import hash_tokens
from simhash_doc.engines.unicode_tables import ALPHABETIC, OUTSIDE, folded_characters
from simhash_doc.reference import trim
from simhash_doc.unicode_data import connectors

_Places = npt.NDArray[np.intp]
_Integers = npt.NDArray[np.uint64]

_WORD_BYTES = b"abcdefghijklmnopqrstuvwxyz0123456789_"
# Bytes of words, in texts in which characters that are neither ASCII nor in a word have become spaces.
_IN_WORD = bytes(byte in _WORD_BYTES or 0x80 <= byte < REMOVED[0] for byte in range(256))
_PADDING = SEPARATOR * (MAX_LENGTH + 9)
_U = np.uint64
_BITS_OF_NO_DIGIT = _U(0xC0C0C0C0C0C0C0C0)  # every other byte of a word has one of them
_THREE_BYTES = _U(0x3F3F3F)  # of the first three bytes of a word, the bits in which characters above U+007F differ
# Secret: nobody can choose many words of up to eight bytes with the same key. Longer ones that differ in a few chosen
# bytes often share one, whatever it is: they are counted as `others`, which takes about three times as long.
_KEY = _U(secrets.randbits(64) | 1)


class Words(NamedTuple):
    """Distinct words of documents, as parts of a text. The arrays of words have the shape (n,).

    Attributes:
        text: the bytes of all documents, with padding.
        documents: number of the document of each word, ascending.
        starts: first byte of one occurrence of each word.
        lengths: bytes of each word, at most `MAX_LENGTH`.
        occurrences: how often each word occurs in the document.
        others: other words, by document and bytes: longer ones, and those that share their key with another word.
    """

    text: bytes
    documents: _Places
    starts: _Places
    lengths: npt.NDArray[np.uint8]
    occurrences: npt.NDArray[np.int64]
    others: Counter[tuple[int, bytes]]

    def weighted(self, lanes: int) -> list[WeightedTokens]:
        """Return the words with their hashes."""
        hashes = xxh64_of_short(windows_of(self.text), self.starts, self.lengths, lanes)
        parts = [WeightedTokens(self.documents, hashes, self.occurrences)]
        if self.others:
            tokens = sorted(self.others)
            documents = np.array([document for document, _ in tokens], np.intp)
            occurrences = np.array([self.others[token] for token in tokens], np.int64)
            parts.append(WeightedTokens(documents, hash_tokens([word for _, word in tokens], lanes), occurrences))
        return parts

    def counts(self) -> dict[bytes, int]:
        """Return the words of one document with their occurrences."""
        words = _slices(self.text, self.starts, self.starts + self.lengths)
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
    is_long = ends - starts > MAX_LENGTH
    runs = zip(starts[is_long].tolist(), ends[is_long].tolist(), strict=True)
    if found := [digest for start, end in runs for digest in digests(text, start, end)]:
        blanked = bytearray(text)
        for start, end in found:
            blanked[start:end] = b" " * (end - start)
        text = bytes(blanked)
        starts, ends = _cut(text)
    starts, ends = _trimmed(text, starts, ends)
    borders = np.flatnonzero(np.frombuffer(texts, np.uint8) == SEPARATOR[0])
    return _distinct(text, starts, ends, documents_of(starts, borders), len(borders))


def documents_of(places: _Places, borders: _Places) -> _Places:
    """Return the number of the document of each place, given the borders between documents; both are ascending."""
    edges = np.concatenate(([0], places.searchsorted(borders), [len(places)]))
    return np.arange(len(borders) + 1).repeat(np.diff(edges))


def _slices(text: bytes, starts: _Places, ends: _Places) -> list[bytes]:
    return [text[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]


def _cut(text: bytes) -> tuple[_Places, _Places]:
    """Return (starts, ends) of the runs of word characters."""
    inside = np.frombuffer(text.translate(_IN_WORD), np.bool_)
    changes = (inside[1:] != inside[:-1]).nonzero()[0] + 1
    if inside[0]:
        changes = np.concatenate(([0], changes))
    return changes[::2], changes[1::2]


def _trimmed(text: bytes, starts: _Places, ends: _Places) -> tuple[_Places, _Places]:
    """Return (starts, ends) of the tokens in words (SD-FILTER-1, SD-FILTER-2)."""
    data, windows = np.frombuffer(text, np.uint8), windows_of(text)
    first, last = data[starts], data[ends - 1]
    # Nearly every word is a token as it is: it begins with a letter, and does not end with a connector.
    is_token = (first >= ord("a")) & (first < 0x80)  # digits and the underscore are below the letters
    others = (first >= 0x80).nonzero()[0]
    if len(others):
        is_token[others] = _letter_starts()[windows[starts[others]] & _THREE_BYTES]
    # The connectors of folded text are the underscore and three of the characters U+2000 to U+2FFF.
    is_token &= (last != ord("_")) & (data[ends - 3] != 0xE2)
    doubtful = (~is_token).nonzero()[0]
    if not len(doubtful):
        return starts, ends
    starts, ends = starts.copy(), ends.copy()
    lengths = ends[doubtful] - starts[doubtful]
    heads = windows[starts[doubtful]] & LOW_BYTES[np.minimum(lengths, 8)]
    is_number = (lengths <= 8) & (heads & _BITS_OF_NO_DIGIT == 0)
    ends[doubtful[is_number]] = 0
    doubtful = doubtful[~is_number]
    words = _slices(text, starts[doubtful], ends[doubtful])
    tokens = {word: _trim(word) for word in set(words)}
    for at, word in zip(doubtful.tolist(), words, strict=True):
        before, length = tokens[word]
        starts[at] += before
        ends[at] = starts[at] + length
    kept = ends > starts
    return starts[kept], ends[kept]


def _trim(word: bytes) -> tuple[int, int]:
    """Return the bytes before the token in a word, and its length; the length is 0 if there is no token."""
    text = word.decode("utf-8")
    token = trim(text) or ""
    return len(word) - len(text.lstrip(connectors()).encode("utf-8")), len(token.encode("utf-8"))


@cache
def _letter_starts() -> npt.NDArray[np.bool_]:
    """Return whether a word surely begins with a letter, by `_THREE_BYTES` of it; the first character is not ASCII."""
    surely = np.ones(1 << 22, bool)
    for code_point in np.flatnonzero(folded_characters() & (ALPHABETIC | OUTSIDE) == 0).tolist():
        if code_point >= 0x80:
            encoded = chr(code_point).encode("utf-8")
            index = int.from_bytes(encoded[:3], "little") & int(_THREE_BYTES)
            surely[index :: 1 << 16 if len(encoded) == 2 else len(surely)] = False  # any third byte may follow two
    return surely


def _distinct(text: bytes, starts: _Places, ends: _Places, documents: _Places, last_document: int) -> Words:
    """Return the distinct words of each document."""
    is_long = ends - starts > MAX_LENGTH
    others = Counter(_listed(text, starts[is_long], ends[is_long], documents[is_long]))
    if others:
        starts, ends, documents = starts[~is_long], ends[~is_long], documents[~is_long]
    lengths = ends - starts
    pieces = _pieces(windows_of(text), starts, lengths)
    keys, order = _sorted(pieces, documents, last_document)
    is_new = np.append(True, keys[1:] != keys[:-1])[: len(keys)]
    differs = np.zeros(len(keys), bool)
    for piece in pieces:
        ordered = piece[order]
        differs[1:] |= ordered[1:] != ordered[:-1]
    differs &= ~is_new
    if differs.any():  # different words have one key
        is_doubtful = np.isin(keys, keys[differs])
        doubtful = order[is_doubtful]
        others.update(_listed(text, starts[doubtful], ends[doubtful], documents[doubtful]))
        order, is_new = order[~is_doubtful], is_new[~is_doubtful]
    firsts = is_new.nonzero()[0]
    occurrences = np.diff(np.append(firsts, len(order)))
    chosen = order[firsts]
    return Words(text, documents[chosen], starts[chosen], lengths[chosen].astype(np.uint8), occurrences, others)


def _listed(text: bytes, starts: _Places, ends: _Places, documents: _Places) -> list[tuple[int, bytes]]:
    return list(zip(documents.tolist(), _slices(text, starts, ends), strict=True))


def _pieces(windows: _Integers, starts: _Places, lengths: _Places) -> list[_Integers]:
    """Return bytes 0 to 7, 8 to 15 and so on of each word as integers, 0 after its end. No word has a NUL."""
    pieces = [windows[starts] & LOW_BYTES[np.minimum(lengths, 8)]]
    for at in range(8, int(lengths.max(initial=0)), 8):
        longer = (lengths > at).nonzero()[0]
        piece = np.zeros(len(starts), np.uint64)
        piece[longer] = windows[starts[longer] + at] & LOW_BYTES[np.minimum(lengths[longer] - at, 8)]
        pieces.append(piece)
    return pieces


def _sorted(pieces: list[_Integers], documents: _Places, last_document: int) -> tuple[_Integers, _Places]:
    """Return the keys of words in ascending order, and the place of each; equal words of a document have one key."""
    hashes = pieces[0] * _KEY
    for piece in pieces[1:]:
        hashes ^= hashes >> _U(32)
        hashes += piece
        hashes *= _KEY
    # The document is the highest part of what is sorted, then as much of the hash as fits, and the place is the lowest.
    places = np.arange(len(documents), dtype=np.uint64)
    place_bits, document_bits = _U(len(places).bit_length()), _U(last_document.bit_length() + 1)
    keys = hashes >> (document_bits + place_bits) << place_bits | places
    keys |= documents.astype(np.uint64) << (_U(64) - document_bits)
    keys.sort()
    return keys >> place_bits, (keys & (_U(1) << place_bits) - _U(1)).astype(np.intp)
