"""Drafts of cases: everything except the expected answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Draft:
    """A case without its expected answer, which the reference computes."""

    id: str
    op: str
    requirements: tuple[str, ...]
    comment: str
    members: Mapping[str, Any]
    flags: tuple[str, ...] = ()
    language: str | None = None
    same: tuple[Mapping[str, Any], ...] = ()
    before: tuple[Mapping[str, Any], ...] = ()


def draft(
    case_id: str,
    op: str,
    requirements: str | Iterable[str],
    comment: str,
    *flags: str,
    language: str | None = None,
    same: Iterable[Mapping[str, Any]] = (),
    before: Iterable[Mapping[str, Any]] = (),
    **members: Any,
) -> Draft:
    """Return a case: ``draft("fold/ligature-fi", "fold", "SD-FOLD-1", "...", "compatibility", text="ﬁ")``."""
    if op in ("fingerprint", "buckets", "encode", "hash_tokens"):
        members.setdefault("scheme", "sd64")
    named = (requirements,) if isinstance(requirements, str) else tuple(requirements)
    return Draft(case_id, op, named, comment, members, flags, language, tuple(same), tuple(before))


def table(
    start: str,
    op: str,
    requirements: str | Iterable[str],
    rows: Mapping[str, tuple[Any, ...]],
    *flags: str,
    member: str = "text",
    **members: Any,
) -> Iterator[Draft]:
    """Yield a case for each row of a table.

    Args:
        start: the start of each id.
        op: the operation.
        requirements: those of each case whose row names no others.
        rows: by the rest of the id: the value of a member of the input, a comment, and further flags or the
            requirements of the case if they differ.
        flags: those of each case.
        member: the member of the input that the rows give.
        members: other members, the same in each case.
    """
    for slug, (value, comment, *more) in rows.items():
        named = [name for name in more if name.startswith("SD-")]
        further = [name for name in more if not name.startswith("SD-")]
        yield draft(
            f"{start}{slug}", op, named or requirements, comment, *flags, *further, **{**members, member: value}
        )
