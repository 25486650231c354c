"""Ids as they are stored: their texts one after the other; read on access, and merged without decoding them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
import numpy.typing as npt

from simhash_doc.lookup.arrays import Positions, Values, sort_keys
from simhash_doc.lookup.ids import Id, SortedIds

# The first byte of a stored id is its type.
_TEXT, _INTEGER = b"s", b"i"
_PIECE = 1 << 16  # ids whose texts are copied at a time


class StoredIds(Sequence[Id]):
    """Ids that are decoded from bytes on access.

    Attributes:
        starts: where the text of each id begins, and the end, shape (e + 1,), int64.
        text: the texts, uint8.
    """

    def __init__(self, starts: Positions, text: npt.NDArray[np.uint8]) -> None:
        self.starts, self.text = starts, text

    @classmethod
    def encode(cls, ids: Sequence[Id]) -> StoredIds:
        texts = [_encoded(name) for name in ids]
        starts = np.cumsum([0, *map(len, texts)], dtype=np.int64)
        return cls(starts, np.frombuffer(b"".join(texts), np.uint8))

    def __len__(self) -> int:
        return len(self.starts) - 1

    @overload
    def __getitem__(self, at: int) -> Id: ...
    @overload
    def __getitem__(self, at: slice) -> list[Id]: ...
    def __getitem__(self, at: int | slice) -> Id | list[Id]:
        if isinstance(at, slice):
            return [self[number] for number in range(*at.indices(len(self)))]
        return _decoded(self.text[self.starts[at] : self.starts[at + 1]].tobytes())

    def __iter__(self) -> Iterator[Id]:
        return (self[number] for number in range(len(self)))


@dataclass(frozen=True, slots=True, eq=False)
class MergedIds:
    """Stored ids of several sources in the order of their fingerprints; for one fingerprint, in that of the sources.

    Attributes:
        values: the fingerprint of each id, ascending, shape (e,) or (e, lanes).
        sources: where the ids are stored.
        source: the number of the source of each id, shape (e,).
        places: the position of each id in its source, shape (e,).
    """

    values: Values
    sources: tuple[StoredIds, ...]
    source: npt.NDArray[np.int32]
    places: Positions

    @classmethod
    def of(cls, ids: SortedIds) -> MergedIds:
        """Return ids that are not stored yet."""
        everything = np.ones(len(ids.values), bool)
        return cls.merge([(ids.values, StoredIds.encode(ids.ids), everything)])

    @classmethod
    def merge(cls, sources: Sequence[tuple[Values, StoredIds, npt.NDArray[np.bool_]]]) -> MergedIds:
        """Return the ids of at least one source.

        Args:
            sources: fingerprints, ascending; an id of each; and whether it is kept.
        """
        values = np.concatenate([values[kept] for values, _, kept in sources])
        places = [np.flatnonzero(kept) for _, _, kept in sources]
        source = np.repeat(np.arange(len(sources), dtype=np.int32), list(map(len, places)))
        merged = cls(values, tuple(ids for _, ids, _ in sources), source, np.concatenate(places))
        return merged if len(sources) == 1 else merged._at(np.argsort(sort_keys(values), kind="stable"))

    def __len__(self) -> int:
        return len(self.values)

    def part(self, start: int, end: int) -> MergedIds:
        """Return the ids [start, end)."""
        return self._at(slice(start, end))

    def starts(self) -> Positions:
        """Return where each text begins, and the end, shape (e + 1,), int64."""
        starts = np.zeros(len(self) + 1, np.int64)
        for number, ids in enumerate(self.sources):
            own = np.flatnonzero(self.source == number)
            starts[own + 1] = ids.starts[self.places[own] + 1] - ids.starts[self.places[own]]
        return np.cumsum(starts)

    def texts(self) -> Iterator[npt.NDArray[np.uint8]]:
        """Yield the texts, one after the other, in pieces."""
        views = [ids.text.data for ids in self.sources]
        starts = [ids.starts for ids in self.sources]
        for first in range(0, len(self), _PIECE):
            chosen = zip(
                self.source[first : first + _PIECE].tolist(), self.places[first : first + _PIECE].tolist(), strict=True
            )
            pieces = [views[number][starts[number][place] : starts[number][place + 1]] for number, place in chosen]
            yield np.frombuffer(b"".join(pieces), np.uint8)

    def _at(self, places: Positions | slice) -> MergedIds:
        return MergedIds(self.values[places], self.sources, self.source[places], self.places[places])


def _encoded(name: Id) -> bytes:
    # A path that is not UTF-8 comes as lone surrogates, which only "surrogatepass" lets through.
    return _TEXT + name.encode("utf-8", "surrogatepass") if isinstance(name, str) else _INTEGER + str(name).encode()


def _decoded(stored: bytes) -> Id:
    text = stored[1:].decode("utf-8", "surrogatepass")
    return text if stored[:1] == _TEXT else int(text)
