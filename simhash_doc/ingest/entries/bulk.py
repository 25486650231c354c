"""Lines of digits read as arrays: a million of them take a fraction of a second.

What does not fit here, such as upper case or white space, is left to the parser of single lines.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simhash_doc.engines.lanes import lanes_from_bytes
from simhash_doc.fingerprint import CUSTOM_SUFFIX
from simhash_doc.reference import BASE32
from simhash_doc.schemes import Scheme

BULK_FORMATS = frozenset({"decimal", "hex", "base32"})

_NEWLINE, _RETURN, _INVALID = 10, 13, 255
_MOST_DECIMAL = 20  # digits of 2^64 - 1
_LIMIT_HEAD, _LIMIT_TAIL = divmod((1 << 64) - 1, 10**10)


def _digit_values(digits: str) -> npt.NDArray[np.uint8]:
    table = np.full(256, _INVALID, np.uint8)
    table[np.frombuffer(digits.encode("ascii"), np.uint8)] = np.arange(len(digits), dtype=np.uint8)
    return table


_DECIMAL, _HEX, _BASE32 = _digit_values("0123456789"), _digit_values("0123456789abcdef"), _digit_values(BASE32)


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines of a block of text.

    Attributes:
        data: the bytes, shape (size,).
        starts, ends: where each line begins and ends in `data`, without its line end, shape (n,).
    """

    data: npt.NDArray[np.uint8]
    starts: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]

    @classmethod
    def of(cls, block: bytes) -> Lines:
        """Return the lines of a block that ends with a line end, LF or CR LF, or at the end of the input."""
        data = np.frombuffer(block if block.endswith(b"\n") else block + b"\n", np.uint8)
        ends = np.flatnonzero(data == _NEWLINE)
        starts = np.concatenate(([0], ends[:-1] + 1))
        return cls(data, starts, ends - ((ends > starts) & (data[ends - 1] == _RETURN)))

    def __len__(self) -> int:
        return len(self.starts)

    def text(self, at: int) -> str:
        """Return a line."""
        return self.data[self.starts[at] : self.ends[at]].tobytes().decode("utf-8", "replace").strip()

    def characters(self, at: npt.NDArray[np.int64], length: int) -> npt.NDArray[np.uint8]:
        """Return lines of equal length as shape (len(at), length)."""
        windows = np.lib.stride_tricks.sliding_window_view(self.data, length)
        return windows[self.starts[at]]


def parse_lines(lines: Lines, form: str, scheme: Scheme) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.bool_], bool]:
    """Read lines of digits of one scheme.

    Args:
        lines: n lines.
        form: one of `BULK_FORMATS`.
        scheme: the scheme of the lines.

    Returns:
        The fingerprints, shape (n, lanes); True for each line that was read, shape (n,); and False if one of them is
        customized.
    """
    values = np.zeros((len(lines), scheme.lanes), np.uint64)
    read = np.zeros(len(lines), np.bool_)
    lengths = lines.ends - lines.starts
    canonical = True
    for prefix, length in _layouts(form, scheme):
        at = np.flatnonzero(lengths == len(prefix) + length)
        if not len(at):
            continue
        characters = lines.characters(at, len(prefix) + length)
        fitting = np.all(characters[:, : len(prefix)] == np.frombuffer(prefix, np.uint8), axis=1)
        found, valid = _decoded(characters[:, len(prefix) :], form)
        valid &= fitting
        values[at[valid]], read[at[valid]] = found[valid], True
        canonical &= not (valid.any() and prefix.endswith(f"{CUSTOM_SUFFIX}:".encode()))
    return values, read, canonical


def _layouts(form: str, scheme: Scheme) -> list[tuple[bytes, int]]:
    """Return the prefixes and the numbers of digits of the lines that are read here."""
    if form == "decimal":
        return [(b"", length) for length in range(1, _MOST_DECIMAL + 1)] if scheme.lanes == 1 else []
    if form == "hex":
        return [(b"", scheme.bits // 4), (b"0x", scheme.bits // 4)]
    prefixes = (b"", f"{scheme.id}:".encode(), f"{scheme.id}{CUSTOM_SUFFIX}:".encode())
    return [(prefix, scheme.characters) for prefix in prefixes]


def _decoded(characters: npt.NDArray[np.uint8], form: str) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.bool_]]:
    """Return digits as fingerprints, shape (n, lanes), and True for each that is well-formed."""
    table = {"decimal": _DECIMAL, "hex": _HEX, "base32": _BASE32}[form]
    digits = table[characters]
    valid = digits.max(axis=1) != _INVALID
    if form == "decimal":
        return _from_decimal(digits, valid)
    if form == "hex":
        pairs = (digits[:, ::2] << 4) | (digits[:, 1::2] & 15)
        return lanes_from_bytes(np.ascontiguousarray(pairs).reshape(-1), digits.shape[1] // 16), valid
    lanes = 5 * digits.shape[1] // 64
    bits = np.unpackbits(digits[:, :, None], axis=2)[:, :, 3:].reshape(len(digits), -1)
    valid &= ~bits[:, 64 * lanes :].any(axis=1)  # spare bits are 0
    return lanes_from_bytes(np.packbits(bits[:, : 64 * lanes], axis=1).reshape(-1), lanes), valid


def _from_decimal(
    digits: npt.NDArray[np.uint8], valid: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.bool_]]:
    # Two halves of at most ten digits each, which fit into 64 bits whatever they are.
    head, tail = (_decimal_number(part) for part in (digits[:, :-10], digits[:, -10:]))
    valid = valid & ((head < _LIMIT_HEAD) | ((head == _LIMIT_HEAD) & (tail <= _LIMIT_TAIL)))
    return (head * np.uint64(10**10) + tail)[:, None], valid


def _decimal_number(digits: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint64]:
    total = np.zeros(len(digits), np.uint64)
    for column in digits.T:
        total = total * np.uint64(10) + column
    return total
