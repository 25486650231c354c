"""Folding of UTF-8 bytes in one pass, over any number of calls (SD-FOLD-1 to SD-FOLD-5).

Nearly all characters are copied one by one from the input to the folded text. Where a character may be reordered or
composed, the folded text is read again from its last starter on, decomposed, and normalized up to the next character
that is certain to begin a new sequence.
"""

from __future__ import annotations

import numpy as np

from simhash_doc import unicode_data
from simhash_doc.engines.numba.intrinsics import (
    bits_in_range,
    byte_at,
    copy_in_lower_case,
    eight_at,
    four_at,
    inlined,
    inner,
    int64_item,
    put_byte,
    put_eight,
    put_four,
    put_int64,
    put_uint32,
    trailing_zeros,
    uint32_item,
    uint64_item,
)
from simhash_doc.engines.unicode_tables import COPY, DROP, KEEP, MARK, NORMALIZE, PAIRS, SECOND
from simhash_doc.reference import NONSTARTER_LIMIT

REPLACEMENT = ord(unicode_data.REPLACEMENT)
_F, _3F, _FC0 = (np.uint64(bits) for bits in (0xF, 0x3F, 0xFC0))
_1F = np.uint64(0x1F)
_2, _6, _8, _12, _16 = (np.uint64(shift) for shift in (2, 6, 8, 12, 16))


@inlined
def decode(data, at, end):
    """Return the code point at an index, and the number of its bytes; U+FFFD and 1 at an ill-formed byte.

    One U+FFFD per byte is more than one per maximal subpart (SD-INPUT-2), at the same positions. Several in a row
    separate words and end links in the same way as one.
    """
    lead = byte_at(data, at)
    if lead < 0x80:
        return lead, 1
    if lead < 0xE0:
        if lead >= 0xC2 and at + 1 < end:
            second = byte_at(data, at + 1)
            if second & 0xC0 == 0x80:
                return (lead & 0x1F) << 6 | second & 0x3F, 2
    elif lead < 0xF0:
        if at + 2 < end:
            second, third = byte_at(data, at + 1), byte_at(data, at + 2)
            code_point = (lead & 0x0F) << 12 | (second & 0x3F) << 6 | third & 0x3F
            if second & 0xC0 == 0x80 and third & 0xC0 == 0x80 and code_point >= 0x800 and code_point >> 11 != 0x1B:
                return code_point, 3
    elif lead < 0xF5 and at + 3 < end:
        second, third, fourth = byte_at(data, at + 1), byte_at(data, at + 2), byte_at(data, at + 3)
        code_point = (lead & 0x07) << 18 | (second & 0x3F) << 12 | (third & 0x3F) << 6 | fourth & 0x3F
        continued = second & 0xC0 == 0x80 and third & 0xC0 == 0x80 and fourth & 0xC0 == 0x80
        if continued and 0x10000 <= code_point < 0x110000:
            return code_point, 4
    return REPLACEMENT, 1


@inlined
def two_bytes(four):
    """Return the code point of 110xxxxx 10xxxxxx, the lower two bytes of an integer."""
    return np.int64((four & _1F) << _6 | (four >> _8 & _3F))


@inlined
def three_bytes(four):
    """Return the code point of 1110xxxx 10xxxxxx 10xxxxxx, the lower three bytes of an integer."""
    return np.int64((four & _F) << _12 | (four >> _2 & _FC0) | (four >> _16 & _3F))


@inlined
def decode_valid(data, at):
    """Return the code point at an index of well-formed UTF-8, and the number of its bytes.

    A byte after a character of three bytes may be read, and is ignored.
    """
    lead = byte_at(data, at)
    if lead < 0x80:
        return lead, 1
    if lead < 0xE0:
        return (lead & 0x1F) << 6 | byte_at(data, at + 1) & 0x3F, 2
    if lead < 0xF0:
        return three_bytes(four_at(data, at)), 3
    return (
        (lead & 0x07) << 18
        | (byte_at(data, at + 1) & 0x3F) << 12
        | (byte_at(data, at + 2) & 0x3F) << 6
        | byte_at(data, at + 3) & 0x3F
    ), 4


@inlined
def encode(data, at, code_point):
    """Write a code point at an index, where four bytes are free; return the index after it."""
    if code_point < 0x80:
        put_byte(data, at, code_point)
        return at + 1
    if code_point < 0x800:
        put_four(data, at, 0x80C0 | code_point >> 6 | (code_point & 0x3F) << 8)
        return at + 2
    if code_point < 0x10000:
        put_four(data, at, 0x8080E0 | code_point >> 12 | (code_point >> 6 & 0x3F) << 8 | (code_point & 0x3F) << 16)
        return at + 3
    put_four(
        data,
        at,
        0x808080F0
        | code_point >> 18
        | (code_point >> 12 & 0x3F) << 8
        | (code_point >> 6 & 0x3F) << 16
        | (code_point & 0x3F) << 24,
    )
    return at + 4


@inlined
def before(data, at):
    """Return the index of the character that ends at an index of well-formed UTF-8."""
    at -= 1
    while byte_at(data, at) & 0xC0 == 0x80:
        at -= 1
    return at


# State between calls, in an array of int64.
FILLED = 0  # bytes of folded text
LAST = 1  # index of the last starter in the folded text, whose marks follow it; -1 if there is none
LAST_CLASS = 2  # combining class of the last character of the folded text
RUN = 3  # number of non-starters at the end of the folded text, or pending
PENDING = 4  # 1 while normalizing: a starter and its marks are not in the folded text yet
STARTER = 5  # pending starter, or -1
STATE_SIZE = 6
# 256 bytes that one step may fill (a starter, 30 marks, a mapping to 18 characters), and as many after the text, which
# may be read with it.
MARGIN = 512
MARKS_SIZE = 2 * (NONSTARTER_LIMIT + 1) + 2  # pending marks, followed by the characters that are read again

_LOW = np.uint64(0x7F7F7F7F7F7F7F7F)
_HIGH = np.uint64(0x8080808080808080)
_FROM_A = np.uint64(0x3F3F3F3F3F3F3F3F)  # 0x80 - "A" in each byte
_ABOVE_Z = np.uint64(0x2525252525252525)  # 0x80 - "Z" - 1
_high_bits = bits_in_range(0x80, 0xFF)
_TWO = np.uint64(2)
_MIX = np.uint64(0x9E3779B97F4A7C15)
_MIXED = np.uint64(40)
_EMPTY = ~np.uint64(0)
# A character of three bytes, 1110xxxx 10xxxxxx 10xxxxxx, as an integer of four.
_SHAPE_OF_TWO, _TWO_BYTES = np.uint64(0xC0E0), np.uint64(0x80C0)
_SHAPE, _THREE = np.uint64(0xC0C0F0), np.uint64(0x8080E0)


@inner
def composite(first, second, tables):
    """Return the composite of two characters, or -1 if there is none."""
    key = np.uint64(first << 21 | second)
    place = np.int64((key * _MIX) >> _MIXED) & (PAIRS - 1)
    while True:
        found = uint64_item(tables.pairs, place)
        if found == key:
            return uint32_item(tables.composites, place)
        if found == _EMPTY:
            return -1
        place = (place + 1) & (PAIRS - 1)


@inner
def _flush(scratch, state, marks, tables):
    """Reorder the pending marks and compose them with the pending starter; the state gets the number of marks left."""
    count = int64_item(state, RUN)
    if count > NONSTARTER_LIMIT:  # SD-FOLD-4
        if int64_item(state, STARTER) >= 0:
            put_int64(state, FILLED, encode(scratch, int64_item(state, FILLED), int64_item(state, STARTER)))
        put_int64(state, STARTER, REPLACEMENT)
        put_int64(state, RUN, 0)
        return
    for i in range(1, count):
        mark = uint32_item(marks, i)
        rank = byte_at(tables.ccc, mark)
        j = i
        while j > 0 and byte_at(tables.ccc, uint32_item(marks, j - 1)) > rank:
            put_uint32(marks, j, uint32_item(marks, j - 1))
            j -= 1
        put_uint32(marks, j, mark)
    if int64_item(state, STARTER) >= 0:
        left = 0
        blocking = 0
        for i in range(count):
            rank = byte_at(tables.ccc, uint32_item(marks, i))
            composed = np.int64(-1)
            if rank > blocking:
                composed = composite(int64_item(state, STARTER), uint32_item(marks, i), tables)
            if composed >= 0:
                put_int64(state, STARTER, composed)
            else:
                put_uint32(marks, left, uint32_item(marks, i))
                left += 1
                blocking = rank
        put_int64(state, RUN, left)


@inner
def _write_pending(scratch, state, marks):
    """Append the pending starter and marks to the folded text."""
    at = int64_item(state, FILLED)
    if int64_item(state, STARTER) >= 0:
        at = encode(scratch, at, int64_item(state, STARTER))
    for i in range(int64_item(state, RUN)):
        at = encode(scratch, at, uint32_item(marks, i))
    put_int64(state, FILLED, at)
    put_int64(state, STARTER, -1)
    put_int64(state, RUN, 0)


@inner
def _push(code_point, scratch, state, marks, tables):
    """Process the next character of the decomposed text."""
    if byte_at(tables.ccc, code_point):
        if int64_item(state, RUN) < NONSTARTER_LIMIT:
            put_uint32(marks, int64_item(state, RUN), code_point)
        if int64_item(state, RUN) <= NONSTARTER_LIMIT:
            put_int64(state, RUN, int64_item(state, RUN) + 1)
        return
    _flush(scratch, state, marks, tables)
    if int64_item(state, STARTER) >= 0 and int64_item(state, RUN) == 0:
        composed = composite(int64_item(state, STARTER), code_point, tables)
        if composed >= 0:
            put_int64(state, STARTER, composed)
            return
    _write_pending(scratch, state, marks)
    put_int64(state, STARTER, code_point)


@inner
def _push_decomposed(code_point, scratch, state, marks, tables):
    """Process the NFD of the mapping of a character."""
    record = uint32_item(tables.records, code_point)
    if record == 0:
        _push(code_point, scratch, state, marks, tables)
    for i in range(uint32_item(tables.nfd_starts, record), uint32_item(tables.nfd_starts, record + 1)):
        _push(uint32_item(tables.nfd, i), scratch, state, marks, tables)


@inner
def _normalize(data, at, end, final, scratch, room, state, marks, tables):
    """Normalize up to the next character that begins a new sequence; return the index after the last byte read."""
    if not int64_item(state, PENDING):
        put_int64(state, PENDING, 1)
        put_int64(state, STARTER, -1)
        put_int64(state, RUN, 0)
        if int64_item(state, LAST) >= 0:
            again, filled = int64_item(state, LAST), int64_item(state, FILLED)
            # The output of this loop is not longer than its input, so no unread character is overwritten.
            put_int64(state, FILLED, again)
            count = 0
            while again < filled:
                code_point, size = decode_valid(scratch, again)
                put_uint32(marks, NONSTARTER_LIMIT + 1 + count, code_point)
                count += 1
                again += size
            for i in range(count):
                _push_decomposed(uint32_item(marks, NONSTARTER_LIMIT + 1 + i), scratch, state, marks, tables)
    limit = room - MARGIN
    while at < end and int64_item(state, FILLED) < limit:
        if not final and end - at < 4 and byte_at(data, at) >= 0x80:
            return at
        code_point, size = decode(data, at, end)
        action = byte_at(tables.actions, code_point)
        if action == KEEP or action == COPY:
            break
        if action != DROP:
            _push_decomposed(code_point, scratch, state, marks, tables)
        at += size
    else:
        if not (final and at >= end):
            return at
    _flush(scratch, state, marks, tables)
    _write_pending(scratch, state, marks)
    put_int64(state, PENDING, 0)
    put_int64(state, LAST, -1)
    return at


@inner
def fold(data, at, end, final, scratch, room, state, marks, tables):
    """Append the folded form of data[at:end] to the scratch until it is full; return the end of what was read.

    Unless `final`, up to three bytes of an incomplete character remain unread.
    """
    limit = room - MARGIN
    while True:
        if int64_item(state, PENDING):
            at = _normalize(data, at, end, final, scratch, room, state, marks, tables)
            if int64_item(state, PENDING):
                return at
        out, last = int64_item(state, FILLED), int64_item(state, LAST)
        last_class, run = int64_item(state, LAST_CLASS), int64_item(state, RUN)
        action = KEEP
        while at < end and out < limit:
            while at + 64 <= end and out < limit:
                if _high_bits(data, at):
                    break
                copy_in_lower_case(data, at, scratch, out)
                at += 64
                out += 64
                last = out - 1
                last_class = run = 0
            while at + 8 <= end and out < limit:
                eight = eight_at(data, at)
                capitals = ((eight & _LOW) + _FROM_A) & ~((eight & _LOW) + _ABOVE_Z) & ~eight & _HIGH
                put_eight(scratch, out, eight | capitals >> _TWO)
                ascii_bytes = trailing_zeros(eight & _HIGH) >> 3
                if ascii_bytes:
                    last = out + ascii_bytes - 1
                    last_class = run = 0
                    at += ascii_bytes
                    out += ascii_bytes
                if ascii_bytes < 8:
                    break
            if at >= end or out >= limit:
                break
            lead = byte_at(data, at)
            if lead < 0x80:
                put_byte(scratch, out, lead | 0x20 if 0x41 <= lead <= 0x5A else lead)
                last = out
                last_class = run = 0
                out += 1
                at += 1
                continue
            if not final and end - at < 4:
                break
            # Sequences of unchanged characters of two bytes, such as nearly all of Russian.
            while at + 4 <= end and out < limit:
                four = four_at(data, at)
                code_point = two_bytes(four)
                if (
                    four & _SHAPE_OF_TWO != _TWO_BYTES
                    or code_point < 0x80
                    or byte_at(tables.actions, code_point) != KEEP
                ):
                    break
                put_four(scratch, out, four)
                last = out
                last_class = run = 0
                at += 2
                out += 2
            # Sequences of unchanged characters of three bytes, such as nearly all of Chinese.
            while at + 4 <= end and out < limit:
                four = four_at(data, at)
                code_point = three_bytes(four)
                if four & _SHAPE != _THREE or code_point < 0x800 or byte_at(tables.actions, code_point) != KEEP:
                    break
                put_four(scratch, out, four)
                last = out
                last_class = run = 0
                at += 3
                out += 3
            if at >= end or out >= limit or byte_at(data, at) < 0x80 or (not final and end - at < 4):
                continue
            code_point, size = decode(data, at, end)
            action = byte_at(tables.actions, code_point)
            if action == KEEP:
                last = out
                last_class = run = 0
                if size > 1 and at + 4 <= end:
                    put_four(scratch, out, four_at(data, at))
                    out += size
                else:
                    out = encode(scratch, out, code_point)
            elif action == COPY:
                record = uint32_item(tables.records, code_point)
                first, after = uint32_item(tables.copy_starts, record), uint32_item(tables.copy_starts, record + 1)
                for i in range(0, after - first, 8):
                    put_eight(scratch, out + i, eight_at(tables.copied, first + i))
                out += after - first
                last = out - 1
                while byte_at(scratch, last) & 0xC0 == 0x80:
                    last -= 1
                last_class = run = 0
            elif action == DROP:
                pass
            else:
                # A mark or a second that stays in place, after a starter that does not decompose.
                if action == NORMALIZE or last < 0 or run >= NONSTARTER_LIMIT - 1:
                    break
                rank = byte_at(tables.ccc, code_point)
                starter, _ = decode_valid(scratch, last)
                if rank and (uint32_item(tables.records, starter) or rank < last_class):
                    break
                if action == SECOND and (rank or last_class == 0) and composite(starter, code_point, tables) >= 0:
                    break
                if rank:
                    run += 1
                else:
                    run = 0
                    last = out
                last_class = rank
                out = encode(scratch, out, code_point)
            at += size
            action = KEEP
        put_int64(state, FILLED, out)
        put_int64(state, LAST, last)
        put_int64(state, LAST_CLASS, last_class)
        put_int64(state, RUN, run)
        if action < MARK:
            return at
        at = _normalize(data, at, end, final, scratch, room, state, marks, tables)
