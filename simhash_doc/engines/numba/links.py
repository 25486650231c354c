"""Links in folded text, matched where one can start (SD-LINK-1 to SD-LINK-8).

A test is cheap where there is no link: only `:` and `@`, "www.", "10." or hexadecimal digits lead to further tests.
Each form reads a bounded number of bytes before it fails.
"""

from __future__ import annotations

import numpy as np

from simhash_doc.engines.numba.intrinsics import byte_at, eight_at, inlined, inner

# Classes of ASCII characters in folded text.
_ALPHA, _DIGIT, _HEX, _WORD, _TAIL, _SCHEME, _LOCAL, _LABEL = (np.int64(1 << i) for i in range(8))


def _classes() -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    alpha, digit = "abcdefghijklmnopqrstuvwxyz", "0123456789"
    alphabets = {
        _ALPHA: alpha,
        _DIGIT: digit,
        _HEX: digit + "abcdef",
        _WORD: alpha + digit + "_",
        _TAIL: alpha + digit + "._~:/?#[]@!$&'()*+,;=%-",
        _SCHEME: alpha + digit + "+.-",
        _LOCAL: alpha + digit + "._%+-",
        _LABEL: alpha + digit + "-",
    }
    classes = np.zeros(256, np.uint8)
    for flag, alphabet in alphabets.items():
        classes[[ord(character) for character in alphabet]] |= np.uint8(flag)
    return classes


CLASSES = _classes()
_AT, _COLON, _SLASH, _DOT, _HYPHEN = (np.int64(ord(character)) for character in "@:/.-")


@inlined
def is_ascii_word(byte, kinds):
    return byte_at(kinds, byte) & _WORD != 0


@inlined
def ends_link(byte, kinds):
    """Return True if an ASCII character is neither in a word nor in a link, so that text may be cut before it."""
    return byte_at(kinds, byte) & (_WORD | _TAIL) == 0


@inlined
def is_mark(byte):
    return byte == _COLON or byte == _AT


@inlined
def _has(text, at, end, flag, kinds):
    return at < end and byte_at(kinds, byte_at(text, at)) & flag != 0


@inlined
def _is(text, at, end, byte):
    return 0 <= at < end and byte_at(text, at) == byte


@inner
def _while(text, at, end, flag, limit, kinds):
    """Return the end of at most `limit` characters of a class."""
    end = min(end, at + limit)
    while at < end and byte_at(kinds, byte_at(text, at)) & flag != 0:
        at += 1
    return at


@inlined
def _starts(text, at, end, word):
    """Return True if text[at:end] starts with a word of at most eight bytes. Up to seven bytes after it are read."""
    letters, unused = word
    return eight_at(text, at) << unused == letters and at + 8 - np.int64(unused >> _THREE) <= end


def _word(text: str) -> tuple[np.uint64, np.uint64]:
    """Return the bytes of a word in the upper bytes of an integer, and the number of bits below them."""
    unused = 8 * (8 - len(text))
    return np.uint64(int.from_bytes(text.encode(), "little") << unused), np.uint64(unused)


_THREE = np.uint64(3)
_GROUPS = tuple(np.int64(length) for length in (4, 4, 4, 12))
_DOI, _URN, _ARXIV, _HDL, _MAILTO, _WWW, _TEN = map(_word, ("doi:", "urn:", "arxiv:", "hdl:", "mailto:", "www.", "10."))
# Not literals, for each of which Numba would compile a function again.
_LABEL_MAX, _NINE, _SCHEME_MAX, _DIGEST_MAX, _ANY = (np.int64(n) for n in (63, 9, 32, 128, 1 << 62))


@inner
def domain_end(text, mark, end, kinds):
    """Return the end of the domain after the mark @, or -1: that of every address with this mark (SD-LINK-5)."""
    if not _is(text, mark, end, _AT):
        return -1
    label = _while(text, mark + 1, end, _LABEL, _LABEL_MAX, kinds)
    if label == mark + 1:
        return -1
    found = -1
    while _is(text, label, end, _DOT) and _has(text, label + 1, end, _LABEL, kinds):
        found = label = _while(text, label + 1, end, _LABEL, _LABEL_MAX, kinds)
    return found


@inner
def _local_end(text, at, end, kinds):
    """Return the end of the part of an address before the mark @, or -1."""
    if not _has(text, at, end, _ALPHA | _DIGIT, kinds):
        return -1
    return _while(text, at + 1, end, _LOCAL, _LABEL_MAX, kinds)


@inner
def _bare_doi(text, at, end, kinds):
    """Return the end of a DOI without "doi:", or -1 (SD-LINK-6)."""
    digits = at + 3
    at = _while(text, digits, end, _DIGIT, _NINE, kinds)
    if at - digits < 4:
        return -1
    for _ in range(3):
        if not (_is(text, at, end, _DOT) and _has(text, at + 1, end, _DIGIT, kinds)):
            break
        at = _while(text, at + 1, end, _DIGIT, _NINE, kinds)
    if not (_is(text, at, end, _SLASH) and _has(text, at + 1, end, _TAIL, kinds)):
        return -1
    return _while(text, at + 1, end, _TAIL, _ANY, kinds)


@inner
def _hexadecimal(text, at, end, kinds):
    """Return the end of a UUID or a digest, or -1 (SD-LINK-7, SD-LINK-8)."""
    digits = _while(text, at, end, _HEX, _DIGEST_MAX + 1, kinds)
    if 32 <= digits - at <= _DIGEST_MAX and not _has(text, digits, end, _WORD, kinds):
        return digits
    if digits - at != 8:
        return -1
    for length in _GROUPS:
        if not _is(text, digits, end, _HYPHEN):
            return -1
        start = digits + 1
        digits = _while(text, start, end, _HEX, length, kinds)
        if digits - start != length:
            return -1
    return -1 if _has(text, digits, end, _WORD, kinds) else digits


@inner
def link_end(text, at, end, mark, domain, kinds):
    """Return the end of the link that begins at an ASCII word character with none before it, or -1.

    Args:
        text: UTF-8 of folded text.
        end: end of the text, or of a part that no link crosses.
        kinds: the table `CLASSES`.
        mark: index of the first : or @ from `at` on, or `end`.
        domain: `domain_end` of the mark, which many places may share.
    """
    if _is(text, mark, end, _COLON):
        if mark - at <= _SCHEME_MAX and _is(text, mark + 1, end, _SLASH) and _is(text, mark + 2, end, _SLASH):
            if (
                _has(text, at, end, _ALPHA, kinds)
                and _while(text, at + 1, mark, _SCHEME, _SCHEME_MAX - 1, kinds) == mark
            ):
                return _while(text, mark + 3, end, _TAIL, _ANY, kinds)
        if mark - at <= 5 and _has(text, mark + 1, end, _ALPHA | _DIGIT, kinds):
            named = _starts(text, at, end, _DOI) or _starts(text, at, end, _URN) or _starts(text, at, end, _HDL)
            if named or _starts(text, at, end, _ARXIV):
                return _while(text, mark + 1, end, _TAIL, _ANY, kinds)
    if _starts(text, at, end, _WWW):
        label = _while(text, at + 4, end, _LABEL, _LABEL_MAX, kinds)
        if label > at + 4 and _is(text, label, end, _DOT):
            return _while(text, label + 1, end, _TAIL, _ANY, kinds)
    if mark - at <= 64:
        if _starts(text, at, end, _MAILTO):
            found = domain_end(text, _local_end(text, at + 7, end, kinds), end, kinds)
            if found >= 0:
                return found
        elif domain >= 0 and _local_end(text, at, end, kinds) == mark:
            return domain
    if _starts(text, at, end, _TEN):
        found = _bare_doi(text, at, end, kinds)
        if found >= 0:
            return found
    return _hexadecimal(text, at, end, kinds)
