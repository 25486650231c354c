"""The text of one document, as it would be fingerprinted."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Extracted:
    """Text taken from a document."""

    text: str
    medium: str
    """"html", "pdf", "jats", "tei", "docbook", "epub", "docx", "odt", "rtf", "markdown", "text" and so on."""
    name: str | None = None
    """Name of the document, such as its path; of a member of a container, the member's, such as a target URI."""
    warnings: tuple[str, ...] = ()
    """What was repaired or left out, for the person reading."""
