"""The ids of each fingerprint: none, one, or several."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence, Sized
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from simhash_doc.lookup.arrays import (
    AnyValues,
    Values,
    differs_from_previous,
    from_ints,
    lanes_of,
    present_values,
    sort_keys,
    to_ints,
)
from simhash_doc.lookup.errors import BadValueError

Id = str | int
Ids: TypeAlias = Sequence[Id] | npt.NDArray[np.integer]
OptionalIds: TypeAlias = Sequence[Id | None] | npt.NDArray[np.integer]


def check_id(name: object) -> Id:
    """Return an id.

    Raises:
        BadValueError: it is neither str nor int.
    """
    if isinstance(name, bool) or not isinstance(name, str | int):
        raise BadValueError(f"{name!r} is of type {type(name).__name__}; an id is a str or an int")
    return name


class SortedIds:
    """Ids in the order of their fingerprints; immutable.

    Attributes:
        values: the fingerprint of each id, ascending, shape (e,) or (e, lanes).
        ids: the ids, e of them.
    """

    def __init__(self, values: Values, ids: Sequence[Id]) -> None:
        self.values, self.ids = values, ids

    @classmethod
    def build(cls, values: Values, ids: Sequence[Id]) -> SortedIds:
        """Sort ids by fingerprint; an id given twice for one fingerprint is kept once."""
        order = np.argsort(sort_keys(values), kind="stable")
        ascending = values[order]
        named = [ids[at] for at in order.tolist()]
        if not differs_from_previous(ascending).all():
            entries = list(dict.fromkeys(zip(to_ints(ascending), named, strict=True)))
            ascending = from_ints([value for value, _ in entries], lanes_of(values))
            named = [name for _, name in entries]
        return cls(ascending, named)

    def of(self, value: int) -> list[Id]:
        """Return the ids of a fingerprint."""
        if self.values.ndim == 1:
            key = np.uint64(value)
            start, end = int(np.searchsorted(self.values, key)), int(np.searchsorted(self.values, key, "right"))
        else:  # without the keys of all values, which may be mapped from a file

            def at(place: int) -> int:
                return to_ints(self.values[place : place + 1])[0]

            places = range(len(self.values))
            start, end = bisect_left(places, value, key=at), bisect_right(places, value, key=at)
        return [self.ids[place] for place in range(start, end)]


class IdMap:
    """The ids of each fingerprint: a sorted base, and a dict of what has changed since."""

    def __init__(self, lanes: int, base: SortedIds | None = None) -> None:
        self._lanes, self._base = lanes, base
        # A single id is stored as it is; several are the keys of a dict, which keeps their order.
        self._changed: dict[int, Id | dict[Id, None] | None] = {}

    def __bool__(self) -> bool:
        return self._base is not None or bool(self._changed)

    def of(self, value: int) -> tuple[Id, ...]:
        """Return the ids of a fingerprint, in the order of insertion."""
        if value in self._changed:
            now = self._changed[value]
            return () if now is None else tuple(now) if isinstance(now, dict) else (now,)
        return tuple(self._base.of(value)) if self._base else ()

    def add(self, value: int, name: Id) -> None:
        """Add an id to a fingerprint, unless it already has it."""
        self._load(value)
        now = self._changed[value]
        if now is None:
            self._changed[value] = name
        elif isinstance(now, dict):
            now[name] = None
        elif now != name:
            self._changed[value] = {now: None, name: None}

    def add_bulk(self, values: Values, ids: Sequence[Id]) -> None:
        """Add to each fingerprint the id at its position."""
        if not self:
            self._base = SortedIds.build(values, ids)
        else:
            for value, name in zip(to_ints(values), ids, strict=True):
                self.add(value, name)

    def remove(self, value: int, name: Id) -> bool:
        """Remove one id of a fingerprint; return True if it had it."""
        if name not in self.of(value):
            return False
        self._load(value)
        now = self._changed[value]
        if isinstance(now, dict) and len(now) > 1:
            del now[name]
        else:
            self._changed[value] = None
        return True

    def drop(self, value: int) -> None:
        """Remove all ids of a fingerprint."""
        if self:
            self._changed[value] = None

    def frozen(self) -> SortedIds:
        """Return all ids as they are now."""
        if self._base and not self._changed:
            return self._base
        return SortedIds.build(*self._columns())

    def _columns(self) -> tuple[Values, list[Id]]:
        entries = [(value, name) for value, name in self._base_entries() if value not in self._changed]
        entries += [(value, name) for value in self._changed for name in self.of(value)]
        return from_ints([value for value, _ in entries], self._lanes), [name for _, name in entries]

    def _base_entries(self) -> Iterator[tuple[int, Id]]:
        if self._base:
            yield from zip(to_ints(self._base.values), self._base.ids, strict=True)

    def _load(self, value: int) -> None:
        """Copy the ids of a fingerprint from the base, to be changed."""
        if value not in self._changed:
            ids = self._base.of(value) if self._base else []
            self._changed[value] = dict.fromkeys(ids) if len(ids) > 1 else ids[0] if ids else None


def present_entries(values: AnyValues, ids: Ids | None, scheme: str) -> tuple[Values, Sequence[Id] | None]:
    """Return the fingerprints that are not masked, and their ids.

    Raises:
        BadValueError: a value or an id is invalid, or their numbers differ.
    """
    array, names = present_optional_entries(values, ids, scheme)
    return array, None if names is None else [check_id(name) for name in names]


def present_optional_entries(
    values: AnyValues, ids: OptionalIds | None, scheme: str
) -> tuple[Values, Sequence[Id | None] | None]:
    """Return what `present_entries` returns; an entry may be without an id."""
    sized = values if isinstance(values, Sized) else list(values)
    array, places = present_values(sized, scheme)
    if ids is None:
        return array, None
    names = ids.tolist() if isinstance(ids, np.ndarray) else ids
    if len(names) != len(sized):
        raise BadValueError(f"{len(names)} ids for {len(sized)} fingerprints: give one id per fingerprint, or none")
    names = [None if name is None else check_id(name) for name in names]
    return array, names if places is None else [names[at] for at in places.tolist()]
