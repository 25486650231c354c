"""Mutants of the grammar of links: bounds and character classes of URLs, identifiers and addresses."""

from __future__ import annotations

from simhash_doc.conformance.implementation import Implementation
from simhash_doc.conformance.mutants import mutant
from simhash_doc.reference import LINK_TAIL

_LABEL = "[a-z0-9-]{1,63}"
_NO_TILDE, _NO_BRACKETS, _NO_APOSTROPHE, _NO_SQUARE = (LINK_TAIL.replace(c, "") for c in ("~", "()", "'", r"\[\]"))
_LOCAL = r"[a-z0-9][a-z0-9._%+-]{0,63}"


class FormChanged(Implementation):
    """Replaces the pattern of one form."""

    form = ""
    pattern = ""

    def link_forms(self) -> dict[str, str]:
        return {**super().link_forms(), self.form: self.pattern}


@mutant("SD-LINK-2", "treats [+-.] in the name of a URL's scheme as a range, which holds a comma")
class UrlSchemeRange(FormChanged):
    form, pattern = "url", rf"[a-z][a-z0-9+-.]{{0,31}}://{LINK_TAIL}*"


@mutant("SD-LINK-2", "allows an underscore in the name of a URL's scheme")
class UrlSchemeUnderscore(FormChanged):
    form, pattern = "url", rf"[a-z][a-z0-9_+.-]{{0,31}}://{LINK_TAIL}*"


@mutant("SD-LINK-2", "limits the name of a URL's scheme to 31 characters")
class UrlSchemeThirtyOne(FormChanged):
    form, pattern = "url", rf"[a-z][a-z0-9+.-]{{0,30}}://{LINK_TAIL}*"


@mutant("SD-LINK-2", "allows 33 characters in the name of a URL's scheme")
class UrlSchemeThirtyThree(FormChanged):
    form, pattern = "url", rf"[a-z][a-z0-9+.-]{{0,32}}://{LINK_TAIL}*"


@mutant("SD-LINK-2", "requires two characters in the name of a URL's scheme")
class UrlSchemeTwo(FormChanged):
    form, pattern = "url", rf"[a-z][a-z0-9+.-]{{1,31}}://{LINK_TAIL}*"


@mutant("SD-LINK-2", "allows a digit at the start of a URL's scheme")
class UrlSchemeDigit(FormChanged):
    form, pattern = "url", rf"[a-z0-9][a-z0-9+.-]{{0,31}}://{LINK_TAIL}*"


@mutant("SD-LINK-2", "does not allow a full stop in the name of a URL's scheme")
class UrlSchemeNoDot(FormChanged):
    form, pattern = "url", rf"[a-z][a-z0-9+-]{{0,31}}://{LINK_TAIL}*"


@mutant("SD-LINK-2", "ends a URL at a tilde")
class UrlTailNoTilde(FormChanged):
    form, pattern = "url", rf"[a-z][a-z0-9+.-]{{0,31}}://{_NO_TILDE}*"


@mutant("SD-LINK-2", "ends a URL at a round bracket")
class UrlTailNoBrackets(FormChanged):
    form, pattern = "url", rf"[a-z][a-z0-9+.-]{{0,31}}://{_NO_BRACKETS}*"


@mutant("SD-LINK-2", "ends a URL at an apostrophe")
class UrlTailNoApostrophe(FormChanged):
    form, pattern = "url", rf"[a-z][a-z0-9+.-]{{0,31}}://{_NO_APOSTROPHE}*"


@mutant("SD-LINK-2", "ends a URL at a square bracket")
class UrlTailNoSquareBrackets(FormChanged):
    form, pattern = "url", rf"[a-z][a-z0-9+.-]{{0,31}}://{_NO_SQUARE}*"


@mutant("SD-LINK-2", "takes at most 2,048 characters after ://")
class UrlTail2048(FormChanged):
    form, pattern = "url", rf"[a-z][a-z0-9+.-]{{0,31}}://{LINK_TAIL}{{0,2048}}"


@mutant("SD-LINK-2", "takes at most 65,535 characters after :// (a bound of the regular expression engine)")
class UrlTail65535(FormChanged):
    form, pattern = "url", rf"[a-z][a-z0-9+.-]{{0,31}}://{LINK_TAIL}{{0,65535}}"


@mutant("SD-LINK-3", "also removes isbn: and pmid: identifiers")
class NamedMore(FormChanged):
    form, pattern = "named", rf"(?:doi|urn|arxiv|hdl|isbn|pmid):[a-z0-9]{LINK_TAIL}*"


@mutant("SD-LINK-3", "allows any character of the tail, except a slash, after the colon of an identifier")
class NamedAnyFirst(FormChanged):
    form, pattern = "named", rf"(?:doi|urn|arxiv|hdl):(?!/){LINK_TAIL}+"


@mutant("SD-LINK-4", "does not allow a hyphen in the label after www.")
class WwwLabelNoHyphen(FormChanged):
    form, pattern = "www", rf"www\.[a-z0-9]{{1,63}}\.{LINK_TAIL}*"


@mutant("SD-LINK-4", "allows an underscore in the label after www.")
class WwwLabelUnderscore(FormChanged):
    form, pattern = "www", rf"www\.[a-z0-9_-]{{1,63}}\.{LINK_TAIL}*"


@mutant("SD-LINK-4", "limits the label after www. to 62 characters")
class WwwLabelSixtyTwo(FormChanged):
    form, pattern = "www", rf"www\.[a-z0-9-]{{1,62}}\.{LINK_TAIL}*"


@mutant("SD-LINK-4", "does not limit the label after www.")
class WwwLabelUnbounded(FormChanged):
    form, pattern = "www", rf"www\.[a-z0-9-]+\.{LINK_TAIL}*"


@mutant("SD-LINK-4", "requires a character after the second dot of a web address")
class WwwNeedsTail(FormChanged):
    form, pattern = "www", rf"www\.[a-z0-9-]{{1,63}}\.{LINK_TAIL}+"


@mutant("SD-LINK-5", "does not allow a hyphen at the start or end of a label")
class MailLabelNoEdgeHyphen(FormChanged):
    form, pattern = "mail", rf"(?:mailto:)?{_LOCAL}@(?!-){_LABEL}(?<!-)(?:\.(?!-){_LABEL}(?<!-))+"


@mutant("SD-LINK-5", "allows an underscore in labels")
class MailLabelUnderscore(FormChanged):
    form, pattern = "mail", rf"(?:mailto:)?{_LOCAL}@[a-z0-9_-]{{1,63}}(?:\.[a-z0-9_-]{{1,63}})+"


@mutant("SD-LINK-5", "limits labels to 62 characters")
class MailLabelSixtyTwo(FormChanged):
    form, pattern = "mail", rf"(?:mailto:)?{_LOCAL}@[a-z0-9-]{{1,62}}(?:\.[a-z0-9-]{{1,62}})+"


@mutant("SD-LINK-5", "limits the local part of an e-mail address to 63 characters")
class MailLocalSixtyThree(FormChanged):
    form, pattern = "mail", rf"(?:mailto:)?[a-z0-9][a-z0-9._%+-]{{0,62}}@{_LABEL}(?:\.{_LABEL})+"


@mutant("SD-LINK-5", "allows 65 characters in the local part of an e-mail address")
class MailLocalSixtyFive(FormChanged):
    form, pattern = "mail", rf"(?:mailto:)?[a-z0-9][a-z0-9._%+-]{{0,64}}@{_LABEL}(?:\.{_LABEL})+"


@mutant("SD-LINK-5", "requires two characters in the local part of an e-mail address")
class MailLocalTwo(FormChanged):
    form, pattern = "mail", rf"(?:mailto:)?[a-z0-9][a-z0-9._%+-]{{1,63}}@{_LABEL}(?:\.{_LABEL})+"


@mutant("SD-LINK-5", "does not allow % in the local part of an e-mail address")
class MailLocalNoPercent(FormChanged):
    form, pattern = "mail", rf"(?:mailto:)?[a-z0-9][a-z0-9._+-]{{0,63}}@{_LABEL}(?:\.{_LABEL})+"


@mutant("SD-LINK-5", "does not allow _ in the local part of an e-mail address")
class MailLocalNoUnderscore(FormChanged):
    form, pattern = "mail", rf"(?:mailto:)?[a-z0-9][a-z0-9.%+-]{{0,63}}@{_LABEL}(?:\.{_LABEL})+"


@mutant("SD-LINK-5", "does not allow + in the local part of an e-mail address")
class MailLocalNoPlus(FormChanged):
    form, pattern = "mail", rf"(?:mailto:)?[a-z0-9][a-z0-9._%-]{{0,63}}@{_LABEL}(?:\.{_LABEL})+"


@mutant("SD-LINK-5", "requires letters, at least two, in the last label of an e-mail address")
class MailTopLevelLetters(FormChanged):
    form, pattern = "mail", rf"(?:mailto:)?{_LOCAL}@(?:{_LABEL}\.)+[a-z]{{2,63}}"


@mutant("SD-LINK-5", "takes one dot only in the domain of an e-mail address")
class MailOneDot(FormChanged):
    form, pattern = "mail", rf"(?:mailto:)?{_LOCAL}@{_LABEL}\.{_LABEL}"


@mutant("SD-LINK-5", "takes at most 127 labels of an e-mail address")
class MailLabels127(FormChanged):
    form, pattern = "mail", rf"(?:mailto:)?{_LOCAL}@{_LABEL}(?:\.{_LABEL}){{1,126}}"


@mutant("SD-LINK-5", "takes at most 65,535 labels of an e-mail address (a bound of the regular expression engine)")
class MailLabels65535(FormChanged):
    form, pattern = "mail", rf"(?:mailto:)?{_LOCAL}@{_LABEL}(?:\.{_LABEL}){{1,65534}}"
