"""What all systematic mutants have in common."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from enum import StrEnum


class Step(StrEnum):
    """The steps of the specification, in its order."""

    INPUT = "3 input"
    FOLDING = "4 folding"
    LINKS = "5 links"
    TOKENS = "6 tokens"
    COUNTING = "7 counting"
    HASHING = "7 hashing"
    SUMS = "8 sums, buckets and bits"
    TEXT_FORM = "9 text form"
    COMPARING = "10 distance and similarity"
    SCHEMES = "12 schemes"
    SEARCH = "13 near-duplicate search"


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of the specification in code or of its data.

    Attributes:
        name: what is changed and to what; unique.
        step: the part of the specification that is changed.
        operator: the kind of the change.
    """

    name: str
    step: Step
    operator: str

    @property
    def appendix(self) -> str | None:
        """Return the appendix that the model must use in place of the platform's function; None if neither."""
        return None

    def installed(self) -> AbstractContextManager[None]:
        """Put the change in place until the context is left."""
        return _nothing()


@contextmanager
def _nothing() -> Iterator[None]:
    yield
