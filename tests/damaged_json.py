"""JSON in which one value was deleted or replaced, as damage or another program may leave it."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

WRONG: list[Any] = [
    None, True, 0, -1, 1, 65, 1 << 63, 10**30, 1.5, float("nan"), float("inf"), "", "x", "1", "\ud800", "<u8", "<i8",
    "\x00", [], [1], [-1], [None], [10**30] * 3, [[]], {}, {"a": 1},
]  # fmt: skip
"""Values of every type, and those that other code converts, multiplies or uses as a key."""
DEEP = ["[" * 500 + "]" * 500, '{"a":' * 500 + "0" + "}" * 500, "[" * 100_000, "9" * 5_000]
"""JSON texts that nest deeper than a parser goes, or contain integers longer than Python converts."""


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of each value in JSON: its keys and indexes."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*path, key))


def damaged(value: Any) -> Iterator[tuple[str, str]]:
    """Yield JSON texts with a value deleted, repeated or replaced, at every path, each with a description."""
    for path in places(value):
        for wrong in WRONG:
            yield f"{path} is {wrong!r:.40}", json.dumps(_replaced(value, path, wrong))
        for text in DEEP:
            mark = json.dumps(_replaced(value, path, "MARK"))
            yield f"{path} is {text[:10]}...", mark.replace('"MARK"', text)
        if path:
            yield f"{path} is missing", json.dumps(_without(value, path))
        if path and isinstance(path[-1], str):
            twice = json.dumps(_replaced(value, path, "MARK"))
            yield f"{path} occurs twice", twice.replace('"MARK"', f"0, {json.dumps(path[-1])}: null")


def _replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    changed = copy.deepcopy(value)
    _parent(changed, path)[path[-1]] = new
    return changed


def _without(value: Any, path: tuple[Any, ...]) -> Any:
    changed = copy.deepcopy(value)
    del _parent(changed, path)[path[-1]]
    return changed


def _parent(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path[:-1]:
        value = value[key]
    return value
