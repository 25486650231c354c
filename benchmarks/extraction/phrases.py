"""Names, headings and phrases of the parts that sites add to a document, for composed pages and for noise."""

from __future__ import annotations

import json
from pathlib import Path

_WORDS = json.loads(Path(__file__).with_name("boilerplate.json").read_text(encoding="utf-8"))
NAMES: dict[str, list[str]] = _WORDS["names"]  # of elements, by what they hold
HEADINGS: dict[str, list[str]] = _WORDS["headings"]
SUBJECTS: list[str] = _WORDS["subjects"]  # headings of documents that begin like headings of boilerplate
NETWORKS, SECTIONS, LEGAL, RIGHTS, CONSENT, MONTHS = (
    _WORDS[name] for name in ("networks", "sections", "legal", "rights", "consent", "months")
)
