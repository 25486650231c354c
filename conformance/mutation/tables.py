"""Mutants of the nine Unicode tables and of the registry of schemes.

Ranges: the first and the last code point moved by one to each side, and the range dropped. Values: the combining
class one higher and one lower, the category exchanged; each mapping, decomposition and composition dropped and
changed by one code point.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any
from unittest.mock import patch

from generators.table_lines import characters, table_lines
from mutation import appendix_c
from mutation.mutant import Mutant, Step
from simhash_doc import schemes, unicode_data
from simhash_doc.published_files import data_path
from simhash_doc.schemes import Scheme
from simhash_doc_conformance.adapters import implementation

SETS = {
    "assigned": Step.FOLDING,
    "nonstarter": Step.FOLDING,
    "word": Step.TOKENS,
    "continua": Step.TOKENS,
    "alphabetic": Step.TOKENS,
}
_CONNECTOR = "Pc"


@dataclass(frozen=True, slots=True)
class TableMutant(Mutant):
    """Other values of some code points in one table.

    Attributes:
        table: name of the table.
        code_points: those whose values differ.
        value: the new value, the same for all; for a set 0 or 1; None: no value.
    """

    table: str
    code_points: tuple[int, ...]
    value: Any

    @property
    def appendix(self) -> str | None:
        return "appendix_c" if self.table in ("combining_class", "decomposition", "composition") else None

    @contextmanager
    def installed(self) -> Iterator[None]:
        table = _tables()[self.table]
        keys: tuple[Any, ...] = (self.code_points,) if self.table == "composition" else self.code_points
        previous = {key: table.get(key) for key in keys}
        mutable: dict[str, Any] = {"members": _tables().__getitem__, "fold_map": _fold_map, "connectors": _connectors}
        with patch.multiple("simhash_doc.reference", **mutable):
            _put(table, dict.fromkeys(keys, self.value))
            try:
                yield
            finally:
                _put(table, previous)


def _put(table: dict[Any, Any], values: Mapping[Any, Any]) -> None:
    for key, value in values.items():
        if value is None:
            table.pop(key, None)
        else:
            table[key] = value


class _Members(dict[int, int]):
    """A set of code points: 1 for those in it."""

    def __missing__(self, code_point: int) -> int:
        return 0


class _FoldMap(dict[int, str]):
    def __missing__(self, code_point: int) -> str:
        return chr(code_point) if _tables()["assigned"][code_point] else unicode_data.REPLACEMENT


@cache
def _tables() -> dict[str, dict[Any, Any]]:
    """Return a copy of each table that mutants may change. Those of appendix C are the ones that it reads."""
    sets = {name: _Members((c, 1) for c, inside in enumerate(unicode_data.members(name)) if inside) for name in SETS}
    return {
        **sets,
        "connectors": _Members((ord(character), 1) for character in unicode_data.connectors()),
        "nfkc_casefold": _FoldMap(mappings()),
        "combining_class": appendix_c.combining_classes(),
        "decomposition": appendix_c.decompositions(),
        "composition": appendix_c.compositions(),
    }


def _fold_map() -> dict[int, str]:
    return _tables()["nfkc_casefold"]


def _connectors() -> str:
    return "".join(chr(code_point) for code_point, inside in _tables()["connectors"].items() if inside)


@cache
def mappings() -> dict[int, str]:
    """Return `nfkc_casefold.txt`."""
    return {
        code_point: characters(target)
        for first, last, target in table_lines("nfkc_casefold")
        for code_point in range(first, last + 1)
    }


def table_mutants() -> Iterator[Mutant]:
    """Yield all mutants of the tables."""
    for table, step in SETS.items():
        yield from _set_mutants(table, step)
    yield from _category_mutants()
    yield from _class_mutants()
    yield from _entry_mutants()
    yield from _composition_mutants()
    yield from _scheme_mutants()


def _borders(first: int, last: int) -> Iterator[tuple[str, tuple[int, ...], bool]]:
    """Yield (change, code points, in) for each change of a range."""
    yield "range dropped", tuple(range(first, last + 1)), False
    if last > first:
        yield "first + 1", (first,), False
        yield "last - 1", (last,), False
    if first > 0:
        yield "first - 1", (first - 1,), True
    if last < unicode_data.CODE_POINTS - 1:
        yield "last + 1", (last + 1,), True


def _set_mutants(table: str, step: Step) -> Iterator[TableMutant]:
    members = unicode_data.members(table)
    for first, last, _ in table_lines(table):
        for change, code_points, inside in _borders(first, last):
            if not (inside and members[code_points[0]]):  # the next line begins there
                yield TableMutant(_title(table, first, last, change), step, change, table, code_points, int(inside))


def _category_mutants() -> Iterator[TableMutant]:
    for first, last, category in table_lines("word"):
        title = _title("word", first, last, f"{category} -> {'Nd' if category == _CONNECTOR else _CONNECTOR}")
        code_points = tuple(range(first, last + 1))
        inside = int(category != _CONNECTOR)
        yield TableMutant(title, Step.TOKENS, "category", "connectors", code_points, inside)


def _class_mutants() -> Iterator[TableMutant]:
    table = "combining_class"
    known = appendix_c.combining_classes()
    for first, last, value in table_lines(table):
        for change, code_points, inside in _borders(first, last):
            if not (inside and known.get(code_points[0]) == int(value)):
                new = int(value) if inside else None
                yield TableMutant(_title(table, first, last, change), Step.FOLDING, change, table, code_points, new)
        for changed in (int(value) + 1, int(value) - 1):
            title = _title(table, first, last, f"{value} -> {changed}")
            code_points = tuple(range(first, last + 1))
            yield TableMutant(title, Step.FOLDING, "class value", table, code_points, changed or None)


def _entry_mutants() -> Iterator[TableMutant]:
    for first, last, value in table_lines("nfkc_casefold"):
        code_points, title = tuple(range(first, last + 1)), _title("nfkc_casefold", first, last, "")
        target = characters(value)
        yield TableMutant(f"{title}dropped", Step.FOLDING, "entry dropped", "nfkc_casefold", code_points, None)
        changed = f"{target[:-1]}{chr(ord(target[-1]) + 1)}" if target else " "
        yield TableMutant(f"{title}changed", Step.FOLDING, "entry changed", "nfkc_casefold", code_points, changed)
    for first, _, value in table_lines("decomposition"):
        parts, title = [int(part, 16) for part in value.split()], _title("decomposition", first, first, "")
        for operator, new in (("entry dropped", None), ("entry changed", [*parts[:-1], parts[-1] + 1])):
            yield TableMutant(f"{title}{operator[6:]}", Step.FOLDING, operator, "decomposition", (first,), new)


def _composition_mutants() -> Iterator[TableMutant]:
    for composite, _, value in table_lines("composition"):
        first, second = (int(part, 16) for part in value.split())
        title = _title("composition", composite, composite, "")
        for operator, new in (("entry dropped", None), ("entry changed", composite + 1)):
            yield TableMutant(f"{title}{operator[6:]}", Step.FOLDING, operator, "composition", (first, second), new)


def _title(table: str, first: int, last: int, change: str) -> str:
    code_points = f"{first:04X}" if first == last else f"{first:04X}..{last:04X}"
    return f"{table} {code_points}: {change}"


@dataclass(frozen=True, slots=True)
class SchemeMutant(Mutant):
    """Another registry of schemes."""

    registry: tuple[Scheme, ...]

    @contextmanager
    def installed(self) -> Iterator[None]:
        known = schemes.get_schemes()
        previous = dict(known)
        try:
            known.clear()
            known.update((scheme.id, scheme) for scheme in self.registry)
            implementation._parsed.cache_clear()
            yield
        finally:
            known.clear()
            known.update(previous)
            implementation._parsed.cache_clear()


def _scheme_mutants() -> Iterator[SchemeMutant]:
    published = json.loads((data_path("spec/data") / "schemes.json").read_text(encoding="utf-8"))["schemes"]
    for place, row in enumerate(published):
        yield _scheme_mutant(f"{row['id']}: dropped", published[:place] + published[place + 1 :])
        for member, steps in (("bits", (-64, -8, -1, 1, 8, 64)), ("characters", (-1, 1))):
            for step in steps:
                changed = [*published[:place], row | {member: row[member] + step}, *published[place + 1 :]]
                yield _scheme_mutant(f"{row['id']}: {member} {step:+d}", changed)
    yield _scheme_mutant("the widest first", published[::-1])
    yield _scheme_mutant("sd32 added", [published[0] | {"id": "sd32", "bits": 32, "characters": 7}, *published])
    yield _scheme_mutant("sd1024 added", [*published, published[0] | {"id": "sd1024", "bits": 1024, "characters": 205}])


def _scheme_mutant(title: str, registry: list[dict[str, Any]]) -> SchemeMutant:
    return SchemeMutant(f"schemes {title}", Step.SCHEMES, "registry", tuple(Scheme(**row) for row in registry))
