"""Fingerprints in base32, lower case and without padding (SD-TEXT-1 to SD-TEXT-4): single ones, and arrays of them.

The reference has its own form, clause by clause. It also says what is wrong with digits that are malformed.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from simhash_doc.schemes import Scheme

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

# NumPy is imported where it is used: single fingerprints do without it, and `import simhash_doc` is meant to be cheap.

_DIGITS = "abcdefghijklmnopqrstuvwxyz234567"
_DIGITS_OF_INT = "0123456789abcdefghijklmnopqrstuv"
_AS_INTEGER = dict.fromkeys(range(128), "z")  # no digit of int() to the base 32
for _digits in (_DIGITS, _DIGITS.upper()):
    _AS_INTEGER.update(zip(map(ord, _digits), _DIGITS_OF_INT, strict=True))
_INVALID = 255  # not the union of the bits of any digits, which are below 32


def encode(data: bytes) -> str:
    """Return the digits of a fingerprint, given as bytes, most significant first.

    >>> encode(bytes.fromhex("5823032212128420"))
    'larqgiqsckcca'
    """
    from base64 import b32encode

    return b32encode(data).decode("ascii").rstrip("=").lower()


def decode(digits: str, scheme: Scheme) -> int | None:
    """Return the value of well-formed digits of a scheme, in lower or upper case; None for others."""
    if len(digits) != scheme.characters or not digits.isascii():
        return None
    try:
        value = int(digits.translate(_AS_INTEGER), 32)
    except ValueError:
        return None
    spare = 5 * scheme.characters - scheme.bits
    return None if value & (1 << spare) - 1 else value >> spare


def encode_array(values: npt.NDArray[np.uint64]) -> npt.NDArray[np.bytes_]:
    """Return the digits of fingerprints.

    Args:
        values: shape (n, lanes), lane 0 first.

    Returns:
        Shape (n,), ASCII; all have the length that the scheme prescribes.

    >>> import numpy as np
    >>> encode_array(np.array([[0x5823032212128420]], np.uint64)).tolist()
    [b'larqgiqsckcca']
    """
    import numpy as np

    lanes = np.ascontiguousarray(values.T)
    digits = np.zeros((-(-64 * len(lanes) // 5), len(values)), np.uint8)
    for digit, lane, shift in _parts(len(lanes)):
        part = lanes[lane] >> np.uint64(shift) if shift >= 0 else lanes[lane] << np.uint64(-shift)
        digits[digit] |= part.astype(np.uint8) & 31
    characters = np.frombuffer(_DIGITS.encode("ascii"), np.uint8)[np.ascontiguousarray(digits.T)]
    return characters.view(f"S{len(digits)}")[:, 0]


def decode_array(digits: npt.NDArray[np.uint8]) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.bool_]]:
    """Return the fingerprints with these digits, and which are well-formed; the values of others have no meaning.

    Args:
        digits: shape (n, characters), ASCII in lower or upper case; as many characters as a scheme prescribes.

    Returns:
        The fingerprints, shape (n, lanes), and a mask, shape (n,).

    >>> import numpy as np
    >>> decode_array(np.frombuffer(b"larqgiqsckccalarqgiqsckcc1", np.uint8).reshape(2, 13))[1].tolist()
    [True, False]
    """
    import numpy as np

    numbers = _numbers()[np.ascontiguousarray(digits.T)]
    valid = np.bitwise_or.reduce(numbers) != _INVALID
    valid &= numbers[-1] % (1 << 5 * len(numbers) % 64) == 0  # the spare bits
    lanes = np.zeros((5 * len(numbers) // 64, len(digits)), np.uint64)
    for digit, lane, shift in _parts(len(lanes)):
        part = numbers[digit].astype(np.uint64)
        lanes[lane] |= part << np.uint64(shift) if shift >= 0 else part >> np.uint64(-shift)
    return np.ascontiguousarray(lanes.T), valid


def _parts(lanes: int) -> Iterator[tuple[int, int, int]]:
    """Yield (digit, lane, shift) for each digit, and once more for one with bits of two lanes.

    `shift` is the number of bits of the lane behind the digit; less than 0 if the digit ends in the next lane, or in
    spare bits.
    """
    for lane in range(lanes):
        for digit in range(64 * lane // 5, (64 * lane + 63) // 5 + 1):
            yield digit, lane, 64 * (lane + 1) - 5 * (digit + 1)


@cache
def _numbers() -> npt.NDArray[np.uint8]:
    """Return the number of each character, shape (256,)."""
    import numpy as np

    numbers = np.full(256, _INVALID, np.uint8)
    for number, digit in enumerate(_DIGITS):
        numbers[[ord(digit), ord(digit.upper())]] = number
    return numbers
