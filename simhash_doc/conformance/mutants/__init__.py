"""Mutants: wrong implementations made on purpose, each a plausible mistake in one step of the specification.

They measure the vectors: a mutant that passes every case shows a gap. They also diagnose: when the answers of a
failing implementation are those of a mutant, its mistake is the likely bug.

Each module is a catalogue of the mutants of a few sections, in the order of the pipeline. `table` adds mutants that
differ from the reference, or from an implementation of their own, in one constant or step; `mutant` adds a class that
replaces several.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from simhash_doc.conformance.implementation import Implementation

_MODULES = (
    "reading",
    "folding",
    "unicode_tables",
    "links",
    "tokens",
    "counting",
    "xxh64",
    "summing",
    "text_form",
    "searching",
    "extracting",
)


@dataclass(frozen=True, slots=True)
class Mutant:
    """A wrong implementation.

    Attributes:
        name: such as ``cap-seven``.
        requirement: the clause that it violates.
        mistake: what it does, as a predicate, such as ``counts a token at most 7 times``.
        implementation: the reference with the wrong steps.
        equivalent: why no input can distinguish it from the reference; None if one can.
    """

    name: str
    requirement: str
    mistake: str
    implementation: type[Implementation]
    equivalent: str | None = None


_catalogue: dict[str, Mutant] = {}


def table(
    requirement: str,
    base: type[Implementation] = Implementation,
    *,
    equivalent: Mapping[str, str] | None = None,
    **steps: Mapping[str, tuple[str, Any]],
) -> None:
    """Add mutants that replace one step or constant each.

    Args:
        requirement: the clause that they violate.
        base: what is right about them.
        equivalent: why no input can distinguish a mutant from the reference, by its name.
        steps: for each step or constant of the base, the mutants that replace it: the mistake and the replacement, by
            the name of the mutant. The first argument of a function, `right`, has the steps of the base.
    """
    for step, rows in steps.items():
        for name, (mistake, replacement) in rows.items():
            implementation = type(name, (base,), {})
            setattr(
                implementation, step, _method(replacement, implementation) if callable(replacement) else replacement
            )
            _enter(Mutant(name, requirement, mistake, implementation, (equivalent or {}).get(name)))


def failing(error: Exception) -> Any:
    """Raise an exception, in an expression."""
    raise error


def in_pieces(step: str, size: int) -> Callable[..., Any]:
    """Return a step that is applied to each piece of its input, of so many characters, bytes or items."""

    def joined(right: Implementation, given: Any) -> Any:
        results = [getattr(right, step)(given[at : at + size]) for at in range(0, max(1, len(given)), size)]
        return "".join(results) if isinstance(results[0], str) else [item for result in results for item in result]

    return joined


def _method(replacement: Callable[..., Any], owner: type[Implementation]) -> Callable[..., Any]:
    return lambda self, *given, **named: replacement(super(owner, self), *given, **named)


def mutant(requirement: str, mistake: str) -> Callable[[type[Implementation]], type[Implementation]]:
    """Add a class, under its name in kebab case."""

    def enter(implementation: type[Implementation]) -> type[Implementation]:
        name = re.sub(r"(?<!^)(?=[A-Z])", "-", implementation.__name__).lower()
        _enter(Mutant(name, requirement, mistake, implementation))
        return implementation

    return enter


def _enter(entry: Mutant) -> None:
    assert entry.name not in _catalogue, entry.name
    _catalogue[entry.name] = entry


@cache
def mutants() -> dict[str, Mutant]:
    """Return the catalogue by name, in the order of the pipeline."""
    for module in _MODULES:
        import_module(f"{__name__}.{module}")
    return dict(_catalogue)
