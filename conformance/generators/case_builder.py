"""Drafts of cases: everything except the expected answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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


def draft(
    case_id: str,
    op: str,
    requirements: str | Iterable[str],
    comment: str,
    *flags: str,
    language: str | None = None,
    same: Iterable[Mapping[str, Any]] = (),
    **members: Any,
) -> Draft:
    """Return a case: ``draft("fold/ligature-fi", "fold", "SD-FOLD-1", "...", "compatibility", text="ﬁ")``."""
    if op in ("fingerprint", "buckets", "encode", "hash_tokens"):
        members.setdefault("scheme", "sd64")
    named = (requirements,) if isinstance(requirements, str) else tuple(requirements)
    return Draft(case_id, op, named, comment, members, flags, language, tuple(same))
