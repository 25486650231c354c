"""Code points in UTF-8 bytes."""

from __future__ import annotations

import numpy as np

from simhash_doc import unicode_data
from simhash_doc.engines.numba.compiled import inlined
from simhash_doc.engines.numba.raw_memory import byte_at, four_at, put_byte, put_four

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
