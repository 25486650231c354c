"""Mutants of section 9: prefixes, marks and lengths that are read too strictly or too leniently."""

from __future__ import annotations

import re
from collections.abc import Sequence

from simhash_doc.conformance.implementation import Implementation
from simhash_doc.conformance.mutants import mutant
from simhash_doc.errors import BadCharacterError, SchemeMismatchError, SpareBitsError, UnknownSchemeError
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.reference import BASE32
from simhash_doc.schemes import get_schemes


class _Repaired(Implementation):
    """Changes a text form before it is read."""

    def repaired(self, text: str) -> str:
        raise AssertionError("each mutant replaces this")

    def parse(self, text: str, scheme: str | None = None) -> Fingerprint:
        return super().parse(self.repaired(text), scheme)


@mutant("SD-CUSTOM-2", "reads every mark that begins with custom as +custom")
class CustomPrefix(_Repaired):
    def repaired(self, text: str) -> str:
        return re.sub(r"(?i)\+custom[a-z0-9]*:", "+custom:", text, count=1)


@mutant("SD-CUSTOM-2", "reads a space before custom as a plus sign (URL decoding)")
class CustomSpace(_Repaired):
    def repaired(self, text: str) -> str:
        return re.sub(r"(?i) custom:", "+custom:", text, count=1)


@mutant("SD-CUSTOM-2", "accepts +custom several times")
class CustomTwice(_Repaired):
    def repaired(self, text: str) -> str:
        return re.sub(r"(?i)(\+custom)+:", "+custom:", text, count=1)


@mutant("SD-CUSTOM-2", "accepts +custom in lower case only")
class CustomLowerOnly(_Repaired):
    def repaired(self, text: str) -> str:
        prefix = text.partition(":")[0]
        if "+" in prefix and prefix.partition("+")[2] != "custom":
            raise UnknownSchemeError("a mark in capital letters")
        return text


@mutant("SD-CUSTOM-2", "reports +custom of a wide scheme as an unknown scheme")
class CustomWideRefused(_Repaired):
    def repaired(self, text: str) -> str:
        prefix = text.partition(":")[0].lower()
        if prefix.endswith("+custom") and prefix != "sd64+custom":
            raise UnknownSchemeError("a mark of a wide scheme")
        return text


@mutant("SD-TEXT-5", "skips U+FEFF at the start of a text form")
class DecodeBom(_Repaired):
    def repaired(self, text: str) -> str:
        return text.removeprefix("\ufeff")


@mutant("SD-TEXT-3", "ends a text form at U+0000 (strings of C)")
class DecodeEndsAtNul(_Repaired):
    def repaired(self, text: str) -> str:
        return text.partition("\0")[0]


@mutant("SD-TEXT-5", "reads what is before the last colon as the scheme")
class SchemeLastColon(_Repaired):
    def repaired(self, text: str) -> str:
        prefix, colon, digits = text.rpartition(":")
        return prefix.replace(":", "") + colon + digits


@mutant("SD-TEXT-5", "skips what follows a second colon")
class SchemeRestIgnored(_Repaired):
    def repaired(self, text: str) -> str:
        return ":".join(text.split(":")[:2])


@mutant("SD-TEXT-5", "accepts any characters before the short id (a regular expression without ^)")
class SchemeSuffix(_Repaired):
    def repaired(self, text: str) -> str:
        return re.sub(r"(?i)^[^:]*(sd(?:64|128|256|512)(?:\+custom)?:)", r"\1", text)


@mutant("SD-TEXT-5", "accepts any characters between the short id and the colon")
class SchemePrefix(_Repaired):
    def repaired(self, text: str) -> str:
        return re.sub(r"(?i)^(sd(?:64|128|256|512)(?![0-9])(?:\+custom(?![+a-z0-9]))?)[^:]*:", r"\1:", text)


@mutant("SD-TEXT-5", "skips urn: before the scheme")
class SchemeUrn(_Repaired):
    def repaired(self, text: str) -> str:
        return text[4:] if text.lower().startswith("urn:") else text


@mutant("SD-TEXT-5", "strips white space before and after a text form")
class DecodeTrims(_Repaired):
    def repaired(self, text: str) -> str:
        return text.strip()


@mutant("SD-TEXT-5", "treats an empty name before the colon as no scheme")
class SchemeEmpty(_Repaired):
    def repaired(self, text: str) -> str:
        return text.removeprefix(":")


@mutant("SD-TEXT-5", "folds full-width letters and digits of a text form")
class SchemeFullWidth(_Repaired):
    def repaired(self, text: str) -> str:
        return "".join(chr(ord(c) - 0xFEE0) if 0xFF01 <= ord(c) <= 0xFF5E else c for c in text)


@mutant("SD-TEXT-5", "reads a text form without a scheme as sd64, whatever its length")
class SchemeNoneIsSd64(Implementation):
    def parse(self, text: str, scheme: str | None = None) -> Fingerprint:
        return super().parse(text, "sd64" if scheme is None and ":" not in text else scheme)


@mutant("SD-TEXT-5", "reads the scheme from the number of digits whatever scheme is named")
class SchemeByLengthOnly(Implementation):
    def parse(self, text: str, scheme: str | None = None) -> Fingerprint:
        digits = text.rpartition(":")[2]
        known = next((known.id for known in get_schemes().values() if known.characters == len(digits)), None)
        if known is None or ":" not in text:
            return super().parse(text, scheme)
        mark = "+custom" if text.lower().partition(":")[0].endswith("+custom") else ""
        return super().parse(f"{known}{mark}:{digits}", scheme)


@mutant("SD-TEXT-5", "finds the scheme by the number of digits although another one is expected")
class ExpectedIgnoredBare(Implementation):
    def parse(self, text: str, scheme: str | None = None) -> Fingerprint:
        return super().parse(text, None if ":" not in text and scheme in get_schemes() else scheme)


@mutant("SD-TEXT-3", "loses the leading zeros of the low 32 bits of a value")
class DecodeHexLowWord(Implementation):
    def parse(self, text: str, scheme: str | None = None) -> Fingerprint:
        found = super().parse(text, scheme)
        if found.scheme_id == "sd64":
            low = found.value & 0xFFFFFFFF
            return Fingerprint(int(f"{found.value >> 32:x}{low:x}", 16), "sd64", found.canonical)
        return found


@mutant("SD-TEXT-3", "ignores a spare bit in distances")
class DistanceLenient(Implementation):
    def parse_all(self, texts: Sequence[str]) -> list[Fingerprint]:
        return super().parse_all([self._repaired(text) for text in texts])

    def _repaired(self, text: str) -> str:
        try:
            self.parse(text)
        except SpareBitsError:
            digits = len(text.rpartition(":")[2])
            spare = 5 * digits - next(known.bits for known in get_schemes().values() if known.characters == digits)
            return text[:-1] + BASE32[BASE32.index(text[-1].lower()) >> spare << spare]
        return text


@mutant("SD-TEXT-3", "checks four spare bits of sd512, which has three")
class DecodeSpareFour(Implementation):
    def parse(self, text: str, scheme: str | None = None) -> Fingerprint:
        found = super().parse(text, scheme)
        if found.scheme_id == "sd512" and found.value & 1:
            raise SpareBitsError("a fourth bit")
        return found


@mutant("SD-TEXT-3", "checks the lowest spare bit only")
class DecodeSpareOne(Implementation):
    def parse(self, text: str, scheme: str | None = None) -> Fingerprint:
        try:
            return super().parse(text, scheme)
        except SpareBitsError:
            value = BASE32.index(text[-1].lower())
            if value & 1:
                raise
            spare = {26: 2, 52: 4, 103: 3}[len(text.rpartition(":")[2])]
            return super().parse(text[:-1] + BASE32[value >> spare << spare], scheme)


@mutant("SD-TEXT-4", "reports a character beyond ASCII before padding")
class NonAsciiBeforePadding(_Repaired):
    def repaired(self, text: str) -> str:
        if any(not c.isascii() for c in text.partition(":")[2] or text):
            raise BadCharacterError("a character beyond ASCII")
        return text


@mutant("SD-TEXT-5", "reports text forms in capital letters as of another scheme than those in small ones")
class DistanceCase(Implementation):
    def parse_all(self, texts: Sequence[str]) -> list[Fingerprint]:
        found = super().parse_all(texts)
        names = {text.partition(":")[0] for text in texts if ":" in text and "+" not in text}
        if len(names) > 1 and len({fingerprint.scheme_id for fingerprint in found}) == 1:
            raise SchemeMismatchError("the case differs")
        return found


@mutant("SD-TEXT-7", "accepts the short id sd32")
class SchemeSd32(Implementation):
    def text_form(self, data: bytes, scheme: str, *, canonical: bool) -> str:
        if scheme == "sd32" and len(data) == 8:
            return super().text_form(data, "sd64", canonical=canonical)
        return super().text_form(data, scheme, canonical=canonical)

    def parse(self, text: str, scheme: str | None = None) -> Fingerprint:
        return super().parse(re.sub("(?i)^sd32:", "sd64:", text), "sd64" if scheme == "sd32" else scheme)
