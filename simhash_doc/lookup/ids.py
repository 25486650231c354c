"""The ids of each fingerprint: none, one, or several. They are stored as texts, and merged without decoding them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from simhash_doc.arguments import Many, check_aligned, collection
from simhash_doc.arrays import Lanes, differs_from_previous, ints_from_lanes, lanes_from_ints, sort_keys, sorted_rows
from simhash_doc.lookup.errors import BadValueError
from simhash_doc.lookup.inputs import AnyValues, Marks, sized_lanes
from simhash_doc.lookup.positions import Positions, ranges_from
from simhash_doc.schemes import AnyScheme

Id = str | int
Ids: TypeAlias = Many[Id | None] | npt.NDArray[np.integer]

MISSING = ("NAType", "NaTType")  # what pandas has for None
# The first character of a stored id is its type.
_TEXT, _INTEGER = "s", "i"
_PIECE = 1 << 16  # ids whose texts are copied at a time


def _is_missing(name: object) -> bool:
    """Return whether an id is None or what pandas has for it: NaN in a column of texts."""
    return name is None or type(name).__name__ in MISSING or (isinstance(name, float) and name != name)


def check_id(name: object) -> Id:
    """Return an id; one of NumPy as that of Python.

    Raises:
        BadValueError: it is neither str nor int.
    """
    if isinstance(name, str):
        return str.__str__(name)  # also of a subclass, such as that of NumPy
    if isinstance(name, bool) or not isinstance(name, int | np.integer):
        raise BadValueError(f"{name!r} is of type {type(name).__name__}; an id is a str or an int")
    return int(name)


def present_entries(
    values: AnyValues, ids: Ids | None, scheme: AnyScheme, marks: Marks | None = None
) -> tuple[Lanes, Sequence[Id | None] | None]:
    """Return the fingerprints that are not missing, and the id of each, None for one without; None if `ids` is.

    `marks` is as for `as_lanes`.

    Raises:
        TypeError: the ids are not a collection with an order.
        BadValueError: a value or an id is invalid, or their numbers differ.
        ValueError: pandas series have different indexes.
    """
    check_aligned(values=values, ids=ids)
    array, places, count = sized_lanes(values, "values", scheme, marks)
    if ids is None:
        return array, None
    given: Any = collection(ids, "ids", "ids")
    convert = next(filter(None, (getattr(given, name, None) for name in ("to_pylist", "tolist", "to_list"))), None)
    listed = convert() if convert else list(given)
    if len(listed) != count:
        raise BadValueError(f"{len(listed)} ids for {count} fingerprints: give one id per fingerprint, or none")
    names = [None if _is_missing(name) else check_id(name) for name in listed]
    return array, names if places is None else [names[at] for at in places.tolist()]


@dataclass(frozen=True, slots=True, eq=False)
class SortedIds:
    """Ids in the order of their fingerprints; immutable. An id is decoded when it is asked for.

    Attributes:
        values: the fingerprint of each id, ascending, shape (e, lanes).
        starts: where the text of each id begins, and the end, shape (e + 1,), int64.
        text: the texts, uint8.
    """

    values: Lanes
    starts: Positions
    text: npt.NDArray[np.uint8]

    @classmethod
    def build(cls, values: Lanes, ids: Sequence[Id]) -> SortedIds:
        """Sort ids by fingerprint; an id given twice for one fingerprint is kept once."""
        order = np.argsort(sort_keys(values), kind="stable")
        ascending = values.take(order, axis=0)
        named = [ids[at] for at in order.tolist()]
        if not differs_from_previous(ascending).all():
            entries = list(dict.fromkeys(zip(ints_from_lanes(ascending), named, strict=True)))
            ascending = lanes_from_ints([value for value, _ in entries], values.shape[1])
            named = [name for _, name in entries]
        texts = [f"{_TEXT}{name}" if isinstance(name, str) else f"{_INTEGER}{name}" for name in named]
        joined = "".join(texts)
        # A path that is not UTF-8 comes as lone surrogates, which only "surrogatepass" lets through.
        lengths = map(len, texts) if joined.isascii() else (len(one.encode("utf-8", "surrogatepass")) for one in texts)
        starts = np.cumsum([0, *lengths], dtype=np.int64)
        return cls(ascending, starts, np.frombuffer(joined.encode("utf-8", "surrogatepass"), np.uint8))

    @classmethod
    def of_names(cls, names: Mapping[int, Iterable[Id]], lanes: int) -> SortedIds | None:
        """Return the ids of fingerprints, given by fingerprint; None if there are none."""
        entries = [(value, name) for value, own in names.items() for name in own]
        if not entries:
            return None
        return cls.build(lanes_from_ints([value for value, _ in entries], lanes), [name for _, name in entries])

    @classmethod
    def merge(cls, sources: Sequence[tuple[SortedIds, npt.NDArray[np.bool_]]]) -> SortedIds:
        """Return the ids of at least one source, each with which of its ids are kept, without decoding them.

        For one fingerprint, they are in the order of the sources.
        """
        values = np.concatenate([ids.values[kept] for ids, kept in sources])
        places = [np.flatnonzero(kept) for _, kept in sources]
        lengths = np.concatenate([np.diff(ids.starts)[own] for (ids, _), own in zip(sources, places, strict=True)])
        order = np.argsort(sort_keys(values), kind="stable")
        starts = np.concatenate(([0], np.cumsum(lengths[order])))
        begins = np.empty(len(values), np.int64)  # where the text of each goes
        begins[order] = starts[:-1]
        text = np.empty(int(starts[-1]), np.uint8)
        first = 0
        for (ids, _), own in zip(sources, places, strict=True):
            for at in range(0, len(own), _PIECE):
                piece = own[at : at + _PIECE]
                here = slice(first + at, first + at + len(piece))
                text[ranges_from(begins[here], lengths[here])] = ids.text[ranges_from(ids.starts[piece], lengths[here])]
            first += len(own)
        return cls(values[order], starts, text)

    def __len__(self) -> int:
        return len(self.values)

    def problem(self) -> str:
        """Return what is wrong with ids from a file; empty if nothing is."""
        if not np.array_equal(sorted_rows(self.values), self.values):
            return "the fingerprints of the ids are not ascending"
        if not (self.starts[0] == 0 and self.starts[-1] == len(self.text) and (np.diff(self.starts) > 0).all()):
            return "the starts of the ids do not divide their text"
        known, value = set[Id](), None
        for at, name in enumerate(self._checked()):
            if name is None:
                return f"id {at + 1:,} is neither a text nor an integer"
            if (own := self.values[at].tobytes()) != value:
                known, value = set(), own
            if name in known:
                return f"id {at + 1:,} occurs twice for its fingerprint"
            known.add(name)
        return ""

    def _checked(self) -> Iterator[Id | None]:
        """Yield each id, or None for what is none."""
        for at in range(len(self)):
            try:
                stored = self.text[self.starts[at] : self.starts[at + 1]].tobytes().decode("utf-8", "surrogatepass")
                is_one = stored[0] == _TEXT or f"{_INTEGER}{int(stored[1:])}" == stored
                yield self[at] if is_one else None
            except ValueError:
                yield None

    def __getitem__(self, at: int) -> Id:
        stored = self.text[self.starts[at] : self.starts[at + 1]].tobytes().decode("utf-8", "surrogatepass")
        return stored[1:] if stored[:1] == _TEXT else int(stored[1:])

    def __iter__(self) -> Iterator[Id]:
        return map(self.__getitem__, range(len(self)))

    def between(self, start: int, end: int) -> SortedIds:
        """Return the ids [start, end)."""
        bounds = self.starts[start : end + 1]
        return SortedIds(self.values[start:end], bounds - bounds[0], self.text[bounds[0] : bounds[-1]])

    def of(self, value: int) -> list[Id]:
        """Return the ids of a fingerprint."""
        if self.values.shape[1] == 1:
            column, key = self.values[:, 0], np.uint64(value)
            start, end = int(column.searchsorted(key)), int(column.searchsorted(key, "right"))
        else:  # without the keys of all values, which may be mapped from a file

            def at(place: int) -> int:
                return ints_from_lanes(self.values[place : place + 1])[0]

            places = range(len(self.values))
            start, end = bisect_left(places, value, key=at), bisect_right(places, value, key=at)
        return [self[place] for place in range(start, end)]
