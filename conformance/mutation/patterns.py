"""Mutants of the forms of links: their character classes, repetitions, parts and order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations

from mutation.mutant import Mutant, Step
from simhash_doc.reference import LINK_FORMS, Reference

# Folded text has no capitals; every other ASCII character is put into or taken out of each class.
CHARACTERS = "".join(chr(code) for code in range(128) if not 65 <= code <= 90)
NOT_ASCII = "\u00e9\u0660\u4e00"  # a letter, a digit and an ideograph
_PARTS = re.compile(
    r"(?P<set>\[(?:\\.|[^\]\\])*\])|(?P<repeat>\{\d+(?:,\d*)?\}|[*+?])|(?P<boundary>\\b)|(?P<open>\(\?:)|(?P<close>\))"
    r"|(?P<or>\|)|(?P<literal>\\.|.)"
)


@dataclass(frozen=True, slots=True)
class LinkMutant(Mutant):
    """Other forms of links, or another expression around them."""

    forms: Mapping[str, str]
    start: str = r"\b"
    flags: re.RegexFlag = re.ASCII

    @property
    def pattern(self) -> re.Pattern[str]:
        """The expression that finds links."""
        return re.compile(f"{self.start}(?:{'|'.join(self.forms.values())})", self.flags)

    @contextmanager
    def installed(self) -> Iterator[None]:
        original, pattern = Reference.remove_links, self.pattern
        Reference.remove_links = lambda self, folded: pattern.sub(" ", folded)  # type: ignore[method-assign]
        try:
            yield
        finally:
            Reference.remove_links = original  # type: ignore[method-assign]


def link_mutants() -> Iterator[LinkMutant]:
    """Yield all mutants of the forms of links."""
    for name, form in LINK_FORMS.items():
        numbers: dict[str, int] = {}
        for operator, title, changed in form_changes(form):
            numbers[title] = numbers.get(title, 0) + 1
            number = f" ({numbers[title]})" if numbers[title] > 1 else ""
            yield LinkMutant(f"links.{name}: {title}{number}", Step.LINKS, operator, LINK_FORMS | {name: changed})
    yield from _order()
    yield LinkMutant("links: no boundary before a link", Step.LINKS, "form", LINK_FORMS, "")
    yield LinkMutant("links: boundaries of Unicode", Step.LINKS, "form", LINK_FORMS, r"\b", re.UNICODE)
    yield LinkMutant("links: capitals match", Step.LINKS, "form", LINK_FORMS, r"\b", re.ASCII | re.IGNORECASE)


def _order() -> Iterator[LinkMutant]:
    names = list(LINK_FORMS)
    for name in names:
        others = {other: form for other, form in LINK_FORMS.items() if other != name}
        yield LinkMutant(f"links.{name}: form dropped", Step.LINKS, "form", others)
    for first, second in combinations(names, 2):
        swapped = [{first: second, second: first}.get(name, name) for name in names]
        forms = {name: LINK_FORMS[name] for name in swapped}
        yield LinkMutant(f"links: {first} and {second} swapped", Step.LINKS, "form order", forms)


def form_changes(form: str) -> Iterator[tuple[str, str, str]]:
    """Yield (operator, description, changed form)."""
    parts = [(match.lastgroup or "", match[0]) for match in _PARTS.finditer(form)]
    for place, (kind, text) in enumerate(parts):
        before, after = "".join(t for _, t in parts[:place]), "".join(t for _, t in parts[place + 1 :])
        for operator, title, changed in _part_changes(kind, text):
            yield operator, f"{title} at {place}", before + changed + after
    yield from _group_changes(parts)


def _part_changes(kind: str, text: str) -> Iterator[tuple[str, str, str]]:
    if kind == "set":
        yield from _class_changes(text)
    elif kind == "repeat":
        yield from (("repetition", f"`{text}` -> `{changed}`", changed) for changed in _repetitions(text))
    elif kind == "boundary":
        yield "boundary", f"`{text}` dropped", ""
    elif kind == "literal":
        yield "literal", f"`{text}` dropped", ""
        yield "literal", f"`{text}` optional", f"(?:{text})?"
        yield "literal", f"`{text}` any character", "."


def _class_changes(text: str) -> Iterator[tuple[str, str, str]]:
    members = {character for character in CHARACTERS if re.fullmatch(text, character)}
    for character in CHARACTERS:
        changed = "".join(re.escape(other) for other in sorted(members ^ {character}))
        verb = "without" if character in members else "with"
        yield "character class", f"`{text}` {verb} {character!r}", f"[{changed}]"
    for other in NOT_ASCII:
        yield "character class", f"`{text}` with {other!r}", f"{text[:-1]}{other}]"


def _repetitions(text: str) -> Iterator[str]:
    if text in "*+?":
        yield from (other for other in ("", "*", "+", "?") if other != text)
        yield f"{text}?"
        if text != "?":
            yield from (f"{{{int(text == '+')},{most}}}" for most in (255, 4096))
        return
    least, comma, most = text[1:-1].partition(",")
    bounds = {(int(least) + step, int(most or least)) for step in (-1, 1)}
    bounds |= {(int(least), int(most or least) + step) for step in (-1, 1)}
    yield from (f"{{{low},{high}}}" for low, high in sorted(bounds) if 0 <= low <= high)
    yield f"{{{least},}}"
    if comma:
        yield f"{text}?"


def _group_changes(parts: list[tuple[str, str]]) -> Iterator[tuple[str, str, str]]:
    """Drop each group with its repetition, and each alternative of it."""
    texts = [text for _, text in parts]
    for opening, (kind, _) in enumerate(parts):
        if kind != "open":
            continue
        closing = next(i for i in range(opening, len(parts)) if parts[i][0] == "close")
        behind = closing + 1 + (closing + 1 < len(parts) and parts[closing + 1][0] == "repeat")
        whole = "".join(texts[opening:behind])
        yield "group", f"`{whole}` dropped", "".join(texts[:opening] + texts[behind:])
        alternatives = "".join(texts[opening + 1 : closing]).split("|")
        for name in alternatives if len(alternatives) > 1 else []:
            rest = "|".join(other for other in alternatives if other != name)
            yield "group", f"`{name}` dropped", "".join([*texts[: opening + 1], rest, *texts[closing:]])
