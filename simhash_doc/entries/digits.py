"""The digits of fingerprints: decimal, hexadecimal or base32, of one text or of many as arrays.

`parse_digits` reads one text. `decode_digits` reads many texts as arrays, and leaves out what does not fit there, for
example hexadecimal digits in upper case.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from simhash_doc.arrays import lanes_from_bytes, lanes_from_ints
from simhash_doc.base32 import decode_array
from simhash_doc.entries import UnreadableLineError
from simhash_doc.entries.format_names import DIGITS
from simhash_doc.errors import MalformedFingerprintError, shown
from simhash_doc.fingerprint import CUSTOM_SUFFIX, Fingerprint
from simhash_doc.schemes import Scheme, get_scheme, get_schemes

_HEX_LINE = re.compile(r"(0[xX])?([0-9a-fA-F]+)", re.ASCII)
_INVALID = 255  # not the union of the bits of any digits, which are below 16
_MOST_DECIMAL = 20  # digits of 2^64 - 1

# The value of each hexadecimal digit in lower case, by its ASCII code.
_HEXADECIMAL = np.full(256, _INVALID, np.uint8)
_HEXADECIMAL[np.frombuffer(b"0123456789abcdef", np.uint8)] = np.arange(16, dtype=np.uint8)


def parse_digits(text: str, form: str, scheme: Scheme | None = None) -> Fingerprint:
    """Return the fingerprint of a text.

    Args:
        text: the digits, without white space at their ends.
        form: one of `DIGITS`.
        scheme: the scheme of digits that do not name one; None to infer it from their number.

    Raises:
        UnreadableLineError: it is not a fingerprint in this form.
        SpecError: it is malformed.
    """
    return _PARSERS[form](text, scheme)


def _decimal(line: str, scheme: Scheme | None) -> Fingerprint:
    expected = scheme or get_scheme("sd64")
    if not (line.isascii() and line.isdigit()):
        if line.startswith("-") and line[1:].isdigit():
            raise UnreadableLineError(f"{shown(line)} is negative; a fingerprint is in 0 to 2^{expected.bits} - 1")
        raise UnreadableLineError(f"{shown(line)} is not a decimal integer")
    # 2^10 is over 10^3, so that no longer text is converted.
    if len(line) > expected.bits // 3 or int(line) >= 1 << expected.bits:
        hint = "" if scheme else ": write wider fingerprints in hexadecimal or base32"
        raise UnreadableLineError(f"{shown(line)} is over 2^{expected.bits} - 1{hint}")
    return Fingerprint(int(line), expected.id)


def _hexadecimal(line: str, scheme: Scheme | None) -> Fingerprint:
    match = _HEX_LINE.fullmatch(line)
    digits = match[2] if match else ""
    widths = {known.bits // 4: known for known in get_schemes().values()}
    fitting = widths.get(len(digits))
    if match and match[1] and fitting is None and len(digits) < min(widths):  # a number, of which zeros are left out
        fitting = scheme or widths[min(widths)]
    if not digits or fitting is None:
        expected = " or ".join(f"{width} ({known.id})" for width, known in sorted(widths.items()))
        raise UnreadableLineError(f"{shown(line)} is not a number of {expected} hexadecimal digits")
    return Fingerprint(int(digits, 16), fitting.id)


def _base32(line: str, scheme: Scheme | None) -> Fingerprint:
    try:
        return Fingerprint.parse(line)
    except MalformedFingerprintError as error:
        raise UnreadableLineError(f"not a fingerprint in decimal, hexadecimal or base32: {error}") from error


_PARSERS: dict[str, Callable[[str, Scheme | None], Fingerprint]] = dict(
    zip(DIGITS, (_hexadecimal, _decimal, _base32), strict=True)
)


class Decoded(NamedTuple):
    """Fingerprints of one scheme, decoded as arrays.

    Attributes:
        places: positions of the texts that were read, ascending, shape (n,).
        values: the fingerprints, shape (n, lanes).
        canonical: False for each that is customized, shape (n,).
    """

    places: npt.NDArray[np.int64]
    values: npt.NDArray[np.uint64]
    canonical: npt.NDArray[np.bool_]


def decode_digits(texts: Sequence[str], form: str, scheme: Scheme) -> Decoded:
    """Read texts of digits of one scheme as arrays, many times faster than `parse_digits`.

    Others, and some valid ones such as a scheme in upper case, are left out.

    Args:
        texts: the texts, without white space at their ends.
        form: decimal, hex or base32.
        scheme: the scheme of the texts.
    """
    if form == "decimal":
        return _decode_decimal(texts if scheme.lanes == 1 else ())
    prefixes: tuple[str, ...]
    if form == "hex":
        prefixes, count, decode = ("", "0x"), scheme.bits // 4, _from_hexadecimal
    else:
        prefixes, count = ("", f"{scheme.id}:", f"{scheme.id}{CUSTOM_SUFFIX}:"), scheme.characters
        decode = decode_array
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    values, read = np.zeros((len(texts), scheme.lanes), np.uint64), np.zeros(len(texts), np.bool_)
    canonical = np.ones(len(texts), np.bool_)
    for prefix in prefixes:
        at = np.flatnonzero(lengths == len(prefix) + count)
        chosen = texts if len(at) == len(texts) else map(texts.__getitem__, at.tolist())
        data = "".join(chosen).encode("ascii", "replace")
        characters = np.frombuffer(data, np.uint8).reshape(len(at), len(prefix) + count)
        values[at], valid = decode(characters[:, len(prefix) :])
        valid &= np.all(characters[:, : len(prefix)] == np.frombuffer(prefix.encode(), np.uint8), axis=1)
        read[at] = valid
        canonical[at] = CUSTOM_SUFFIX not in prefix
    return Decoded(np.flatnonzero(read), values[read], canonical[read])


def _from_hexadecimal(digits: npt.NDArray[np.uint8]) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.bool_]]:
    """Return the values of digits in lower case, and which are well-formed, as `decode_array` does for base32."""
    numbers = _HEXADECIMAL[digits]
    pairs = (numbers[:, ::2] << 4) | (numbers[:, 1::2] & 15)
    values = lanes_from_bytes(np.ascontiguousarray(pairs).reshape(-1), digits.shape[1] // 16)
    return values, functools.reduce(np.bitwise_or, numbers.T) != _INVALID


def _decode_decimal(texts: Sequence[str]) -> Decoded:
    places = [at for at, text in enumerate(texts) if len(text) <= _MOST_DECIMAL and text.isascii() and text.isdigit()]
    numbers = [int(texts[at]) for at in places]
    if max(numbers, default=0) >> 64:
        places = [at for at, number in zip(places, numbers, strict=True) if not number >> 64]
        numbers = [number for number in numbers if not number >> 64]
    return Decoded(np.array(places, np.int64), lanes_from_ints(numbers, 1), np.ones(len(places), np.bool_))
