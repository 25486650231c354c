"""Wrong ports of section 5, links."""

from __future__ import annotations

import re

from simhash_doc.conformance.mutants import wrong
from simhash_doc.conformance.steps import Steps
from simhash_doc.reference import LINK, LINK_TAIL


@wrong("SD-LINK-1", "you do not remove links")
class LinksKept(Steps):
    def remove_links(self, folded: str) -> str:
        return folded


@wrong("SD-LINK-1", "you remove links without leaving a space, so that the words on both sides join")
class LinksJoin(Steps):
    def remove_links(self, folded: str) -> str:
        return LINK.sub("", folded)


@wrong(
    "SD-LINK-1", "you remove links before folding, so full-width or capital ones and those with hidden characters stay"
)
class LinksBeforeFolding(Steps):
    def fold(self, text: str) -> str:
        return super().fold(LINK.sub(" ", text))

    def remove_links(self, folded: str) -> str:
        return folded


@wrong("SD-LINK-1", "your links run on to the next white space, over letters that are not ASCII")
class LinksToWhiteSpace(Steps):
    def remove_links(self, folded: str) -> str:
        return re.sub(rf"(?:{LINK.pattern})\S*", " ", folded, flags=re.ASCII)


@wrong("SD-LINK-1", "you remove the whole chunk of non-space characters that holds a link")
class LinksWholeChunk(Steps):
    def remove_links(self, folded: str) -> str:
        return re.sub(r"\S+", lambda m: " " if re.search(LINK.pattern, m[0], re.ASCII) else m[0], folded)


@wrong("SD-LINK-1", "you find links in the middle of words")
class LinksInsideWords(Steps):
    def remove_links(self, folded: str) -> str:
        return re.sub(LINK.pattern.removeprefix(r"\b"), " ", folded, flags=re.ASCII)


@wrong("SD-LINK-1", "your word boundary is that of Unicode, so no link starts right after a Chinese or Thai letter")
class LinksUnicodeBoundary(Steps):
    def remove_links(self, folded: str) -> str:
        return re.sub(LINK.pattern, " ", folded)


@wrong("SD-LINK-1", "you take an underscore as a boundary before a link")
class LinksAfterUnderscore(Steps):
    def remove_links(self, folded: str) -> str:
        return re.sub(rf"(?<![a-z0-9])(?:{LINK.pattern.removeprefix(chr(92) + 'b')})", " ", folded, flags=re.ASCII)


@wrong("SD-LINK-1", "you look for links again in what removing links has left")
class LinksAgain(Steps):
    def remove_links(self, folded: str) -> str:
        return super().remove_links(super().remove_links(folded))


@wrong("SD-LINK-1", "you remove the forms of links one after another, each from what the one before it has left")
class LinksFormByForm(Steps):
    def remove_links(self, folded: str) -> str:
        for pattern in self.link_forms().values():
            folded = re.sub(rf"\b(?:{pattern})", " ", folded, flags=re.ASCII)
        return folded


class _OneFormChanged(Steps):
    form = ""
    pattern: str | None = None

    def link_forms(self) -> dict[str, str]:
        forms = super().link_forms()
        if self.pattern is None:
            del forms[self.form]
        else:
            forms[self.form] = self.pattern
        return forms


@wrong("SD-LINK-2", "you recognise only http and https URLs")
class UrlHttpOnly(_OneFormChanged):
    form, pattern = "url", rf"https?://{LINK_TAIL}*"


@wrong("SD-LINK-2", "you do not remove URLs")
class UrlKept(_OneFormChanged):
    form = "url"


@wrong("SD-LINK-2", "you end a URL at the first character other than a letter, digit, dot, slash or hyphen")
class UrlShortTail(_OneFormChanged):
    form, pattern = "url", r"[a-z][a-z0-9+.-]{0,31}://[a-z0-9./-]*"


@wrong("SD-LINK-2", "you need a character after ://")
class UrlNeedsTail(_OneFormChanged):
    form, pattern = "url", rf"[a-z][a-z0-9+.-]{{0,31}}://{LINK_TAIL}+"


@wrong("SD-LINK-2", "you do not limit the name of a URL's scheme to 32 characters")
class UrlLongScheme(_OneFormChanged):
    form, pattern = "url", rf"[a-z][a-z0-9+.-]{{0,300}}://{LINK_TAIL}*"


@wrong("SD-LINK-2", "you allow only letters in the name of a URL's scheme")
class UrlLetterScheme(_OneFormChanged):
    form, pattern = "url", rf"[a-z]{{1,32}}://{LINK_TAIL}*"


@wrong("SD-LINK-2", 'you take | " < > \\ ^ ` { } for characters of a URL')
class UrlPrintableTail(_OneFormChanged):
    form, pattern = "url", r"[a-z][a-z0-9+.-]{0,31}://[!-~]*"


@wrong("SD-LINK-3", "you do not remove named identifiers (doi: urn: arxiv: hdl:)")
class NamedKept(_OneFormChanged):
    form = "named"


@wrong("SD-LINK-3", "you remove doi: and urn: identifiers, but not arxiv: and hdl:")
class NamedTwoOnly(_OneFormChanged):
    form, pattern = "named", rf"(?:doi|urn):[a-z0-9]{LINK_TAIL}*"


@wrong("SD-LINK-3", "you take a name with nothing after its colon (urn:) for an identifier")
class NamedEmpty(_OneFormChanged):
    form, pattern = "named", rf"(?:doi|urn|arxiv|hdl):{LINK_TAIL}*"


@wrong("SD-LINK-4", "you do not remove web addresses that begin with www.")
class WwwKept(_OneFormChanged):
    form = "www"


@wrong("SD-LINK-4", "you take any www. for a web address, without a further dot")
class WwwWithoutDot(_OneFormChanged):
    form, pattern = "www", rf"www\.{LINK_TAIL}*"


@wrong("SD-LINK-5", "you do not remove e-mail addresses")
class MailKept(_OneFormChanged):
    form = "mail"


@wrong("SD-LINK-5", "you take name@host, without a dot, for an e-mail address")
class MailWithoutDot(_OneFormChanged):
    form, pattern = "mail", r"(?:mailto:)?[a-z0-9][a-z0-9._%+-]{0,63}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})*"


@wrong("SD-LINK-5", "you keep the mailto: before an e-mail address")
class MailKeepsMailto(_OneFormChanged):
    form, pattern = "mail", r"[a-z0-9][a-z0-9._%+-]{0,63}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+"


@wrong("SD-LINK-5", "you do not allow . _ % + - in the local part of an e-mail address")
class MailPlainLocal(_OneFormChanged):
    form, pattern = "mail", r"(?:mailto:)?[a-z0-9]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+"


@wrong("SD-LINK-5", "you do not limit the local part of an e-mail address to 64 characters")
class MailLongLocal(_OneFormChanged):
    form, pattern = "mail", r"(?:mailto:)?[a-z0-9][a-z0-9._%+-]{0,600}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+"


@wrong("SD-LINK-5", "you do not limit the labels of an e-mail address's domain to 63 characters")
class MailLongLabels(_OneFormChanged):
    form, pattern = "mail", r"(?:mailto:)?[a-z0-9][a-z0-9._%+-]{0,63}@[a-z0-9-]+(?:\.[a-z0-9-]+)+"


@wrong("SD-LINK-6", "you do not remove bare DOIs")
class DoiKept(_OneFormChanged):
    form = "doi"


@wrong("SD-LINK-6", "you do not allow a subdivided registrant code in a DOI (10.1000.10/...)")
class DoiPlainRegistrant(_OneFormChanged):
    form, pattern = "doi", rf"10\.[0-9]{{4,9}}/{LINK_TAIL}+"


@wrong("SD-LINK-6", "you take any 10.n/ for a DOI; the registrant code has four digits or more")
class DoiShortRegistrant(_OneFormChanged):
    form, pattern = "doi", rf"10\.[0-9]{{1,9}}(?:\.[0-9]{{1,9}}){{0,3}}/{LINK_TAIL}+"


@wrong("SD-LINK-7", "you do not remove UUIDs")
class UuidKept(_OneFormChanged):
    form = "uuid"


@wrong("SD-LINK-7", "you remove a UUID to which further letters are attached")
class UuidOpenEnd(_OneFormChanged):
    form, pattern = "uuid", r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"


@wrong("SD-LINK-8", "you do not remove hexadecimal digests")
class DigestKept(_OneFormChanged):
    form = "digest"


@wrong("SD-LINK-8", "you remove only digests of 40 digits or more; MD5 has 32")
class DigestFromForty(_OneFormChanged):
    form, pattern = "digest", r"[0-9a-f]{40,128}\b"


@wrong("SD-LINK-8", "you take shorter runs of hexadecimal digits for digests")
class DigestFromSixteen(_OneFormChanged):
    form, pattern = "digest", r"[0-9a-f]{16,128}\b"


@wrong("SD-LINK-8", "you remove runs of hexadecimal digits of any length; a digest has at most 128")
class DigestUnbounded(_OneFormChanged):
    form, pattern = "digest", r"[0-9a-f]{32,}\b"


@wrong("SD-LINK-8", "you remove 32 hexadecimal digits to which further letters are attached")
class DigestOpenEnd(_OneFormChanged):
    form, pattern = "digest", r"[0-9a-f]{32,128}"
