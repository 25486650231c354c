"""The result of extraction."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BlockDecision:
    """Whether a block of a web page belongs to its document, and why.

    Attributes:
        text: the text of the block.
        kept: whether it is in the text of the document.
        score: how likely it belongs to the document, from 0 to 1.
        reasons: the strongest reasons, each the name of a feature, its value, and by how much it raises (or, if it is
            negative, lowers) the log-odds.
        rule: the rule that decided against the score, or an empty text: "boilerplate", or the tag of an element whose
            blocks are kept or left out together.
    """

    text: str
    kept: bool
    score: float
    reasons: tuple[tuple[str, float, float], ...]
    rule: str = ""


@dataclass(frozen=True, slots=True)
class ExtractedText:
    """The text of one document.

    Attributes:
        text: the text, ready to be fingerprinted.
        format: format of the document, a key of `registry.READERS`: "html", "pdf", "docx" and so on.
        name: name of the document, such as its path; for a member of a container the name of the member, such as the
            target URI of a WARC record.
        warnings: what was repaired or left out, one message each, for a human reader.
        blocks: every block of a web page with its decision, if an explanation was requested.
    """

    text: str
    format: str
    name: str | None = None
    warnings: tuple[str, ...] = ()
    blocks: tuple[BlockDecision, ...] = ()
