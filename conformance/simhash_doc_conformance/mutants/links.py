"""Mutants of section 5, links: the forms of links, their order, and where a link may start."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from simhash_doc.reference import LINK, LINK_FORMS, LINK_TAIL
from simhash_doc_conformance.adapters.implementation import Implementation
from simhash_doc_conformance.mutants import before, failing, mutant, of_sizes, table

_AFTER_START = LINK.pattern.removeprefix(r"\b")
_ANY_LABEL, _LABEL, _GROUPS = "[a-z0-9-]+", "[a-z0-9-]{1,63}", "(?:-[0-9a-f]{4}){3}"
_USUAL_DIGESTS = "|".join(f"[0-9a-f]{{{digits}}}" for digits in (32, 40, 56, 64, 96, 128))


mutant(
    "links-before-folding", "SD-LINK-1",
    "removes links before folding, so full-width or capital ones and those with hidden characters stay",
    fold=before(lambda text: LINK.sub(" ", text)), remove_links=lambda folded: folded,
)  # fmt: skip


def _links_form_by_form(right: Implementation, folded: str) -> str:
    for pattern in right.link_forms().values():
        folded = re.sub(rf"\b(?:{pattern})", " ", folded, flags=re.ASCII)
    return folded


class _Form(Implementation):
    """Replaces the pattern of a form, or a part of it as (old, new). The empty pattern stands for no such form.

    What matches `near`, which is nearly a link, is removed as well.
    """

    Change = str | tuple[str, str] | None
    url: Change = None
    named: Change = None
    www: Change = None
    mail: Change = None
    doi: Change = None
    uuid: Change = None
    digest: Change = None
    near: str | None = None

    def link_forms(self) -> dict[str, str]:
        forms = {form: self._changed(pattern, getattr(self, form)) for form, pattern in super().link_forms().items()}
        return {form: pattern for form, pattern in {**forms, "near": self.near}.items() if pattern}

    def _changed(self, pattern: str, change: Change) -> str:
        if isinstance(change, tuple):
            assert change[0] in pattern
            return pattern.replace(*change)
        return pattern if change is None else change


def _order(first: str, then: str) -> Callable[..., dict[str, str]]:
    """Return the forms of links with one before another."""

    def link_forms(step: Callable[[], dict[str, str]]) -> dict[str, str]:
        forms = step()
        names = [name for name in forms if name != first]
        names.insert(names.index(then), first)
        return {name: forms[name] for name in names}

    return link_forms


def _start(condition: str) -> Callable[..., str]:
    """Return the step with another condition on the text before a link."""
    return lambda folded: re.sub(condition + _AFTER_START, " ", folded, flags=re.ASCII)


def _by_line(size: int) -> Callable[..., str]:
    """Return the step that looks for links in each line, in pieces of some characters."""
    return lambda step, folded: "".join(
        step(line[start : start + size])
        for line in folded.splitlines(keepends=True)
        for start in range(0, len(line), size)
    )


table("SD-LINK-1", remove_links={
    "links-kept": ("does not remove links", lambda folded: folded),
    "links-join": ("removes links without a space, so that words join", lambda folded: LINK.sub("", folded)),
    "links-stack-overflow": (
        "fails at a link of over 6,000 characters: its regular expression engine has no stack left",
        lambda step, folded: step(folded)
        if all(match.end() - match.start() <= 6000 for match in LINK.finditer(folded))
        else failing(RecursionError("the stack is full"))),
    "links-to-white-space": ("extends links to the next white space, over letters that are not ASCII",
        lambda folded: re.sub(rf"(?:{LINK.pattern})\S*", " ", folded, flags=re.ASCII)),
    "links-whole-chunk": ("removes the complete run of non-space characters that contains a link",
        lambda folded: re.sub(r"\S+", lambda m: " " if re.search(LINK.pattern, m[0], re.ASCII) else m[0], folded)),
    "links-inside-words": ("finds links in the middle of words",
        lambda folded: re.sub(_AFTER_START, " ", folded, flags=re.ASCII)),
    "links-unicode-boundary": ("uses the Unicode word boundary, so no link starts right after a Chinese or Thai letter",
        lambda folded: re.sub(LINK.pattern, " ", folded)),
    "links-after-underscore": ("treats an underscore as a boundary before a link",
        lambda folded: re.sub(rf"(?<![a-z0-9])(?:{_AFTER_START})", " ", folded, flags=re.ASCII)),
    "links-again": ("removes links again from the text after removing links", lambda step, folded: step(step(folded))),
    "links-form-by-form": ("removes the forms of links one after another", _links_form_by_form),
    "left-unicode-marks": ("finds no link after a combining mark", _start(r"(?<![a-z0-9_\u0300-\u036f])")),
    "left-any-letter": ("finds no link after a letter of any script", _start(r"(?<!(?u:\w))")),
    "left-not-hyphen": ("finds no link after a hyphen", _start(r"(?<![a-z0-9_-])")),
    "left-not-dot": ("finds no link after a full stop", _start(r"(?<![a-z0-9_.])")),
    "left-not-at": ("finds no link after an @", _start(r"(?<![a-z0-9_@])")),
    "left-not-slash": ("finds no link after a slash", _start(r"(?<![a-z0-9_/])")),
    "left-white-space": ("finds links only at the start of the text or after white space", _start(r"(?<!(?u:\S))")),
    "left-after-digit": ("finds links after a digit", _start(r"(?<![a-z_])(?=[a-z0-9_])")),
    "links-by-line": ("looks for links line by line, in a buffer of 4,096 characters (fgets)", _by_line(4095)),
    "links-by-line1024": ("looks for links line by line, in a buffer of 1,024 characters (fgets)", _by_line(1023)),
}, link_forms={
    "order-digest-before-mail": ("tries digests before e-mail addresses", _order("digest", "mail")),
    "order-digest-before-url": ("tries digests before URLs", _order("digest", "url")),
    "order-uuid-before-mail": ("tries UUIDs before e-mail addresses", _order("uuid", "mail")),
    "order-mail-before-www": ("tries e-mail addresses before web addresses", _order("mail", "www")),
})  # fmt: skip


_SCHEME = "[a-z][a-z0-9+.-]{0,31}"
table("SD-LINK-2", _Form, url={
    "url-http-only": ("recognises only http and https URLs", rf"https?://{LINK_TAIL}*"),
    "url-kept": ("does not remove URLs", ""),
    "url-short-tail": ("ends a URL at all but a letter, digit, dot, slash or hyphen", (LINK_TAIL, "[a-z0-9./-]")),
    "url-needs-tail": ("requires a character after ://", (f"{LINK_TAIL}*", f"{LINK_TAIL}+")),
    "url-long-scheme": ("does not limit the name of a URL's scheme to 32 characters", ("{0,31}", "{0,300}")),
    "url-letter-scheme": ("allows only letters in the scheme of a URL", ("[a-z][a-z0-9+.-]{0,31}", "[a-z]{1,32}")),
    "url-printable-tail": ('treats | " < > \\ ^ ` { } as characters of a URL', (LINK_TAIL, "[!-~]")),
    "url-scheme-range": ("treats [+-.] in a URL's scheme as a range, with a comma", ("[a-z0-9+.-]", "[a-z0-9+-.]")),
    "url-scheme-underscore": ("allows an underscore in the name of a URL's scheme", ("[a-z0-9+.-]", "[a-z0-9_+.-]")),
    "url-scheme-thirty-one": ("limits the name of a URL's scheme to 31 characters", ("{0,31}", "{0,30}")),
    "url-scheme-thirty-three": ("allows 33 characters in the name of a URL's scheme", ("{0,31}", "{0,32}")),
    "url-scheme-two": ("requires two characters in the name of a URL's scheme", ("{0,31}", "{1,31}")),
    "url-scheme-digit": ("allows a digit at the start of a URL's scheme", ("[a-z][", "[a-z0-9][")),
    "url-scheme-no-dot": ("does not allow a full stop in the name of a URL's scheme", ("[a-z0-9+.-]", "[a-z0-9+-]")),
    "url-tail-no-tilde": ("ends a URL at a tilde", ("~", "")),
    "url-tail-no-brackets": ("ends a URL at a round bracket", ("()", "")),
    "url-tail-no-apostrophe": ("ends a URL at an apostrophe", ("'", "")),
    "url-tail-no-square-brackets": ("ends a URL at a square bracket", (r"\[\]", "")),
}, near={
    "url-one-slash": ("takes one slash after the colon for a URL", rf"{_SCHEME}:/{LINK_TAIL}*"),
    "url-no-slash": ("takes any name with a colon for a URL", rf"{_SCHEME}:{LINK_TAIL}+"),
    "url-opaque": ("takes data:, tel:, javascript: and magnet: for URLs",
        rf"(?:data|tel|javascript|magnet|about|blob|sms|geo):{LINK_TAIL}+"),
    "url-backslashes": ("takes backslashes for the slashes of a URL", rf"{_SCHEME}:[\\/]{{2}}{LINK_TAIL}*"),
    "url-colon-left-out": ("takes a name with two slashes, without a colon, for a URL", rf"{_SCHEME}//{LINK_TAIL}*"),
    "url-file-drive": ("takes c:\\ for a URL", rf"[a-z]:\\{LINK_TAIL}*"),
    "url-spaced": ("takes a URL with a space after its colon", rf"{_SCHEME}: //{LINK_TAIL}*"),
    "url-semicolon": ("takes a semicolon for the colon of a URL", rf"{_SCHEME};//{LINK_TAIL}*"),
})  # fmt: skip

table("SD-LINK-3", _Form, named={
    "named-kept": ("does not remove named identifiers (doi: urn: arxiv: hdl:)", ""),
    "named-two-only": ("removes doi: and urn: identifiers, but not arxiv: and hdl:", ("|arxiv|hdl", "")),
    "named-empty": ("treats a name with nothing after its colon (urn:) as an identifier", (":[a-z0-9]", ":")),
    "named-more": ("also removes isbn: and pmid: identifiers", ("hdl", "hdl|isbn|pmid")),
    "named-any-first": ("allows any character of the tail, except a slash, after the colon of an identifier",
        (f":[a-z0-9]{LINK_TAIL}*", f":(?!/){LINK_TAIL}+")),
}, near={
    "named-doi-space": ("removes identifiers with a space after the colon", r"(?:doi|urn|arxiv|hdl): [a-z0-9][^ \n]*"),
    "named-doi-dot": ("removes doi. and doi= as doi:", rf"(?:doi|urn|arxiv|hdl)[.=/]{LINK_TAIL}+"),
    "named-schemes": ("removes other schemes without slashes: ark:, info:, oai:, swh:, tag:, pmcid:",
        rf"(?:ark|info|oai|swh|tag|pmcid|orcid|issn):[a-z0-9/]{LINK_TAIL}*"),
    "named-plural": ("removes identifiers of names with s, such as dois:", rf"(?:doi|urn|arxiv|hdl)s:{LINK_TAIL}+"),
    "named-two-colons": ("removes an identifier with two colons", rf"(?:doi|urn|arxiv|hdl)::[a-z0-9]{LINK_TAIL}*"),
})  # fmt: skip

table("SD-LINK-4", _Form, www={
    "www-kept": ("does not remove web addresses that begin with www.", ""),
    "www-without-dot": ("treats any www. as a web address, without a further dot", (rf"{_LABEL}\.", "")),
    "www-label-no-hyphen": ("does not allow a hyphen in the label after www.", ("[a-z0-9-]", "[a-z0-9]")),
    "www-label-underscore": ("allows an underscore in the label after www.", ("[a-z0-9-]", "[a-z0-9_-]")),
    "www-label-sixty-two": ("limits the label after www. to 62 characters", ("{1,63}", "{1,62}")),
    "www-label-unbounded": ("does not limit the label after www.", (_LABEL, _ANY_LABEL)),
    "www-needs-tail": ("requires a character after a web address's second dot", (f"{LINK_TAIL}*", f"{LINK_TAIL}+")),
}, near={
    "www-number": ("takes www1. and www-2. for www.", rf"www-?[0-9]{{1,2}}\.[a-z0-9-]{{1,63}}\.{LINK_TAIL}*"),
    "www-letters": ("takes ww. and wwww. for www.", rf"(?:ww|wwww)\.[a-z0-9-]{{1,63}}\.{LINK_TAIL}*"),
    "www-other-hosts": ("takes ftp., m. and web. for www.", rf"(?:ftp|m|web)\.[a-z0-9-]{{1,63}}\.{LINK_TAIL}*"),
    "www-bare-domain": ("removes names of hosts without www.",
        r"[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})*\.(?:com|org|net|example|edu|io)"),
    "www-slash": ("removes www. with a slash in place of the second dot", rf"www\.[a-z0-9-]{{1,63}}/{LINK_TAIL}*"),
    "www-address": ("removes addresses of IPv4", rf"[0-9]{{1,3}}(?:\.[0-9]{{1,3}}){{3}}{LINK_TAIL}*"),
})  # fmt: skip

table("SD-LINK-5", _Form, mail={
    "mail-kept": ("does not remove e-mail addresses", ""),
    "mail-without-dot": ("treats name@host, without a dot, as an e-mail address", (")+", ")*")),
    "mail-keeps-mailto": ("keeps the mailto: before an e-mail address", ("(?:mailto:)?", "")),
    "mail-plain-local": ("does not allow . _ % + - in the local part of an e-mail address",
        ("[a-z0-9][a-z0-9._%+-]{0,63}", "[a-z0-9]{1,64}")),
    "mail-long-local": ("does not limit the local part of an e-mail address to 64 characters", ("{0,63}", "{0,600}")),
    "mail-long-labels": ("does not limit the labels of an address's domain to 63 characters", (_LABEL, _ANY_LABEL)),
    "mail-label-no-edge-hyphen": ("does not allow a hyphen at either end of a label", (_LABEL, f"(?!-){_LABEL}(?<!-)")),
    "mail-label-underscore": ("allows an underscore in labels", (_LABEL, "[a-z0-9_-]{1,63}")),
    "mail-label-sixty-two": ("limits labels to 62 characters", ("{1,63}", "{1,62}")),
    "mail-local-sixty-three": ("limits the local part of an e-mail address to 63 characters", ("{0,63}", "{0,62}")),
    "mail-local-sixty-five": ("allows 65 characters in the local part of an e-mail address", ("{0,63}", "{0,64}")),
    "mail-local-two": ("requires two characters in the local part of an e-mail address", ("{0,63}", "{1,63}")),
    "mail-local-no-percent": ("does not allow % in the local part of an e-mail address", ("%", "")),
    "mail-local-no-underscore": ("does not allow _ in the local part of an e-mail address", ("_", "")),
    "mail-local-no-plus": ("does not allow + in the local part of an e-mail address", ("%+", "%")),
    "mail-top-level-letters": ("requires letters, at least two, in the last label of an e-mail address",
        (rf"{_LABEL}(?:\.{_LABEL})+", rf"(?:{_LABEL}\.)+[a-z]{{2,63}}")),
    "mail-one-dot": ("takes one dot only in the domain of an e-mail address", (rf"(?:\.{_LABEL})+", rf"\.{_LABEL}")),
    "mail-labels127": ("takes at most 127 labels of an e-mail address", (")+", "){1,126}")),
    "mail-labels65535": ("takes at most 65,535 labels of an e-mail address (a bound of the regular expression engine)",
        (")+", "){1,65534}")),
}, near={
    "mail-mailto-alone": ("removes mailto: and what follows it", rf"mailto:{LINK_TAIL}*"),
    "mail-literal": ("removes an address with an IP literal", r"[a-z0-9][a-z0-9._%+-]{0,63}@\[[0-9a-f.:]+\]"),
    "mail-at-in-words": ("removes addresses with (at) or [at]",
        r"[a-z0-9][a-z0-9._%+-]{0,63} ?[(\[]at[)\]] ?[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+"),
    "mail-host-colon": ("removes user@host:path", rf"[a-z0-9][a-z0-9._%+-]{{0,63}}@[a-z0-9-]{{1,63}}:{LINK_TAIL}+"),
    "mail-local-signs": ("allows ! # $ & ' * / = ? ^ ` { | } ~ in the local part",
        r"[a-z0-9][a-z0-9._%+!#$&'*/=?^`{|}~-]{0,63}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+"),
    "mail-dot-at-end": ("removes the full stop after an address",
        r"[a-z0-9][a-z0-9._%+-]{0,63}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+\.",
        "a full stop is in no word, and a link can begin after it as after the address"),
    "mail-handle": ("removes handles of three parts: name@host@host", r"[a-z0-9]{1,64}@[a-z0-9-]{1,63}@[a-z0-9.-]+"),
})  # fmt: skip

table("SD-LINK-6", _Form, doi={
    "doi-kept": ("does not remove bare DOIs", ""),
    "doi-plain-registrant": ("does not allow a subdivided registrant code in a DOI", (r"(?:\.[0-9]{1,9}){0,3}", "")),
    "doi-short-registrant": ("treats any 10.n/ as a DOI, also with fewer than four digits", ("{4,9}", "{1,9}")),
    "doi-dot-unescaped": ("allows any character in place of the full stop after 10", (r"10\.", "10.")),
    "doi-part-empty": ("allows an empty part in the number of a DOI", ("{1,9}", "{0,9}")),
    "doi-part-ten": ("allows ten digits in a part of a DOI", ("{1,9}", "{1,10}")),
    "doi-part-unbounded": ("does not limit the digits of a part of a DOI", ("{1,9}", "+")),
    "doi-code-unbounded": ("does not limit the registrant code of a DOI to nine digits", ("{4,9}", "{4,}")),
    "doi-code-eight": ("allows eight digits at most in the registrant code of a DOI", ("{4,9}", "{4,8}")),
    "doi-parts-unbounded": ("allows any number of parts of a DOI", ("{0,3}", "*")),
    "doi-parts-two": ("allows two parts of a DOI at most", ("{0,3}", "{0,2}")),
    "doi-tail-empty": ("allows nothing after the slash of a DOI", (f"{LINK_TAIL}+", f"{LINK_TAIL}*")),
    "doi-unicode-digits": ("accepts decimal digits of any script in a DOI", ("[0-9]", r"(?u:\d)")),
}, near={
    "doi-eleven": ("takes 11. for 10.", rf"11\.[0-9]{{4,9}}/{LINK_TAIL}+"),
    "doi-no-dot": ("takes 10/ for 10. (short DOIs)", r"10/[a-z0-9]+"),
    "doi-handle": ("removes handles without a name, such as 2027/ab", r"[0-9]{4,5}/[a-z0-9]+"),
    "doi-backslash": ("takes a backslash for the slash of a DOI", r"10\.[0-9]{4,9}\\[a-z0-9]+"),
    "doi-letters": ("allows letters in the registrant code of a DOI", rf"10\.[0-9a-z]{{4,9}}/{LINK_TAIL}+"),
})  # fmt: skip

table("SD-LINK-7", _Form, uuid={
    "uuid-kept": ("does not remove UUIDs", ""),
    "uuid-open-end": ("removes a UUID that is followed by further letters", (r"\b", "")),
    "uuid-any-groups": ("allows any number of groups of four in a UUID", (_GROUPS, "(?:-[0-9a-f]{4})+")),
    "uuid-version": ("requires the version and variant digits of RFC 9562",
        (_GROUPS, "-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}")),
}, near={
    "uuid-last-short": ("allows eleven digits at the end of a UUID", rf"[0-9a-f]{{8}}{_GROUPS}-[0-9a-f]{{11}}\b"),
    "uuid-first-short": ("allows seven digits in a UUID's first group", rf"[0-9a-f]{{7}}{_GROUPS}-[0-9a-f]{{12}}\b"),
    "uuid-underscores": ("allows underscores in a UUID", r"[0-9a-f]{8}(?:_[0-9a-f]{4}){3}_[0-9a-f]{12}\b"),
    "uuid-g": ("allows the letter g in a UUID", r"[0-9a-g]{8}(?:-[0-9a-g]{4}){3}-[0-9a-g]{12}\b"),
    "uuid-colons": ("removes addresses of IPv6 and MAC addresses", r"[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){5,7}\b"),
})  # fmt: skip

table("SD-LINK-8", _Form, digest={
    "digest-kept": ("does not remove hexadecimal digests", ""),
    "digest-from-forty": ("removes only digests of 40 digits or more; MD5 has 32", ("{32,128}", "{40,128}")),
    "digest-from-sixteen": ("treats shorter runs of hexadecimal digits as digests", ("{32,128}", "{16,128}")),
    "digest-unbounded": ("removes hexadecimal digits of any length; a digest has at most 128", ("{32,128}", "{32,}")),
    "digest-open-end": ("removes 32 hexadecimal digits that are followed by further letters", (r"\b", "")),
    "digest-even": ("removes only digests of an even number of digits", ("[0-9a-f]{32,128}", "(?:[0-9a-f]{2}){16,64}")),
    "digest-usual": ("removes only digests of the usual lengths: 32, 40, 56, 64, 96 and 128 digits",
        ("[0-9a-f]{32,128}", f"(?:{_USUAL_DIGESTS})")),
    "digest-right-not-hyphen": ("keeps a digest before a hyphen", (r"\b", r"\b(?!-)")),
    "digest-thirty-one": ("removes 31 hexadecimal digits", ("{32,128}", "{31,128}")),
    "digest-thirty-three": ("requires 33 hexadecimal digits", ("{32,128}", "{33,128}")),
    "digest127": ("removes at most 127 hexadecimal digits", ("{32,128}", "{32,127}")),
    "digest129": ("removes 129 hexadecimal digits", ("{32,128}", "{32,129}")),
}, near={
    "digest-prefixed": ("removes 0x and what follows it", r"0x[0-9a-f]{8,}\b"),
    "digest-object-id": ("removes runs of 24 hexadecimal digits", r"[0-9a-f]{24}\b"),
    "digest-short-hash": ("removes runs of 7 to 12 hexadecimal digits", r"[0-9a-f]{7,12}\b"),
    "digest-named": ("removes sha256: and md5: before a digest, too", r"(?:sha1|sha256|sha512|md5):[0-9a-f]{32,128}\b"),
    "digest-g": ("allows the letter g in a digest", r"[0-9a-g]{32,128}\b"),
    "digest-base32": ("removes runs of 32 base32 digits", r"[a-z2-7]{32}\b"),
    "digest-grouped": ("removes hexadecimal digits in pairs with colons", r"[0-9a-f]{2}(?::[0-9a-f]{2}){15,}\b"),
})  # fmt: skip


class _Ahead(Implementation):
    """Removes links piece by piece, and looks some characters beyond the end of a piece to decide where one starts.

    A link that starts there is removed completely; so is what follows a word that began before.
    """

    piece, ahead = 4096, 137

    def remove_links(self, folded: str) -> str:
        out: list[str] = []
        place = 0
        for end in range(self.piece, len(folded) + self.piece, self.piece):
            while place < end:
                seen = re.compile(LINK.pattern, re.ASCII).search(folded, place, end + self.ahead)
                if seen is None or seen.start() >= end:
                    out.append(folded[place:end])
                    place = max(place, end)
                else:
                    link = LINK.match(folded, seen.start()) or seen
                    out.append(f"{folded[place : link.start()]} ")
                    place = link.end()
        return "".join(out)


table("SD-PIECE-1", _Ahead, ahead={
    **of_sizes("links-ahead{}", "looks {} characters beyond a piece of 4,096 for the rest of a link", int,
        0, 1, 31, 32, 63, 64, 99, 100, 127, 128, 135),
})  # fmt: skip

for _size in (1000, 1024, 8192, 16_384, 65_536):
    mutant(
        f"links-pieces{_size}-ahead128", "SD-PIECE-1",
        f"looks 128 characters beyond a piece of {_size:,} for the rest of a link", _Ahead, piece=_size, ahead=128,
    )  # fmt: skip


_SPACE, _NO_LETTER, _ASCII = "[ \n]?", r"(?!(?u:\w)|[\u0300-\u036f])", r"(?![a-z0-9_]|[^\0-\x7f\s])"
table("SD-LINK-3", _Form, named={
    "named-spaced": ("takes a space after the colon of a named identifier", (":[a-z0-9]", f":{_SPACE}[a-z0-9]")),
    "named-spaced-before": ("takes a space before the colon of a named identifier", ("hdl):", f"hdl){_SPACE}:")),
})  # fmt: skip
table("SD-LINK-4", _Form, www={
    "www-spaced": ("takes a space after `www.`", ("www\\.", rf"www\.{_SPACE}")),
})  # fmt: skip
table("SD-LINK-5", _Form, mail={
    "mail-spaced": ("takes a space after `mailto:`", ("mailto:", f"mailto:{_SPACE}")),
    "mail-spaced-at": ("takes spaces around the @", ("@", f"{_SPACE}@{_SPACE}")),
    "mail-spaced-after-at": ("takes a space after the @", ("@", f"@{_SPACE}")),
})  # fmt: skip
table("SD-LINK-6", _Form, doi={
    "doi-spaced": ("takes a space around the slash of a DOI", ("{0,3}/", f"{{0,3}}{_SPACE}/{_SPACE}")),
    "doi-spaced-dot": ("takes a space after `10.`", ("10\\.", rf"10\.{_SPACE}")),
})  # fmt: skip
table("SD-LINK-7", _Form, uuid={
    "uuid-spaced": ("takes spaces around the hyphens of a UUID",
        ("-[0-9a-f]", f"{_SPACE}-{_SPACE}[0-9a-f]")),
    "uuid-mark-after": ("takes no UUID before a combining mark or a letter of another script", (r"\b", _NO_LETTER)),
    "uuid-any-after": ("takes no UUID before anything but ASCII and white space", (r"\b", _ASCII)),
})  # fmt: skip
table("SD-LINK-8", _Form, digest={
    "digest-0x": ("takes 0x before a digest", "(?:0x)?[0-9a-f]{32,128}\\b"),
    "digest-mark-after": ("takes no digest before a combining mark or a letter of another script",
        (r"\b", _NO_LETTER)),
    "digest-any-after": ("takes no digest before anything but ASCII and white space", (r"\b", _ASCII)),
})  # fmt: skip

# The dotless i is the one letter beyond ASCII that is left after folding and is an i where case is ignored.
table("SD-LINK-1", remove_links={
    "links-any-case": ("ignores case in Unicode, so that a dotless i is an i of a link",
        lambda folded: re.sub(
            rf"(?<![a-z0-9_]){_AFTER_START}".replace(r"\b", "(?![a-z0-9_])"), " ", folded, flags=re.IGNORECASE)),
})  # fmt: skip


def _end_kept(form: str | None, ends: str) -> Callable[..., str]:
    """Return the step that keeps signs at the end of a link of a form, or of each form."""

    def removed(right: Implementation, folded: str) -> str:
        def kept(found: re.Match[str]) -> str:
            link = found[0]
            of_form = form is None or re.fullmatch(LINK_FORMS[form], link, re.ASCII)
            return " " + link[len(link.rstrip(ends)) :] if of_form else " "

        return re.sub(LINK.pattern, kept, folded, flags=re.ASCII)

    return removed


def _end_taken(form: str, end: str) -> Callable[..., str]:
    """Return the step that removes what matches behind a link of a form as well."""

    def removed(folded: str) -> str:
        def taken(found: re.Match[str]) -> str:
            return " " if re.fullmatch(LINK_FORMS[form], found[1], re.ASCII) else " " + found[2]

        return re.sub(rf"({LINK.pattern})({end})", taken, folded, flags=re.ASCII)

    return removed


def _twice(form: str) -> Callable[..., str]:
    def removed(folded: str) -> str:
        def spaces(found: re.Match[str]) -> str:
            return "  " if re.fullmatch(LINK_FORMS[form], found[0], re.ASCII) else " "

        return re.sub(LINK.pattern, spaces, folded, flags=re.ASCII)

    return removed


_ENDS = ".,:;!?'*)]-/&=+$%#@~_"
table("SD-LINK-1", remove_links={
    **{f"end-kept-{ord(c):02x}": (f"keeps {c} at the end of a link", _end_kept(None, c)) for c in _ENDS},
    **{f"end-kept-{form}": (f"keeps a full stop at the end of a link ({form})", _end_kept(form, "."))
       for form in ("url", "named", "www", "doi")},
    **{f"end-sentence-{form}": (f"keeps signs that end a sentence at the end of a link ({form})",
    _end_kept(form, ".,:;!?"))
       for form in ("url", "named", "www", "doi")},
    **{f"end-taken-{form}": (f"removes a full stop behind a link ({form})", _end_taken(form, r"\.?"))
       for form in ("mail", "uuid", "digest")},
    **{f"end-quote-{form}": (f"removes a quotation mark behind a link ({form})",
    _end_taken(form, "[\"\u2019\u201d\u00bb]?"))
       for form in LINK_FORMS},
    **{f"end-bracket-{form}": (f"removes an angle bracket behind a link ({form})", _end_taken(form, ">?"))
       for form in LINK_FORMS},
    **{f"end-two-spaces-{form}": (f"replaces a link by two spaces ({form})", _twice(form)) for form in LINK_FORMS},
})  # fmt: skip


def _most_links(most: int) -> Callable[..., str]:
    return lambda folded: re.sub(LINK.pattern, " ", folded, count=most, flags=re.ASCII)


table("SD-LINK-1", remove_links={
    **of_sizes("links-most{}", "removes at most {:,} links", _most_links, 255, 256, 4096, 65_535, 65_536),
})  # fmt: skip


# What is no link, though it is an address, a number or a name that other programs remove: a pattern and an example.
NO_LINKS = {
    "ipv4": ("addresses of IPv4", r"\d{1,3}(?:\.\d{1,3}){3}", "192.0.2.1"),
    "ipv6": ("addresses of IPv6", r"[0-9a-f]{1,4}(?::[0-9a-f]{0,4}){2,7}", "2001:db8::1"),
    "mac": ("addresses of network cards", r"[0-9a-f]{2}(?::[0-9a-f]{2}){5}", "00:1a:2b:3c:4d:5e"),
    "isbn": ("ISBNs with their name", r"isbn[: ]*[0-9x-]{10,17}", "isbn 978-3-16-148410-0"),
    "isbn-number": ("numbers of ISBNs", r"97[89]-[0-9x-]{10,13}", "978-3-16-148410-0"),
    "issn": ("ISSNs", r"[0-9]{4}-[0-9]{3}[0-9x]", "2049-363x"),
    "orcid": ("ORCIDs", r"[0-9]{4}(?:-[0-9]{4}){2}-[0-9]{3}[0-9x]", "0000-0002-1694-233x"),
    "phone": ("telephone numbers", r"\+[0-9][0-9 ()/-]{6,}[0-9]", "+49 30 901820"),
    "date": ("dates", r"[0-9]{4}-[0-9]{2}-[0-9]{2}", "2024-01-31"),
    "date-dots": ("dates with full stops", r"[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{4}", "31.01.2024"),
    "moment": ("moments of ISO 8601", r"[0-9]{4}-[0-9]{2}-[0-9]{2}t[0-9:.]+z?", "2024-01-31t12:30:00z"),
    "time": ("times of day", r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?: ?[ap]m)?", "12:30 pm"),
    "money": ("prices", r"[$\u20ac\u00a3] ?[0-9][0-9.,]*(?: ?(?:usd|eur))?", "$1,234.56 usd"),
    "number": ("numbers", r"[0-9]+(?:[.,][0-9]+)+", "1,234,567.89"),
    "exponent": ("numbers with an exponent", r"[0-9]+(?:\.[0-9]+)?e[+-]?[0-9]+", "1.5e10"),
    "version": ("versions", r"v[0-9]+(?:\.[0-9]+)+", "v1.2.3"),
    "iban": ("IBANs", r"[a-z]{2}[0-9]{2}[0-9a-z]{11,30}", "de89370400440532013000"),
    "arxiv": ("numbers of arXiv", r"[0-9]{4}\.[0-9]{4,5}(?:v[0-9])?", "2101.00001v2"),
    "pmid": ("PubMed ids", r"pmid:? ?[0-9]+|pmc[0-9]+", "pmid 12345678, pmc1234567"),
    "handle": ("handles", r"20\.[0-9.]+/[^ ]+", "20.500.12345/abc"),
    "ark": ("ARKs", r"ark:/?[0-9]+/[^ ]+", "ark:/12345/abc"),
    "commit": ("short hashes of commits", r"[0-9a-f]{7,12}", "1a2b3c4"),
    "base64": ("base64", r"[a-z0-9+/]{12,}={1,2}", "dghlihf1awnrigjyb3du=="),
    "ulid": ("ULIDs", r"[0-7][0-9a-hjkmnp-tv-z]{25}", "01arz3ndektsv4rrffq69g5fav"),
    "host": ("names of hosts", r"[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:com|org|net|example)", "shop.example"),
    "host-path": ("names of hosts with a path", r"[a-z0-9-]+\.[a-z]{2,}/[^ ]+", "shop.example/a/b"),
    "host-port": ("names of hosts with a port", r"[a-z0-9.-]+:[0-9]{2,5}", "localhost:8080"),
    "relative": ("URLs without a scheme", r"//[a-z0-9][^ ]*", "//shop.example/a"),
    "path": ("paths", r"/[a-z]+(?:/[a-z.]+)+", "/usr/share/dict"),
    "path-home": ("paths from a home", r"~/[^ ]+", "~/notes/list"),
    "path-above": ("paths from above", r"\.\.?/[^ ]+", "../notes/list"),
    "path-drive": ("paths of Windows", r"[a-z]:\\[^ ]+", "c:\\notes\\list"),
    "file": ("names of files", r"[a-z0-9_]+\.(?:pdf|html?|txt|jpe?g|png|docx?)", "report.pdf"),
    "scheme": ("URIs without slashes", r"(?:tel|sms|data|javascript|about|magnet|geo|bitcoin|news):[^ ]+",
        "tel:+4930 magnet:?xt=a about:blank geo:1,2"),
    "handle-at": ("names of accounts on hosts", r"@[a-z0-9_]+@[a-z0-9.-]+", "@ann@social"),
    "spelled": ("spelled e-mail addresses",
        r"[a-z]+ (?:at|\[at\]) [a-z]+ (?:dot|\[dot\]) [a-z]+", "ann at shop dot example"),
    "cited": ("citations", r"\([a-z]+(?: et al\.)?,? [0-9]{4}\)", "(smith, 2020)"),
    "page": ("page numbers", r"pp?\. ?[0-9]+(?:-[0-9]+)?", "pp. 12-15"),
    "section": ("numbers of sections", r"\u00a7+ ?[0-9]+[a-z]?", "\u00a7 12a"),
    "code": ("codes of products", r"[a-z]{2,4}-[0-9]{3,}", "abc-12345"),
}  # fmt: skip


def _also(pattern: str) -> Callable[..., str]:
    return lambda right, folded: re.sub(rf"(?<![a-z0-9_]){pattern}", " ", right.remove_links(folded), flags=re.ASCII)


table("SD-LINK-1", remove_links={
    f"no-link-{slug}": (f"also removes {what}", _also(pattern)) for slug, (what, pattern, _) in NO_LINKS.items()
})  # fmt: skip

table("SD-LINK-5", _Form, mail={
    "mail-two-dots": ("takes no e-mail address with two full stops in a row",
        r"(?![a-z0-9_%+-]*(?:\.[a-z0-9_%+-]+)*\.\.)" + LINK_FORMS["mail"]),
    "mail-last-number": ("takes no e-mail address whose last label is a number",
        LINK_FORMS["mail"] + r"(?<!\.[0-9])(?<!\.[0-9]{2})(?<!\.[0-9]{3})"),
    "mail-last24": ("takes at most 24 characters of the last label",
        LINK_FORMS["mail"].removesuffix("+") + r"*\.[a-z0-9-]{1,24}"),
    **of_sizes("mail-labels{}", "takes at most {} labels", lambda most: (r"\.[a-z0-9-]{1,63})+",
        rf"\.[a-z0-9-]{{1,63}}){{1,{most - 1}}}"), 3, 4, 5, 8, 10),
})  # fmt: skip


def _short_tail(form: str, most: int) -> str:
    return f"{LINK_FORMS[form][:-1]}{{{int(LINK_FORMS[form].endswith('+'))},{most}}}"


_TAILS = (1000, 1024, 2000, 2048, 2083, 4096, 8192, 16_384, 65_535, 65_536)
for _form, _requirement in (("named", "SD-LINK-3"), ("www", "SD-LINK-4"), ("doi", "SD-LINK-6"), ("url", "SD-LINK-2")):
    table(_requirement, _Form, **{
        _form: of_sizes(f"{_form}-tail{{}}", f"takes at most {{:,}} characters of a tail ({_form})",
            partial(_short_tail, _form), *_TAILS)
    })  # fmt: skip
