"""Measure how many bits of a fingerprint change if something beside the document of a page changes.

    python -m benchmarks.extraction.training PAGES MORE READABILITY LANGUAGES CORPUS --without 0 -o model-0.json
    python -m benchmarks.extraction.stability PAGES MORE READABILITY LANGUAGES --model model-0.json --fold 0

Writes docs/benchmarks/stability.json: by kind of noise (`benchmarks.extraction.noise`) and by kind of page, the share
of variants whose text gives the same fingerprint, and of those more than 3 and 6 of 64 bits away, beside other
libraries. It also counts real edits that the text shows. The classifier has not seen the sites of the fold.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

from benchmarks import results
from benchmarks.extraction.examples import donors_of
from benchmarks.extraction.noise import EDITS, KINDS, edited, unchanged, variant
from benchmarks.extraction.pages import LANGUAGES, LabelledPage, load_all
from benchmarks.extraction.sources import CLOSE, LOOSE, distance
from benchmarks.extraction.training import OUTER_FOLDS, cell_of_site
from benchmarks.extraction.validation import WHOLE, taken, web_page_extractors
from benchmarks.measuring import machine, parser_of
from simhash_doc_extraction.encoding import decode
from simhash_doc_extraction.html import classifier

LISTS = frozenset({"listing", "forum", "product", "service", "collection"})
"""Types of pages without an article."""
_LEAST = 100  # characters of a text whose changes are measured
Row = tuple[str, str, str, int]
"""Library, kind of noise, type of page, bits."""


def main() -> None:
    parser = parser_of(__doc__)
    for name in ("pages", "more", "readability", "languages"):
        parser.add_argument(name, type=Path, metavar=name.upper())
    parser.add_argument("--model", type=Path, required=True, help="trained without the sites of the fold")
    parser.add_argument("--fold", type=int, required=True, choices=range(OUTER_FOLDS))
    parser.add_argument("--every", type=int, default=1, metavar="N", help="measure every Nth page of the fold")
    options = parser.parse_args()
    classifier.MODEL_FILE = options.model
    pages = load_all(options.pages, options.more, options.readability, options.languages)
    held = [page for page in pages if page.text and cell_of_site(page.site) % OUTER_FOLDS == options.fold]
    results.write("stability", {"machine": machine(), **measured(held[:: options.every], donors_of(pages))})


def measured(pages: list[LabelledPage], donors: dict[str, list[str]]) -> dict[str, Any]:
    """Return the figures of all libraries."""
    extractors = web_page_extractors()
    extractors.pop(WHOLE)
    rows: list[Row] = []
    seen: defaultdict[str, list[bool]] = defaultdict(list)
    for page in pages:
        source = decode(page.path.read_bytes(), markup=True)[0]
        variants = [
            (kind, changed)
            for kind in KINDS
            if (changed := variant(source, page.text, [kind], donors[page.type])) is not None
        ]
        edits = [
            changed for kind in EDITS if (changed := edited(source, page.text, kind, donors[page.type])) is not None
        ]
        for name, take in extractors.items():
            before = taken(take, _encoded(unchanged(source)))
            if len(before) >= _LEAST:
                after = ((kind, taken(take, _encoded(changed))) for kind, changed in variants)
                rows += [(name, kind, page.type, distance(before, text)) for kind, text in after]
                seen[name] += [taken(take, _encoded(changed)) != before for changed in edits]
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
