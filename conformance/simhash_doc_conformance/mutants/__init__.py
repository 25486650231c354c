"""Mutants: wrong implementations made on purpose, each a plausible mistake in one step of the specification.

They measure the vectors: a mutant that passes every case shows a gap. They also diagnose: when the answers of a
failing implementation are those of a mutant, its mistake is the likely bug.

Each module is a catalogue of the mutants of a few sections, in the order of the pipeline. `table` adds mutants that
differ from the reference, or from an implementation of their own, in one constant or step; `mutant` adds one that
replaces several.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import FunctionType
from typing import Any

from simhash_doc_conformance.adapters.implementation import Implementation

_MODULES = (
    "reading",
    "carrying",
    "sniffing",
    "folding",
    "unicode_tables",
    "links",
    "tokens",
    "counting",
    "identity",
    "xxh64",
    "summing",
    "lanes",
    "text_form",
    "scheme_names",
    "searching",
    "ids",
    "kept",
    "extracting",
)


class Keeping(Implementation):
    """An implementation that keeps something between requests. It differs only in cases with requests before."""


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
    **steps: Mapping[str, tuple[str, Any] | tuple[str, Any, str]],
) -> None:
    """Add mutants that replace one step or constant each.

    Args:
        requirement: the clause that they violate.
        base: what is right about them.
        steps: for each step or constant of the base, the mutants that replace it: the mistake, the replacement (see
            `mutant`), and, if no input can distinguish the mutant from the reference, why, by the name of the mutant.
    """
    for step, rows in steps.items():
        for name, (mistake, replacement, *equivalent) in rows.items():
            _enter(name, requirement, mistake, base, {step: replacement}, *equivalent)


def mutant(
    name: str, requirement: str, mistake: str, base: type[Implementation] = Implementation, **steps: Any
) -> None:
    """Add a mutant that replaces several steps.

    A function gets the arguments of the step that it replaces. Before them, it gets what its first parameter names:
    `step`, the step of the base; `right`, an object with all steps of the base; `self`, the mutant.
    """
    _enter(name, requirement, mistake, base, steps)


def _enter(
    name: str,
    requirement: str,
    mistake: str,
    base: type[Implementation],
    steps: Mapping[str, Any],
    equivalent: str | None = None,
) -> None:
    assert name not in _catalogue, name
    implementation = type(name, (base,), {})
    for step, replacement in steps.items():
        setattr(implementation, step, _method(step, replacement, implementation))
    _catalogue[name] = Mutant(name, requirement, mistake, implementation, equivalent)


def _method(step: str, replacement: Any, owner: type[Implementation]) -> Any:
    first = replacement.__code__.co_varnames[:1] if isinstance(replacement, FunctionType) else ()
    if not callable(replacement) or first == ("self",):
        return replacement
    if first == ("right",):
        return lambda self, *given, **named: replacement(super(owner, self), *given, **named)
    if first == ("step",):
        return lambda self, *given, **named: replacement(getattr(super(owner, self), step), *given, **named)
    return lambda self, *given, **named: replacement(*given, **named)


def failing(error: Exception) -> Any:
    """Raise an exception, in an expression."""
    raise error


def before(change: Callable[[Any], Any]) -> Callable[..., Any]:
    """Return a step that gets its first argument changed."""
    return lambda step, given, *others, **named: step(change(given), *others, **named)


def after(change: Callable[[Any], Any]) -> Callable[..., Any]:
    """Return a step whose result is changed."""
    return lambda step, *given, **named: change(step(*given, **named))


def first(size: int) -> Callable[..., Any]:
    """Return a step whose result is cut after so many characters or items."""
    return after(lambda result: result[:size])


def of_sizes(name: str, mistake: str, replacement: Callable[[int], Any], *sizes: int) -> dict[str, tuple[str, Any]]:
    """Return a row of a table for each size, which `{}` stands for in the name and in the mistake."""
    return {name.format(size): (mistake.format(size), replacement(size)) for size in sizes}


def in_pieces(size: int) -> Callable[..., Any]:
    """Return a step that is applied to each piece of its input, of so many characters, bytes or items."""

    def joined(step: Callable[[Any], Any], given: Any) -> Any:
        results = [step(given[at : at + size]) for at in range(0, max(1, len(given)), size)]
        return "".join(results) if isinstance(results[0], str) else [item for result in results for item in result]

    return joined


@cache
def mutants() -> dict[str, Mutant]:
    """Return the catalogue by name, in the order of the pipeline."""
    for module in _MODULES:
        import_module(f"{__name__}.{module}")
    return dict(_catalogue)
