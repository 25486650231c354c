"""What all systematic mutants have in common: their form, the model that they change, and a limit of time."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from enum import StrEnum

from mutation import appendix_c
from simhash_doc_conformance.adapters.implementation import Implementation
from simhash_doc_conformance.mutants import appendix_a

SECONDS = 5.0  # of processor time for one answer, because a mutant may run forever


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
        raise NotImplementedError


class _WithXxh64(Implementation):
    """Hashes as appendix A describes it."""

    def hash_token(self, token: str, seed: int = 0) -> int:
        return appendix_a.xxh64(token.encode("utf-8"), seed)


class _WithNormalization(Implementation):
    """Normalizes as appendix C describes it, by the published tables."""

    def decomposed(self, text: str) -> str:
        return "".join("".join(map(chr, appendix_c.nfd(character))) for character in text)

    def compose(self, text: str) -> str:
        return appendix_c.nfc(text)


_MODELS: dict[str | None, type[Implementation]] = {
    None: Implementation,
    "appendix_a": _WithXxh64,
    "appendix_c": _WithNormalization,
}


def model(appendix: str | None) -> Implementation:
    """Return the reference, with the functions of one appendix if given."""
    return _MODELS[appendix]()


@contextmanager
def time_limit() -> Iterator[None]:
    """Raise `TimeoutError` in the block after `SECONDS`."""
    signal.signal(signal.SIGVTALRM, _raise_timeout)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _raise_timeout(number: int, frame: object) -> None:
    raise TimeoutError
