"""Fingerprints whose bits are known, and cases of indexes of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from generators.case_builder import Draft, draft
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.schemes import get_scheme

Entries = Sequence[tuple[str, str]] | Sequence[Sequence[str]] | dict[str, Any]  # or a recipe


def text_form(value: int, scheme: str = "sd64") -> str:
    return str(Fingerprint(value, get_scheme(scheme)))


def with_bits(*bits: int) -> int:
    return sum(1 << bit for bit in set(bits))


def mixed(number: int, lanes: int = 1, step: int = 100) -> int:
    """Return a value whose lanes are of a fixed series with about 32 bits set (a multiplicative hash)."""
    series = ((number + step * lane + 1) * 0x9E3779B97F4A7C15 % 2**64 for lane in range(lanes))
    return sum(value << 64 * lane for lane, value in enumerate(series))


def numbered(letter: str, values: Iterable[int], scheme: str = "sd64") -> list[tuple[str, str]]:
    """Return entries of some values, whose ids are a letter and their number."""
    return [(f"{letter}{number}", text_form(value, scheme)) for number, value in enumerate(values)]


def query(
    slug: str,
    comment: str,
    entries: Entries,
    queries: Sequence[str] | dict[str, Any],
    distance: int,
    *flags: str,
    requirements: str | Sequence[str] = ("SD-LOOK-1", "SD-LOOK-2"),
    **more: Any,
) -> Draft:
    members = {"entries": entries, "queries": queries, "distance": distance, **more}
    return draft(f"query/{slug}", "query", requirements, comment, *flags, **members)


def pairs(
    slug: str,
    comment: str,
    entries: Entries,
    distance: int,
    *flags: str,
    requirements: str | Sequence[str] = "SD-LOOK-3",
    **more: Any,
) -> Draft:
    members = {"entries": entries, "distance": distance, **more}
    return draft(f"pairs/{slug}", "find_all", requirements, comment, *flags, **members)
