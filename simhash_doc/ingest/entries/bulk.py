"""Lines of digits, with or without paths, read as arrays: a million of them take a fraction of a second.

What does not fit here, such as upper case or white space, is left to the parser of single lines.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simhash_doc.engines.lanes import lanes_from_bytes
from simhash_doc.fingerprint import CUSTOM_SUFFIX
from simhash_doc.reference import BASE32
from simhash_doc.schemes import Scheme

BULK_FORMATS = frozenset({"decimal", "hex", "base32", "text"})

_NEWLINE, _RETURN = 10, 13
_INVALID = 255  # not the union of the bits of any digits, which are below 32
_SEPARATOR = b"  "  # between the digits and the path in the format "text"
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

    def texts(self) -> list[str]:
        """Return all lines, without white space at their ends."""
        text = self.data.tobytes().decode("utf-8", "replace")
        return [line.rstrip() for line in text.split("\n")[: len(self)]]

    def characters(self, at: npt.NDArray[np.int64], length: int) -> npt.NDArray[np.uint8]:
        """Return the first characters of lines that are long enough as shape (len(at), length)."""
        windows = np.lib.stride_tricks.sliding_window_view(self.data, length)
        return windows[self.starts[at]]


@dataclass(frozen=True, slots=True)
class ParsedLines:
    """Lines of digits of one scheme.

    Attributes:
        values: the fingerprints, shape (n, lanes).
        read: True for each line that was read, shape (n,).
        paths: where the path begins in each line of the format "text" that was read, shape (n,).
        canonical: False if a fingerprint is customized.
    """

    values: npt.NDArray[np.uint64]
    read: npt.NDArray[np.bool_]
    paths: npt.NDArray[np.int64]
    canonical: bool


def parse_lines(lines: Lines, line_format: str, scheme: Scheme) -> ParsedLines:
    """Read lines of digits of one scheme.

    Args:
        lines: n lines.
        line_format: one of `BULK_FORMATS`.
        scheme: the scheme of the lines.
    """
    values = np.zeros((len(lines), scheme.lanes), np.uint64)
    read = np.zeros(len(lines), np.bool_)
    lengths = lines.ends - lines.starts
    paths = np.zeros(len(lines), np.int64)
    separator = _SEPARATOR if line_format == "text" else b""
    canonical = True
    for prefix, length in _layouts(line_format, scheme):
        end = len(prefix) + length
        size = end + len(separator)
        at = np.flatnonzero(lengths > size if separator else lengths == size)
        if not len(at):
            continue
        characters = lines.characters(at, size)
        fitting = _all_are(characters[:, : len(prefix)], prefix) & _all_are(characters[:, end:], separator)
        found, valid = _decoded(characters[:, len(prefix) : end], line_format)
        valid &= fitting
        values[at[valid]], read[at[valid]], paths[at[valid]] = found[valid], True, size
        canonical &= not (valid.any() and prefix.endswith(f"{CUSTOM_SUFFIX}:".encode()))
    return ParsedLines(values, read, paths, canonical)


def _all_are(characters: npt.NDArray[np.uint8], expected: bytes) -> npt.NDArray[np.bool_]:
    equal: npt.NDArray[np.bool_] = np.all(characters == np.frombuffer(expected, np.uint8), axis=1)
    return equal


def _layouts(line_format: str, scheme: Scheme) -> list[tuple[bytes, int]]:
    """Return the prefixes and the numbers of digits of the lines that are read here."""
    if line_format == "decimal":
        return [(b"", length) for length in range(1, _MOST_DECIMAL + 1)] if scheme.lanes == 1 else []
    if line_format == "hex":
        return [(b"", scheme.bits // 4), (b"0x", scheme.bits // 4)]
    prefixes = (b"", f"{scheme.id}:".encode(), f"{scheme.id}{CUSTOM_SUFFIX}:".encode())
    return [(prefix, scheme.characters) for prefix in prefixes]


def _decoded(
    characters: npt.NDArray[np.uint8], line_format: str
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.bool_]]:
    """Return digits as fingerprints, shape (n, lanes), and True for each that is well-formed."""
    table = {"decimal": _DECIMAL, "hex": _HEX}.get(line_format, _BASE32)
    digits = table[characters]
    valid = functools.reduce(np.bitwise_or, digits.T) != _INVALID
    if line_format == "decimal":
        return _from_decimal(digits, valid)
    if line_format == "hex":
        pairs = (digits[:, ::2] << 4) | (digits[:, 1::2] & 15)
        return lanes_from_bytes(np.ascontiguousarray(pairs).reshape(-1), digits.shape[1] // 16), valid
    spare = 5 * digits.shape[1] % 64
    valid &= digits[:, -1] % (1 << spare) == 0
    return _from_base32(digits), valid


def _from_base32(digits: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint64]:
    lanes = 5 * digits.shape[1] // 64
    values = np.zeros((len(digits), lanes), np.uint64)
    for lane in range(lanes):
        for at in range(64 * lane // 5, (64 * lane + 63) // 5 + 1):
            column = digits[:, at].astype(np.uint64)
            shift = 64 * (lane + 1) - 5 * (at + 1)  # bits of the lane behind the digit
            values[:, lane] |= column << np.uint64(shift) if shift >= 0 else column >> np.uint64(-shift)
    return values


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
