"""The files of an index in a directory: segments, which are index files, and removed fingerprints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from simhash_doc.lookup import array_file
from simhash_doc.lookup.arrays import Values, as_rows, lanes_of
from simhash_doc.lookup.blocks import Blocking
from simhash_doc.lookup.errors import CorruptIndexError
from simhash_doc.lookup.ids import SortedIds
from simhash_doc.lookup.index_file import corpus_parameters, kind_of, load_corpus, table_arrays
from simhash_doc.lookup.permuted_tables import Segment, bucket_bits, build_table, index_dtype, orders_of
from simhash_doc.lookup.segmented.manifest import REMOVALS, SEGMENT, Part
from simhash_doc.lookup.stored_ids import MergedIds

_REMOVALS_KIND = "removed-fingerprints"
# The arrays from which a merge builds tables again.
MERGED_ARRAYS = ("values", "values 0", "id values", "id starts", "id text")

Shapes = dict[str, tuple[str, tuple[int, ...]]]


@dataclass(frozen=True, slots=True)
class OpenSegment:
    """A segment, and the fingerprints that later parts remove from it, in ascending arrays."""

    segment: Segment
    ids: SortedIds | None
    removed: tuple[Values, ...]


def write_segment(directory: Path, number: int, blocking: Blocking, values: Values, ids: MergedIds | None) -> Part:
    """Write a segment, table by table: only one table is in memory.

    Args:
        values: distinct fingerprints, ascending.
        ids: None or one or more.

    Raises:
        OSError: it cannot be written.
    """
    bits = [bucket_bits(len(values), order.prefix_bits) for order in orders_of(blocking)]
    part = Part(f"{SEGMENT}-{number:08}.sdix", len(values), 0 if ids is None else len(ids))
    parameters = corpus_parameters(blocking, part.fingerprints, part.ids, bits)
    shapes = _table_shapes(values, bits)
    arrays: Iterable[Iterable[npt.NDArray[Any]]] = _table_pieces(values, blocking)
    if ids is not None:
        starts = ids.starts()
        shapes |= {
            "id values": ("<u8", ids.values.shape),
            "id starts": ("<i8", starts.shape),
            "id text": ("|u1", (int(starts[-1]),)),
        }
        arrays = chain(arrays, [[ids.values], [starts], ids.texts()])
    array_file.write_pieces(directory / part.name, kind_of(blocking), parameters, shapes, arrays)
    return part


def write_removals(directory: Path, number: int, values: Values) -> Part:
    """Write removed fingerprints, ascending.

    Raises:
        OSError: they cannot be written.
    """
    part = Part(f"{REMOVALS}-{number:08}.sdix", len(values))
    array_file.write(directory / part.name, _REMOVALS_KIND, {}, {"values": values})
    return part


def open_segment(
    directory: Path, part: Part, blocking: Blocking, removed: tuple[Values, ...], verify: bool
) -> OpenSegment:
    """Map a segment.

    Raises:
        OSError: it cannot be read.
        CorruptIndexError: it is corrupt, or not the one that the manifest describes.
    """
    path = directory / part.name
    saved = load_corpus(path, verify=verify)
    ids = 0 if saved.ids is None else len(saved.ids.values)
    if (saved.blocking, len(saved.segment), ids) != (blocking, part.fingerprints, part.ids):
        raise CorruptIndexError(f"{path}: is not the segment that the manifest describes")
    return OpenSegment(saved.segment, saved.ids, removed)


def open_removals(directory: Path, part: Part, blocking: Blocking, verify: bool) -> Values:
    """Map removed fingerprints.

    Raises:
        OSError: they cannot be read.
        CorruptIndexError: they are corrupt, or not those that the manifest describes.
    """
    path = directory / part.name
    values = array_file.read(path, _REMOVALS_KIND, verify=verify).arrays.get("values")
    shape = (part.fingerprints,) if blocking.lanes == 1 else (part.fingerprints, blocking.lanes)
    if values is None or values.dtype != np.uint64 or values.shape != shape:
        raise CorruptIndexError(f"{path}: does not hold the removals that the manifest describes")
    return values


def check_merged_arrays(directory: Path, part: Part) -> None:
    """Compare the checksums of what a merge reads from a part, so that it does not give new ones to corrupt content.

    Raises:
        OSError: it cannot be read.
        CorruptIndexError: a checksum differs.
    """
    if part.is_segment:
        load_corpus(directory / part.name, verify=MERGED_ARRAYS)
    else:
        array_file.read(directory / part.name, _REMOVALS_KIND)


def _table_shapes(values: Values, bits: Iterable[int]) -> Shapes:
    n, lanes = len(values), lanes_of(values)
    width = np.dtype(index_dtype(n)).newbyteorder("<").str
    shapes: Shapes = {} if lanes == 1 else {"values": ("<u8", values.shape)}
    for number, own in enumerate(bits):
        first = {f"values {number}": ("<u8", (n,))} if lanes == 1 else {f"rows {number}": (width, (n,))}
        shapes |= first
        shapes |= {f"starts {number}": (width, ((1 << own) + 1,)), f"counts {number}": ("|u1", (1 << own,))}
    return shapes


def _table_pieces(values: Values, blocking: Blocking) -> Iterator[Iterable[npt.NDArray[Any]]]:
    if blocking.lanes > 1:
        yield [as_rows(values)]
    scratch = np.empty_like(values)
    for number, order in enumerate(orders_of(blocking)):
        for array in table_arrays(number, build_table(values, order, scratch)).values():
            yield [array]
