"""Folded text cut into tokens (SD-RUN-1 to SD-FILTER-2), links left out, each token counted."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from simhash_doc.bulk.compiled.counting import add
from simhash_doc.bulk.compiled.links import ends_link, is_ascii_word, is_mark, link_end, may_be_link
from simhash_doc.bulk.compiled.memory import byte_at
from simhash_doc.bulk.compiled.tables import ALPHABETIC, CONNECTOR, CONTINUA, WORD
from simhash_doc.bulk.compiled.utf8 import before, decode_sound


@njit
def _trimmed(text, start, end, classes):  # type: ignore[no-untyped-def]
    """Return a stretch without the connectors at its ends (SD-FILTER-1); it holds another character."""
    code_point, size = decode_sound(text, start)
    while byte_at(classes, code_point) & CONNECTOR:
        start += size
        code_point, size = decode_sound(text, start)
    last = before(text, end)
    while byte_at(classes, decode_sound(text, last)[0]) & CONNECTOR:
        end = last
        last = before(text, end)
    return start, end


def _ascii_kinds() -> npt.NDArray[np.uint8]:
    kinds = np.zeros(256, np.uint8)
    for byte in b"abcdefghijklmnopqrstuvwxyz":
        kinds[byte] = WORD | ALPHABETIC
    for byte in b"0123456789":
        kinds[byte] = WORD
    kinds[ord("_")] = WORD | CONNECTOR
    return kinds


# Of a byte of folded text: what the character is, and 0 if it is not ASCII.
_ASCII_KINDS = _ascii_kinds()


@njit
def _count_bigrams(text, at, end, table, key, classes):  # type: ignore[no-untyped-def]
    """Count the tokens of the stretch of scriptio continua at an index; return its end."""
    first = previous = at
    code_point, size = decode_sound(text, at)
    previous_kind = byte_at(classes, code_point)
    at += size
    while at < end:
        code_point, size = decode_sound(text, at)
        kind = byte_at(classes, code_point)
        if kind & (WORD | CONTINUA) != WORD | CONTINUA:
            break
        if (kind | previous_kind) & ALPHABETIC:
            add(text, previous, at + size, 1, table, key)
        previous, previous_kind = at, kind
        at += size
    if previous == first and previous_kind & ALPHABETIC:
        add(text, first, at, 1, table, key)
    return at


@njit
def count_tokens(text, start, end, table, key, classes):  # type: ignore[no-untyped-def]
    """Count the tokens of text[start:end], which begins and ends where text may be cut."""
    at = mark = start
    while at < end:
        byte = byte_at(text, at)
        kind = byte_at(_ASCII_KINDS, byte)
        if byte >= 0x80:
            code_point, size = decode_sound(text, at)
            kind = byte_at(classes, code_point)
            if not kind & WORD:
                at += size
                continue
            if kind & CONTINUA:
                at = _count_bigrams(text, at, end, table, key, classes)
                continue
        elif not kind:
            at += 1
            continue
        # A whole stretch. Each run of ASCII word characters in it may begin a link, which ends it.
        begin = at
        kinds = 0
        behind = -1
        while True:
            if byte < 0x80:
                if at == start or not is_ascii_word(byte_at(text, at - 1)):
                    while mark < end and (mark < at or not is_mark(byte_at(text, mark))):
                        mark += 1
                    if may_be_link(text, at, end, mark):
                        behind = link_end(text, at, end, mark)
                        if behind >= 0:
                            break
                while kind:
                    kinds |= kind
                    at += 1
                    if at >= end:
                        break
                    byte = byte_at(text, at)
                    kind = byte_at(_ASCII_KINDS, byte)
            else:
                kinds |= kind
                at += size
                if at < end:
                    byte = byte_at(text, at)
                    kind = byte_at(_ASCII_KINDS, byte)
            if at >= end:
                break
            if byte >= 0x80:
                code_point, size = decode_sound(text, at)
                kind = byte_at(classes, code_point)
            if kind & (WORD | CONTINUA) != WORD:
                break
        if kinds & ALPHABETIC:
            if kinds & CONNECTOR:
                first, last = _trimmed(text, begin, at, classes)
                add(text, first, last, 1, table, key)
            else:
                add(text, begin, at, 1, table, key)
        if behind >= 0:
            at = behind


@njit
def last_cut(text, stable, classes):  # type: ignore[no-untyped-def]
    """Return where the tokens of text[:stable] may be counted up to, and where what is left begins.

    Text is cut before a character that is in no word and no link. A long stretch of scriptio
    continua is cut inside it: the last character counted is the first of what is left, so that
    no bigram is lost, and neither part is a stretch of one. 0, 0 if there is no such place.
    """
    at = stable
    row = 0  # characters of scriptio continua from `at` on
    next_one = at
    while at > 0:
        behind = next_one
        next_one = at
        at = before(text, at)
        if at == 0:
            break
        byte = byte_at(text, at)
        if byte < 0x80:
            if ends_link(byte):
                return at, at
            row = 0
            continue
        code_point, _ = decode_sound(text, at)
        kind = byte_at(classes, code_point)
        if not kind & WORD:
            return at, at
        row = row + 1 if kind & CONTINUA else 0
        if row == 3:
            return behind, next_one
    return 0, 0
