"""Sections 7 and 8: numbers beyond those that most documents have. A text of over 500,000 characters is optional."""

from __future__ import annotations

from collections.abc import Iterator

from generators.case_builder import Draft, draft
from generators.counting import words_by_hash


def one_token() -> Iterator[Draft]:
    for bits in (17, 18, 20):
        count = 2**bits + 1
        comment, recipe = f"one token {count:,} times, and another", {"concat": [{"repeat": "a ", "count": count}, "b"]}
        required = ("SD-CAP-1", "SD-SUM-1")
        yield draft(f"beyond/count-{count}", "fingerprint", required, comment, "boundary", recipe=recipe)
    recipe = {"concat": ["b b b b b ", {"repeat": "a ", "count": 1_000_001}, "b b b b b c"]}
    comment = "a token 5 times before a million of another, and 5 times behind"
    yield draft("beyond/cap-million", "fingerprint", "SD-CAP-1", comment, "boundary", recipe=recipe)


def links() -> Iterator[Draft]:
    for count in (255, 256, 257, 4096, 65_535, 65_536, 65_537):
        recipe = {"concat": [{"repeat": "a:// ", "count": count}, "http://word end"]}
        yield draft(
            f"beyond/links-{count}",
            "fingerprint",
            "SD-LINK-1",
            f"{count:,} links before another",
            "boundary",
            recipe=recipe,
        )


def sums() -> Iterator[Draft]:
    """Sums that numbers of a few bits of precision round: each token counts one more."""
    for power in (8, 11, 12):
        count = 2**power // 8 + 2
        ahead, back = words_by_hash(count, 1, "abcdefghijklm"), words_by_hash(count, 2, "nopqrstuvwxyz")
        recipe = {
            "concat": [
                {"repeat": f"{' '.join(ahead)} ", "count": 8},
                f"{' '.join(back)} ",
                {"repeat": f"{' '.join(back)} ", "count": 6},
            ]
        }
        comment = f"sums of over {2**power}, and back by other counts"
        yield draft(f"beyond/rounded-{power}", "buckets", "SD-SUM-1", comment, "boundary", recipe=recipe)


GENERATORS = (one_token, links, sums)
