"""Segments and removed fingerprints as files: their tables, ids and values as named arrays."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from simhash_doc.engines.lanes import LANE_BITS
from simhash_doc.ingest.provenance import Provenance
from simhash_doc.lookup import array_file
from simhash_doc.lookup.array_file import PathName
from simhash_doc.lookup.arrays import Values, differs_from_previous, sorted_values
from simhash_doc.lookup.blocks import Blocking, orders_of
from simhash_doc.lookup.errors import CorruptIndexError, LookupParameterError
from simhash_doc.lookup.ids import MergedIds, SortedIds
from simhash_doc.lookup.segments import SegmentPart
from simhash_doc.lookup.tables import Segment, Table, bucket_bits, index_dtype

KIND = "permuted-tables"
WIDE_KIND = "wide-permuted-tables"
REMOVALS_KIND = "removed-fingerprints"
# The arrays from which a merge builds tables again.
MERGED_ARRAYS = ("values", "values 0", "id values", "id starts", "id text")
# What reading the parameters of a file may raise if they are not those that were written.
MALFORMED = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, LookupParameterError)


def write_segment(
    path: PathName, segment: Segment, ids: SortedIds | MergedIds | None, provenances: Sequence[Provenance] = ()
) -> str:
    """Write a segment to one file, atomically; return its digest. Of tables that are not built, one is in memory.

    Args:
        segment: with tables of a `Blocking`.
        ids: None, or one or more.

    Raises:
        OSError: it cannot be written.
    """
    blocking, values = segment.blocking, segment.values
    assert isinstance(blocking, Blocking)
    if segment.is_built:
        bits = [table.bucket_bits for table in segment.tables]
    else:
        bits = [bucket_bits(len(values), order.prefix_bits) for order in orders_of(blocking)]
    parameters: dict[str, Any] = {"bits": blocking.bits} if blocking.lanes > 1 else {}
    parameters |= {
        "blocks": blocking.blocks,
        "distance": blocking.distance,
        "fingerprints": len(values),
        "ids": len(ids) if ids else 0,
        "bucket_bits": bits,
    }
    if provenances:
        parameters["provenance"] = [provenance.to_dict() for provenance in provenances]
    text_bytes = int(ids.starts[-1]) if ids else 0
    shapes = _shapes(len(values), blocking.lanes, bits, parameters["ids"], text_bytes)
    kind = KIND if blocking.lanes == 1 else WIDE_KIND
    return array_file.write_pieces(path, kind, parameters, shapes, _pieces(segment, ids))


def load_segment(path: PathName, *, verify: bool | Container[str] = True, mapped: bool = True) -> SegmentPart:
    """Open the file of a segment; for `verify` and `mapped` see `array_file.read`.

    Raises:
        OSError: the file cannot be read.
        CorruptIndexError: it is not a segment, or differs from what was written.
    """
    opened = array_file.read(path, (KIND, WIDE_KIND), verify=verify, mapped=mapped)
    parameters, arrays = opened.parameters, opened.arrays
    try:
        wide = opened.kind == WIDE_KIND
        blocking = Blocking(parameters["bits"] if wide else 64, parameters["blocks"], parameters["distance"])
        bits, n, count = parameters["bucket_bits"], parameters["fingerprints"], parameters["ids"]
        if not all(0 <= own <= LANE_BITS for own in bits):
            raise ValueError("a bucket has a number of over 64 bits")
        tables = [
            Table(
                order,
                own,
                arrays["values" if wide else f"values {number}"],
                arrays[f"starts {number}"],
                arrays[f"counts {number}"],
                arrays[f"rows {number}"] if wide else None,
            )
            for number, (order, own) in enumerate(zip(orders_of(blocking), bits, strict=True))
        ]
        ids = SortedIds(arrays["id values"], arrays["id starts"], arrays["id text"]) if count else None
        provenances = tuple(Provenance.from_dict(value) for value in parameters.get("provenance", ()))
        text_bytes = len(ids.text) if ids else 0
        for name, (dtype, shape) in _shapes(n, blocking.lanes, bits, count, text_bytes).items():
            expected, array = np.dtype(dtype).newbyteorder("="), arrays[name]
            if (array.dtype, array.shape) != (expected, shape):
                raise CorruptIndexError(
                    f"{path}: its array {name!r} is of type {array.dtype} and shape {array.shape}; "
                    f"expected {expected} and {shape} for {n} fingerprints"
                )
    except MALFORMED as error:
        raise CorruptIndexError(f"{path}: its header does not describe a corpus ({error})") from error
    segment = Segment(blocking, tables[0].values, tables)
    return SegmentPart(segment, ids, digest=opened.digest, provenances=provenances)


def write_removals(path: PathName, values: Values) -> str:
    """Write removed fingerprints, ascending; return the digest of the file.

    Raises:
        OSError: they cannot be written.
    """
    return array_file.write(path, REMOVALS_KIND, {}, {"values": values})


def load_removals(path: PathName, lanes: int, *, verify: bool = True, mapped: bool = True) -> tuple[Values, str]:
    """Open removed fingerprints; return them and the digest of the file.

    Raises:
        OSError: they cannot be read.
        CorruptIndexError: the file is corrupt, or does not hold fingerprints of so many lanes.
    """
    opened = array_file.read(path, REMOVALS_KIND, verify=verify, mapped=mapped)
    values = opened.arrays.get("values")
    if values is None or values.dtype != np.uint64 or values.shape[1:] != (() if lanes == 1 else (lanes,)):
        raise CorruptIndexError(f"{path}: does not hold removed fingerprints of {lanes * LANE_BITS} bits")
    return values, opened.digest


def check_tables(path: PathName, segment: Segment) -> None:
    """Check what checksums cannot show: that each table is sorted, has correct starts, and holds the same fingerprints.

    Raises:
        CorruptIndexError: a table is wrong; the message names it.
    """
    fingerprints = sorted_values(segment.values)
    if not differs_from_previous(fingerprints).all():
        raise CorruptIndexError(f"{path}: a fingerprint occurs twice")
    for number, table in enumerate(segment.tables):
        values = table.part(0, len(fingerprints))
        buckets = table.order.buckets(values, table.bucket_bits)
        sizes = np.bincount(buckets, minlength=1 << table.bucket_bits)
        ascending = table.order.apply(values) if table.rows is None else buckets
        if not (ascending[1:] >= ascending[:-1]).all():
            raise CorruptIndexError(f"{path}: table {number} is not sorted")
        starts = np.concatenate(([0], np.cumsum(sizes)))
        if not (np.array_equal(table.starts, starts) and np.array_equal(table.counts, np.minimum(sizes, 255))):
            raise CorruptIndexError(f"{path}: the starts of table {number} do not match its buckets")
        if not np.array_equal(sorted_values(values), fingerprints):
            raise CorruptIndexError(f"{path}: table {number} holds other fingerprints than table 0")


def _shapes(
    n: int, lanes: int, bits: Iterable[int], ids: int, text_bytes: int
) -> dict[str, tuple[str, tuple[int, ...]]]:
    """Return the dtype and the shape of each array of a segment.

    Args:
        n: number of fingerprints.
        bits: `Table.bucket_bits` of each table.
        ids: number of ids.
        text_bytes: bytes of their texts.
    """
    width = np.dtype(index_dtype(n)).newbyteorder("<").str
    shapes: dict[str, tuple[str, tuple[int, ...]]] = {} if lanes == 1 else {"values": ("<u8", (n, lanes))}
    for number, own in enumerate(bits):
        shapes |= {f"values {number}": ("<u8", (n,))} if lanes == 1 else {f"rows {number}": (width, (n,))}
        shapes |= {f"starts {number}": (width, ((1 << own) + 1,)), f"counts {number}": ("|u1", (1 << own,))}
    if ids:
        shapes["id values"] = ("<u8", (ids,) if lanes == 1 else (ids, lanes))
        shapes |= {"id starts": ("<i8", (ids + 1,)), "id text": ("|u1", (text_bytes,))}
    return shapes


def _pieces(segment: Segment, ids: SortedIds | MergedIds | None) -> Iterator[Iterable[npt.NDArray[Any]]]:
    """Yield the arrays of a segment in the order of the file."""
    if segment.blocking.lanes > 1:
        yield [segment.values]
    for table in segment.each_table():
        yield [table.values if table.rows is None else table.rows]
        yield [table.starts]
        yield [table.counts]
    if ids:
        yield [ids.values]
        yield [ids.starts]
        yield ids.texts()
