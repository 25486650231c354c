"""Dataclasses as JSON values, and back. The expected type decides what is built, and nothing in the JSON does."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

_SCALARS = (NoneType, bool, int, float, str)


def to_json(value: object) -> object:
    """Return a value as JSON: a dataclass as an object of its fields, a tuple as an array."""
    if type(value) in _SCALARS:  # most values
        return value
    if isinstance(value, list | tuple):
        return [to_json(member) for member in value]
    if is_dataclass(value):
        return {field.name: to_json(getattr(value, field.name)) for field in fields(value)}
    return value


def of_json(kind: Any, value: object) -> Any:
    """Return what `to_json` made this JSON of. Integers have 64 bits, and floats are finite: any file can store them.

    Args:
        kind: its type: None, bool, int, float, str, a literal, a dataclass, a union, a list, or a tuple of these.
        value: the JSON.

    Raises:
        ValueError: the JSON is none of this type.
    """
    if kind in _SCALARS:
        if type(value) is kind and _is_storable(value):
            return value
    elif isinstance(kind, type) and is_dataclass(kind):
        hints = _hints(kind)
        if isinstance(value, Mapping) and value.keys() == hints.keys():
            return kind(**{name: of_json(hint, value[name]) for name, hint in hints.items()})
    elif get_origin(kind) is Literal:
        if isinstance(value, str) and value in get_args(kind):
            return value
    elif get_origin(kind) in (Union, UnionType):
        return _of_union(kind, value)
    elif isinstance(value, list):
        return _of_array(kind, value)
    raise _mismatch(kind, value)


def _is_storable(value: object) -> bool:
    if isinstance(value, int):
        return -(2**63) <= value < 2**63
    return not isinstance(value, float) or math.isfinite(value)


@cache
def _hints(kind: type) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind)}


def _of_union(kind: Any, value: object) -> Any:
    kinds = get_args(kind)
    if value is None and NoneType in kinds:  # most values
        return None
    for one in kinds:
        try:
            return of_json(one, value)
        except ValueError:
            continue
    raise _mismatch(kind, value)


def _of_array(kind: Any, value: list[object]) -> Any:
    origin, kinds = get_origin(kind), get_args(kind)
    if origin is list:
        return [of_json(kinds[0], member) for member in value]
    if origin is not tuple:
        raise _mismatch(kind, value)
    if len(kinds) == 2 and kinds[1] is ...:
        return tuple(of_json(kinds[0], member) for member in value)
    if len(kinds) != len(value):
        raise _mismatch(kind, value)
    return tuple(of_json(one, member) for one, member in zip(kinds, value, strict=True))


def _mismatch(kind: Any, value: object) -> ValueError:
    return ValueError(f"{type(value).__name__} where {getattr(kind, '__name__', kind)} is expected")
