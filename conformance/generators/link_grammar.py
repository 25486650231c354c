"""Section 5, the grammar of links: every character class, every repetition and every two forms at one place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from generators.case_builder import Draft, draft

UUID, UUID_LETTERS = "123e4567-e89b-12d3-a456-426614174000", "abcdefab-abcd-abcd-abcd-abcdefabcdef"
DIGEST = "d41d8cd98f00b204e9800998ecf8427e"
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
            yield _tokens(
                f"{form}-{place}", REQUIREMENTS[form], f"every ASCII character, and some beyond, in place {place} of {form}",
                _named(template, EVERY),
            )  # fmt: skip


def hexadecimal() -> Iterator[Draft]:
    """The borders of the classes at the places of a UUID and of a digest."""
    for place in (0, 1, 7, 8, 9, 12, 13, 14, 17, 18, 19, 22, 23, 24, 25, 35):
        template = f"{UUID[:place]}{{0}}{UUID[place + 1 :]} {{1}}"
        yield _tokens(
            f"uuid-place-{place:02}",
            "SD-LINK-7",
            f"other characters in place {place} of a UUID",
            _named(template, BORDER),
        )
    for place in (0, 1, 30, 31):
        template = f"{DIGEST[:place]}{{0}}{DIGEST[place + 1 :]} {{1}}"
        yield _tokens(
            f"digest-place-{place:02}",
            "SD-LINK-8",
            f"other characters in place {place} of a digest",
            _named(template, BORDER),
        )


def around() -> Iterator[Draft]:
    """Every ASCII character, and some beyond, before and after each form."""
    for form, (requirement, link) in FORMS.items():
        for side, template in (("before", f"k{{1}}{{0}}{link}"), ("start", f"{{0}}{link} k{{1}}"), ("after", f"{link}{{0}}k{{1}}"), ("end", f"{link}{{0}} k{{1}}")):  # fmt: skip
            yield _tokens(
                f"{form}-{side}", ("SD-LINK-1", requirement), f"every ASCII character, and some beyond: {form}, {side}",
                _named(template, EVERY),
            )  # fmt: skip


def _bound(slug: str, requirement: str, comment: str, items: Iterable[str]) -> Draft:
    return _tokens(f"bound-{slug}", requirement, comment, items)


def repetitions() -> Iterator[Draft]:
    """Each repetition below, at and above its bounds."""
    around_63 = (0, 1, 2, 61, 62, 63, 64, 65, 66, 127, 128, 255, 256)
    yield _bound("url-scheme", "SD-LINK-2", "schemes of 1 to 300 characters",
                 (f"{'s' * n}://x" for n in (1, 2, 30, 31, 32, 33, 34, 63, 64, 65, 127, 128, 255, 256, 300)))  # fmt: skip
    yield _bound("url-tail", "SD-LINK-2", "tails of 0 to 300 characters",
                 (f"a://{'x' * n} b" for n in (0, 1, 2, 31, 32, 63, 64, 65, 127, 128, 255, 256, 300)))  # fmt: skip
    yield _bound("named-tail", "SD-LINK-3", "identifiers of 0 to 300 characters",
                 (f"{name}:{'x' * n} b" for name in ("doi", "urn", "arxiv", "hdl") for n in (0, 1, 2, 63, 64, 255, 256, 300)))  # fmt: skip
    yield _bound("www-label", "SD-LINK-4", "labels of 0 to 256 characters", (f"www.{'l' * n}.x" for n in around_63))
    yield _bound("www-tail", "SD-LINK-4", "nothing to 300 characters after the second dot",
                 (f"www.l.{'x' * n} b" for n in (0, 1, 2, 63, 64, 255, 256, 300)))  # fmt: skip
    yield _bound("mail-local", "SD-LINK-5", "local parts of 0 to 256 characters", (f"{'l' * n}@b.d" for n in around_63))
    yield _bound("mailto-local", "SD-LINK-5", "the same after mailto:", (f"mailto:{'l' * n}@b.d" for n in around_63))
    yield _bound(
        "mail-label", "SD-LINK-5", "first labels of 0 to 256 characters", (f"a@{'l' * n}.d" for n in around_63)
    )
    yield _bound(
        "mail-second", "SD-LINK-5", "second labels of 0 to 256 characters", (f"a@b.{'l' * n}" for n in around_63)
    )
    yield _bound(
        "mail-third", "SD-LINK-5", "third labels of 0 to 256 characters", (f"a@b.d.{'l' * n}" for n in around_63)
    )
    yield _bound("mail-labels", "SD-LINK-5", "1 to 300 labels",
                 (f"a@{'.'.join(['b'] * n)}! k" for n in (1, 2, 3, 4, 5, 8, 10, 11, 63, 64, 126, 127, 128, 129, 255, 256, 300)))  # fmt: skip
    yield _bound("doi-code", "SD-LINK-6", "registrant codes of 0 to 20 digits",
                 (f"10.{'1' * n}/x" for n in (*range(13), 20)))  # fmt: skip
    yield _bound("doi-part", "SD-LINK-6", "parts of 0 to 20 digits, at each place",
                 (f"10.1234{'.5' * before}.{'1' * n}/x" for before in (0, 1, 2) for n in (*range(13), 20)))  # fmt: skip
    yield _bound("doi-parts", "SD-LINK-6", "0 to 10 parts", (f"10.1234{'.5' * n}/x" for n in range(11)))
    yield _bound("doi-tail", "SD-LINK-6", "nothing to 300 characters after the slash",
                 (f"10.1234/{'x' * n} b" for n in (0, 1, 2, 63, 64, 255, 256, 300)))  # fmt: skip
    yield _bound("digest", "SD-LINK-8", "digests of 28 to 132 digits", ("d" * n for n in range(28, 133)))
    yield _bound(
        "digest-long",
        "SD-LINK-8",
        "digests of 250 to 1,025 digits",
        ("d" * n for n in (250, 255, 256, 257, 512, 1024, 1025)),
    )
    lengths = [8, 4, 4, 4, 12]
    changed = [[n + change * (i == place) for i, n in enumerate(lengths)] for place in range(5) for change in (-1, 1)]
    changed += [lengths[:4], [*lengths[:4], 4, 12], [8, 4, 4, 12], [12, 4, 4, 4, 8], lengths]
    yield _bound("uuid", "SD-LINK-7", "UUIDs with a group too short, too long, missing or too many",
                 ("-".join("d" * n for n in groups) for groups in changed))  # fmt: skip


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
