"""Words of folded text, and a bounded memory of their hashes (the chunk cache)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np
import numpy.typing as npt
import xxhash

from simhash_doc.pinned import connectors, members
from simhash_doc.reference import LINK, trim

NO_TOKEN = -1
_UNKNOWN = -2
_SUSPECT_NO_TOKEN = -3
CACHE_BYTES = 64 << 20
_ENTRY_BYTES = 200  # what a chunk takes in the memory besides its own bytes and its hashes

# Possessive, so that a failed attempt is not tried again in every shorter form; the result is the same (section 5).
LINK_IN_BYTES = re.compile(re.sub(r"(\{\d+,\d+\}|\*)", r"\1+", LINK.pattern).encode("ascii"))
_DENSE = 64  # bytes for each mark, from which on the whole text is searched at once
_ADDRESS = re.compile(rb"@[a-z0-9-]{1,63}+\.[a-z0-9-]")
# Every link holds one of these, or an @ as in an address, or ends with twelve hexadecimal digits in a row.
_COLON = re.compile(rb":(?://|(?<=doi:)|(?<=urn:)|(?<=hdl:)|(?<=arxiv:))")
_HEX_END = re.compile(rb"(?<![a-z0-9_])(?:[0-9a-f]{12}|[0-9a-f]{32,128})(?![a-z0-9_])")

_WORD_BYTES = b"abcdefghijklmnopqrstuvwxyz0123456789_"
# Frequent punctuation: E2 80 and the byte of a character that is in no word and in no link, or folds to full stops.
_PUNCTUATION = {0x93: b" ", 0x94: b" ", 0x98: b" ", 0x99: b" ", 0x9C: b" ", 0x9D: b" ", 0xA2: b" ", 0xA6: b"..."}
# For `bytes.translate`: what is in no word becomes a space, and bytes that are not ASCII stay.
_CUT = bytes(byte if byte in _WORD_BYTES or byte >= 0x80 else 0x20 for byte in range(256))
_WHITE = bytes(byte if byte > 0x20 else 0x20 for byte in range(256))


class _Rows(dict[bytes, int]):
    def __missing__(self, chunk: bytes) -> int:
        return _UNKNOWN


class WordCache:
    """Hashes of words by the bytes of the chunk that they were found in.

    Most chunks of a text are those of earlier texts, so that each is trimmed, filtered and
    hashed once. `CACHE_BYTES` bound it: then it forgets everything, and what follows costs what
    the first texts cost.

    Attributes:
        rows: number of the row of `hashes` of a chunk's token; negative if it has none.
        hashes: shape (at least the number of tokens, words).
        suspects: chunks that may be the end of a UUID, or a digest.
    """

    def __init__(self, words: int) -> None:
        self._words = words
        self._empty()

    def _empty(self) -> None:
        self.rows = _Rows()
        self.hashes = np.zeros((1024, self._words), np.uint64)
        self.suspects: set[bytes] = set()
        self._tokens = 0
        self._size = 0

    def bound(self) -> None:
        """Forget everything if it has become too much; rows that were given out before mean nothing then."""
        if self._size > CACHE_BYTES:
            self._empty()

    def suspect_rows(self) -> list[int]:
        return [self.rows[chunk] for chunk in self.suspects]

    def rows_of(self, chunks: Sequence[list[bytes]]) -> npt.NDArray[np.int64]:
        """Return the rows of the tokens of chunks, of which it learns those that it does not know."""
        found = np.fromiter(map(self.rows.__getitem__, chain.from_iterable(chunks)), np.int64, sum(map(len, chunks)))
        unknown = np.flatnonzero(found == _UNKNOWN)
        if len(unknown):
            flat = list(chain.from_iterable(chunks))
            missed = [flat[i] for i in unknown.tolist()]
            self._learn(set(missed))
            found[unknown] = [self.rows[chunk] for chunk in missed]
        return found

    def _learn(self, chunks: set[bytes]) -> None:
        tokens: list[bytes] = []
        alphabetic, edges = members("alphabetic"), connectors()
        for chunk in chunks:
            if chunk in self.rows:  # since just now, as what is left of another
                continue
            self._size += len(chunk) + _ENTRY_BYTES + 8 * self._words
            if not chunk.isalpha():  # ASCII letters
                text = chunk.decode("utf-8")
                if not (alphabetic[ord(text[0])] and (alphabetic[ord(text[-1])] or text[-1] not in edges)):
                    self._learn_trimmed(chunk, trim(text), tokens)
                    continue
            self._learn_token(chunk, tokens)
        end = self._tokens + len(tokens)
        while end > len(self.hashes):
            self.hashes = np.concatenate((self.hashes, np.zeros_like(self.hashes)))
        for word in range(self._words):
            self.hashes[self._tokens : end, word] = [xxhash.xxh64_intdigest(token, word) for token in tokens]
        self._tokens = end

    def _learn_token(self, token: bytes, tokens: list[bytes]) -> int:
        if token not in self.rows:
            self._suspect(token)
            self.rows[token] = self._tokens + len(tokens)
            tokens.append(token)
        return self.rows[token]

    def _suspect(self, chunk: bytes) -> None:
        if len(chunk) >= 12 and _HEX_END.search(chunk):
            self.suspects.add(chunk)

    def _learn_trimmed(self, chunk: bytes, trimmed: str | None, tokens: list[bytes]) -> None:
        self._suspect(chunk)
        token = None if trimmed is None else trimmed.encode("utf-8")
        if token is None:
            self.rows[chunk] = _SUSPECT_NO_TOKEN if chunk in self.suspects else NO_TOKEN
        else:
            self.rows[chunk] = self._learn_token(token, tokens)


def without_links(text: bytes) -> bytes:
    """Return folded text without the links that hold one of the marks; they stand between spaces."""
    places = {place for place in _found(text, b"@") if _ADDRESS.match(text, place)}
    places.update(match.start() for match in _COLON.finditer(text))
    places.update(_found(text, b"www."), _found(text, b"10."))
    if not places:
        return text
    if len(places) > len(text) // _DENSE:
        return LINK_IN_BYTES.sub(b" ", text)
    white = text.translate(_WHITE)
    parts = []
    done = 0
    for place in sorted(places):
        if place < done:
            continue
        start = max(white.rfind(b" ", done, place) + 1, done)
        end = white.find(b" ", place)
        end = len(white) if end < 0 else end
        parts += [text[done:start], LINK_IN_BYTES.sub(b" ", text[start:end])]
        done = end
    return b"".join((*parts, text[done:]))


def with_plain_punctuation(text: bytes) -> bytes:
    """Return a text with frequent punctuation as ASCII, which changes no token; most of English is ASCII then."""
    first, *others = text.split(b"\xe2\x80")
    parts = [first]
    for other in others:
        plain = _PUNCTUATION.get(other[0]) if other else None
        parts += (b"\xe2\x80", other) if plain is None else (plain, other[1:])
    return b"".join(parts).replace(b"\xc2\xa0", b" ")


def _found(text: bytes, mark: bytes) -> Iterable[int]:
    place = text.find(mark)
    while place >= 0:
        yield place
        place = text.find(mark, place + 1)


def chunks_of(text: bytes) -> list[bytes]:
    """Return the runs of ASCII word characters and bytes that are not ASCII."""
    return text.translate(_CUT).split()
