"""Folding of texts that are nearly all ASCII: each run of other characters is folded by itself, and cached."""

from __future__ import annotations

import numpy as np

from simhash_doc.engines.unicode_tables import CONTINUA, DROP, WORD, tables
from simhash_doc.unicode_data import fold_map

_SPARSE = 16  # bytes per byte that is not ASCII; a text with more of these is folded faster in one go
_LONGEST = 64  # bytes of a run that is cached
_MAX_RUNS = 1 << 15


# Frequent punctuation: the byte after E2 80, and ASCII that gives the same tokens.
_PUNCTUATION = {0x93: b" ", 0x94: b" ", 0x98: b" ", 0x99: b" ", 0x9C: b" ", 0x9D: b" ", 0xA2: b" ", 0xA6: b"..."}


class FoldedRuns(dict[bytes, bytes | None]):
    """Runs of bytes that are not ASCII, folded; None for runs that depend on the characters around them.

    ASCII characters do not compose with characters of the kinds KEEP, COPY and DROP.
    """

    def __missing__(self, run: bytes) -> bytes | None:
        folded = _fold_run(run)
        if len(run) <= _LONGEST:
            if len(self) >= _MAX_RUNS:
                self.clear()
            self[run] = folded
        return folded

    def fold(self, text: bytes) -> bytes | None:
        """Return the text with its runs folded, and a space for characters in no word; None if that is not possible.

        ASCII characters stay as they are.
        """
        if text.isascii():
            return text
        if np.count_nonzero(np.frombuffer(text, np.uint8) >= 0x80) * _SPARSE > len(text):
            return None
        text = _with_plain_punctuation(text)
        places = np.flatnonzero(np.frombuffer(text, np.uint8) >= 0x80)
        if not len(places):
            return text
        last = np.flatnonzero(np.diff(places) > 1)
        starts = places[np.append(0, last + 1)].tolist()
        ends = (places[np.append(last, len(places) - 1)] + 1).tolist()
        parts: list[bytes] = []
        done = 0
        for start, end in zip(starts, ends, strict=True):
            folded = self[text[start:end]]
            if folded is None:
                return None
            parts += (text[done:start], folded)
            done = end
        return b"".join((*parts, text[done:]))


def _fold_run(run: bytes) -> bytes | None:
    text = run.decode("utf-8", "replace")
    actions, classes = tables().actions, tables().classes
    if any(actions[ord(character)] > DROP for character in text):
        return None
    folded = text.translate(fold_map())
    if any(classes[ord(character)] & CONTINUA for character in folded):
        return None
    return "".join(
        character if character.isascii() or classes[ord(character)] & WORD else " " for character in folded
    ).encode("utf-8")


def _with_plain_punctuation(text: bytes) -> bytes:
    """Return a text with frequent punctuation as ASCII, which changes no token. Most English texts are ASCII then."""
    first, *others = text.split(b"\xe2\x80")
    parts = [first]
    for other in others:
        plain = _PUNCTUATION.get(other[0]) if other else None
        parts += (b"\xe2\x80", other) if plain is None else (plain, other[1:])
    return b"".join(parts).replace(b"\xc2\xa0", b" ")
