"""Neighbours of the right rule: marks, near misses of links, names, distances, ids and long texts that are nearly it.

`conformance/mutation/neighbours.md` lists which neighbours of each requirement were tried.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from generators.case_builder import Draft, draft, table
from generators.index_cases import pairs, query, text_form
from simhash_doc.schemes import get_schemes

DIGITS = "raeidodvqipge"
NAMES = {
    "anywhere": ("sd+custom64", "s+customd64", "+customsd64", "custom+sd64", "sd64+custom+"),
    "other-mark": ("sd64+", "sd64+c", "sd64+custo", "sd64+customised", "sd64+customized", "sd64+x", "sd64+custom1"),
    "other-sign": ("sd64-custom", "sd64_custom", "sd64.custom", "sd64custom", "sd64~custom", "sd64/custom", "sd64&custom"),
    "decoded": ("sd64%2bcustom", "sd64%2Bcustom", "sd64\uff0bcustom", "sd64 +custom", "sd64+ custom", "sd64+custom "),
    "letters": ("sd64+cu\u017ftom", "\u017fd64", "sd64+CUSTOM", "SD64+Custom", "sd64+\uff43ustom"),
    "digits": ("sd\u0666\u0664", "sd064", "sd0064", "sd64.0", "sd6_4", "sd+64", "sd-64"),
    "inherited": ("constructor", "__proto__", "toString", "hasOwnProperty", "prototype", "length", "null", "undefined"),
}  # fmt: skip
WHOLE = {
    "custom-after-colon": f"sd64:+custom:{DIGITS}",
    "custom-name-after-colon": f"sd64:custom:{DIGITS}",
    "custom-after-digits": f"sd64:{DIGITS}+custom",
    "colon-encoded": f"sd64%3A{DIGITS}",
    "space-encoded": f"sd64:{DIGITS}%20",
    "equals-sign": f"sd64={DIGITS}",
    "slash": f"sd64/{DIGITS}",
}
NEAR = {
    "url": ("SD-LINK-2", (
        "file:/etc a:/b http:/c.d", "mail:x key:value", "data:text/html,x tel:+1-2 javascript:y magnet:?xt=z about:q",
        "http:\\\\a\\b c:\\dir\\file d:\\x", "http//a.b ftp//c", "http: //a.b", "http;//a.b", "://a //b.c/d", "http:///e a:////f",
    )),
    "named": ("SD-LINK-3", (
        "doi: 10/a urn: b arxiv: c", "doi.org/a urn=b hdl/c arxiv.d", "ark:/1/a info:b oai:c swh:1:d tag:e pmcid:f orcid:g issn:h",
        "dois:a urns:b", "doi::a urn::b hdl::c",
    )),
    "www": ("SD-LINK-4", (
        "www1.a.b www2.c.d www-3.e.f", "ww.a.b wwww.c.d", "ftp.a.b m.c.d web.e.f", "a.example.com b.org c.d.io e.net",
        "www.a/b www.c/", "192.168.0.1/a 10.0.0.1:80/b",
    )),
    "mail": ("SD-LINK-5", (
        "mailto: mailto:a mailto:?b=c", "a@[1.2.3.4] b@[::1]", "a(at)b.c d [at] e.f", "git@host:a/b", "a!b@c.d e#f@g.h i'j@k.l m=n@o.p",
        "x@y.z. a@b.c.", "a@b@c.d e@f@g",
    )),
    "doi": ("SD-LINK-6", ("11.1234/a 12.1234/b", "10/abc 10/def", "2027/ab 20.500/cd", "10.1234\\a", "10.12ab/c 10.abcd/e")),
    "uuid": ("SD-LINK-7", (
        "abcdefab-abcd-abcd-abcd-abcdefabcde", "abcdefa-abcd-abcd-abcd-abcdefabcdef", "abcdefab_abcd_abcd_abcd_abcdefabcdef",
        "gbcdefab-abcd-abcd-abcd-abcdefabcdef", "fe80:ab:cd:ef:ab:cd:ef:ab aa:bb:cc:dd:ee:ff",
    )),
    "digest": ("SD-LINK-8", (
        "0xdeadbeefdeadbeef", "abcdefabcdefabcdefabcdef", "deadbeef abcdefa", f"sha256:{'ab' * 32} md5:{'cd' * 16}", "g" + "ab" * 16,
        "abcdefghijklmnopqrstuvwxyz234567", ":".join(["ab"] * 16),
    )),
}  # fmt: skip
# By the character that folds to characters of links: several of them, or one.
FOLDING = "\u2025\u2026\u203c\u2047\u2049\u2100\u2105\u2488\u33c2\uff0f\uff1a\uff20\ufe6b\uff0e\ufe52\u2024\uff3f\uff3b\uff1f\ufe56\uff03\uff04\uff05\ufe6a\uff06\ufe60\uff07\uff08\u207d\uff0a\ufe61\uff0b\u207a\uff0c\ufe50\uff1b\ufe54\uff1d\u207c\uff5e\uff0d\ufe63\uff01\ufe57\u00b2\u2122\u2460\u2474\u2163"  # fmt: skip
MEMBERS = {
    "object": "constructor tostring valueof hasownproperty isprototypeof proto __proto__ tolocalestring",
    "array": "length concat pop push keys values entries map filter sort join slice find fill at with some every includes reverse",
    "function": "name caller arguments prototype apply bind call",
    "dict": "clear copy fromkeys get items pop popitem setdefault update",
    "missing": "null nan na none nil undefined n_a",
    "boolean": "true false yes no on off y n",
    "infinite": "inf infinity minus",
    "number": "1e1 10e0 1e01 100e1 1e3 0e1 0e2 00e1",
    "hexadecimal": "0x1f 0x001f x1f",
    "connectors": "a_b ab a__b a_b_",
    "leading-zeros": "007x 7x 07x",
}
LONGEST = f"mailto:{'x' * 64}@{'y' * 63}.zz"  # its dot is the 137th character
PIECES = {
    "mail-longest": (LONGEST, (1, 2, 9, 38, 74), "an address of which 137 characters decide"),
    "digest-too-long": ("a" * 129, (1, 2, 65, 128), "129 hexadecimal digits, which are no digest"),
    "word-before": ("xhttp://a.example/b", (1,), "a word that ends with the name of a URL's scheme"),
    "label-longest": (f"www.{'w' * 63}.zz", (1, 2, 40, 67), "a web address with a label of 63 characters"),
    "scheme-longest": (f"{'s' * 32}://zz", (1, 2, 20, 34), "a URL whose scheme has 32 characters"),
}
SIZES = (1000, 1024, 4096, 8192, 16_384, 65_536)
MARKS = "\u0301" * 15 + "\u0316" * 15  # reordered, so that a cut between them shows
FIRST = (1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 99, 100, 127, 128, 129, 255, 256, 257, 511, 512, 513)
LATE = (999, 1000, 1023, 1024, 4095, 4096, 65_534, 65_535, 65_536)
ENCODED = {
    "entities": "&lt;b&gt; &amp;amp; caf&eacute; &#65;bc &#x42;cd &lt x &nbsp;y a&shy;b",
    "tags": "a<b>c</b> <i>d</i>e <br/>f < g >",
    "percent": "%41bc caf%c3%a9 a%20b 100%25",
    "plus": "a+b+c d ann+tag@a.example http://a.example/?q=e+f",
    "escapes": "\\u0041bc x\\x41y \\nnew \\ttab \\101 a\\b",
    "quoted-printable": "caf=C3=A9 a=3Db =41bc",
    "mojibake": "caf\u00c3\u00a9 na\u00c3\u00afve \u00e2\u20ac\u2122s",
    "punycode": "xn--bcher-kva b\u00fccher",
    "terminal": "\x1b[31mred\x1b[0m a\x1b[1mb",
    "hyphenation": "hyphen-\nated syl-\r\nlable",
    "controls": "a\x00b c\x1ad e\x7ff",
    "dollar": "${a} $b {{c}} %s %d",
}
IDS = (
    "a\r\nb", "a\nb", "a\rb", "a\tb", "a,b", "a;b", "a:b", "a", "b", '"a"', "'a'", '"', "\\a", "a\\\\b", "a\\nb", "\ufeffa", "a\x01b",
    "a\u2028b", "\U00010428", "\U00010429", "__proto__", "constructor", "toString", "null", "NaN", "None", "undefined", "NULL", "false",
    "False", "0", "-0", "00", "1e3", "1000", "1E3", "9007199254740993", "9007199254740992", "18446744073709551616", "#a", "--a", "a//b",
    "a/b", "./a", "%41", "A%42", "&lt;", "<", "%", "a%20b", "a b", "$a", "{a}", "*", "?", "a'--", "\u00e9", "e\u0301", "\ud55c", "\u00ad", "a\u00ad",
)  # fmt: skip
ID_LENGTHS = (32, 33, 64, 65, 255, 256, 257, 1000, 1001, 1024, 1025, 4096, 4097)
WIDE_DISTANCES = (0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 126, 127, 128, 129, 191, 192, 254, 255, 256, 257, 300, 384, 385, 503, 504, 509, 510, 511, 512)  # fmt: skip


def text_forms() -> Iterator[Draft]:
    for group, names in NAMES.items():
        for number, name in enumerate(names):
            required = ("SD-TEXT-5", "SD-CUSTOM-2" if "cu" in name.lower() else "SD-WIDE-1")
            row = {f"name-{group}-{number}": (f"{name}:{DIGITS}", f"the name {name!a}")}
            yield from table("near/", "decode", required, row, "negative")
    rows = {slug: (text, slug.replace("-", " ")) for slug, text in WHOLE.items()}
    yield from table("near/form-", "decode", ("SD-TEXT-3", "SD-TEXT-5"), rows, "negative")
    for name in NAMES["inherited"]:
        for slug, op, requirement, text in (("scheme", "decode", "SD-TEXT-7", DIGITS), ("compute", "fingerprint", "SD-WIDE-1", "a")):  # fmt: skip
            yield draft(
                f"near/{slug}-{name}", op, requirement, f"the scheme {name}", "negative", text=text, scheme=name
            )


def links() -> Iterator[Draft]:
    for form, (requirement, lines) in NEAR.items():
        row = {f"link-{form}": ("\n".join(lines), f"what is nearly a link: {form}")}
        yield from table("near/", "tokens", (requirement, "SD-LINK-1"), row, "links")
    items = [f"a://x{c}{c}k{chr(97 + n // 26)}{chr(97 + n % 26)} y" for n, c in enumerate(FOLDING)]
    rows = {"": ("\n".join(items), "links with characters that fold to characters of links")}
    texts = ("a://\u2026b", "a://b\u2026c", "www\uff0ea\u2025b", "a\uff20b\u2024c", "http\uff1a\uff0f\uff0fa")
    rows |= {f"-{n}": (text, "characters that fold to those of links") for n, text in enumerate(texts)}
    yield from table("near/link-folding", "tokens", ("SD-LINK-1", "SD-PIECE-1"), rows, "links", "compatibility")


def counters() -> Iterator[Draft]:
    for group, words in MEMBERS.items():
        repeated = " ".join(f"{word} " * (3 + number % 4) for number, word in enumerate(words.split()))
        row = {group: (repeated, f"words that are names of {group}")}
        yield from table("near/count-", "buckets", "SD-CAP-1", row, "collision")
        first = words.split()[0]
        row = {group: (first, f"the word {first}")}
        yield from table("near/token-", "fingerprint", "SD-CAP-1", row, "collision")
    prefixes = [f"{'a' * 64}b ", f"{'a' * 64}c ", f"x{'z' * 32} ", f"y{'z' * 32} "]
    row = {"long": (" ".join(5 * prefixes), "long words that differ at one end")}
    yield from table("near/count-", "buckets", "SD-CAP-1", row, "collision")
    letters = "".join(f"{{}}{letter} " for letter in "abcdefghi")
    rows = {
        slug: ({"concat": [{"scalars": [0xAC00, last], "template": letters}, "no no yes yes"]}, "many tokens that occur once, then others twice")
        for slug, last in (("1k", 0xAC80), ("10k", 0xB100), ("100k", 0xD7A3))
    }  # fmt: skip
    yield from table("near/distinct-", "fingerprint", ("SD-CAP-1", "SD-SUM-1"), rows, "boundary", member="recipe")


def pieces() -> Iterator[Draft]:
    rows = {}
    for slug, (item, places, what) in PIECES.items():
        for size in SIZES:
            for before in places if size == 4096 else places[:1]:
                filler = size - before
                parts = [{"repeat": ". ", "count": filler // 2}, "." * (filler % 2), item, " end"]
                comment = f"{what}, from character {filler} on"
                rows[f"{slug}-{size}-{before}"] = ({"concat": parts}, comment, "SD-PIECE-1", "SD-LINK-1")
    # The period is prime, so in many repetitions an address begins at every place of a piece of up to 2,800 characters.
    recipe: dict[str, Any] = {"repeat": f"{LONGEST} ", "count": 2800}
    comment = "the longest decision, at many places"
    rows["mail-longest-everywhere"] = (recipe, comment, "SD-PIECE-1", "SD-LINK-5")
    yield from table("near/", "tokens", "SD-PIECE-1", rows, "boundary", member="recipe")
    for slug, count in (("short", 500), ("long", 6500)):
        reordered, counted = ({"repeat": f"a{marks}", "count": count} for marks in (MARKS, f"{MARKS}{MARKS[:6]}"))
        yield from table("near/marks-", "fold", "SD-PIECE-1", {
            f"reordered-{slug}": (reordered, "30 marks to reorder after each letter", "SD-PIECE-1", "SD-FOLD-5"),
            f"counted-{slug}": (counted, "36 marks after each letter", "SD-PIECE-1", "SD-FOLD-4"),
        }, "boundary", member="recipe", digest=True)  # fmt: skip
    stretches = {"14k": [(0x4E00, 0x86FF)], "67k": [(0x4E00, 0x9FFF), (0x20000, 0x2A6DF), (0x2A700, 0x2B739)]}
    for slug, ranges in stretches.items():
        recipe = {"concat": [{"scalars": [first, last], "template": "{}"} for first, last in ranges]}
        row = {slug: (recipe, "a stretch in which no character occurs twice", "SD-SPLIT-2", "SD-PIECE-1")}
        yield from table("near/stretch-", "tokens", "SD-SPLIT-2", row, "boundary", member="recipe", digest=True)


def late_letters() -> Iterator[Draft]:
    text = " ".join([*(f"{'1' * size}x" for size in FIRST), "x1", "x11", "1x1", "11x11", "1" * 40])
    row = {"late": (text, "a letter after 1 to 513 digits, and before them")}
    yield from table("near/letter-", "tokens", "SD-FILTER-2", row, "boundary")
    rows = {f"{n}": ({"concat": [{"repeat": "1", "count": n}, "x end"]}, f"a letter after {n} digits") for n in LATE}
    yield from table(
        "near/letter-after-", "tokens", "SD-FILTER-2", rows, "boundary", member="recipe", digest=True
    )  # fmt: skip


def encoded() -> Iterator[Draft]:
    rows = {slug: (text, f"text that looks encoded: {slug}") for slug, text in ENCODED.items()}
    yield from table("near/encoded-", "tokens", "SD-INPUT-1", rows, "text")


def _near(case: Draft) -> Draft:
    """Return the same case under an id of this group."""
    return replace(case, id=f"near/{case.id.partition('/')[2]}")


def distances() -> Iterator[Draft]:
    for known in get_schemes().values():
        counts = [count for count in WIDE_DISTANCES if count <= known.bits]
        entries = [(f"{count}", text_form((1 << count) - 1, known.id)) for count in counts]
        wanted = [text_form(0, known.id)]
        wide: dict[str, Any] = {} if known.id == "sd64" else {"scheme": known.id}
        for n in [count for count in counts if count > 14]:
            slug, more = f"within-{known.id}-{n}", {"requirements": ("SD-LOOK-5", "SD-LOOK-4"), **wide}
            yield _near(query(slug, f"within {n} bits", entries, wanted, n, "boundary", **more))
        few = [entry for entry in entries if int(entry[0]) in (0, 127, 128, 255, 256, 511, 512)]
        for n in (0, 128, 255, 256):
            slug, more = f"pairs-{known.id}-{n}", {"requirements": ("SD-LOOK-3", "SD-LOOK-5"), **wide}
            yield _near(pairs(slug, f"pairs within {n} bits", few, n, "boundary", **more))


def ids() -> Iterator[Draft]:
    text = text_form(7)
    long = tuple(f"{'i' * (size - 1)}{end}" for size in ID_LENGTHS for end in "xy")
    for slug, listed in (("special", IDS), ("long", long)):
        entries = [(key, text) for key in listed]
        required, comment = ("SD-LOOK-6", "SD-LOOK-2"), f"ids that are {slug}"
        yield _near(query(f"ids-{slug}", comment, entries, [text], 3, "boundary", requirements=required))
        few = [(key, text if number < 2 else text_form(number << 20)) for number, key in enumerate(listed[:8])]
        required, comment = ("SD-LOOK-6", "SD-LOOK-3"), f"pairs of ids that are {slug}"
        yield _near(pairs(f"ids-{slug}-pairs", comment, few, 0, "boundary", requirements=required))
    entries = [(f"{'i' * 65_535}x", text)]
    yield _near(query("ids-65536", "an id of 65,536 bytes", entries, [text], 0, "boundary", requirements="SD-LOOK-6"))


GENERATORS = (text_forms, links, counters, pieces, late_letters, encoded, distances, ids)
