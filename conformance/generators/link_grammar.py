"""Section 5, the grammar of links: every character class, every repetition and every two forms at one place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from generators.case_builder import Draft, draft
from generators.links import MD5 as DIGEST
from generators.links import UUID

UUID_LETTERS = "abcdefab-abcd-abcd-abcd-abcdefabcdef"
# Beyond ASCII: letters that look like ASCII, digits and hyphens of other scripts, marks, and characters that fold away.
BEYOND = "é漢ж\u0301\u0e48\u0661\u0967ﬁ\u212a\u017f\u2010\u2011\u2013\u00ad\u200b\u2024\u3002\u00b5\u203f\u00b7\U00010428\U0001f600\ufffd"
EVERY = "".join(map(chr, range(128))) + BEYOND
# The borders of letters, digits and hexadecimal digits, and every sign.
BORDER = "".join(c for c in EVERY if not c.isalnum() or c in "09afgzAFGZ" or not c.isascii())
FORMS = {
    "url": ("SD-LINK-2", "http://d.example/e"),
    "named": ("SD-LINK-3", "urn:isbn:e"),
    "www": ("SD-LINK-4", "www.d.example/e"),
    "mail": ("SD-LINK-5", "ann@d.example"),
    "mailto": ("SD-LINK-5", "mailto:ann@d.example"),
    "doi": ("SD-LINK-6", "10.1234/e"),
    "uuid": ("SD-LINK-7", UUID),
    "digest": ("SD-LINK-8", DIGEST),
}
# By form: places of a character of a class, or of a fixed sign. {0} is the character; {1}, a word that names it, is
# kept if the form does not match.
PLACES = {
    "url": {
        "scheme-first": "{0}b{1}://z", "scheme-inner": "a{1}{0}b://z", "scheme-last": "a{1}{0}://z", "colon": "a{1}{0}//z",
        "slash": "a{1}:{0}/z", "slash-second": "a{1}:/{0}z", "tail-first": "a://{0}k{1}", "tail-inner": "a://z{0}k{1}",
    },
    "named": {
        "colon": "doi{0}k{1}", "doi-first": "doi:{0}k{1}", "urn-first": "urn:{0}k{1}", "arxiv-first": "arxiv:{0}k{1}",
        "hdl-first": "hdl:{0}k{1}", "tail-inner": "urn:k{0}k{1}",
    },
    "www": {
        "dot": "www{0}a{1}.b", "label-first": "www.{0}a{1}.b", "label-inner": "www.a{0}a{1}.b", "label-last": "www.a{1}{0}.b",
        "second-dot": "www.a{1}{0}b", "tail-first": "www.a.{0}k{1}", "tail-inner": "www.a.b{0}k{1}",
    },
    "mail": {
        "local-first": "{0}a{1}@b.d", "local-inner": "a{1}{0}a@b.d", "local-last": "a{1}{0}@b.d", "at": "a{1}{0}b.d",
        "label-first": "a@{0}b{1}.d", "label-inner": "a@b{1}{0}b.d", "label-last": "a@b{1}{0}.d", "dot": "a@b{1}{0}d",
        "second-first": "a@b.{0}d{1}", "second-inner": "a@b.d{0}d{1}", "third-first": "a@b.d.{0}e{1}", "mailto": "mailto{0}a{1}@b.d",
    },
    "doi": {
        "ten": "1{0}.1234/k{1}", "dot": "10{0}1234/k{1}", "code-first": "10.{0}234/k{1}", "code-inner": "10.12{0}4/k{1}",
        "code-last": "10.123{0}/k{1}", "slash": "10.1234{0}k{1}", "part-dot": "10.1234{0}5/k{1}", "part-first": "10.1234.{0}/k{1}",
        "part-last": "10.1234.5{0}/k{1}", "tail-first": "10.1234/{0}k{1}", "tail-inner": "10.1234/k{0}k{1}",
    },
}  # fmt: skip
REQUIREMENTS = {name: requirement for name, (requirement, _) in FORMS.items()}


def _tokens(slug: str, requirements: str | tuple[str, ...], comment: str, items: Iterable[str]) -> Draft:
    return draft(f"grammar/{slug}", "tokens", requirements, comment, "links", text="\n".join(items))


def _named(template: str, characters: str) -> list[str]:
    """Return the template with each character, and a word of letters that names its code point."""
    return [template.format(c, f"k{''.join(chr(ord('g') + int(d, 16)) for d in f'{ord(c):x}')}") for c in characters]


def character_classes() -> Iterator[Draft]:
    """Every ASCII character, and some beyond, at each place of a class or sign of the forms SD-LINK-2 to SD-LINK-6."""
    for form, places in PLACES.items():
        for place, template in places.items():
            comment = f"every ASCII character, and some beyond, in place {place} of {form}"
            yield _tokens(f"{form}-{place}", REQUIREMENTS[form], comment, _named(template, EVERY))


def hexadecimal() -> Iterator[Draft]:
    """The borders of the classes at the places of a UUID and of a digest."""
    for form, what, example, places in (
        ("uuid", "a UUID", UUID, (0, 1, 7, 8, 9, 12, 13, 14, 17, 18, 19, 22, 23, 24, 25, 35)),
        ("digest", "a digest", DIGEST, (0, 1, 30, 31)),
    ):
        for place in places:
            template = f"{example[:place]}{{0}}{example[place + 1 :]} {{1}}"
            comment = f"other characters in place {place} of {what}"
            yield _tokens(f"{form}-place-{place:02}", REQUIREMENTS[form], comment, _named(template, BORDER))


def around() -> Iterator[Draft]:
    """Every ASCII character, and some beyond, before and after each form."""
    sides = {"before": "k{{1}}{{0}}{}", "start": "{{0}}{} k{{1}}", "after": "{}{{0}}k{{1}}", "end": "{}{{0}} k{{1}}"}
    for form, (requirement, link) in FORMS.items():
        for side, template in sides.items():
            comment = f"every ASCII character, and some beyond: {form}, {side}"
            yield _tokens(f"{form}-{side}", ("SD-LINK-1", requirement), comment, _named(template.format(link), EVERY))


def _lengths(template: str, letter: str, sizes: Iterable[int]) -> list[str]:
    """Return a template filled with so many letters, for each size."""
    return [template.format(letter * size) for size in sizes]


def repetitions() -> Iterator[Draft]:
    """Each repetition below, at and above its bounds."""
    around_63 = (0, 1, 2, 61, 62, 63, 64, 65, 66, 127, 128, 255, 256)
    tails, digits = (0, 1, 2, 63, 64, 255, 256, 300), (*range(13), 20)
    schemes = (1, 2, 30, 31, 32, 33, 34, 63, 64, 65, 127, 128, 255, 256, 300)
    url_tails = (0, 1, 2, 31, 32, 63, 64, 65, 127, 128, 255, 256, 300)
    labels = (1, 2, 3, 4, 5, 8, 10, 11, 63, 64, 126, 127, 128, 129, 255, 256, 300)
    named = [text for name in ("doi", "urn", "arxiv", "hdl") for text in _lengths(f"{name}:{{}} b", "x", tails)]
    parts = [text for before in ("", ".5", ".5.5") for text in _lengths(f"10.1234{before}.{{}}/x", "1", digits)]
    groups = [8, 4, 4, 4, 12]
    changed = [[n + change * (i == place) for i, n in enumerate(groups)] for place in range(5) for change in (-1, 1)]
    changed += [groups[:4], [*groups[:4], 4, 12], [8, 4, 4, 12], [12, 4, 4, 4, 8], groups]
    cases: dict[str, tuple[str, str, Iterable[str]]] = {
        "url-scheme": ("SD-LINK-2", "schemes of 1 to 300 characters", _lengths("{}://x", "s", schemes)),
        "url-tail": ("SD-LINK-2", "tails of 0 to 300 characters", _lengths("a://{} b", "x", url_tails)),
        "named-tail": ("SD-LINK-3", "identifiers of 0 to 300 characters", named),
        "www-label": ("SD-LINK-4", "labels of 0 to 256 characters", _lengths("www.{}.x", "l", around_63)),
        "www-tail": ("SD-LINK-4", "nothing to 300 characters after the second dot", _lengths("www.l.{} b", "x", tails)),
        "mail-local": ("SD-LINK-5", "local parts of 0 to 256 characters", _lengths("{}@b.d", "l", around_63)),
        "mailto-local": ("SD-LINK-5", "the same after mailto:", _lengths("mailto:{}@b.d", "l", around_63)),
        "mail-label": ("SD-LINK-5", "first labels of 0 to 256 characters", _lengths("a@{}.d", "l", around_63)),
        "mail-second": ("SD-LINK-5", "second labels of 0 to 256 characters", _lengths("a@b.{}", "l", around_63)),
        "mail-third": ("SD-LINK-5", "third labels of 0 to 256 characters", _lengths("a@b.d.{}", "l", around_63)),
        "mail-labels": ("SD-LINK-5", "1 to 300 labels", (f"a@{'.'.join(['b'] * n)}! k" for n in labels)),
        "doi-code": ("SD-LINK-6", "registrant codes of 0 to 20 digits", _lengths("10.{}/x", "1", digits)),
        "doi-part": ("SD-LINK-6", "parts of 0 to 20 digits, at each place", parts),
        "doi-parts": ("SD-LINK-6", "0 to 10 parts", _lengths("10.1234{}/x", ".5", range(11))),
        "doi-tail": ("SD-LINK-6", "nothing to 300 characters after the slash", _lengths("10.1234/{} b", "x", tails)),
        "digest": ("SD-LINK-8", "digests of 28 to 132 digits", _lengths("{}", "d", range(28, 133))),
        "digest-long": ("SD-LINK-8", "digests of 250 to 1,025 digits", _lengths("{}", "d", (250, 255, 256, 257, 512, 1024, 1025))),
        "uuid": ("SD-LINK-7", "UUIDs with a group too short, too long, missing or too many", ("-".join("d" * n for n in sizes) for sizes in changed)),
    }  # fmt: skip
    for slug, (requirement, comment, items) in cases.items():
        yield _tokens(f"bound-{slug}", requirement, comment, items)


def two_forms() -> Iterator[Draft]:
    """Texts in which two forms can start at one place: the earlier form is taken, or the other if it does not match."""
    pairs: dict[str, tuple[str, ...]] = {
        "url-named": ("doi://a(b)c", "urn://x:y", "urn:x://y", "doi:a://b", "arxiv://1", "hdl:a+b://c", "urn:+://b", "urn:a|://b"),
        "url-www": ("www.a.b://c", "www.a://b", "www.a|b://c", "www.a.b|://c", "www.://b", f"www.{'l' * 40}.b://c"),
        "url-mail": ("mailto://a@b.c", "a@b.c://d", "a.b-c+d://e@f.g", "mailto:a://b@c.d", "ab_c@d.e://f", f"{'s' * 33}://a@b.c"),
        "url-uuid": (f"{UUID_LETTERS}://b", f"{UUID_LETTERS[:31]}://b"),
        "url-digest": ("d" * 32 + "://b", "d" * 31 + "://b", "d" * 33 + "://b", "d" * 32 + ":/b", "d" * 32 + ".x://b"),
        "named-www": ("doi:www.a.b c", "urn:www.a|b"),
        "named-mail": ("doi:a@b.c", "urn:a|@b.c", "urn@b.c", "doi.x@b.c", "hdl:@b.c"),
        "www-mail": ("www.a.b@c.de/fg hi", "www@a.b/c", "www.a@b.c/d", "www.a_b@c.de/f", "www.@b.c", "www.a.@b.c"),
        "mail-doi": ("10.1234@b.c/d", "10.1234/a@b.c", "10.1234/a@b.c(d", "10.1234.5@b.c/x", "10.12345/x@y"),
        "mail-uuid": (f"{UUID}@b.c/d", f"{UUID}@b", f"{UUID}.x@b.c", f"{UUID}-x@b.c"),
        "mail-digest": (f"{DIGEST}@b.c/d", f"{DIGEST}@b", f"{DIGEST}.x@b.c", "d" * 64 + "@b.c", "d" * 65 + "@b.c", "d" * 66 + ".a@b.c"),
        "uuid-digest": (f"{DIGEST}-{UUID}", f"{UUID}{DIGEST}", f"{UUID}-{DIGEST}", f"{UUID[:24]}{DIGEST}", f"{UUID[:-1]}-{DIGEST}"),
        "doi-uuid": (f"10.1234/{UUID}x", f"10.1234.{UUID}/x"),
        "named-doi": ("doi:10.1234/a doi: 10.1234/a", "doi:10.12/a 10.12/a"),
        "inside-url": ("a://www.b.c|www.b.c a://x@b.c|x@b.c", f"a://{UUID}|{UUID}", f"a://{DIGEST}x {DIGEST}x"),
        "names": ("dois:a du:a ur:a urns:a arxi:a arxivs:a hd:a hdls:a isbn:a pmid:a issn:a ark:a info:a handle:a tel:a data:a javascript:a news:a magnet:a sha256:a mailto:a orcid:a oclc:a swh:a gid:a acm:a",),
        "repeated": ("http://http://a b", "mailto:mailto:a@b.c", "www.www.a.b", "doi:doi:1", "urn:urn:a:b", "10.1234/10.1234/x", "a://b://c"),
        "resumed": ("a@b.cd@e.fg", "a@b.c-d@e.f", "a@b.c@d.e", f"{UUID}-{UUID}", f"{DIGEST}-{DIGEST}", "10.1234/a|10.1234/b", "x://a|x://b", "a@b.c_d@e.f", "a@b.c.www.d.e", "a@b.c/doi:d"),
        "digest-tails": (f"{DIGEST}. {DIGEST}- {DIGEST}-x {DIGEST}_ {DIGEST}x {DIGEST}é {DIGEST}漢 {DIGEST}\u0301 {DIGEST}\u0661",),
        "uuid-tails": (f"{UUID}. {UUID}- {UUID}-x {UUID}_ {UUID}x {UUID}é {UUID}漢 {UUID}\u0301 {UUID}\u0661",),
    }  # fmt: skip
    for slug, items in pairs.items():
        first, _, second = slug.partition("-")
        requirements = dict.fromkeys(("SD-LINK-1", *(FORMS[form][0] for form in (first, second) if form in FORMS)))
        yield _tokens(f"two-{slug}", tuple(requirements), f"two forms that can start at one place: {slug}", items)


GENERATORS = (character_classes, hexadecimal, around, repetitions, two_forms)
