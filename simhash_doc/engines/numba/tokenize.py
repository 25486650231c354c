"""Folded text cut into tokens, without links, and each token counted (SD-LINK-1 to SD-CAP-1)."""

from __future__ import annotations

import numpy as np
from numba import njit

from simhash_doc.engines.numba.fold import before, decode_valid
from simhash_doc.engines.numba.hash_table import count_queued, enqueue
from simhash_doc.engines.numba.intrinsics import (
    bits_in_range,
    byte_at,
    four_at,
    inlined,
    inner,
    leading_zeros,
    trailing_zeros,
)
from simhash_doc.engines.numba.links import domain_end, ends_link, is_ascii_word, is_mark, link_end
from simhash_doc.engines.unicode_tables import ALPHABETIC, CONNECTOR, CONTINUA, WORD

_letters, _digits = bits_in_range(0x61, 0x7A), bits_in_range(0x30, 0x39)
_connectors, _high = bits_in_range(0x5F, 0x5F), bits_in_range(0x80, 0xFF)
_first_bytes = bits_in_range(0xC0, 0xFF)  # of characters that are not ASCII
_ats, _colons, _slashes = (bits_in_range(ord(sign), ord(sign)) for sign in "@:/")
_ZERO, _ONE, _ALL = np.uint64(0), np.uint64(1), ~np.uint64(0)
_LAST_BIT = np.uint64(63)
_WORD, _ALPHABETIC, _CONNECTOR = np.uint64(WORD), np.uint64(ALPHABETIC), np.uint64(CONNECTOR)
_LETTER, _UNSPACED = np.uint64(WORD | ALPHABETIC), np.uint64(WORD | CONTINUA)


@inlined
def _link_signs(text, at):
    """Return the bits of the characters among 64 at which a link is recognized: @, and : before /."""
    return _ats(text, at) | (_colons(text, at) & _slashes(text, at + 1))


@inlined
def _may_begin_link(text, at, length):
    """Return False if a run of ASCII word characters begins no link that is recognized at another character."""
    first = four_at(text, at)
    following = byte_at(text, at + length)
    return (
        (following == 0x3A and length <= 6)  # "doi:" to "mailto:"
        or (following == 0x2D and length == 8)  # UUID
        or first == np.uint64(0x2E777777)  # "www."
        or first & np.uint64(0xFFFFFF) == np.uint64(0x2E3031)  # "10."
    )


@inner
def _classify(text, block, end, tables):
    """Return the bits of word characters, of alphabetic ones, and of those that need care, among 64 bytes.

    All bytes of a character have its bits. Connectors need care. The fourth result is the end of the characters that
    were classified: the bits end at the first character of scriptio continua.
    """
    letters = _letters(text, block)
    careful = _connectors(text, block)
    words = letters | _digits(text, block) | careful
    after = min(end, block + 64)
    inside = _ALL >> np.uint64(64 - (after - block))
    first_bytes = _first_bytes(text, block) & inside
    plain = _ZERO
    while first_bytes:
        place = trailing_zeros(first_bytes)
        code_point, size = decode_valid(text, block + place)
        kind = np.uint64(byte_at(tables.classes, code_point))
        shift = np.uint64(place)
        bits = ((_ONE << np.uint64(size)) - _ONE) << shift
        if kind == _LETTER:
            plain |= bits
        elif kind & _UNSPACED == _UNSPACED:
            inside &= (_ONE << shift) - _ONE
            return (words | plain) & inside, letters | plain, careful & inside, block + place
        elif kind & _WORD:
            words |= bits
            if kind & _ALPHABETIC:
                letters |= bits
            if kind & _CONNECTOR:
                careful |= bits
        first_bytes &= first_bytes - _ONE
    return (words | plain) & inside, letters | plain, careful & inside, after


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


@inlined
def _count_bigrams(text, at, end, table, tables):
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
            enqueue(text, previous, at + size, table)
        previous, previous_kind = at, kind
        at += size
    if previous == first and previous_kind & ALPHABETIC:
        enqueue(text, first, at, table)
    return at


@inner
def _count_stretch(text, at, end, mark, domain, table, tables):
    """Count the token that is the stretch at an index, or pass over a link in it. It is not scriptio continua.

    Returns the index after it, the next : or @, and the end of the domain after it (`domain_end`).
    """
    byte = byte_at(text, at)
    kind = byte_at(tables.ascii_kinds, byte)
    size = 1
    if byte >= 0x80:
        code_point, size = decode_valid(text, at)
        kind = byte_at(tables.classes, code_point)
    # A stretch that is one token. A link may begin at each run of ASCII word characters in it, and ends it.
    begin = at
    kinds = 0
    after_link = -1
    while True:
        if byte < 0x80:
            if at == 0 or not is_ascii_word(byte_at(text, at - 1), tables.link_kinds):
                if mark < at:
                    mark = at
                    while mark < end and not is_mark(byte_at(text, mark)):
                        mark += 1
                    domain = domain_end(text, mark, end, tables.link_kinds)
                after_link = link_end(text, at, end, mark, domain, tables.link_kinds)
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
            enqueue(text, first, last, table)
        else:
            enqueue(text, begin, at, table)
    return max(at, after_link), mark, domain


@inlined
def _count_unspaced(text, at, end, table, tables):
    """Count the tokens of stretches of scriptio continua and what separates them; return the index after them."""
    while at < end and byte_at(text, at) >= 0x80:
        code_point, size = decode_valid(text, at)
        kind = byte_at(tables.classes, code_point)
        if not kind & WORD:
            at += size
        elif kind & CONTINUA:
            at = _count_bigrams(text, at, end, table, tables)
        else:
            break
    return at


@njit(inline="always")
def count_tokens(text, end, table, tables):
    """Count the tokens of text[:end], whose ends are places where text may be cut."""
    at = np.int64(0)
    mark = domain = np.int64(-1)
    while at < end:
        block = at
        words, letters, careful, at = _classify(text, block, end, tables)
        unspaced = at < block + 64
        high = _high(text, block)
        signs, signs_after = _link_signs(text, block), _link_signs(text, block + 64)
        stretches = words
        while stretches:
            begin = trailing_zeros(stretches)
            shift = np.uint64(begin)
            length = trailing_zeros(~(words >> shift))
            after = begin + length
            if after == 64 and begin > 0:
                at = block + begin
                break
            run = (_ONE << np.uint64(length)) - _ONE
            # The ASCII word characters at the end of the stretch, in which a link may begin.
            ascii_at = begin + 64 - leading_zeros(high >> shift & run)
            if (
                length >= 32
                or careful >> shift & run
                or signs >> shift
                or signs_after << (_LAST_BIT - np.uint64(ascii_at))
                or _may_begin_link(text, block + ascii_at, after - ascii_at)
            ):
                following, mark, domain = _count_stretch(text, block + begin, end, mark, domain, table, tables)
                at = max(at, following)
                if following >= block + 64:
                    break
                after = following - block
            elif letters >> shift & run:
                enqueue(text, block + begin, block + after, table)
            stretches &= _ALL << np.uint64(after)
        if unspaced:
            at = _count_unspaced(text, at, end, table, tables)
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
