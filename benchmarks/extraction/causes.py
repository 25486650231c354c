"""The likely cause of a miss: why two texts of one work are far apart."""

from __future__ import annotations

import re
from collections import Counter

from benchmarks.calibration.corpus import Document
from benchmarks.extraction.sources import Source
from simhash_doc import trace

_LIGATURES = re.compile("ffi|ffl|ff|fi|fl")
_DOUBTFUL = re.compile(r"ffi|ffl|ff|fi|fl|[^\x00-\x7f]")


def counts(text: str) -> Counter[str]:
    """Return the tokens of a text with their capped counts."""
    return Counter({token.token: token.counted for token in trace(text).tokens})


def cause(a: Document, b: Document, source_a: Source, source_b: Source) -> dict[str, object]:
    """Return the likely cause of a miss, and the share of tokens that occur in one text only."""
    left, right = counts(source_a.text), counts(source_b.text)
    only_left, only_right = left - right, right - left
    return {
        "cause": _cause((a, source_a, only_left), (b, source_b, only_right)),
        "only_a": round(only_left.total() / max(left.total(), 1), 3),
        "only_b": round(only_right.total() / max(right.total(), 1), 3),
    }


Side = tuple[Document, Source, Counter[str]]


def _cause(one: Side, other: Side) -> str:
    for document, source, _ in (one, other):
        if any("include" in note for note in source.notes):
            return f"the {document.format} includes files that hold part of the text and are not in the corpus"
        if source.fingerprint is None:
            return f"nothing could be extracted: {'; '.join(source.notes)}"
    if _misread(one[2], other[2]):
        return "the same words with different letters: one of the texts was decoded wrongly"
    for (document, _, only), (_, _, more) in ((one, other), (other, one)):
        if _in_pieces(only, more):
            return f"{_named(document)} has lost its ligatures"
    for (document, _, only), (_, _, less) in ((one, other), (other, one)):
        if document.orig is None and document.format.startswith("html") and only.total() > 2 * less.total():
            return f"{_named(document)} is a dump of the complete page, with its menus"
        if document.orig is None and document.format.startswith("pdf") and only.total() > 2 * less.total():
            return f"{_named(document)} holds running heads, margins and broken words"
    return "the two texts differ: another edition, or parts missing in one of them"


def _named(document: Document) -> str:
    return f"the {'stored text' if document.orig is None else 'original'} ({document.format}) {document.id}"


def _misread(only: Counter[str], other: Counter[str]) -> bool:
    """Return True if the words agree without ligatures and non-ASCII letters."""
    bare = {_DOUBTFUL.sub("", word) for word in other if _DOUBTFUL.search(word)} | set(other)
    doubtful = [word for word in only if _DOUBTFUL.search(word)]
    return len(doubtful) > 20 and sum(_DOUBTFUL.sub("", word) in bare for word in doubtful) > 0.4 * len(only)


def _in_pieces(only: Counter[str], more: Counter[str]) -> bool:
    """Return True if words of one text occur in the other in pieces, without their ligatures."""
    pieces = [piece for word in more if _LIGATURES.search(word) for piece in _LIGATURES.split(word) if len(piece) > 1]
    return len(pieces) > 20 and sum(piece in only for piece in pieces) > 0.3 * len(pieces)
