"""The options for reading documents."""

from __future__ import annotations

from dataclasses import dataclass, field

from simhash_doc.arguments import integer
from simhash_doc.ingest.selection import ALL, Selection
from simhash_doc.provenance import PACKAGE, Software
from simhash_doc.versions import __version__
from simhash_doc_extraction import CONTAINERS, READERS, VERSION, Limits

EXTRACTOR = Software(PACKAGE, f"{__version__}+extract.{VERSION}")
"""What extracts the texts, as the provenance of their fingerprints names it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """How documents are read.

    Attributes:
        format: The format of every document that is named, such as ``html``; in directories, only documents of this
            format are read. None detects the format of each from its content.
        limits: Bounds on each document.
        selection: Which files below directories are read.
        min_tokens: Documents with fewer tokens are left out when fingerprints are computed.
        explain: Also return the decision about each block of a web page.
        skip_incomplete: Report the error ``incomplete`` for documents of which only a part was captured.
        traced: Also compute every intermediate value of a fingerprint; the text is then kept in memory.
        with_text: Also return the text of a fingerprint, unless it is over the limit of bytes.
        remainder: Also return a digest of what a document shows outside its text.

    Raises:
        TypeError: A value has the wrong type.
        ValueError: The format is unknown, or the number of tokens is negative.

    >>> ReadOptions(format="html", min_tokens=50).format
    'html'
    """

    format: str | None = None
    limits: Limits = field(default_factory=Limits)
    selection: Selection = ALL
    min_tokens: int = 0
    explain: bool = False
    skip_incomplete: bool = False
    traced: bool = False
    with_text: bool = False
    remainder: bool = False

    def __post_init__(self) -> None:
        for name, value, kind in (
            ("format", self.format, str | None),
            ("limits", self.limits, Limits),
            ("selection", self.selection, Selection),
        ):
            if not isinstance(value, kind):
                raise TypeError(f"{name} is {value!r}, of type {type(value).__name__}")
        if self.format is not None and self.format not in (names := sorted({*READERS, *CONTAINERS})):
            raise ValueError(f"format is {self.format!r}; expected one of {', '.join(names)}")
        integer(self.min_tokens, "min_tokens", 0)
