"""Mutants of section 5, links."""

from __future__ import annotations

import re

from simhash_doc.conformance.implementation import Implementation
from simhash_doc.conformance.mutants import mutant
from simhash_doc.reference import LINK, LINK_TAIL


@mutant("SD-LINK-1", "does not remove links")
class LinksKept(Implementation):
    def remove_links(self, folded: str) -> str:
        return folded


@mutant("SD-LINK-1", "removes links without leaving a space, so that the words on both sides join")
class LinksJoin(Implementation):
    def remove_links(self, folded: str) -> str:
        return LINK.sub("", folded)


@mutant(
    "SD-LINK-1", "removes links before folding, so full-width or capital ones and those with hidden characters stay"
)
class LinksBeforeFolding(Implementation):
    def fold(self, text: str) -> str:
        return super().fold(LINK.sub(" ", text))

    def remove_links(self, folded: str) -> str:
        return folded


@mutant("SD-LINK-1", "extends links to the next white space, over letters that are not ASCII")
class LinksToWhiteSpace(Implementation):
    def remove_links(self, folded: str) -> str:
        return re.sub(rf"(?:{LINK.pattern})\S*", " ", folded, flags=re.ASCII)


@mutant("SD-LINK-1", "removes the complete run of non-space characters that contains a link")
class LinksWholeChunk(Implementation):
    def remove_links(self, folded: str) -> str:
        return re.sub(r"\S+", lambda m: " " if re.search(LINK.pattern, m[0], re.ASCII) else m[0], folded)


@mutant("SD-LINK-1", "finds links in the middle of words")
class LinksInsideWords(Implementation):
    def remove_links(self, folded: str) -> str:
        return re.sub(LINK.pattern.removeprefix(r"\b"), " ", folded, flags=re.ASCII)


@mutant("SD-LINK-1", "uses the Unicode word boundary, so no link starts right after a Chinese or Thai letter")
class LinksUnicodeBoundary(Implementation):
    def remove_links(self, folded: str) -> str:
        return re.sub(LINK.pattern, " ", folded)


@mutant("SD-LINK-1", "treats an underscore as a boundary before a link")
class LinksAfterUnderscore(Implementation):
    def remove_links(self, folded: str) -> str:
        return re.sub(rf"(?<![a-z0-9])(?:{LINK.pattern.removeprefix(chr(92) + 'b')})", " ", folded, flags=re.ASCII)


@mutant("SD-LINK-1", "removes links again from the text after removing links")
class LinksAgain(Implementation):
    def remove_links(self, folded: str) -> str:
        return super().remove_links(super().remove_links(folded))


@mutant("SD-LINK-1", "removes the forms of links one after another, each from the result of the previous one")
class LinksFormByForm(Implementation):
    def remove_links(self, folded: str) -> str:
        for pattern in self.link_forms().values():
            folded = re.sub(rf"\b(?:{pattern})", " ", folded, flags=re.ASCII)
        return folded


class _OneFormChanged(Implementation):
    form = ""
    pattern: str | None = None

    def link_forms(self) -> dict[str, str]:
        forms = super().link_forms()
        if self.pattern is None:
            del forms[self.form]
        else:
            forms[self.form] = self.pattern
        return forms


@mutant("SD-LINK-2", "recognises only http and https URLs")
class UrlHttpOnly(_OneFormChanged):
    form, pattern = "url", rf"https?://{LINK_TAIL}*"


@mutant("SD-LINK-2", "does not remove URLs")
class UrlKept(_OneFormChanged):
    form = "url"


@mutant("SD-LINK-2", "ends a URL at the first character other than a letter, digit, dot, slash or hyphen")
class UrlShortTail(_OneFormChanged):
    form, pattern = "url", r"[a-z][a-z0-9+.-]{0,31}://[a-z0-9./-]*"


@mutant("SD-LINK-2", "requires a character after ://")
class UrlNeedsTail(_OneFormChanged):
    form, pattern = "url", rf"[a-z][a-z0-9+.-]{{0,31}}://{LINK_TAIL}+"


@mutant("SD-LINK-2", "does not limit the name of a URL's scheme to 32 characters")
class UrlLongScheme(_OneFormChanged):
    form, pattern = "url", rf"[a-z][a-z0-9+.-]{{0,300}}://{LINK_TAIL}*"


@mutant("SD-LINK-2", "allows only letters in the name of a URL's scheme")
class UrlLetterScheme(_OneFormChanged):
    form, pattern = "url", rf"[a-z]{{1,32}}://{LINK_TAIL}*"


@mutant("SD-LINK-2", 'treats | " < > \\ ^ ` { } as characters of a URL')
class UrlPrintableTail(_OneFormChanged):
    form, pattern = "url", r"[a-z][a-z0-9+.-]{0,31}://[!-~]*"


@mutant("SD-LINK-3", "does not remove named identifiers (doi: urn: arxiv: hdl:)")
class NamedKept(_OneFormChanged):
    form = "named"


@mutant("SD-LINK-3", "removes doi: and urn: identifiers, but not arxiv: and hdl:")
class NamedTwoOnly(_OneFormChanged):
    form, pattern = "named", rf"(?:doi|urn):[a-z0-9]{LINK_TAIL}*"


@mutant("SD-LINK-3", "treats a name with nothing after its colon (urn:) as an identifier")
class NamedEmpty(_OneFormChanged):
    form, pattern = "named", rf"(?:doi|urn|arxiv|hdl):{LINK_TAIL}*"


@mutant("SD-LINK-4", "does not remove web addresses that begin with www.")
class WwwKept(_OneFormChanged):
    form = "www"


@mutant("SD-LINK-4", "treats any www. as a web address, without a further dot")
class WwwWithoutDot(_OneFormChanged):
    form, pattern = "www", rf"www\.{LINK_TAIL}*"


@mutant("SD-LINK-5", "does not remove e-mail addresses")
class MailKept(_OneFormChanged):
    form = "mail"


@mutant("SD-LINK-5", "treats name@host, without a dot, as an e-mail address")
class MailWithoutDot(_OneFormChanged):
    form, pattern = "mail", r"(?:mailto:)?[a-z0-9][a-z0-9._%+-]{0,63}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})*"


@mutant("SD-LINK-5", "keeps the mailto: before an e-mail address")
class MailKeepsMailto(_OneFormChanged):
    form, pattern = "mail", r"[a-z0-9][a-z0-9._%+-]{0,63}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+"


@mutant("SD-LINK-5", "does not allow . _ % + - in the local part of an e-mail address")
class MailPlainLocal(_OneFormChanged):
    form, pattern = "mail", r"(?:mailto:)?[a-z0-9]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+"


@mutant("SD-LINK-5", "does not limit the local part of an e-mail address to 64 characters")
class MailLongLocal(_OneFormChanged):
    form, pattern = "mail", r"(?:mailto:)?[a-z0-9][a-z0-9._%+-]{0,600}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+"


@mutant("SD-LINK-5", "does not limit the labels of an e-mail address's domain to 63 characters")
class MailLongLabels(_OneFormChanged):
    form, pattern = "mail", r"(?:mailto:)?[a-z0-9][a-z0-9._%+-]{0,63}@[a-z0-9-]+(?:\.[a-z0-9-]+)+"


@mutant("SD-LINK-6", "does not remove bare DOIs")
class DoiKept(_OneFormChanged):
    form = "doi"


@mutant("SD-LINK-6", "does not allow a subdivided registrant code in a DOI (10.1000.10/...)")
class DoiPlainRegistrant(_OneFormChanged):
    form, pattern = "doi", rf"10\.[0-9]{{4,9}}/{LINK_TAIL}+"


@mutant("SD-LINK-6", "treats any 10.n/ as a DOI; the registrant code has four digits or more")
class DoiShortRegistrant(_OneFormChanged):
    form, pattern = "doi", rf"10\.[0-9]{{1,9}}(?:\.[0-9]{{1,9}}){{0,3}}/{LINK_TAIL}+"


@mutant("SD-LINK-7", "does not remove UUIDs")
class UuidKept(_OneFormChanged):
    form = "uuid"


@mutant("SD-LINK-7", "removes a UUID that is followed by further letters")
class UuidOpenEnd(_OneFormChanged):
    form, pattern = "uuid", r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"


@mutant("SD-LINK-8", "does not remove hexadecimal digests")
class DigestKept(_OneFormChanged):
    form = "digest"


@mutant("SD-LINK-8", "removes only digests of 40 digits or more; MD5 has 32")
class DigestFromForty(_OneFormChanged):
    form, pattern = "digest", r"[0-9a-f]{40,128}\b"


@mutant("SD-LINK-8", "treats shorter runs of hexadecimal digits as digests")
class DigestFromSixteen(_OneFormChanged):
    form, pattern = "digest", r"[0-9a-f]{16,128}\b"


@mutant("SD-LINK-8", "removes runs of hexadecimal digits of any length; a digest has at most 128")
class DigestUnbounded(_OneFormChanged):
    form, pattern = "digest", r"[0-9a-f]{32,}\b"


@mutant("SD-LINK-8", "removes 32 hexadecimal digits that are followed by further letters")
class DigestOpenEnd(_OneFormChanged):
    form, pattern = "digest", r"[0-9a-f]{32,128}"
