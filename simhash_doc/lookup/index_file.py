"""A corpus as a file: its tables and ids as named arrays."""

from __future__ import annotations

import os
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from simhash_doc.engines.lanes import LANE_BITS
from simhash_doc.ingest.provenance import Provenance
from simhash_doc.lookup import array_file
from simhash_doc.lookup.arrays import differs_from_previous, sorted_values
from simhash_doc.lookup.blocks import Blocking
from simhash_doc.lookup.errors import CorruptIndexError, LookupParameterError
from simhash_doc.lookup.ids import SortedIds
from simhash_doc.lookup.permuted_tables import Segment, Table, WideKey, orders_of
from simhash_doc.lookup.stored_ids import StoredIds

KIND = "permuted-tables"
WIDE_KIND = "wide-permuted-tables"
MOST_SHARD_BITS = 12
_DTYPES = {"values": ["u8"], "rows": ["i4", "i8"], "starts": ["i4", "i8"], "counts": ["u1"], "text": ["u1"]}


@dataclass(frozen=True, slots=True)
class SavedCorpus:
    """What a saved corpus holds.

    `shard` is (number, leading bits) if it is a shard; `provenances` are the different ones of the fingerprints, as far
    as they are known.
    """

    segment: Segment
    ids: SortedIds | None = None
    shard: tuple[int, int] | None = None
    size: int = 0
    provenances: tuple[Provenance, ...] = ()

    @property
    def blocking(self) -> Blocking:
        tables = self.segment.blocking
        assert isinstance(tables, Blocking)
        return tables


def save_corpus(path: str | os.PathLike[str], saved: SavedCorpus) -> None:
    """Write a corpus to one file, atomically.

    Raises:
        OSError: the file cannot be written.
    """
    segment, ids = saved.segment, saved.ids
    bits = [table.bucket_bits for table in segment.tables]
    parameters = corpus_parameters(saved.blocking, len(segment), 0 if ids is None else len(ids.values), bits)
    parameters["shard"] = saved.shard
    if saved.provenances:
        parameters["provenance"] = [provenance.to_dict() for provenance in saved.provenances]
    arrays: dict[str, npt.NDArray[Any]] = {"values": segment.values} if saved.blocking.lanes > 1 else {}
    for number, table in enumerate(segment.tables):
        arrays |= table_arrays(number, table)
    if ids is not None:
        stored = StoredIds.encode(ids.ids)
        arrays |= {"id values": ids.values, "id starts": stored.starts, "id text": stored.text}
    array_file.write(path, kind_of(saved.blocking), parameters, arrays)


def kind_of(blocking: Blocking) -> str:
    """Return the kind of the file of a corpus."""
    return KIND if blocking.lanes == 1 else WIDE_KIND


def corpus_parameters(blocking: Blocking, fingerprints: int, ids: int, bucket_bits: Sequence[int]) -> dict[str, Any]:
    """Return the parameters of the file of a corpus that is not a shard; `ids` is their number."""
    parameters: dict[str, Any] = {"bits": blocking.bits} if blocking.lanes > 1 else {}
    return parameters | {
        "blocks": blocking.blocks,
        "distance": blocking.distance,
        "fingerprints": fingerprints,
        "ids": ids,
        "bucket_bits": list(bucket_bits),
        "shard": None,
    }


def table_arrays(number: int, table: Table) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of a table by name, without the values that wide tables share."""
    first = {f"values {number}": table.values} if table.rows is None else {f"rows {number}": table.rows}
    return first | {f"starts {number}": table.starts, f"counts {number}": table.counts}


def load_corpus(
    path: str | os.PathLike[str], *, verify: bool | Container[str] = True, mapped: bool = True
) -> SavedCorpus:
    """Open a saved corpus; for `verify` and `mapped` see `array_file.read`.

    Raises:
        OSError: the file cannot be read.
        CorruptIndexError: it is not a saved corpus, or differs from what was written.
    """
    opened = array_file.read(path, (KIND, WIDE_KIND), verify=verify, mapped=mapped)
    parameters, arrays = opened.parameters, opened.arrays
    try:
        wide = opened.kind == WIDE_KIND
        blocking = Blocking(parameters["bits"] if wide else 64, parameters["blocks"], parameters["distance"])
        tables = [
            Table(
                order,
                bits,
                arrays["values" if wide else f"values {number}"],
                arrays[f"starts {number}"],
                arrays[f"counts {number}"],
                arrays[f"rows {number}"] if wide else None,
            )
            for number, (order, bits) in enumerate(zip(orders_of(blocking), parameters["bucket_bits"], strict=True))
        ]
        ids = None
        if parameters["ids"]:
            ids = SortedIds(arrays["id values"], StoredIds(arrays["id starts"], arrays["id text"]))
        shard = None if parameters["shard"] is None else _shard(parameters["shard"])
        provenances = tuple(Provenance.from_dict(value) for value in parameters.get("provenance", ()))
        segment = Segment(blocking, tables)
        _check_types(path, arrays)
        _check_shapes(path, segment, parameters["fingerprints"])
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, LookupParameterError) as error:
        raise CorruptIndexError(f"{path}: its header does not describe a corpus ({error})") from error
    return SavedCorpus(segment, ids, shard, opened.size, provenances)


def check_tables(path: str | os.PathLike[str], saved: SavedCorpus) -> None:
    """Check what checksums cannot show: that each table is sorted, has correct starts, and holds the same fingerprints.

    Raises:
        CorruptIndexError: a table is wrong; the message names it.
    """
    fingerprints = sorted_values(saved.segment.values)
    if not differs_from_previous(fingerprints).all():
        raise CorruptIndexError(f"{path}: a fingerprint occurs twice")
    for number, table in enumerate(saved.segment.tables):
        values = table.part(0, len(fingerprints))
        buckets = table.order.buckets(values, table.bucket_bits)
        sizes = np.bincount(buckets, minlength=1 << table.bucket_bits)
        ascending = buckets if isinstance(table.order, WideKey) else table.order.apply(values)
        if not (ascending[1:] >= ascending[:-1]).all():
            raise CorruptIndexError(f"{path}: table {number} is not sorted")
        starts = np.concatenate(([0], np.cumsum(sizes)))
        if not (np.array_equal(table.starts, starts) and np.array_equal(table.counts, np.minimum(sizes, 255))):
            raise CorruptIndexError(f"{path}: the starts of table {number} do not match its buckets")
        if not np.array_equal(sorted_values(values), fingerprints):
            raise CorruptIndexError(f"{path}: table {number} holds other fingerprints than table 0")


def _shard(stored: object) -> tuple[int, int]:
    """Return the number of a shard and its leading bits.

    Raises:
        ValueError: it is not such a pair.
    """
    if isinstance(stored, list) and len(stored) == 2 and all(type(part) is int for part in stored):
        number, bits = stored
        if 0 <= bits <= MOST_SHARD_BITS and 0 <= number < 1 << bits:
            return number, bits
    raise ValueError("shard is not a number and the leading bits")


def _check_types(path: str | os.PathLike[str], arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Check that fingerprints are unsigned, positions signed, and texts and counts bytes."""
    for name, array in arrays.items():
        kind = name.removeprefix("id ").partition(" ")[0]
        if f"{array.dtype.kind}{array.dtype.itemsize}" not in _DTYPES.get(kind, ()):
            raise CorruptIndexError(f"{path}: its array {name!r} is of type {array.dtype}")


def _check_shapes(path: str | os.PathLike[str], segment: Segment, n: int) -> None:
    lanes = segment.blocking.lanes
    values = (n,) if lanes == 1 else (n, lanes)
    for number, table in enumerate(segment.tables):
        if not 0 <= table.bucket_bits <= LANE_BITS:
            raise CorruptIndexError(f"{path}: table {number} has {table.bucket_bits!r:.20} bits for its buckets")
        buckets = 1 << table.bucket_bits
        rows = None if table.rows is None else table.rows.shape
        found = (table.values.shape, table.starts.shape, table.counts.shape, rows)
        if found != (values, (buckets + 1,), (buckets,), None if lanes == 1 else (n,)):
            raise CorruptIndexError(f"{path}: the arrays of table {number} do not fit {n} fingerprints")
