"""Section 2: texts in which a piece of any size ends inside an item, and documents of many megabytes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from generators.case_builder import Draft, draft

UUID = "123e4567-e89b-12d3-a456-426614174000"
# Item and what it is. The number of characters is odd and not a multiple of 3 or 5, so that the pieces of one size end
# at each of its characters in turn.
ITEMS = {
    "word": ("borderline ", "words"),
    "connectors": ("snake_case, ", "words with connectors"),
    "han": ("東京都庁前 ", "stretches of ideographs"),
    "thai": ("ภาษาไทยๆ ", "stretches of Thai"),
    "url": ("http://a.example/path/q ", "links"),
    "mail": ("ann.b@mail.example.org ", "e-mail addresses"),
    "www": ("www.example.org/x/y/z ", "web addresses"),
    "doi": ("10.1234.5/abc.def ", "DOIs"),
    "uuid": (f"{UUID} ", "UUIDs"),
    "digest": ("d41d8cd98f00b204e9800998ecf8427e ", "digests"),
    "composed": ("cafe\u0301s u\u0308\u0304 ", "letters and their marks"),
    "hangul": ("\u1112\u1161\u11ab\u1100\u1173\u11af ", "jamo that compose"),
    "marks": ("a" + "\u0301" * 33 + "b ", "33 marks, which are too many"),
    "supplementary": ("x\U00010428\U00010429y\U0001e922 ", "characters beyond U+FFFF"),
    "mixed": ("né東\U00020000京_ß!\u200b", "characters of one to four bytes"),
    "lines": ("two words\r\n", "lines"),
}
MOST = 70_000  # characters; pieces of any smaller size end inside the text


def dense() -> Iterator[Draft]:
    """Cases of `buckets`, which show a fragment that occurs once next to capped tokens."""
    for slug, (item, what) in ITEMS.items():
        yield draft(
            f"dense/{slug}", "buckets", "SD-PIECE-1", f"{MOST:,} characters of {what}", "boundary",
            recipe={"concat": ["start ", {"repeat": item, "count": MOST // len(item)}, "end"]},
        )  # fmt: skip
    for slug in ("composed", "supplementary", "mixed", "han"):
        item = ITEMS[slug][0]
        yield draft(
            f"dense/bytes-{slug}", "buckets", ("SD-PIECE-1", "SD-INPUT-1"), f"the bytes of {ITEMS[slug][1]}", "boundary",
            recipe={"utf8": {"concat": ["start ", {"repeat": item, "count": MOST // len(item)}, "end"]}},
        )  # fmt: skip
    for slug in ("word", "url", "composed"):
        item = ITEMS[slug][0]
        yield draft(
            f"dense/{slug}-1M", "buckets", "SD-PIECE-1", f"1,200,000 characters of {ITEMS[slug][1]}", "boundary", "large",
            recipe={"concat": ["start ", {"repeat": item, "count": 1_200_000 // len(item)}, "end"]},
        )  # fmt: skip


def long_items() -> Iterator[Draft]:
    """One item that is longer than a piece, a buffer or a stack."""
    items: dict[str, tuple[Any, str, str]] = {
        "url": (["x http://", {"repeat": "a/", "count": 40_000}, " end"], "SD-LINK-2", "a URL of 70,000 characters"),
        "url-6200": (["x http://", {"repeat": "a/", "count": 3100}, " end"], "SD-LINK-2", "a URL of 6,200 characters"),
        "named": (["x urn:", {"repeat": "a:", "count": 40_000}, " end"], "SD-LINK-3", "an identifier of 70,000 characters"),
        "www": (["x www.a.", {"repeat": "b.", "count": 40_000}, " end"], "SD-LINK-4", "a web address of 70,000 characters"),
        "mail": (["x a@b", {"repeat": ".c", "count": 66_000}, " end"], "SD-LINK-5", "an address of 66,001 labels"),
        "mail-32768": (["x a@b", {"repeat": ".c", "count": 32_768}, " end"], "SD-LINK-5", "an address of 32,769 labels"),
        "doi": (["x 10.1234/", {"repeat": "a", "count": 70_000}, " end"], "SD-LINK-6", "a DOI of 70,000 characters"),
        "digests": ([{"repeat": "d", "count": 70_000}, " end"], "SD-LINK-8", "70,000 hexadecimal digits are no digest"),
        "scheme": ([{"repeat": "a.", "count": 40_000}, "b://c end"], "SD-LINK-2", "the last 32 characters at most are a scheme"),
        "local": ([{"repeat": "a.", "count": 40_000}, "b@c.d end"], "SD-LINK-5", "the last 64 characters at most are a local part"),
        "marks": (["a", {"repeat": "\u0301", "count": 70_000}, "b end"], "SD-FOLD-4", "70,000 marks"),
        "connectors": ([{"repeat": "_", "count": 70_000}, "b", {"repeat": "_", "count": 70_000}, " end"], "SD-FILTER-1", "70,000 connectors on both sides"),
        "spaces": (["a", {"repeat": " ", "count": 70_000}, "end"], "SD-RUN-1", "70,000 spaces"),
        "expanding": ([{"repeat": "\ufdfa", "count": 8000}, " end"], "SD-FOLD-1", "8,000 times U+FDFA, which folds to 18 characters"),
        "ignorables": (["a", {"repeat": "\u00ad", "count": 70_000}, "b end"], "SD-FOLD-1", "70,000 soft hyphens inside a word"),
    }  # fmt: skip
    for slug, (parts, requirement, comment) in items.items():
        yield draft(
            f"dense/long-{slug}",
            "fingerprint",
            ("SD-PIECE-1", requirement),
            comment,
            "boundary",
            recipe={"concat": parts},
        )


def documents() -> Iterator[Draft]:
    """Documents of 1 MiB, 16 MiB and more than a million distinct tokens."""
    for size, flags in ((1, ()), (16, ("huge",))):
        yield draft(
            f"dense/after-link-{size}MiB", "fingerprint", ("SD-SEC-1", "SD-PIECE-1"),
            f"a link, and a word across the character {2**20 * size:,}, where the link-free text has no border",
            "large", *flags,
            recipe={"concat": ["http://", {"repeat": "a", "count": 2**20 * size - 9}, " ab"]},
        )  # fmt: skip
    yield draft(
        "dense/last-1MiB", "fingerprint", "SD-SEC-1", "one word after 1,048,576 characters", "large",
        recipe={"concat": [{"repeat": "a ", "count": 524_288}, "last"]},
    )  # fmt: skip
    yield draft(
        "dense/word-1MiB", "fingerprint", ("SD-SEC-1", "SD-PIECE-1"), "a word of 1,048,577 letters", "large",
        recipe={"repeat": "a", "count": 1_048_577},
    )  # fmt: skip
    yield draft(
        "dense/link-1MiB", "fingerprint", ("SD-SEC-1", "SD-PIECE-1"), "a link of 1,048,583 characters", "large",
        recipe={"concat": ["x http://", {"repeat": "a", "count": 1_048_576}, " end"]},
    )  # fmt: skip
    yield draft(
        "dense/across-16MiB", "fingerprint", ("SD-SEC-1", "SD-PIECE-1"),
        "a word across the character 16,777,216, and another after it", "large", "huge",
        recipe={"concat": [{"repeat": ". ", "count": 8_388_606}, "borderline end"]},
    )  # fmt: skip
    suffixes = [a + b for a in "abcdefgh" for b in "abcdefghijklmno"]
    for slug, chosen, flags in (("78000", suffixes[:7], ()), ("1300000", suffixes[:117], ("huge",))):
        yield draft(
            f"dense/distinct-{slug}", "buckets", ("SD-SEC-1", "SD-SUM-1", "SD-CAP-1"),
            f"{11_172 * len(chosen):,} distinct words", "large", *flags,
            recipe={"scalars": [0xAC00, 0xD7A3], "template": "".join(f"{{}}{suffix} " for suffix in chosen)},
        )  # fmt: skip


GENERATORS = (dense, long_items, documents)
