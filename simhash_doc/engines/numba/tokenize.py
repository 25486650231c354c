"""Folded text cut into tokens, without links, and each token counted (SD-LINK-1 to SD-CAP-1)."""

from __future__ import annotations

from typing import Any

from simhash_doc.engines.numba.compiled import inner
from simhash_doc.engines.numba.hash_table import add, add_six, count_queued, enqueue, enqueue_six
from simhash_doc.engines.numba.hash_table_arrays import AHEAD_FROM, ENTRIES
from simhash_doc.engines.numba.links import ends_link, is_ascii_word, is_mark, link_end, may_be_link
from simhash_doc.engines.numba.raw_memory import byte_at, int64_item
from simhash_doc.engines.numba.utf8 import before, decode_valid
from simhash_doc.engines.unicode_tables import ALPHABETIC, CONNECTOR, CONTINUA, WORD


@inner
def _trimmed(text, start, end, tables):
    """Return a stretch without the connectors at its ends (SD-FILTER-1). It has a character of another kind."""
    code_point, size = decode_valid(text, start)
    while byte_at(tables.classes, code_point) & CONNECTOR:
        start += size
        code_point, size = decode_valid(text, start)
    last = before(text, end)
    while byte_at(tables.classes, decode_valid(text, last)[0]) & CONNECTOR:
        end = last
        last = before(text, end)
    return start, end


def _counting(count: Any, count_six: Any) -> Any:
    """Return the loop that cuts text[start:end] into tokens and passes each to one of two functions.

    Args:
        count: `add` or `enqueue`.
        count_six: the same for tokens of six bytes.
    """

    @inner
    def count_bigrams(text, at, end, table, tables):
        """Count the tokens of the stretch of scriptio continua at an index; return its end."""
        first = previous = at
        code_point, size = decode_valid(text, at)
        previous_kind = byte_at(tables.classes, code_point)
        at += size
        while at < end:
            code_point, size = decode_valid(text, at)
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

    @inner
    def cut(text, start, end, table, tables):
        at = mark = start
        while at < end:
            byte = byte_at(text, at)
            kind = byte_at(tables.ascii_kinds, byte)
            if byte >= 0x80:
                code_point, size = decode_valid(text, at)
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
            # A stretch that is one token. A link may begin at each run of ASCII word characters in it, and ends it.
            begin = at
            kinds = 0
            after_link = -1
            while True:
                if byte < 0x80:
                    if at == start or not is_ascii_word(byte_at(text, at - 1), tables.link_kinds):
                        while mark < end and (mark < at or not is_mark(byte_at(text, mark))):
                            mark += 1
                        if may_be_link(text, at, end, mark, tables.link_kinds):
                            after_link = link_end(text, at, end, mark, tables.link_kinds)
                            if after_link >= 0:
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
                    code_point, size = decode_valid(text, at)
                    kind = byte_at(tables.classes, code_point)
                if kind & (WORD | CONTINUA) != WORD:
                    break
            if kinds & ALPHABETIC:
                if kinds & CONNECTOR:
                    first, last = _trimmed(text, begin, at, tables)
                    count(text, first, last, 1, table)
                else:
                    count(text, begin, at, 1, table)
            if after_link >= 0:
                at = after_link

    return cut


_count_now = _counting(add, add_six)
_count_later = _counting(enqueue, enqueue_six)


@inner
def count_tokens(text, start, end, table, tables):
    """Count the tokens of text[start:end], whose ends are places where text may be cut."""
    if int64_item(table.state, ENTRIES) < int64_item(table.state, AHEAD_FROM):
        _count_now(text, start, end, table, tables)
    else:
        _count_later(text, start, end, table, tables)
        count_queued(text, table)


@inner
def last_cut(text, stable, tables):
    """Return the end of the part of text[:stable] that may be counted, and the start of the rest; 0, 0 if none is.

    Text is cut before a character that is in no word and no link. A long stretch of scriptio continua is cut inside
    it: the last character of the first part is also the first of the rest, so that no bigram is lost, and neither
    part is a stretch of one character.
    """
    at = stable
    row = 0  # characters of scriptio continua from `at` on
    next_one = at
    while at > 0:
        after_next = next_one
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
        code_point, _ = decode_valid(text, at)
        kind = byte_at(tables.classes, code_point)
        if not kind & WORD:
            return at, at
        row = row + 1 if kind & CONTINUA else 0
        if row == 3:
            return after_next, next_one
    return 0, 0
