"""Section 2: texts in which a piece of any size ends inside an item, and documents of many megabytes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from generators.case_builder import Draft, table
from generators.links import MD5, UUID

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
    "digest": (f"{MD5} ", "digests"),
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
    rows: dict[str, tuple[Any, ...]] = {}
    for slug, (item, what) in ITEMS.items():
        rows[slug] = (_filled(item, MOST), f"{MOST:,} characters of {what}")
    for slug in ("composed", "supplementary", "mixed", "han"):
        item, what = ITEMS[slug]
        rows[f"bytes-{slug}"] = ({"utf8": _filled(item, MOST)}, f"the bytes of {what}", "SD-PIECE-1", "SD-INPUT-1")
    for slug in ("word", "url", "composed"):
        item, what = ITEMS[slug]
        rows[f"{slug}-1M"] = (_filled(item, 1_200_000), f"1,200,000 characters of {what}", "large")
    yield from table("dense/", "buckets", "SD-PIECE-1", rows, "boundary", member="recipe")


def _filled(item: str, most: int) -> dict[str, Any]:
    return {"concat": ["start ", {"repeat": item, "count": most // len(item)}, "end"]}


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
    rows = {
        slug: ({"concat": parts}, comment, "SD-PIECE-1", requirement)
        for slug, (parts, requirement, comment) in items.items()
    }
    yield from table("dense/long-", "fingerprint", "SD-PIECE-1", rows, "boundary", member="recipe")


def documents() -> Iterator[Draft]:
    """Documents of 1 MiB, 16 MiB and more than a million distinct tokens."""
    both = ("SD-SEC-1", "SD-PIECE-1")
    rows: dict[str, tuple[Any, ...]] = {}
    for size in (1, 16):
        recipe: dict[str, Any] = {"concat": ["http://", {"repeat": "a", "count": 2**20 * size - 9}, " ab"]}
        comment = f"a link, and a word across the character {2**20 * size:,}, where the link-free text has no border"
        rows[f"after-link-{size}MiB"] = (recipe, comment, *both, *["huge"] * (size == 16))
    last = {"concat": [{"repeat": "a ", "count": 524_288}, "last"]}
    link = {"concat": ["x http://", {"repeat": "a", "count": 1_048_576}, " end"]}
    across = {"concat": [{"repeat": ". ", "count": 8_388_606}, "borderline end"]}
    comment = "a word across the character 16,777,216, and another after it"
    rows["last-1MiB"] = (last, "one word after 1,048,576 characters")
    rows["word-1MiB"] = ({"repeat": "a", "count": 1_048_577}, "a word of 1,048,577 letters", *both)
    rows["link-1MiB"] = (link, "a link of 1,048,583 characters", *both)
    rows["across-16MiB"] = (across, comment, *both, "huge")
    yield from table("dense/", "fingerprint", "SD-SEC-1", rows, "large", member="recipe")
    suffixes = [a + b for a in "abcdefgh" for b in "abcdefghijklmno"]
    rows = {}
    for slug, number in (("78000", 7), ("1300000", 117)):
        template = "".join(f"{{}}{suffix} " for suffix in suffixes[:number])
        recipe = {"scalars": [0xAC00, 0xD7A3], "template": template}
        rows[slug] = (recipe, f"{11_172 * number:,} distinct words", *["huge"] * (number > 100))
    required = ("SD-SEC-1", "SD-SUM-1", "SD-CAP-1")
    yield from table("dense/distinct-", "buckets", required, rows, "large", member="recipe")


GENERATORS = (dense, long_items, documents)
