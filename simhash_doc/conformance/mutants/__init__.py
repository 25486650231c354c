"""Known wrong ports: plausible mistakes, each a patch over one step of the specification.

The vectors are judged by them (a mutant that passes every case shows a gap), and a
failing implementation is told which of them it behaves like.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from simhash_doc.conformance.steps import Steps

_MODULES = (
    "reading",
    "folding",
    "links",
    "cutting",
    "filtering",
    "counting",
    "summing",
    "text_form",
    "comparing",
    "extracting",
)


@dataclass(frozen=True, slots=True)
class Mutant:
    """A wrong port.

    Attributes:
        name: such as ``cap-seven``.
        requirement: the clause that it breaks.
        mistake: what its author does, addressed to the author.
        steps: the patched steps.
        equivalent: why no input can tell it from a right one, if so.
    """

    name: str
    requirement: str
    mistake: str
    steps: type[Steps]
    equivalent: str | None = None


_catalogue: dict[str, Mutant] = {}


def wrong(requirement: str, mistake: str, *, equivalent: str | None = None) -> Callable[[type[Steps]], type[Steps]]:
    """Enter a class of steps into the catalogue, under its name in kebab case."""

    def enter(steps: type[Steps]) -> type[Steps]:
        name = re.sub(r"(?<!^)(?=[A-Z])", "-", steps.__name__).lower()
        assert name not in _catalogue, name
        _catalogue[name] = Mutant(name, requirement, mistake, steps, equivalent)
        return steps

    return enter


@cache
def mutants() -> dict[str, Mutant]:
    """Return the catalogue by name, in the order of the pipeline."""
    for module in _MODULES:
        import_module(f"{__name__}.{module}")
    return dict(_catalogue)
