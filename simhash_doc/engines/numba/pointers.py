"""The addresses of the Unicode tables, for the compiled loops."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from simhash_doc.engines.numba.links import CLASSES
from simhash_doc.engines.numba.raw_memory import address
from simhash_doc.engines.unicode_tables import ALPHABETIC, CONNECTOR, WORD, Tables, tables


@cache
def ascii_kinds() -> npt.NDArray[np.uint8]:
    """Return the classes of each byte of folded text, shape (256,); 0 for bytes that are not ASCII."""
    kinds = np.zeros(256, np.uint8)
    for byte in b"abcdefghijklmnopqrstuvwxyz":
        kinds[byte] = WORD | ALPHABETIC
    for byte in b"0123456789":
        kinds[byte] = WORD
    kinds[ord("_")] = WORD | CONNECTOR
    return kinds


@cache
def _readable_tables() -> Tables:
    """Return the tables; the loops read up to seven bytes after the last one of `copied`."""
    found = tables()
    return found._replace(copied=np.append(found.copied, np.zeros(7, np.uint8)))


class TableAddresses(NamedTuple):
    """The addresses of the arrays of `Tables`, and of two tables of ASCII characters."""

    classes: int
    actions: int
    ccc: int
    records: int
    copy_starts: int
    copied: int
    nfd_starts: int
    nfd: int
    pairs: int
    composites: int
    ascii_kinds: int
    link_kinds: int


@cache
def table_addresses() -> tuple[int, ...]:
    """Return the addresses in the order of `TableAddresses`. They are valid while the process runs."""
    arrays: tuple[npt.NDArray[Any], ...] = (*_readable_tables(), ascii_kinds(), CLASSES)
    return tuple(address(array) for array in arrays)
