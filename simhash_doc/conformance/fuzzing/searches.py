"""Generated searches: entries and queries with duplicates, clusters and distances on both sides of the limit."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from simhash_doc.conformance.fuzzing import text_forms
from simhash_doc.schemes import Scheme, get_scheme

_SPECIAL_IDS = (
    "",
    "0",
    "00",
    "-1",
    "a",
    "A",
    "é",
    "e\u0301",
    " ",
    "id with spaces",
    "\u0000",
    "😀",
    "__proto__",
    "null",
)
_CUSTOM, _UPPER, _BARE = 0.1, 0.1, 0.05  # shares of the decorated text forms
# The text forms with a mistake: of another scheme, or malformed. Several show which is reported.
_FAULTS: tuple[tuple[str, ...], ...] = (
    *[()] * 8, ("scheme",), ("malformed",), ("scheme", "malformed"), ("malformed", "malformed"),
)  # fmt: skip


@st.composite
def searches(draw: st.DrawFn, scheme: Scheme, schemes: Sequence[str], *, queries: bool) -> dict[str, Any]:
    """Return the members of `query` or `find_all`.

    Args:
        scheme: of the entries.
        schemes: those that the implementation has.
        queries: True for `query`.
    """
    distance = draw(st.sampled_from(_distances(scheme)))
    count = draw(st.one_of(st.integers(0, 8), st.integers(0, 60), st.sampled_from([0, 100, 101, 257, 400])))
    clusters = draw(st.integers(1, 6))
    source = random.Random(draw(st.integers(0, 2**16)))
    bases = [source.choice([0, (1 << scheme.bits) - 1, source.getrandbits(scheme.bits)]) for _ in range(clusters)]
    forms = [_near(source, scheme, bases, distance) for _ in range(count)]
    wanted = [_near(source, scheme, bases, distance) for _ in range(draw(st.integers(0, 6)))] if queries else []
    for fault in draw(st.sampled_from(_FAULTS)):
        if forms or wanted:
            other = get_scheme(draw(st.sampled_from(sorted(schemes))))
            bad = draw(
                text_forms.well_formed(other) if fault == "scheme" else text_forms.malformed(scheme, prefixed=True)
            )
            chosen = source.choice([kind for kind in (forms, wanted) if kind])
            chosen[source.randrange(len(chosen))] = bad
    entries = [[key, form] for key, form in zip(_ids(source, len(forms)), forms, strict=True)]
    members: dict[str, Any] = {"entries": entries, **({"queries": wanted} if queries else {}), "distance": distance}
    return members if scheme.id == "sd64" else {**members, "scheme": scheme.id}


def _distances(scheme: Scheme) -> list[int]:
    usual = [3, 0, 1, 2, 4, 5, 6, 7, 8, 10, 16, scheme.close, scheme.loose]
    return [*usual, scheme.bits // 2, scheme.bits - 1, scheme.bits, scheme.bits + 1]


def _near(source: random.Random, scheme: Scheme, bases: Sequence[int], distance: int) -> str:
    """Return the text form of a value: equal to a base, within the distance, just outside it, or anywhere."""
    flips = source.choice([0, 1, distance // 2, distance, distance + 1, None])
    value = source.getrandbits(scheme.bits) if flips is None else source.choice(bases)
    for bit in source.sample(range(scheme.bits), min(flips or 0, scheme.bits)):
        value ^= 1 << bit
    digits, share = text_forms.digits_of(value, scheme), source.random()
    if share < _BARE:
        return digits
    form = f"{scheme.id}{'+custom' if share < _BARE + _CUSTOM else ''}:{digits}"
    return form.upper() if source.random() < _UPPER else form


def _ids(source: random.Random, count: int) -> list[str]:
    """Return different ids."""
    ids = [*_SPECIAL_IDS, *(str(number) for number in range(1, count + 1))]
    if source.random() < 0.5:
        source.shuffle(ids)
    return ids[:count]
