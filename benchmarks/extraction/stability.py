"""Measure how many bits of a fingerprint change if something beside the document of a page changes.

    python -m benchmarks.extraction.stability PAGES_DIR MORE_PAGES_DIR READABILITY_DIR LANGUAGES_DIR

Writes docs/benchmarks/stability.json: by kind of noise (`benchmarks.extraction.noise`) and by kind of page, the share
of variants whose text gives the same fingerprint, and of those more than 3 and 6 of 64 bits away, beside other
libraries. It also counts real edits that the text shows. Only the news in five languages did not train the classifier.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from benchmarks import results
from benchmarks.extraction.noise import EDITS, KINDS, edited, unchanged, variant
from benchmarks.extraction.pages import (
    LANGUAGES,
    LabelledPage,
    load_languages,
    load_news,
    load_pages,
    load_readability,
)
from benchmarks.extraction.sources import CLOSE, LOOSE, distance
from benchmarks.extraction.validation import taken, web_page_extractors
from benchmarks.measuring import machine, parser_of
from simhash_doc_extraction.encoding import decode

LISTS = frozenset({"listing", "forum", "product", "service", "collection"})
"""Types of pages without an article."""
_LEAST = 100  # characters of a text whose changes are measured
_DONATED, _OF_EACH = 40, 3  # characters of a sentence, and sentences of a page
Row = tuple[str, str, str, int]
"""Library, kind of noise, type of page, bits."""


def main() -> None:
    parser = parser_of(__doc__)
    for name in ("pages", "more", "readability", "languages"):
        parser.add_argument(name, type=Path, metavar=f"{name.upper()}_DIR")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="measure every Nth page")
    options = parser.parse_args()
    pages = load_pages(options.pages) + load_news(options.more) + load_readability(options.readability)
    pages += load_languages(options.languages)
    results.write("stability", {"machine": machine(), **measured(pages[:: options.every], donors_of(pages))})


def donors_of(pages: list[LabelledPage]) -> dict[str, list[str]]:
    """Return for each type of page the sentences of its documents, which can be prose of boxes on other pages."""
    found: dict[str, list[str]] = {}
    for page in pages:
        lines = [line.strip() for line in page.text.splitlines() if len(line) > _DONATED]
        found.setdefault(page.type, []).extend(lines[1 : 1 + _OF_EACH])
    return found


def measured(pages: list[LabelledPage], donors: dict[str, list[str]]) -> dict[str, Any]:
    """Return the figures of all libraries."""
    extractors = web_page_extractors()
    extractors.pop("the complete page")
    rows: list[Row] = []
    seen: defaultdict[str, list[bool]] = defaultdict(list)
    for page in pages:
        source = decode(page.path.read_bytes(), markup=True)[0]
        variants = list(_made(variant, KINDS, page, source, donors[page.type]))
        edits = list(_made(edited, EDITS, page, source, donors[page.type]))
        for name, take in extractors.items():
            before = taken(take, _encoded(unchanged(source)))
            if len(before) >= _LEAST:
                after = ((kind, taken(take, _encoded(changed))) for kind, changed in variants)
                rows += [(name, kind, page.type, distance(before, text)) for kind, text in after]
                seen[name] += [taken(take, _encoded(changed)) != before for _, changed in edits]
    return {
        "pages": len(pages),
        "libraries": {
            name: {
                "all": _shares([row for row in rows if row[0] == name]),
                "lists, forums, products, services, collections": _shares(
                    [row for row in rows if row[0] == name and row[2] in LISTS]
                ),
                "news in five languages": _shares([row for row in rows if row[0] == name and row[2] in LANGUAGES]),
                "edits seen": round(sum(seen[name]) / max(len(seen[name]), 1), 4),
                "kinds": {kind: _shares([row for row in rows if row[:2] == (name, kind)]) for kind in KINDS},
            }
            for name in extractors
        },
    }


def _made(
    change: Callable[..., str | None], kinds: Iterable[str], page: LabelledPage, source: str, donors: list[str]
) -> Iterator[tuple[str, str]]:
    """Yield each kind of change that the page has a place for, with the changed page."""
    for kind in kinds:
        changed = change(source, page.text, kind, donors)
        if changed is not None:
            yield kind, changed


def _encoded(page: str) -> bytes:
    return page.encode("utf-8", "replace")


def _shares(rows: list[Row]) -> dict[str, float]:
    """Return the number of variants, and the shares with no changed bit, and with more than 3 and 6."""
    bits = [row[3] for row in rows]
    count = max(len(bits), 1)
    return {
        "variants": len(bits),
        "same": round(sum(found == 0 for found in bits) / count, 4),
        f"over {CLOSE}": round(sum(found > CLOSE for found in bits) / count, 4),
        f"over {LOOSE}": round(sum(found > LOOSE for found in bits) / count, 4),
    }


if __name__ == "__main__":
    main()
