"""Mutants of section 9: names of schemes, and the order of errors over several text forms."""

from __future__ import annotations

from collections.abc import Sequence

from simhash_doc.conformance.implementation import Entry, Implementation
from simhash_doc.conformance.mutants import mutant
from simhash_doc.errors import BadLengthError, NoTokenError, SchemeMismatchError, SpecError, UnknownSchemeError
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.schemes import get_schemes


def _id_of(text: str) -> str:
    """Return the short id that a text form names, in lower case; empty if it names none."""
    return text.rpartition(":")[0].lower().removesuffix("+custom")


@mutant("SD-TEXT-4", "decodes the characters before it compares the scheme with the expected one")
class MismatchLast(Implementation):
    def parse(self, text: str, scheme: str | None = None) -> Fingerprint:
        if scheme is not None and ":" in text:
            super().parse(text)
        return super().parse(text, scheme)


@mutant("SD-TEXT-5", "ignores the expected scheme if the text names one")
class SchemeExpectedIgnored(Implementation):
    def parse(self, text: str, scheme: str | None = None) -> Fingerprint:
        return super().parse(text, None if ":" in text else scheme)


@mutant("SD-TEXT-5", "reports another scheme than the expected one as unknown")
class MismatchIsUnknown(Implementation):
    def parse(self, text: str, scheme: str | None = None) -> Fingerprint:
        try:
            return super().parse(text, scheme)
        except SchemeMismatchError as error:
            raise UnknownSchemeError(str(error)) from error


@mutant("SD-TEXT-5", "compares the scheme of the text with the expected one case-sensitively")
class MismatchCase(Implementation):
    def parse(self, text: str, scheme: str | None = None) -> Fingerprint:
        found = super().parse(text, scheme)
        if scheme is not None and ":" in text and not text.startswith(scheme):
            raise SchemeMismatchError("another case")
        return found


@mutant("SD-TEXT-4", "reports an unknown scheme as a mismatch if another one is expected")
class MismatchBeforeUnknown(Implementation):
    def parse(self, text: str, scheme: str | None = None) -> Fingerprint:
        if scheme in get_schemes() and ":" in text and _id_of(text) not in get_schemes():
            raise SchemeMismatchError("not the expected scheme")
        return super().parse(text, scheme)


@mutant("SD-TEXT-6", "reads a text form without a scheme as customised")
class BareIsCustom(Implementation):
    def parse(self, text: str, scheme: str | None = None) -> Fingerprint:
        found = super().parse(text, scheme)
        return found if ":" in text else Fingerprint(found.value, found.scheme_id, canonical=False)


@mutant("SD-TEXT-7", "reports a customised fingerprint as another scheme than the expected one")
class MismatchCustom(Implementation):
    def parse(self, text: str, scheme: str | None = None) -> Fingerprint:
        found = super().parse(text, scheme)
        if scheme is not None and not found.canonical:
            raise SchemeMismatchError("a customised fingerprint")
        return found


class _LenientNames(Implementation):
    def named(self, scheme: str) -> str:
        raise AssertionError("each mutant replaces this")

    def fingerprint_text_form(self, given: str | bytes, scheme: str) -> str:
        return super().fingerprint_text_form(given, self.named(scheme))

    def text_form(self, data: bytes, scheme: str, *, canonical: bool) -> str:
        return super().text_form(data, self.named(scheme), canonical=canonical)

    def parse(self, text: str, scheme: str | None = None) -> Fingerprint:
        return super().parse(text, None if scheme is None else self.named(scheme))


@mutant("SD-TEXT-7", "accepts the name of a scheme in capital letters")
class SchemeNameAnyCase(_LenientNames):
    def named(self, scheme: str) -> str:
        return scheme.lower()


@mutant("SD-TEXT-7", "accepts the long name of a scheme")
class SchemeNameLong(_LenientNames):
    def named(self, scheme: str) -> str:
        return {known.name: known.id for known in get_schemes().values()}.get(scheme, scheme)


@mutant("SD-TEXT-7", "accepts the name of a scheme with +custom")
class SchemeNameCustom(_LenientNames):
    def named(self, scheme: str) -> str:
        return scheme.removesuffix("+custom")


@mutant("SD-TEXT-7", "treats an empty name of a scheme as sd64")
class SchemeNameEmpty(_LenientNames):
    def named(self, scheme: str) -> str:
        return scheme or "sd64"


@mutant("SD-WIDE-1", "computes sd64 if the scheme to compute is unknown")
class FingerprintUnknownScheme(Implementation):
    def fingerprint_text_form(self, given: str | bytes, scheme: str) -> str:
        return super().fingerprint_text_form(given, scheme if scheme in get_schemes() else "sd64")


@mutant("SD-WIDE-1", "looks for tokens before it looks at the scheme")
class NoTokenBeforeScheme(Implementation):
    def fingerprint_text_form(self, given: str | bytes, scheme: str) -> str:
        if not self.tokens(given):
            raise NoTokenError("no token")
        return super().fingerprint_text_form(given, scheme)


@mutant("SD-WIDE-1", "writes any name before the colon when encoding")
class EncodeUnknownScheme(Implementation):
    def text_form(self, data: bytes, scheme: str, *, canonical: bool) -> str:
        known = next((known for known in get_schemes().values() if known.bits == 8 * len(data)), None)
        if scheme in get_schemes() or known is None:
            return super().text_form(data, scheme, canonical=canonical)
        return super().text_form(data, known.id, canonical=canonical).replace(known.id, scheme, 1)


@mutant("SD-TEXT-8", "encodes bytes of any number")
class EncodeLengthUnchecked(Implementation):
    def text_form(self, data: bytes, scheme: str, *, canonical: bool) -> str:
        try:
            return super().text_form(data, scheme, canonical=canonical)
        except BadLengthError:
            return f"{scheme}{'' if canonical else '+custom'}:{self.encode(data)}"


@mutant("SD-TEXT-8", "takes the scheme from the number of bytes when encoding")
class EncodeSchemeFromLength(Implementation):
    def text_form(self, data: bytes, scheme: str, *, canonical: bool) -> str:
        found = next((known.id for known in get_schemes().values() if known.bits == 8 * len(data)), scheme)
        return super().text_form(data, found if scheme in get_schemes() else scheme, canonical=canonical)


@mutant("SD-TEXT-8", "checks the number of bytes before the scheme when encoding")
class EncodeLengthFirst(Implementation):
    def text_form(self, data: bytes, scheme: str, *, canonical: bool) -> str:
        if len(data) not in {known.bits // 8 for known in get_schemes().values()}:
            raise BadLengthError("the length of no scheme")
        return super().text_form(data, scheme, canonical=canonical)


@mutant("SD-TEXT-9", "checks several text forms from the last to the first")
class TextsBackwards(Implementation):
    def parse_all(self, texts: Sequence[str]) -> list[Fingerprint]:
        return super().parse_all(texts[::-1])[::-1]


@mutant("SD-TEXT-9", "compares the schemes of several text forms before it decodes them")
class TextsSchemesFirst(Implementation):
    def parse_all(self, texts: Sequence[str]) -> list[Fingerprint]:
        if len({_id_of(text) for text in texts} & set(get_schemes())) > 1:
            raise SchemeMismatchError("two schemes")
        return super().parse_all(texts)


@mutant("SD-TEXT-9", "checks for each kind of error in all text forms before the next kind")
class TextsByError(Implementation):
    def parse_all(self, texts: Sequence[str]) -> list[Fingerprint]:
        order = ("unknown-scheme", "padding", "bad-character", "bad-length", "spare-bits")
        found: list[SpecError] = []
        for text in texts:
            try:
                self.parse(text)
            except SpecError as error:
                found.append(error)
        if found:
            raise min(found, key=lambda error: order.index(error.code))
        return super().parse_all(texts)


@mutant("SD-TEXT-9", "checks queries before entries")
class QueriesBeforeEntries(Implementation):
    def check_search(self, entries: Sequence[Entry], queries: Sequence[str]) -> None:
        self.parse_all(queries)
        super().check_search(entries, queries)


@mutant("SD-TEXT-9", "compares the scheme of each entry with the first one before it reads the next")
class EntriesOneByOne(Implementation):
    def check_search(self, entries: Sequence[Entry], queries: Sequence[str]) -> None:
        first = None
        for text in [*(text for _, text in entries), *queries]:
            found = self.parse(text)
            first = first or found
            if found.scheme_id != first.scheme_id:
                raise SchemeMismatchError("not the scheme of the first entry")
