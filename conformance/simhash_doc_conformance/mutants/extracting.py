"""Mutants of extraction. They assemble the known parts of the suite's documents wrongly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import takewhile

from simhash_doc_conformance.adapters.implementation import Implementation
from simhash_doc_conformance.mutants import after, failing, table
from simhash_doc_conformance.vectors.extraction import Part, Truth
from simhash_doc_extraction import CorruptDocumentError


class _Extractor(Implementation):
    undeclared = frozenset()


def _without(*roles: str) -> Callable[..., bool]:
    return lambda right, part: right.is_content(part) and part.role not in roles


def _with(*roles: str) -> Callable[..., bool]:
    return lambda right, part: right.is_content(part) or part.role in roles


def _broken(is_broken: Callable[[str], bool]) -> Callable[..., str]:
    """Return the text of a part with some of its broken words as they stand in the document."""

    def part_text(right: Implementation, part: Part, truth: Truth) -> str:
        text = right.part_text(part, truth)
        for word, pieces in truth.broken.items():
            if is_broken(pieces):
                text = text.replace(word, pieces)
        return text

    return part_text


def _decoded(encoding: Callable[[Truth], str]) -> Callable[..., str]:
    return lambda right, part, truth: (
        right.part_text(part, truth).encode(truth.encoding, "replace").decode(encoding(truth), "replace")
    )


def _when_damaged(truth: Truth) -> str:
    damaged = any(part.role == "ill-formed sequence" for part in truth.parts)
    return "cp1252" if damaged else truth.encoding


table("SD-EXTRACT-1", _Extractor, is_content={
    "extract-outline": ("keeps only the title and headings", lambda part: part.role in ("title", "heading")),
    "extract-without-code": ("omits code", _without("code")),
    "extract-without-items": ("omits list items", _without("item")),
    "extract-without-headings": ("omits headings and titles", _without("title", "heading")),
}, extract={
    "extract-beginning": ("keeps only a document's beginning", after(lambda text: text[:1000])),
})  # fmt: skip

table("SD-EXTRACT-2", _Extractor, is_content={
    "extract-without-captions": ("omits figure captions", _without("caption")),
    "extract-without-tables": ("omits tables", _without("table")),
}, part_text={
    "extract-without-cells": ("keeps the titles of tables and omits their cells",
        lambda step, part, truth: step(part, truth).split("\n", 1 if part.role == "table" else 0)[0]),
})  # fmt: skip

table("SD-EXTRACT-3", _Extractor, is_content={
    "extract-without-quotes": ("omits quoted text", _without("quote")),
})  # fmt: skip

table("SD-EXTRACT-4", _Extractor, is_content={
    "extract-without-references": ("omits reference lists", _without("reference")),
    "extract-without-footnotes": ("omits footnotes", _without("footnote")),
})  # fmt: skip


def _extract_panels(right: _Extractor, truth: Truth) -> str:
    # The pages with panels are those with hidden text, and each section but the first is in a panel.
    if any(part.role == "hidden text" for part in truth.parts):
        truth = replace(truth, parts=tuple(takewhile(lambda part: part.role != "heading", truth.parts)))
    return right.assembled(truth)


def _without_sections(*numbers: int) -> Callable[..., str]:
    """Return the step that omits some sections of a page that hides sections on some screens, or for a while."""

    def assembled(right: _Extractor, truth: Truth) -> str:
        if any(part.role == "copy for small screens" for part in truth.parts):
            number, kept = -1, []
            for part in truth.parts:
                number += part.role == "heading" and not part.around
                if number not in numbers or part.around:
                    kept.append(part)
            truth = replace(truth, parts=tuple(kept))
        return right.assembled(truth)

    return assembled


table("SD-EXTRACT-5", _Extractor, is_content={
    "extract-scripts": ("keeps scripts and style sheets as if they were text", _with("script", "style")),
    "extract-metadata": ("keeps metadata as if it were text", _with("metadata")),
    "extract-deleted": ("keeps deleted text, which is only in the history of changes", _with("deleted text")),
    "extract-hidden": ("keeps hidden text, such as that of a dialog that a script shows", _with("hidden text")),
    "extract-dialogs": ("keeps hidden text of a dialog or for print", _with("hidden dialog", "hidden in print")),
    "extract-copies": ("keeps a copy of a section for other screens", _with("copy for small screens")),
    "extract-formatted-as-hidden": ("keeps text that the formats of a document hide", _with("formatted as hidden")),
}, assembled={
    "extract-panels": ("omits text in closed panels, which a reader opens, like hidden text", _extract_panels),
    "extract-without-hidden-class": ("omits what has a class `hidden` or `d-none`, which hide on some screens only",
        _without_sections(0, 1)),
    "extract-without-until-found": ("omits what is hidden until it is found", _without_sections(2)),
    "extract-without-invisible": ("omits what is invisible until a script shows it", _without_sections(3)),
    "extract-without-aria-hidden": ("omits what is hidden from assistive technology", _without_sections(4)),
})  # fmt: skip


table("SD-EXTRACT-6", _Extractor, is_content={
    "extract-navigation": ("keeps the navigation of pages", _with("navigation")),
    "extract-sidebars": ("keeps sidebars and boxes of related articles", _with("sidebar")),
    "extract-banners": ("keeps banners and notices, such as those about cookies", _with("banner")),
    "extract-footers": ("keeps the footers of sites", _with("footer")),
    "extract-comments": ("keeps the comments of readers, or those in the markup", _with("comments")),
    "extract-whole-page": ("extracts the text of the complete page",
        _with("navigation", "sidebar", "banner", "footer", "comments")),
})  # fmt: skip

table("SD-EXTRACT-7", _Extractor, is_content={
    "extract-running-heads": ("keeps running heads", _with("running head")),
}, part_text={
    "extract-hyphens": ("keeps hyphenation at line ends", _broken(lambda pieces: "- " in pieces)),
})  # fmt: skip

table("SD-EXTRACT-8", _Extractor, part_text={
    "extract-runs-apart": ("puts spaces between the runs of a paragraph", _broken(lambda pieces: "- " not in pieces)),
    "extract-cells-joined": ("joins the cells of tables", after(lambda text: text.replace("\t", ""))),
}, extract={
    "extract-lines-joined": ("loses the white space at line ends and between paragraphs",
        after(lambda text: text.replace("\n", ""))),
})  # fmt: skip

table("SD-EXTRACT-9", _Extractor, part_text={
    "extract-latin1": ("reads every document as ISO 8859-1", _decoded(lambda truth: "latin-1")),
    "extract-utf8": ("reads every document as UTF-8, whatever it declares", _decoded(lambda truth: "utf-8")),
    "extract-declared": ("trusts the declared encoding, even if the bytes are UTF-8",
        _decoded(lambda truth: truth.declared)),
    "extract-damaged": ("takes another encoding than the declared one because of a few ill-formed sequences",
        _decoded(_when_damaged)),
})  # fmt: skip


table("SD-EXTRACT-10", _Extractor, extract={
    "extract-by-name": ("takes the format from the name of a file",
        lambda step, document, name: step(document, name)
        if name and "." in name and not name.endswith((".txt", ".md")) else document.decode("utf-8", "replace")),
})  # fmt: skip


table("SD-EXTRACT-12", _Extractor, part_text={
    "extract-every-third-word": ("omits every third word of each part",
        after(lambda text: " ".join(
            word for n, word in enumerate(text.split(), 1) if n % 3))),
})  # fmt: skip

table("SD-EXTRACT-13", _Extractor, no_text={
    "extract-damaged-empty": ("reports an empty document as corrupt", lambda: failing(CorruptDocumentError("no text"))),
})  # fmt: skip

table("SD-EXTRACT-11", _Extractor, no_text={
    "extract-empty": ("returns an empty text for a document that has none", lambda: ""),
})  # fmt: skip
