"""The registry of fingerprint schemes."""

from __future__ import annotations

from functools import cache
from operator import index
from typing import Literal, SupportsIndex, TypeAlias

from simhash_doc.errors import UnknownSchemeError, shortened
from simhash_doc.immutable import Immutable
from simhash_doc.published_files import data_directory

LANE_BITS = 64
SchemeId = Literal["sd64", "sd128", "sd256", "sd512"]
"""The short ids of the registry."""


class Scheme(Immutable):
    """A scheme of the registry (spec, section 12).

    Attributes:
        name: long name, such as ``simhash-doc-64``.
        id: short id, such as ``sd64``.
        state: ``active``, or ``deprecated`` for a scheme that new data should not use.
        bits: width of a fingerprint.
        characters: length of a fingerprint in base32.
        close: largest distance of the verdict "close".
        loose: largest distance of the verdict "loose".

    >>> scheme = get_scheme("sd256")
    >>> scheme.bits, scheme.lanes, scheme.characters, scheme.close, str(scheme)
    (256, 4, 52, 26, 'sd256')
    >>> scheme == "sd256"
    True
    """

    __slots__ = ("bits", "characters", "close", "id", "loose", "name", "state")
    name: str
    id: SchemeId
    state: str
    bits: int
    characters: int
    close: int
    loose: int

    def __init__(self, **values: object) -> None:
        for name in self.__slots__:
            object.__setattr__(self, name, values[name])

    def __repr__(self) -> str:
        return f"Scheme({', '.join(f'{name}={getattr(self, name)!r}' for name in self.__slots__)})"

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            return self.id == other  # as a dtype of NumPy and its name; the hashes are equal
        if not isinstance(other, Scheme):
            return NotImplemented
        return self is other or all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    def __hash__(self) -> int:
        return hash(self.id)

    def __str__(self) -> str:
        return self.id

    def __format__(self, specification: str) -> str:
        return format(self.id, specification)

    def __reduce__(self) -> tuple[object, ...]:
        return get_scheme, (self.id,)

    @property
    def lanes(self) -> int:
        """The number of 64-bit lanes; lane j is hashed with seed j (SD-WIDE-2)."""
        return self.bits // 64


AnyScheme: TypeAlias = SchemeId | Scheme
"""What public functions take as a scheme. `get_scheme` returns the scheme of a str that a checker does not know."""


def get_schemes() -> dict[str, Scheme]:
    """Return the schemes by short id, the narrowest first.

    >>> [*get_schemes()]
    ['sd64', 'sd128', 'sd256', 'sd512']
    """
    return dict(_registry())


@cache
def _registry() -> dict[str, Scheme]:
    import json

    with open(f"{data_directory('spec/data')}/schemes.json", encoding="utf-8") as file:
        registry = json.load(file)
    return {row["id"]: Scheme(**row) for row in registry["schemes"] if row["state"] != "reserved"}


def or_close(scheme: Scheme, distance: SupportsIndex | None) -> int:
    """Return a maximum distance as an int; None is the close threshold.

    Raises:
        TypeError: it is not an integer.
    """
    if distance is None:
        return scheme.close
    if isinstance(distance, bool) or not hasattr(distance, "__index__"):
        found = f"distance is {distance!r}, of type {type(distance).__name__}"
        raise TypeError(f"{found}; expected an int, or None for {scheme.close}")
    return index(distance)


def scheme_of_bits(bits: int) -> Scheme:
    """Return the scheme of a width.

    Raises:
        KeyError: no scheme of the registry has it.
    """
    return {scheme.bits: scheme for scheme in get_schemes().values()}[bits]


def get_scheme(scheme: str | Scheme) -> Scheme:
    """Return a scheme by its short id, which is written as in the registry (SD-TEXT-7).

    Args:
        scheme: a short id, for example ``sd64``; or a scheme, which is returned as it is.

    Raises:
        UnknownSchemeError: the registry has no such scheme.
        TypeError: the argument has the wrong type.

    >>> get_scheme("sd256").bits, get_scheme(get_scheme("sd64")).close
    (256, 3)
    """
    if isinstance(scheme, Scheme):
        return scheme
    if not isinstance(scheme, str):
        known = ", ".join(map(repr, get_schemes()))
        raise TypeError(f"scheme is {scheme!r}, of type {type(scheme).__name__}; expected {known} or a Scheme")
    known_scheme = _registry().get(scheme)
    if known_scheme is None:
        raise UnknownSchemeError(f"unknown scheme {shortened(scheme)}; the registry has {', '.join(get_schemes())}")
    return known_scheme
