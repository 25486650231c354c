"""Folded text cut into tokens (SD-RUN-1 to SD-FILTER-2), links left out, each token counted."""

from __future__ import annotations

from typing import Any

from numba import njit

from simhash_doc.bulk.compiled.counting import add, add_later, add_six, add_six_later, add_waiting
from simhash_doc.bulk.compiled.links import ends_link, is_ascii_word, is_mark, link_end, may_be_link
from simhash_doc.bulk.compiled.memory import byte_at, int64_item
from simhash_doc.bulk.compiled.token_table import AHEAD_FROM, ENTRIES
from simhash_doc.bulk.compiled.utf8 import before, decode_sound
from simhash_doc.bulk.tables import ALPHABETIC, CONNECTOR, CONTINUA, WORD


@njit
def _trimmed(text, start, end, tables):
    """Return a stretch without the connectors at its ends (SD-FILTER-1); it holds another character."""
    code_point, size = decode_sound(text, start)
    while byte_at(tables.classes, code_point) & CONNECTOR:
        start += size
        code_point, size = decode_sound(text, start)
    last = before(text, end)
    while byte_at(tables.classes, decode_sound(text, last)[0]) & CONNECTOR:
        end = last
        last = before(text, end)
    return start, end


def _counting(count: Any, count_six: Any) -> Any:
    """Return the loop that cuts text[start:end] into tokens and counts each at once, or as one that waits."""

    @njit
    def count_bigrams(text, at, end, table, tables):
        """Count the tokens of the stretch of scriptio continua at an index; return its end."""
        first = previous = at
        code_point, size = decode_sound(text, at)
        previous_kind = byte_at(tables.classes, code_point)
        at += size
        while at < end:
            code_point, size = decode_sound(text, at)
            kind = byte_at(tables.classes, code_point)
            if kind & (WORD | CONTINUA) != WORD | CONTINUA:
                break
            if (kind | previous_kind) & ALPHABETIC:
                if at + size - previous == 6:
                    count_six(text, previous, table)
                else:
                    count(text, previous, at + size, 1, table)
            previous, previous_kind = at, kind
            at += size
        if previous == first and previous_kind & ALPHABETIC:
            count(text, first, at, 1, table)
        return at

    @njit
    def cut(text, start, end, table, tables):
        at = mark = start
        while at < end:
            byte = byte_at(text, at)
            kind = byte_at(tables.ascii_kinds, byte)
            if byte >= 0x80:
                code_point, size = decode_sound(text, at)
                kind = byte_at(tables.classes, code_point)
                if not kind & WORD:
                    at += size
                    continue
                if kind & CONTINUA:
                    at = count_bigrams(text, at, end, table, tables)
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
                    if at == start or not is_ascii_word(byte_at(text, at - 1), tables.link_kinds):
                        while mark < end and (mark < at or not is_mark(byte_at(text, mark))):
                            mark += 1
                        if may_be_link(text, at, end, mark, tables.link_kinds):
                            behind = link_end(text, at, end, mark, tables.link_kinds)
                            if behind >= 0:
                                break
                    while kind:
                        kinds |= kind
                        at += 1
                        if at >= end:
                            break
                        byte = byte_at(text, at)
                        kind = byte_at(tables.ascii_kinds, byte)
                else:
                    kinds |= kind
                    at += size
                    if at < end:
                        byte = byte_at(text, at)
                        kind = byte_at(tables.ascii_kinds, byte)
                if at >= end:
                    break
                if byte >= 0x80:
                    code_point, size = decode_sound(text, at)
                    kind = byte_at(tables.classes, code_point)
                if kind & (WORD | CONTINUA) != WORD:
                    break
            if kinds & ALPHABETIC:
                if kinds & CONNECTOR:
                    first, last = _trimmed(text, begin, at, tables)
                    count(text, first, last, 1, table)
                else:
                    count(text, begin, at, 1, table)
            if behind >= 0:
                at = behind

    return cut


_count_now = _counting(add, add_six)
_count_later = _counting(add_later, add_six_later)


@njit
def count_tokens(text, start, end, table, tables):
    """Count the tokens of text[start:end], which begins and ends where text may be cut."""
    if int64_item(table.state, ENTRIES) < int64_item(table.state, AHEAD_FROM):
        _count_now(text, start, end, table, tables)
    else:
        _count_later(text, start, end, table, tables)
        add_waiting(text, table)


@njit
def last_cut(text, stable, tables):
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
            if ends_link(byte, tables.link_kinds):
                return at, at
            row = 0
            continue
        code_point, _ = decode_sound(text, at)
        kind = byte_at(tables.classes, code_point)
        if not kind & WORD:
            return at, at
        row = row + 1 if kind & CONTINUA else 0
        if row == 3:
            return behind, next_one
    return 0, 0
