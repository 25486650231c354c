"""Values whose attributes cannot change, without `dataclasses`, which would double the time to import this package."""

from __future__ import annotations


class Immutable:
    """Base of a class with `__slots__`, which are set once with `object.__setattr__`."""

    __slots__ = ()

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"cannot assign to {name!r}: a {type(self).__name__} does not change")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"cannot delete {name!r}: a {type(self).__name__} does not change")
