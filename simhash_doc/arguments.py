"""What public functions take: types of arguments, and checks that name an argument that is wrong.

A str is a collection of letters to Python, and so to `Iterable[str]`. `Many` is a collection that a str is not, for
checkers; `collection` rejects it when a program runs.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from operator import index
from typing import Any, Protocol, TypeAlias, TypeVar

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

STANDARD_INPUT = "-"
"""The path that means standard input."""
DEFAULT_COLLECTION = "default"
"""The collection of a store that is meant if none is named."""
ONE = (str, bytes, bytearray, memoryview, os.PathLike)
"""What Python can iterate, or a user can take for a collection, and is one thing here."""


class Several(Protocol[T_co]):
    """A collection of any kind but str and bytes: these contain only their own kind."""

    def __iter__(self) -> Iterator[T_co]: ...
    def __contains__(self, item: object, /) -> bool: ...


Many: TypeAlias = Several[T] | Iterator[T]
Tokenizer: TypeAlias = Callable[[str], Iterable[str]]
OnProgress: TypeAlias = Callable[[int, int | None], object]
"""Called with how much is done, and of how much in all; None if that is not known."""


def collection(values: Iterable[T] | Any, name: str, items: str, *, ordered: bool = True) -> Iterable[T]:
    """Return a collection as it is.

    Args:
        values: the argument.
        name: the name of the argument.
        items: what it is a collection of, in the plural.
        ordered: reject a set, whose items have no order.

    Raises:
        TypeError: it is one str, path or bytes object, a mapping, a set, or no collection.
    """
    kind = type(values).__name__
    if isinstance(values, ONE):
        raise TypeError(f"{name} is one {kind}; expected a collection of {items}: for one, write [{name}]")
    if isinstance(values, Mapping):
        raise TypeError(f"{name} is a {kind}; expected a collection of {items}, for example list({name}.values())")
    if ordered and isinstance(values, set | frozenset):
        raise TypeError(
            f"{name} is a {kind}, which has no order; expected a list of {items}, for example sorted({name})"
        )
    if not hasattr(values, "__iter__") or getattr(values, "ndim", 1) == 0:
        raise TypeError(f"{name} is {kind}; expected a collection of {items}")
    found: Iterable[T] = values
    return found


def check_read(values: object, name: str) -> None:
    """Raise a TypeError for a frame that was not computed, or a dataset that was not read."""
    if type(values).__name__ == "LazyFrame":  # of polars
        raise TypeError(f"{name} is a LazyFrame, which has no rows yet; give its collect()")
    if hasattr(values, "to_table") and hasattr(values, "to_batches"):  # of pyarrow
        raise TypeError(f"{name} is a {type(values).__name__}, which has no rows yet; give its to_table()")


def check_column(values: object, name: str) -> None:
    """Raise a TypeError for a table or frame where one column is expected, or one that was not read."""
    check_read(values, name)
    if hasattr(values, "columns") or hasattr(values, "column_names") or hasattr(values, "num_columns"):
        raise TypeError(f"{name} is a {type(values).__name__}; expected one column of it, for example {name}['text']")


def check_aligned(**columns: object) -> None:
    """Raise a ValueError if pandas series or frames have different indexes: their rows are taken by position."""
    indexes: list[tuple[str, Any]] = [(name, getattr(one, "index", None)) for name, one in columns.items()]
    (first, index), *others = [(name, one) for name, one in indexes if hasattr(one, "equals")] or [("", None)]
    for name, other in others:
        if not index.equals(other):
            raise ValueError(
                f"{first} and {name} have different indexes: align them, for example with {name}.reindex(), or give "
                f"{name}.to_numpy(), which is taken by position"
            )


def function(value: Any, name: str) -> None:
    """Raise a TypeError for an argument that cannot be called."""
    if not callable(value):
        raise TypeError(f"{name} is {type(value).__name__}; expected a function")


def how_to_read(value: object) -> str:
    """Return how the text of a path, a file or a row is given, as the end of a message; "" for all else."""
    if isinstance(value, Mapping):
        return ": give the value of the key with the text"
    if isinstance(value, os.PathLike):
        return ": read the file with read_text(), or see simhash_doc.ingest.fingerprint_documents"
    return ": give its read()" if hasattr(value, "read") else ""


def texts(values: Iterable[str] | Any, name: str, items: str) -> tuple[str, ...]:
    """Return a collection of str as a tuple.

    Raises:
        TypeError: it is not a collection, or one of its items is not a str.
    """
    listed = tuple(collection(values, name, items, ordered=False))
    for item in listed:
        if not isinstance(item, str):
            raise TypeError(f"{name} has an item of type {type(item).__name__}; expected {items}, each a str")
    return listed


def real(value: Any, name: str, expected: str = "a number") -> float:
    """Return a number, also one of NumPy, that is neither a bool nor NaN.

    Raises:
        TypeError: it is of another type.
        ValueError: it is NaN.
    """
    from numbers import Real  # most programs check no such number

    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} is {value!r}, of type {type(value).__name__}; expected {expected}")
    if value != value:
        raise ValueError(f"{name} is NaN; expected {expected}")
    return float(value)


def integer(value: Any, name: str, least: int, most: int | None = None, error: type[Exception] = ValueError) -> int:
    """Return a number that must be an integer, also one of NumPy.

    Raises:
        TypeError: it is of another type, for example a float or a bool.
        error: it is out of its range.
    """
    try:
        number = index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool):
        raise TypeError(f"{name} is {value!r}, of type {type(value).__name__}; expected an int")
    if number < least or (most is not None and number > most):
        expected = f"{least} or more" if most is None else f"{least} to {most}"
        raise error(f"{name} is {number}; expected {expected}")
    return number


def exact(text: object, what: str = "the text") -> str | bytes:
    """Return a text as str or bytes itself: a subclass may report another length or content from call to call.

    Raises:
        TypeError: it is neither; the message begins with `what`.
    """
    if type(text) is str or type(text) is bytes:
        return text
    if not isinstance(text, str | bytes):
        raise TypeError(f"{what} is {type(text).__name__}; expected str or bytes{how_to_read(text)}")
    return str.__str__(text) if isinstance(text, str) else memoryview(text).tobytes()
