"""Section 5: every form of a link before each character that often ends a sentence, by `trace`: no token shows its end."""

from __future__ import annotations

from collections.abc import Iterator

from generators.case_builder import Draft, draft
from generators.link_grammar import FORMS
from generators.piece_borders import TAIL

LINKS = {
    **FORMS,
    "url-host": ("SD-LINK-2", "http://d.example"),
    "named-doi": ("SD-LINK-3", "doi:10.1234/e"),
    "www-host": ("SD-LINK-4", "www.d.example"),
}
# Behind a link, alone or two of them.
ENDS = (
    *TAIL,
    *'"<>\\^`{|}',
    *"\u3002\u2019\u201d\u00bb\u2026\uff0c",
    "..",
    "...",
    ".)",
    ").",
    "),",
    ".,",
    "?!",
    "/.",
    "/)",
    "](",
    "**",
    "'s",
    ".\u201d",
)
AFTER = {"space": " x", "line": "\nx", "end": "", "letter": "\u6771"}


def ends() -> Iterator[Draft]:
    for form, (requirement, link) in LINKS.items():
        text = " ".join(f"{link}{end}" for end in ENDS)
        comment = f"{form} before each sign that may end it, in the link-free text"
        yield draft(
            f"trace/ends-{form}", "trace", ("SD-LINK-1", requirement), comment, "links", text=f"{text} x", scheme="sd64"
        )
    for slug, after in AFTER.items():
        text = "\u6771 ".join(f"{link}." for _, link in LINKS.values()) + after
        comment = f"every form, each with a full stop behind, and at last {slug}"
        yield draft(
            f"trace/ends-full-stop-{slug}",
            "trace",
            ("SD-LINK-1", "SD-LINK-5", "SD-LINK-6"),
            comment,
            "links",
            text=text,
            scheme="sd64",
        )
    for form in ("mail", "doi"):
        requirement, link = LINKS[form]
        comment = f"{form} with a full stop behind, in the link-free text"
        yield draft(f"trace/ends-one-{form}", "trace", requirement, comment, "links", text=f"{link}. x", scheme="sd64")


GENERATORS = (ends,)
