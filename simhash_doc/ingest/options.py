"""Options for reading documents: their format, and the limits on each of them."""

from __future__ import annotations

from dataclasses import dataclass, field

from simhash_doc.extract.errors import LimitValueError
from simhash_doc.extract.limits import LARGEST_SIZE, Limits
from simhash_doc.ingest.walk import ALL, Selection

_MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How documents are read.

    Attributes:
        format: The format of every document that is named, such as ``html``; in directories, only documents of this
            format are read. None detects the format of each from its content.
        limits: Bounds on each document.
        max_memory: Memory in bytes that a worker process may allocate after its start, on systems that can limit it.
        selection: Which files below directories are read.
        min_tokens: Documents with fewer tokens are left out when fingerprints are computed.
        explain: Also return the decision about each block of a web page.
    """

    format: str | None = None
    limits: Limits = field(default_factory=Limits)
    max_memory: int = 2048 * _MIB
    selection: Selection = ALL
    min_tokens: int = 0
    explain: bool = False

    def __post_init__(self) -> None:
        memory: object = self.max_memory
        if not (isinstance(memory, int) and 0 < memory <= LARGEST_SIZE):
            raise LimitValueError(f"max_memory is {self.max_memory!r}; expected an integer from 1 to 2^50")

    def seconds(self, size: int) -> float:
        """Return the time limit in seconds for a document of `size` bytes: `Limits.seconds`, plus one per MiB."""
        return self.limits.seconds + size / _MIB
