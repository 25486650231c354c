"""Section 5: shapes of e-mail addresses, long tails, and what other programs remove although it is no link."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from generators.case_builder import Draft, draft
from simhash_doc_conformance.mutants.links import NO_LINKS

LOCAL = ("a", "1", "a..b", "a...b", "a.", "a-", "a_", "a+", "a%", "a.-b", "a--b", "a_b", "a+b+c", "a%b", "a.b.c.d.e.f")
DOMAIN = ("b.c", "b.12", "b.123", "192.0.2.1", "b.c1", "b.1c", "-b.cc", "b-.cc", "b.-cc", "b.cc-", "b--c.dd", "b.c.d", "b.c.d.e",
          "b.c.d.e.f", "b.c.d.e.f.g.h.i", "b.c.d.e.f.g.h.i.j.k.l.m", "xn--bcher-kva.example", "b.internationalisationservice",
          f"b.{'c' * 40}")  # fmt: skip
TOGETHER = 7  # examples in one case
STARTS = {"url": "a://", "named": "urn:a", "www": "www.a.", "doi": "10.1000/"}
REQUIREMENTS = {"url": "SD-LINK-2", "named": "SD-LINK-3", "www": "SD-LINK-4", "doi": "SD-LINK-6"}


def _lines(items: Any) -> str:
    """Return a line for each item, between two words that tell the lines apart."""
    return "\n".join(f"w{chr(97 + n)}x {item} w{chr(97 + n)}y" for n, item in enumerate(items))


def addresses() -> Iterator[Draft]:
    for slug, items in (("local", [f"{one}@b.cc" for one in LOCAL]), ("labels", [f"z@{one}" for one in DOMAIN])):
        comment = f"e-mail addresses of unusual shapes: {slug}"
        yield draft(f"shapes/mail-{slug}", "tokens", "SD-LINK-5", comment, "links", text=_lines(items))


def no_links() -> Iterator[Draft]:
    rows = [*NO_LINKS.values()]
    for number in range(-(-len(rows) // TOGETHER)):
        batch = rows[number * TOGETHER : (number + 1) * TOGETHER]
        text, names = _lines(example for _, _, example in batch), ", ".join(what for what, _, _ in batch)
        comment = f"not links: {names}"
        yield draft(f"shapes/no-links-{number}", "trace", "SD-LINK-1", comment, "links", text=text, scheme="sd64")
        yield draft(f"shapes/no-links-{number}-tokens", "tokens", "SD-LINK-1", comment, "links", text=text)


def tails() -> Iterator[Draft]:
    for form, start in STARTS.items():
        for slug, sizes in (("", (1000, 1024, 2000, 2048, 2083, 4096)), ("-large", (8192, 16_384, 65_535, 65_536))):
            parts: list[Any] = []
            for size in sizes:
                parts += [start, {"repeat": "/x", "count": (size + 2) // 2}, "y\n"]
            comment = (
                f"{form} with tails of one and a few characters more than {', '.join(f'{size:,}' for size in sizes)}"
            )
            yield draft(
                f"shapes/tail-{form}{slug}",
                "tokens",
                REQUIREMENTS[form],
                comment,
                "links",
                recipe={"concat": parts},
                digest=True,
            )


GENERATORS = (addresses, no_links, tails)
