"""Which ids have a fingerprint: none, one, or several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from simhash_doc.lookup.errors import BadValueError
from simhash_doc.lookup.values import Values

Id = str | int


def check_id(name: object) -> Id:
    """Return an id.

    Raises:
        BadValueError: it is neither str nor int.
    """
    if isinstance(name, bool) or not isinstance(name, str | int):
        raise BadValueError(f"{name!r} is no id: an id is a str or an int, not {type(name).__name__}")
    return name


class SortedIds:
    """Ids in the order of their fingerprints; never changed.

    Attributes:
        values: the fingerprint of each id, ascending, shape (e,), uint64.
        ids: the ids, e of them.
    """

    def __init__(self, values: Values, ids: Sequence[Id]) -> None:
        self.values, self.ids = values, ids

    @classmethod
    def build(cls, values: Values, ids: Sequence[Id]) -> SortedIds:
        """Sort ids by fingerprint; an id given twice for one fingerprint is kept once."""
        order = np.argsort(values, kind="stable")
        ascending = values[order]
        named = [ids[at] for at in order.tolist()]
        if (ascending[1:] == ascending[:-1]).any():
            entries = list(dict.fromkeys(zip(ascending.tolist(), named, strict=True)))
            ascending = np.array([value for value, _ in entries], np.uint64)
            named = [name for _, name in entries]
        return cls(ascending, named)

    def of(self, value: int) -> list[Id]:
        """Return the ids of a fingerprint."""
        key = np.uint64(value)
        start, end = np.searchsorted(self.values, key, "left"), np.searchsorted(self.values, key, "right")
        return [self.ids[at] for at in range(int(start), int(end))]


class IdMap:
    """From fingerprints to their ids: a sorted base, and a dict of what has changed since."""

    def __init__(self, base: SortedIds | None = None) -> None:
        self._base = base
        # One id stands for itself; several are the keys of a dict, which keeps their order.
        self._changed: dict[int, Id | dict[Id, None] | None] = {}

    def __bool__(self) -> bool:
        return self._base is not None or bool(self._changed)

    def of(self, value: int) -> tuple[Id, ...]:
        """Return the ids of a fingerprint, in the order they came."""
        if value in self._changed:
            now = self._changed[value]
            return () if now is None else tuple(now) if isinstance(now, dict) else (now,)
        return tuple(self._base.of(value)) if self._base else ()

    def add(self, value: int, name: Id) -> None:
        """Give a fingerprint an id; nothing changes if it has it."""
        self._load(value)
        now = self._changed[value]
        if now is None:
            self._changed[value] = name
        elif isinstance(now, dict):
            now[name] = None
        elif now != name:
            self._changed[value] = {now: None, name: None}

    def add_bulk(self, values: Values, ids: Sequence[Id]) -> None:
        """Give each fingerprint, shape (n,), the id at its position."""
        if not self:
            self._base = SortedIds.build(values, ids)
        else:
            for value, name in zip(values.tolist(), ids, strict=True):
                self.add(value, name)

    def take(self, value: int, name: Id) -> bool:
        """Take one id from a fingerprint; say whether it had it."""
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
        """Take all ids from a fingerprint."""
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
        return np.array([value for value, _ in entries], np.uint64), [name for _, name in entries]

    def _base_entries(self) -> Iterator[tuple[int, Id]]:
        if self._base:
            yield from zip(self._base.values.tolist(), self._base.ids, strict=True)

    def _load(self, value: int) -> None:
        """Take the ids of a fingerprint out of the base, to be changed."""
        if value not in self._changed:
            ids = self._base.of(value) if self._base else []
            self._changed[value] = dict.fromkeys(ids) if len(ids) > 1 else ids[0] if ids else None
