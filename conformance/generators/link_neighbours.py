"""Section 5: every form with a space at each place, with what often stands before it, and next to each category."""

from __future__ import annotations

from collections.abc import Iterator

from generators.case_builder import Draft, draft, table
from generators.link_grammar import FORMS

# A character of each General_Category that is left after folding; of letters and digits, several scripts.
BESIDE = {
    "Ll": "\u00e9", "Ll-greek": "\u03b1", "Ll-dotless": "\u0131", "Lo": "\u6771", "Lo-thai": "\u0e01", "Lm": "\u02bb", "Lu": "\u13a0",
    "Mn": "\u0301", "Mn-low": "\u0316", "Mc": "\u0903", "Me": "\u0488", "Nd": "\u0662", "Nl": "\u3007", "No": "\u0bf0", "Pc": "\u203f",
    "Pd": "\u2014", "Ps": "\u0f3a", "Pe": "\u0f3b", "Pi": "\u00ab", "Pf": "\u00bb", "Po": "\u00a7", "Sm": "\u00d7", "Sc": "\u20ac",
    "Sk": "\u02c2", "So": "\u00a9", "Zs": "\u1680", "Zl": "\u2028", "Zp": "\u2029", "Cc": "\u0085", "Co": "\ue000", "Cn": "\u0378",
    "supplementary": "\U00010428", "emoji": "\U0001f600",
}  # fmt: skip
BEFORE = ("0x", "0X", "#", "\\x", "x", "h'", "sha256:", "md5=", "sha1-", "urn:uuid:", "uuid:", "{", "(", "<", "\"", "=", "id=",
          "mailto:", "mailto: ", "MAILTO:", "email:", "doi:", "doi: ", "doi ", "https:", "//", "http:/", "www. ", "@", "~", "|")  # fmt: skip
# Letters that fold to a letter of the alphabet of links, or that rules for one language or letter case equate with one.
LIKE = {"k": "\u212a", "s": "\u017f", "i": "\u0131", "I": "\u0130", "a": "\u00aa", "o": "\u00ba", "e": "\u212f", "d": "\u217e",
        "c": "\u2103", "1": "\u00b9", "0": "\uff10", "x": "\u00d7", "-": "\u2011", ".": "\uff0e", "ss": "\u00df", "fi": "\ufb01"}  # fmt: skip


def _tokens(slug: str, requirement: str, comment: str, items: list[str]) -> Draft:
    return draft(f"beside/{slug}", "tokens", ("SD-LINK-1", requirement), comment, "links", text="\n".join(items))


def _word(number: int) -> str:
    return f"w{chr(97 + number // 26)}{chr(97 + number % 26)}"


def neighbours() -> Iterator[Draft]:
    for form, (requirement, link) in FORMS.items():
        for side in ("before", "after"):
            pairs = [f"{c}{link}" if side == "before" else f"{link}{c}" for c in BESIDE.values()]
            items = [f"{_word(n)} {pair} {_word(n)}x" for n, pair in enumerate(pairs)]
            items += [f"{_word(n)}{pair}{_word(n)}y" for n, pair in enumerate(pairs)]
            comment = f"a character of each category {side} {form}"
            yield _tokens(f"{form}-{side}", requirement, comment, items)


def spaced() -> Iterator[Draft]:
    for form, (requirement, link) in FORMS.items():
        # A word tells the places apart. Of a form of many equal characters, the borders of groups are enough.
        places = [
            at for at in range(1, len(link)) if not (link[at - 1].isalnum() and link[at].isalnum()) or len(link) < 24
        ]
        items = [f"{_word(n)} {link[:at]} {link[at:]}" for n, at in enumerate(places)]
        items += [f"{_word(n)}n {link[:at]}\n{link[at:]}" for n, at in enumerate(places)]
        yield _tokens(f"{form}-spaced", requirement, f"a space or a line end at each place of {form}", items)
        items = [f"{_word(n)} {before}{link} {_word(n)}x" for n, before in enumerate(BEFORE)]
        yield _tokens(f"{form}-introduced", requirement, f"what often stands before {form}", items)


def alike() -> Iterator[Draft]:
    for form, (requirement, link) in FORMS.items():
        items = [f"{_word(n)} {link[:at]}{like}{link[at:]}" for n, like in enumerate(LIKE.values()) for at in (0, 1, len(link) - 1, len(link))]  # fmt: skip
        comment = f"{form} with letters that fold to those of links, or look like them"
        yield _tokens(f"{form}-alike", requirement, comment, items)
        places = [at for at, c in enumerate(link) if c in "kise"]
        items = [
            f"{_word(n)} {link[:at]}{LIKE.get(link[at], chr(0x131))}{link[at + 1 :]} x" for n, at in enumerate(places)
        ]
        if items:
            yield _tokens(f"{form}-other-letters", requirement, f"{form} with other letters in place of its own", items)
    items = [
        f"{_word(n)} {text}"
        for n, text in enumerate(f"{LIKE['i']}{scheme}" for scheme in ("://a", "urn:a", "www.a.b", "a@b.cc"))
    ]
    items += [
        "w\u0131th://a",
        "do\u0131:10.1/a",
        "arx\u0131v:1",
        "ma\u0131lto:a@b.cc",
        "a@\u0131.cc",
        "a@b.\u0131c",
        "www.\u0131.b",
        "10.1234/\u0131",
    ]
    yield _tokens("dotless", "SD-LINK-2", "a dotless i, which is no letter of a link", items)


def plain() -> Iterator[Draft]:
    """Short cases of what the long ones above find."""
    uuid, digest = FORMS["uuid"][1], FORMS["digest"][1]
    rows = {
        "0x": (f"of 0x{digest} end", "a digest behind 0x, which is a word", "SD-LINK-8"),
        "mailto-space": ("to mailto: ann@b.example", "an address behind mailto: and a space", "SD-LINK-5"),
        "uuid-space": (f"of {uuid[:8]} {uuid[8:]} end", "a UUID that is cut by a space", "SD-LINK-7"),
        "doi-space": ("of doi :10.1/x end", "a space before the colon", "SD-LINK-3"),
        "label-underscore": ("to www.a_b.example", "an underscore in a label", "SD-LINK-4"),
        "label-hyphen": ("to www.a-b.example", "a hyphen in a label", "SD-LINK-4"),
        "scheme-underscore": ("to a_b://c", "an underscore in the scheme of a URL", "SD-LINK-2"),
        "scheme-sign": ("to a,b://c", "a comma, which is between + and . in the code", "SD-LINK-2"),
    }
    yield from table("beside/plain-", "tokens", "SD-LINK-1", rows, "links")


GENERATORS = (neighbours, spaced, alike, plain)
