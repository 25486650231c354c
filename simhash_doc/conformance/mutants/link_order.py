"""Mutants of the grammar of links: DOIs, UUIDs and digests, the order of the forms, and where a link may start."""

from __future__ import annotations

import re

from simhash_doc.conformance.implementation import Implementation
from simhash_doc.conformance.mutants import mutant
from simhash_doc.conformance.mutants.link_grammar import FormChanged
from simhash_doc.reference import LINK, LINK_TAIL

_START = LINK.pattern.removeprefix(r"\b")


class _Before(Implementation):
    """Tries one form before another."""

    first = ""
    then = ""

    def link_forms(self) -> dict[str, str]:
        forms = super().link_forms()
        moved = forms.pop(self.first)
        return {
            name: pattern
            for key, value in forms.items()
            for name, pattern in ([(self.first, moved)] if key == self.then else []) + [(key, value)]
        }


class _Start(Implementation):
    """Changes the condition on the text before a link."""

    condition = ""

    def remove_links(self, folded: str) -> str:
        return re.sub(self.condition + _START, " ", folded, flags=re.ASCII)


@mutant("SD-LINK-6", "allows any character in place of the full stop after 10")
class DoiDotUnescaped(FormChanged):
    form, pattern = "doi", rf"10.[0-9]{{4,9}}(?:\.[0-9]{{1,9}}){{0,3}}/{LINK_TAIL}+"


@mutant("SD-LINK-6", "allows an empty part in the number of a DOI")
class DoiPartEmpty(FormChanged):
    form, pattern = "doi", rf"10\.[0-9]{{4,9}}(?:\.[0-9]{{0,9}}){{0,3}}/{LINK_TAIL}+"


@mutant("SD-LINK-6", "allows ten digits in a part of a DOI")
class DoiPartTen(FormChanged):
    form, pattern = "doi", rf"10\.[0-9]{{4,9}}(?:\.[0-9]{{1,10}}){{0,3}}/{LINK_TAIL}+"


@mutant("SD-LINK-6", "does not limit the digits of a part of a DOI")
class DoiPartUnbounded(FormChanged):
    form, pattern = "doi", rf"10\.[0-9]{{4,9}}(?:\.[0-9]+){{0,3}}/{LINK_TAIL}+"


@mutant("SD-LINK-6", "does not limit the registrant code of a DOI to nine digits")
class DoiCodeUnbounded(FormChanged):
    form, pattern = "doi", rf"10\.[0-9]{{4,}}(?:\.[0-9]{{1,9}}){{0,3}}/{LINK_TAIL}+"


@mutant("SD-LINK-6", "allows eight digits at most in the registrant code of a DOI")
class DoiCodeEight(FormChanged):
    form, pattern = "doi", rf"10\.[0-9]{{4,8}}(?:\.[0-9]{{1,9}}){{0,3}}/{LINK_TAIL}+"


@mutant("SD-LINK-6", "allows any number of parts of a DOI")
class DoiPartsUnbounded(FormChanged):
    form, pattern = "doi", rf"10\.[0-9]{{4,9}}(?:\.[0-9]{{1,9}})*/{LINK_TAIL}+"


@mutant("SD-LINK-6", "allows two parts of a DOI at most")
class DoiPartsTwo(FormChanged):
    form, pattern = "doi", rf"10\.[0-9]{{4,9}}(?:\.[0-9]{{1,9}}){{0,2}}/{LINK_TAIL}+"


@mutant(
    "SD-LINK-6",
    "allows nothing after the slash of a DOI",
    equivalent="what is removed in addition has no letter, so it holds no token, and ends before no place of a link",
)
class DoiTailEmpty(FormChanged):
    form, pattern = "doi", rf"10\.[0-9]{{4,9}}(?:\.[0-9]{{1,9}}){{0,3}}/{LINK_TAIL}*"


@mutant("SD-LINK-6", "accepts decimal digits of any script in a DOI")
class DoiUnicodeDigits(FormChanged):
    form, pattern = "doi", rf"10\.(?u:\d){{4,9}}(?:\.(?u:\d){{1,9}}){{0,3}}/{LINK_TAIL}+"


@mutant("SD-LINK-7", "allows any number of groups of four in a UUID")
class UuidAnyGroups(FormChanged):
    form, pattern = "uuid", r"[0-9a-f]{8}(?:-[0-9a-f]{4})+-[0-9a-f]{12}\b"


@mutant("SD-LINK-7", "requires the version and variant digits of RFC 9562")
class UuidVersion(FormChanged):
    form, pattern = "uuid", r"[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b"


@mutant("SD-LINK-8", "removes only digests of an even number of digits")
class DigestEven(FormChanged):
    form, pattern = "digest", r"(?:[0-9a-f]{2}){16,64}\b"


@mutant("SD-LINK-8", "removes only digests of the usual lengths: 32, 40, 56, 64, 96 and 128 digits")
class DigestUsual(FormChanged):
    form, pattern = "digest", r"(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})\b"


@mutant("SD-LINK-8", "keeps a digest before a hyphen")
class DigestRightNotHyphen(FormChanged):
    form, pattern = "digest", r"[0-9a-f]{32,128}\b(?!-)"


@mutant("SD-LINK-8", "removes 31 hexadecimal digits")
class DigestThirtyOne(FormChanged):
    form, pattern = "digest", r"[0-9a-f]{31,128}\b"


@mutant("SD-LINK-8", "requires 33 hexadecimal digits")
class DigestThirtyThree(FormChanged):
    form, pattern = "digest", r"[0-9a-f]{33,128}\b"


@mutant("SD-LINK-8", "removes at most 127 hexadecimal digits")
class Digest127(FormChanged):
    form, pattern = "digest", r"[0-9a-f]{32,127}\b"


@mutant("SD-LINK-8", "removes 129 hexadecimal digits")
class Digest129(FormChanged):
    form, pattern = "digest", r"[0-9a-f]{32,129}\b"


@mutant("SD-LINK-1", "tries digests before e-mail addresses")
class OrderDigestBeforeMail(_Before):
    first, then = "digest", "mail"


@mutant("SD-LINK-1", "tries digests before URLs")
class OrderDigestBeforeUrl(_Before):
    first, then = "digest", "url"


@mutant("SD-LINK-1", "tries UUIDs before e-mail addresses")
class OrderUuidBeforeMail(_Before):
    first, then = "uuid", "mail"


@mutant("SD-LINK-1", "tries e-mail addresses before web addresses")
class OrderMailBeforeWww(_Before):
    first, then = "mail", "www"


@mutant("SD-LINK-1", "finds no link after a combining mark")
class LeftUnicodeMarks(_Start):
    condition = r"(?<![a-z0-9_\u0300-\u036f])"


@mutant("SD-LINK-1", "finds no link after a letter of any script")
class LeftAnyLetter(_Start):
    condition = r"(?<!(?u:\w))"


@mutant("SD-LINK-1", "finds no link after a hyphen")
class LeftNotHyphen(_Start):
    condition = r"(?<![a-z0-9_-])"


@mutant("SD-LINK-1", "finds no link after a full stop")
class LeftNotDot(_Start):
    condition = r"(?<![a-z0-9_.])"


@mutant("SD-LINK-1", "finds no link after an @")
class LeftNotAt(_Start):
    condition = r"(?<![a-z0-9_@])"


@mutant("SD-LINK-1", "finds no link after a slash")
class LeftNotSlash(_Start):
    condition = r"(?<![a-z0-9_/])"


@mutant("SD-LINK-1", "finds links only at the start of the text or after white space")
class LeftWhiteSpace(_Start):
    condition = r"(?<!(?u:\S))"


@mutant("SD-LINK-1", "finds links after a digit")
class LeftAfterDigit(_Start):
    condition = r"(?<![a-z_])(?=[a-z0-9_])"


class _Cut(Implementation):
    """Looks for links in each line, in pieces of some characters."""

    size = 0

    def remove_links(self, folded: str) -> str:
        parts = (
            line[start : start + self.size]
            for line in folded.splitlines(keepends=True)
            for start in range(0, len(line), self.size)
        )
        return "".join(super(_Cut, self).remove_links(part) for part in parts)


@mutant("SD-LINK-1", "looks for links line by line, in a buffer of 4,096 characters (fgets)")
class LinksByLine(_Cut):
    size = 4095


@mutant("SD-LINK-1", "looks for links line by line, in a buffer of 1,024 characters (fgets)")
class LinksByLine1024(_Cut):
    size = 1023


@mutant("SD-LINK-1", "fails at a link of over 6,000 characters: its regular expression engine has no stack left")
class LinksStackOverflow(Implementation):
    def remove_links(self, folded: str) -> str:
        if any(match.end() - match.start() > 6000 for match in LINK.finditer(folded)):
            raise RecursionError("the stack is full")
        return super().remove_links(folded)
