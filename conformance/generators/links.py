"""Section 5: links, tested by the remaining tokens."""

from __future__ import annotations

from collections.abc import Iterator

from generators.case_builder import Draft, table

UUID = "123e4567-e89b-12d3-a456-426614174000"
MD5 = "d41d8cd98f00b204e9800998ecf8427e"
ADDRESS = f"a@b.{'l' * 63}"  # a label at its bound


def _tokens(requirements: str | tuple[str, ...], cases: dict[str, tuple[str, str]]) -> Iterator[Draft]:
    return table("links/", "tokens", requirements, cases, "links")


def where() -> Iterator[Draft]:
    """Where links of any form start and end."""
    yield from _tokens("SD-LINK-1", {
        "space-left": ("one http://a.example/two three", "a link between words separates them"),
        "mark-after": ("before http://a.example\u0301 after", "a mark composes with the last letter before links are searched"),
        "mark-after-slash": ("word http://a.example/\u0301 after", "a mark after a link does not reach the word before it"),
        "no-space-chinese": ("请看http://a.example/路径后面的字", "a link ends at the first character that is not ASCII"),
        "no-space-thai": ("ดูที่http://a.exampleนะครับ", "Thai before and after a link"),
        "no-space-cyrillic": ("сайт:http://a.example/путь", "Cyrillic letters end a link"),
        "after-ideographic-stop": ("终。www.a.example。始", "ideographic full stops around a link"),
        "inside-word": ("xhttp://a.example turn:left", "a link may start before a colon only at the start of a word"),
        "urn-inside-word": ("turn:left return:here", "turn: and return: end in urn:, but a link cannot start inside a word"),
        "www-inside-word": ("awww.a.example", "a web address cannot start inside a word"),
        "after-underscore": ("_http://a.example/x_ and", "a link cannot start after an underscore"),
        "after-hyphen": ("-http://a.example/x", "a link can start after a hyphen"),
        "after-digit": ("5http://a.example", "a scheme cannot begin with or after a digit"),
        "after-accent": ("éhttp://a.example/x", "a letter that is not ASCII is not an ASCII word character"),
        "full-width": ("ｈｔｔｐ：／／ａ．ｅｘａｍｐｌｅ／ｂ word", "full-width letters are folded before links are searched"),
        "capitals": ("HTTPS://A.EXAMPLE/B WWW.A.EXAMPLE DOI:10.1000/X", "capitals are folded before"),
        "zero-width-inside": ("http://a.ex\u200bample/b\u00adc word", "invisible characters are removed before"),
        "two-adjacent": ("http://a.example/b,http://c.example/d e", "the second is part of the first"),
        "first-from-left": ("ann@www.a.example/b word", "the address starts first, although web addresses are tried before it"),
        "two-spaced": ("http://a.example b http://c.example d", "two links"),
        "brackets": ("(http://a.example/b) [www.c.example] <ann@d.example>", "brackets around links"),
        "angle-ends": ("<http://a.example/b>word", "> ends a link"),
        "quote-ends": ("\"http://a.example/b\"word `www.a.example`word", "a quotation mark ends a link"),
        "bar-ends": ("http://a.example/b|word {www.a.example}word", "| and } end a link"),
        "backslash-ends": ("http://a.example\\word", "a backslash ends a link"),
        "caret-ends": ("http://a.example^word", "^ ends a link"),
        "markdown": ("[text of the link](http://a.example/b) more", "the text of a Markdown link is kept"),
        "tab": ("http://a.example/b\tword", "a tab ends a link"),
        "no-break-space": ("http://a.example/b\u00a0word", "a no-break space folds to a space"),
        "line-end": ("http://a.example/b\nword\r\nwww.a.example\rmore", "line ends end links"),
        "control-ends": ("http://a.example\u0001word\u007fmore", "control characters end a link"),
        "second-from-rest": (f"{'x' * 40}://a mail@b.c", "the search continues in text that is not a link"),
        "only-links": ("http://a.example www.b.example c@d.example", "no token is left"),
    })  # fmt: skip
    yield from table("links/", "fingerprint", "SD-LINK-1", {
        "only-links-fingerprint": ("http://a.example/b?c=d\nwww.e.example\n", "a document of only links has no fingerprint", "negative", "SD-LINK-1", "SD-SUM-2"),
        "joins-nothing": ("one http://a.example/ two", "`one` and `two` are two tokens"),
    })  # fmt: skip


def urls() -> Iterator[Draft]:
    yield from _tokens("SD-LINK-2", {
        "url-http": ("see http://a.example/b now", "http"),
        "url-ftp": ("see ftp://a.example/b now", "any scheme is accepted"),
        "url-plus": ("see git+ssh://a.example/b now", "a scheme with a plus sign"),
        "url-dot-hyphen": ("see x.y-z9://a now", "a scheme with a dot, a hyphen and a digit"),
        "url-sentence": ("the end.http://a.example/b now", "text before it without a space is part of the scheme"),
        "url-bare": ("see http:// now a:// b", "nothing after the slashes"),
        "url-one-slash": ("see http:/a.example/b now", "one slash is not enough"),
        "url-scheme-32": (f"{'s' * 32}://x word", "a scheme of 32 characters"),
        "url-scheme-33": (f"{'s' * 33}://x word", "33 characters are not a scheme"),
        "url-scheme-33-hyphen": (f"ab-{'s' * 30}://x word", "33 characters, but a shorter one starts after the hyphen"),
        "url-digit-first": ("9p://x word", "a scheme begins with a letter"),
        "url-all-tail": ("http://a.example/b._~:/?#[]@!$&'()*+,;=%-z9 word", "all characters of the tail"),
        "url-port-query": ("http://u:p@a.example:80/b?c=d&e=f#g word", "user, port, query and fragment"),
        "url-percent": ("http://a.example/%E6%9D%B1 word", "percent escapes"),
        "url-ipv6": ("http://[2001:db8::1]/x word", "an IPv6 address"),
        "url-final-stop": ("see http://a.example/b. Next", "a full stop that touches the link is part of it"),
        "url-wikipedia": ("http://a.example/Page_(topic) word", "brackets inside"),
        "url-file": ("file:///etc/x word", "three slashes"),
    })  # fmt: skip


def named() -> Iterator[Draft]:
    yield from _tokens("SD-LINK-3", {
        "named-doi": ("see doi:10.1000/182 now", "doi:"),
        "named-urn": ("see urn:isbn:0451450523 now urn:uuid:x", "urn:"),
        "named-arxiv": ("see arXiv:2301.00001v2 now", "arxiv:"),
        "named-hdl": ("see hdl:2027/uva.x000001 now", "hdl:"),
        "named-space": ("doi: 10.1000/182 urn: x", "a space after the colon: the name is kept, the bare DOI is removed"),
        "named-empty": ("(see urn:) and doi:.", "no character that can begin an identifier"),
        "named-other": ("isbn:abc pmid:123 note:this", "other names are words"),
        "named-slash": ("hdl:/x word", "an identifier begins with a letter or digit"),
    })  # fmt: skip


def www() -> Iterator[Draft]:
    yield from _tokens("SD-LINK-4", {
        "www-plain": ("see www.a.example/b?c now", "a web address without a scheme"),
        "www-final-dot": ("see www.a. now", "two dots are enough"),
        "www-one-dot": ("see www.word now", "one dot is not"),
        "www-label-63": (f"www.{'l' * 63}.x word", "a label of 63 characters"),
        "www-label-64": (f"www.{'l' * 64}.x word", "a label of 64 characters"),
        "www-label-64-rest": (f"www.{'l' * 64}.www.a.example/b word", "a label of 64 characters, but another address starts after it"),
        "www-empty-label": ("www..x word", "an empty label"),
        "www-number": ("www2.a.example word", "www2. is not www."),
        "www-idn": ("www.münchen.example word", "a label that is not ASCII"),
    })  # fmt: skip


def mail() -> Iterator[Draft]:
    yield from _tokens("SD-LINK-5", {
        "mail-plain": ("write ann@a.example now", "a plain address"),
        "mail-mailto": ("write mailto:ann@a.example now", "with mailto:"),
        "mail-local-signs": ("write a.b_c%d+e-f@a.example now", "signs in the local part"),
        "mail-local-64": (f"{'l' * 64}@a.example word", "a local part of 64 characters"),
        "mail-local-65": (f"{'l' * 65}@a.example word", "a local part of 65 characters"),
        "mail-local-65-dot": (f"ab.{'l' * 62}@a.example word", "65 characters, but a shorter one starts after the dot"),
        "mail-or-www": ("www.a.b@c.de/fg hi", "a web address is tried before an e-mail address"),
        "mail-bounded-label": (f"a@b.{'c' * 63}d@e.fg hi", "a link ends inside a word, where no other can start"),
        "mail-no-dot": ("write ann@host now", "a domain without a dot"),
        "mail-final-dot": ("write ann@a.example. Next", "a full stop after it"),
        "mail-dot-dot": ("write ann@a..b now", "an empty label"),
        "mail-deep": ("write ann@a.b.c.d.example now", "many labels"),
        "mail-handle": ("by @someone and a@ b", "a handle is a word"),
        "mail-two-at": ("a@b@c.example d", "two signs"),
        "mail-query": ("mailto:ann@a.example?subject=hello now", "text after the address is kept"),
        "mail-hyphen-end": ("ann@a.b-c- word", "hyphens in labels"),
        "mail-long-domain": (f"ann@{'d' * 300}.example word", "a long label"),
        "mail-apostrophe": ("o'neil@a.example word", "an apostrophe is not in the local part"),
        "mail-label-64": (f"a@{'l' * 64}.d word", "the first label is too long: no address"),
        "mail-underscore-first": ("_ann@a.example word", "a link cannot start after an underscore"),
        "mail-chinese": ("邮箱ann@a.example谢谢", "Chinese around an address"),
    })  # fmt: skip


def dois() -> Iterator[Draft]:
    yield from _tokens("SD-LINK-6", {
        "doi-plain": ("see 10.1000/abc now", "a bare DOI"),
        "doi-subdivided": ("see 10.1000.10.2/abc now", "a subdivided registrant code"),
        "doi-subdivided-3": ("see 10.1000.1.2.3/abc now", "three subdivisions"),
        "doi-subdivided-4": ("see 10.1000.1.2.3.4/abc now", "four subdivisions are too many"),
        "doi-short": ("see 10.100/abc now", "a registrant code of three digits"),
        "doi-nine": ("see 10.123456789/abc now", "of nine digits"),
        "doi-ten": ("see 10.1234567890/abc now", "of ten digits"),
        "doi-part-nine": ("see 10.1000.123456789/abc now", "a subdivision of nine digits"),
        "doi-part-ten": ("see 10.1000.1234567890/abc now", "a subdivision of ten digits"),
        "doi-part-ten-rest": ("see 10.1000.1234567890/10.1234/abc now", "ten digits, but another DOI starts after them"),
        "doi-empty": ("see 10.1000/ now 10.1000/», abc", "nothing after the slash"),
        "doi-inside-number": ("see 110.1000/abc now", "inside a number"),
        "doi-brackets": ("see 10.1000/(sici)1096<1::aid> now", "< ends it"),
        "doi-url": ("https://doi.example/10.1000/abc now", "as part of a URL"),
    })  # fmt: skip


def identifiers() -> Iterator[Draft]:
    yield from _tokens("SD-LINK-7", {
        "uuid-plain": (f"id {UUID} now", "a UUID"),
        "uuid-capitals": (f"id {UUID.upper()} now", "in capitals"),
        "uuid-braces": (f"id {{{UUID}}} now", "in braces"),
        "uuid-letters-after": (f"id {UUID}xyz now", "letters attached: not a UUID"),
        "uuid-hex-after": (f"id {UUID}ab now", "digits attached: not a UUID"),
        "uuid-underscore-after": (f"id {UUID}_x now", "an underscore attached: not a UUID"),
        "uuid-hyphen-after": (f"id {UUID}-x now", "a hyphen may follow"),
        "uuid-chinese-after": (f"号{UUID}字", "Chinese may follow"),
        "uuid-short": ("id 123e4567-e89b-12d3-a456-42661417400 now", "one digit short"),
        "uuid-not-hex": ("id 123g4567-e89b-12d3-a456-426614174000 now", "a letter that is not a hexadecimal digit"),
        "uuid-mail": (f"{UUID}@a.example now", "as the local part of an address: an address"),
    })  # fmt: skip
    yield from _tokens(("SD-LINK-5", "SD-LINK-6", "SD-LINK-7"), {
        "near-misses": (
            f"10x1234/alpha 10.١٢٣٤/beta {UUID.replace('-a456', '')} ann@-a.b- now",
            "not a DOI, not a DOI, a UUID without a group; labels may begin and end with a hyphen",
        ),
    })  # fmt: skip
    yield from _tokens("SD-LINK-8", {
        "digest-32": (f"sum {MD5} now", "32 digits"),
        "digest-31": (f"sum {MD5[:31]} now", "31 digits are a word"),
        "digest-40": (f"sum {MD5 + MD5[:8]} now", "40 digits"),
        "digest-64": (f"sum {MD5 * 2} now", "64 digits"),
        "digest-128": (f"sum {MD5 * 4} now", "128 digits"),
        "digest-129": (f"sum {MD5 * 4}a now", "129 digits are a word"),
        "digest-capitals": (f"sum {MD5.upper()} now", "capitals"),
        "digest-letters-after": (f"sum {MD5}xyz now", "letters attached: a word"),
        "digest-letters-before": (f"sum x{MD5} now", "a letter before: a word"),
        "digest-prefixed": (f"sha256:{MD5 * 2} sha1-{MD5}aaaaaaaa now", "after a colon or a hyphen"),
        "digest-underscore": (f"sum {MD5}_ _{MD5} now", "underscores attached"),
        "digest-16": ("sum d41d8cd98f00b204 now", "16 digits are a word"),
        "digest-mail-70": (f"{'ab' * 35}@a.example now", "70 digits before @: too long for an address, so a digest"),
    })  # fmt: skip


def after_a_bound() -> Iterator[Draft]:
    """Text right after a link that ended at a bound: only the labels of e-mail addresses end inside a word."""
    forms = {
        "url": ("SD-LINK-2", "http://d.example/e"),
        "named": ("SD-LINK-3", "urn:isbn:e"),
        "www": ("SD-LINK-4", "www.d.example/e"),
        "doi": ("SD-LINK-6", "10.1234/e"),
        "uuid": ("SD-LINK-7", UUID),
        "digest": ("SD-LINK-8", MD5),
    }
    for form, (requirement, link) in forms.items():
        yield from _tokens(("SD-LINK-1", "SD-LINK-5", requirement), {
            f"bound-{form}": (f"{ADDRESS}{link} word", "an address ends inside a word, where no link can start"),
            f"bound-accent-{form}": (f"{ADDRESS}é{link} word", "the letter after the address is not an ASCII word character: a link starts"),
            f"bound-han-{form}": (f"{ADDRESS}漢{link} word", "a Han character after the address: a link starts"),
        })  # fmt: skip
    yield from _tokens(("SD-LINK-1", "SD-LINK-5"), {
        "bound-mailto": (f"{ADDRESS}mailto:ann@d.example word", "a link starts after the colon, not at mailto:"),
        "bound-named-doi": (f"{ADDRESS}doi:10.1234/e word", "a link starts after the colon, not at doi:"),
    })  # fmt: skip
    yield from _tokens(("SD-LINK-1", "SD-LINK-5", "SD-LINK-8"), {
        "bound-hyphen": (f"{ADDRESS[:-1]}-{MD5} word", "the address ends with a hyphen: a digest starts right after it"),
        "bound-underscore": (f"{ADDRESS}_{MD5} word", "an underscore after the address"),
        "bound-next-word": (f"{ADDRESS}x-{MD5} word", "the digest starts a word, but not the one after the address"),
        "bound-label-62": (f"{ADDRESS[:-1]}{MD5} word", "the address takes the first digit, the 31 others are a word"),
        "bound-label-62-33": (f"{ADDRESS[:-1]}{MD5}a word", "the address takes the first digit, the 32 others are not a digest"),
        "bound-hex-label": (f"a@b.{MD5 * 3} word", "a label of 96 digits: the address takes 63, the 33 others are not a digest"),
        "bound-long-digest": (f"{ADDRESS}{MD5 * 4} word", "128 digits after the address"),
        "bound-every-label": (f"{'k' * 64}@{'l' * 63}.{'m' * 63}.{'n' * 63}{MD5} word", "every part of the address at its bound"),
        "bound-hidden": (f"{ADDRESS}\u00ad{MD5} word", "a soft hyphen is removed before: the digest is not separated from the address"),
        "bound-full-width": (f"{ADDRESS}ｄ{MD5[1:]} word", "a full-width letter is folded before: it cannot part them"),
        "bound-mark": (f"{ADDRESS}\u0301{MD5} word", "a mark composes with the last letter: the address is shorter, the digest apart"),
    })  # fmt: skip


GENERATORS = (where, urls, named, www, mail, dois, identifiers, after_a_bound)
