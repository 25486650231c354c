"""The result of extraction."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ExtractedText:
    """The text of one document.

    Attributes:
        text: the text, ready to be fingerprinted.
        format: format of the document, a key of `registry.READERS`: "html", "pdf", "docx" and so on.
        name: name of the document, such as its path; for a member of a container the name of the member, such as the
            target URI of a WARC record.
        warnings: what was repaired or left out, one message each, for a human reader.
    """

    text: str
    format: str
    name: str | None = None
    warnings: tuple[str, ...] = ()
