"""A corpus as a file: its tables and ids as the arrays of a container."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from simhash_doc.lookup import container
from simhash_doc.lookup.blocks import permutations
from simhash_doc.lookup.errors import DamagedIndexError, LookupParameterError
from simhash_doc.lookup.ids import Id, SortedIds
from simhash_doc.lookup.tables import Segment, Table
from simhash_doc.lookup.values import BITS

KIND = "permuted-tables"
# The first byte of a stored id tells its type.
_TEXT, _INTEGER = b"s", b"i"


@dataclass(frozen=True, slots=True)
class SavedCorpus:
    """What a saved corpus holds; `shard` is (number, leading bits) if it is a part of one."""

    blocks: int
    distance: int
    segment: Segment
    ids: SortedIds | None = None
    shard: tuple[int, int] | None = None
    size: int = 0


def save_corpus(path: str | os.PathLike[str], saved: SavedCorpus) -> None:
    """Write a corpus to one file, beside `path` and then renamed.

    Raises:
        OSError: the file cannot be written.
    """
    parameters = {
        "blocks": saved.blocks,
        "distance": saved.distance,
        "fingerprints": len(saved.segment),
        "ids": 0 if saved.ids is None else len(saved.ids.values),
        "bucket_bits": [table.bucket_bits for table in saved.segment.tables],
        "shard": saved.shard,
    }
    arrays: dict[str, npt.NDArray[Any]] = {}
    for number, table in enumerate(saved.segment.tables):
        arrays[f"values {number}"] = table.values
        arrays[f"starts {number}"] = table.starts
        arrays[f"counts {number}"] = table.counts
    if saved.ids is not None:
        texts = [_encoded(name) for name in saved.ids.ids]
        arrays["id values"] = saved.ids.values
        arrays["id starts"] = np.cumsum([0, *map(len, texts)], dtype=np.int64)
        arrays["id text"] = np.frombuffer(b"".join(texts), np.uint8)
    container.write(path, KIND, parameters, arrays)


def load_corpus(path: str | os.PathLike[str], *, verify: bool = True) -> SavedCorpus:
    """Open a saved corpus, its arrays mapped from the file.

    Raises:
        OSError: the file cannot be read.
        DamagedIndexError: it is no saved corpus, or not as it was written.
    """
    opened = container.read(path, KIND, verify=verify)
    parameters, arrays = opened.parameters, opened.arrays
    try:
        orders = permutations(parameters["blocks"], parameters["distance"])
        tables = [
            Table(order, bits, arrays[f"values {number}"], arrays[f"starts {number}"], arrays[f"counts {number}"])
            for number, (order, bits) in enumerate(zip(orders, parameters["bucket_bits"], strict=True))
        ]
        ids = None
        if parameters["ids"]:
            ids = SortedIds(arrays["id values"], StoredIds(arrays["id starts"], arrays["id text"]))
        shard = tuple(parameters["shard"]) if parameters["shard"] else None
    except (KeyError, TypeError, ValueError, LookupParameterError) as error:
        raise DamagedIndexError(f"{path}: its header does not describe a corpus ({error})") from error
    _check_shapes(path, tables, parameters["fingerprints"])
    segment = Segment(tables, parameters["distance"])
    return SavedCorpus(parameters["blocks"], parameters["distance"], segment, ids, shard, opened.size)


def check_tables(path: str | os.PathLike[str], saved: SavedCorpus) -> None:
    """Check what checksums cannot tell: that each table is sorted, addressed rightly, and of the same fingerprints.

    Raises:
        DamagedIndexError: a table is not; it is named.
    """
    fingerprints = np.sort(saved.segment.values)
    for number, table in enumerate(saved.segment.tables):
        permuted = table.permutation.apply(table.values)
        buckets = (permuted >> np.uint64(BITS - table.bucket_bits)).view(np.int64)
        sizes = np.bincount(buckets, minlength=1 << table.bucket_bits)
        if not (permuted[1:] > permuted[:-1]).all():
            raise DamagedIndexError(f"{path}: table {number} is not sorted, or has a fingerprint twice")
        starts = np.concatenate(([0], np.cumsum(sizes)))
        if not (np.array_equal(table.starts, starts) and np.array_equal(table.counts, np.minimum(sizes, 255))):
            raise DamagedIndexError(f"{path}: the buckets of table {number} are not where its index says")
        if not np.array_equal(np.sort(table.values), fingerprints):
            raise DamagedIndexError(f"{path}: table {number} holds other fingerprints than table 0")


class StoredIds(Sequence[Id]):
    """Ids decoded from bytes when they are asked for."""

    def __init__(self, starts: npt.NDArray[np.int64], text: npt.NDArray[np.uint8]) -> None:
        self._starts, self._text = starts, text

    def __len__(self) -> int:
        return len(self._starts) - 1

    @overload
    def __getitem__(self, at: int) -> Id: ...
    @overload
    def __getitem__(self, at: slice) -> list[Id]: ...
    def __getitem__(self, at: int | slice) -> Id | list[Id]:
        if isinstance(at, slice):
            return [self[number] for number in range(*at.indices(len(self)))]
        return _decoded(self._text[self._starts[at] : self._starts[at + 1]].tobytes())

    def __iter__(self) -> Iterator[Id]:
        return (self[number] for number in range(len(self)))


def _check_shapes(path: str | os.PathLike[str], tables: list[Table], n: int) -> None:
    for number, table in enumerate(tables):
        buckets = 1 << table.bucket_bits
        if (table.values.shape, table.starts.shape, table.counts.shape) != ((n,), (buckets + 1,), (buckets,)):
            raise DamagedIndexError(f"{path}: the arrays of table {number} do not fit {n} fingerprints")


def _encoded(name: Id) -> bytes:
    # A path that is not UTF-8 comes as lone surrogates, which only "surrogatepass" lets through.
    return _TEXT + name.encode("utf-8", "surrogatepass") if isinstance(name, str) else _INTEGER + str(name).encode()


def _decoded(stored: bytes) -> Id:
    text = stored[1:].decode("utf-8", "surrogatepass")
    return text if stored[:1] == _TEXT else int(text)
