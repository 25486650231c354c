"""Section 7: a token that is repeated in several lines, sentences and other parts of a text is one token."""

from __future__ import annotations

from collections.abc import Iterator

from generators.case_builder import Draft, draft
from simhash_doc_conformance.mutants.counting import PARTS


def parts() -> Iterator[Draft]:
    for slug, end in PARTS.items():
        text = end.join([*["no no no no no yes"] * 3, *["no"] * 9])
        comment = f"24 times one token, at most 5 times in each part, with {end!r} between the parts"
        yield draft(f"parts/{slug}", "buckets", "SD-CAP-1", comment, "boundary", text=text)


def turns() -> Iterator[Draft]:
    """Two tokens in turn, and one that comes back after many others."""
    text = "no yes " * 12
    yield draft("parts/turns", "buckets", "SD-CAP-1", "two tokens in turn, 12 times", "boundary", text=text)
    again = {"repeat": "no ", "count": 6}
    for count in (20, 300, 2000, 5000, 12_000, 70_000):
        others = {"words": count, "distinct": 5000, "seed": count, "letters": "abcdefg"}
        comment = f"6 times one token before and 6 times behind {count:,} others"
        recipe = {"concat": [again, others, again]}
        yield draft(f"parts/apart-{count}", "buckets", "SD-CAP-1", comment, "boundary", recipe=recipe)


GENERATORS = (parts, turns)
