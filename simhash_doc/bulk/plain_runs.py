"""Folding of texts that are nearly all ASCII: each run of other characters by itself, and remembered."""

from __future__ import annotations

import numpy as np

from simhash_doc.bulk.tables import CONTINUA, DROP, WORD, tables
from simhash_doc.pinned import fold_map

_SPARSE = 16  # bytes for each that is not ASCII; denser texts are folded faster as a whole
_LONGEST = 64  # bytes of a run that is remembered
_MOST_RUNS = 1 << 15


# Frequent punctuation: E2 80 and the byte of a character that is in no word and in no link, or folds to full stops.
_PUNCTUATION = {0x93: b" ", 0x94: b" ", 0x98: b" ", 0x99: b" ", 0x9C: b" ", 0x9D: b" ", 0xA2: b" ", 0xA6: b"..."}


class FoldedRuns(dict[bytes, bytes | None]):
    """Runs of bytes that are not ASCII, folded; None for those that the characters around them may change.

    ASCII characters compose with nothing that folds to characters of the kinds KEEP, COPY and DROP.
    """

    def __missing__(self, run: bytes) -> bytes | None:
        folded = _fold_run(run)
        if len(run) <= _LONGEST:
            if len(self) >= _MOST_RUNS:
                self.clear()
            self[run] = folded
        return folded

    def fold(self, text: bytes) -> bytes | None:
        """Return the text with all but ASCII folded, a space for what is in no word; None if that takes more."""
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
    """Return a text with frequent punctuation as ASCII, which changes no token; most of English is ASCII then."""
    first, *others = text.split(b"\xe2\x80")
    parts = [first]
    for other in others:
        plain = _PUNCTUATION.get(other[0]) if other else None
        parts += (b"\xe2\x80", other) if plain is None else (plain, other[1:])
    return b"".join(parts).replace(b"\xc2\xa0", b" ")
