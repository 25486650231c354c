"""Mutants: wrong implementations made on purpose, each a plausible mistake in one step of the specification.

They measure the vectors: a mutant that passes every case shows a gap. They also diagnose: when the answers of a
failing implementation are those of a mutant, its mistake is the likely bug.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from simhash_doc.conformance.implementation import Implementation

_MODULES = (
    "reading",
    "pieces",
    "folding",
    "composing",
    "tables",
    "links",
    "link_grammar",
    "link_order",
    "cutting",
    "filtering",
    "counting",
    "limits",
    "xxh64",
    "summing",
    "text_form",
    "prefixes",
    "scheme_names",
    "comparing",
    "searching",
    "index_limits",
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


def mutant(
    requirement: str, mistake: str, *, equivalent: str | None = None
) -> Callable[[type[Implementation]], type[Implementation]]:
    """Add an implementation to the catalogue, under the name of its class in kebab case."""

    def enter(implementation: type[Implementation]) -> type[Implementation]:
        name = re.sub(r"(?<!^)(?=[A-Z])", "-", implementation.__name__).lower()
        assert name not in _catalogue, name
        _catalogue[name] = Mutant(name, requirement, mistake, implementation, equivalent)
        return implementation

    return enter


@cache
def mutants() -> dict[str, Mutant]:
    """Return the catalogue by name, in the order of the pipeline."""
    for module in _MODULES:
        import_module(f"{__name__}.{module}")
    return dict(_catalogue)
