"""Mutants of section 9, text form, of section 11 and of the wide schemes of section 12."""

from __future__ import annotations

import base64
import re

from simhash_doc.conformance.implementation import Implementation
from simhash_doc.conformance.mutants import mutant
from simhash_doc.errors import BadCharacterError, BadLengthError, SpareBitsError, UnknownSchemeError
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.schemes import get_schemes


@mutant("SD-TEXT-1", "writes the bytes least significant first")
class TextLittleEndian(Implementation):
    def encode(self, data: bytes) -> str:
        return super().encode(b"".join(data[i : i + 8][::-1] for i in range(0, len(data), 8)))


@mutant("SD-TEXT-1", "writes capital letters")
class TextUpperCase(Implementation):
    def encode(self, data: bytes) -> str:
        return super().encode(data).upper()


@mutant("SD-TEXT-1", "keeps the padding")
class TextPadded(Implementation):
    def encode(self, data: bytes) -> str:
        return base64.b32encode(data).decode().lower()


@mutant("SD-TEXT-1", "uses the base32hex alphabet (0-9, a-v)")
class TextBase32Hex(Implementation):
    def encode(self, data: bytes) -> str:
        return base64.b32hexencode(data).decode().lower().rstrip("=")


@mutant("SD-TEXT-1", "uses Crockford's base32 alphabet")
class TextCrockford(Implementation):
    def encode(self, data: bytes) -> str:
        there = str.maketrans("abcdefghijklmnopqrstuvwxyz234567", "0123456789abcdefghjkmnpqrstvwxyz")
        return super().encode(data).translate(there)


@mutant("SD-TEXT-1", "leaves out leading zeros")
class TextLeadingZerosLost(Implementation):
    def encode(self, data: bytes) -> str:
        return super().encode(data).lstrip("a")


@mutant("SD-TEXT-1", "writes hexadecimal instead of base32")
class TextHexadecimal(Implementation):
    def encode(self, data: bytes) -> str:
        return data.hex()


@mutant("SD-TEXT-2", "puts the spare bits first: writes the integer in base 32, not the bytes in base32")
class TextIntegerBase32(Implementation):
    def encode(self, data: bytes) -> str:
        digits = -(-8 * len(data) // 5)
        value = int.from_bytes(data, "big")
        return "".join("abcdefghijklmnopqrstuvwxyz234567"[value >> 5 * i & 31] for i in reversed(range(digits)))


@mutant("SD-TEXT-2", "sets the spare bit")
class TextSpareSet(Implementation):
    def encode(self, data: bytes) -> str:
        right = super().encode(data)
        alphabet = "abcdefghijklmnopqrstuvwxyz234567"
        return right[:-1] + alphabet[alphabet.index(right[-1]) | 1]


class _Lenient(Implementation):
    def repaired(self, text: str) -> str:
        raise AssertionError("each mutant replaces this")

    def parse(self, text: str, scheme: str | None = None) -> Fingerprint:
        return super().parse(self.repaired(text), scheme)


@mutant("SD-TEXT-3", "rejects capital letters when decoding")
class DecodeLowerOnly(_Lenient):
    def repaired(self, text: str) -> str:
        digits = text.rpartition(":")[2]
        if digits != digits.lower():
            raise BadCharacterError("a capital letter")
        return text


@mutant("SD-TEXT-3", "accepts padding when decoding")
class DecodeTakesPadding(_Lenient):
    def repaired(self, text: str) -> str:
        return text.rstrip("=")


@mutant("SD-TEXT-3", "strips white space when decoding")
class DecodeStripsSpace(_Lenient):
    def repaired(self, text: str) -> str:
        return "".join(text.split())


@mutant("SD-TEXT-3", "skips hyphens when decoding")
class DecodeSkipsHyphens(_Lenient):
    def repaired(self, text: str) -> str:
        return text.replace("-", "")


@mutant("SD-TEXT-3", "reads 0 as o, 1 as l and 8 as b when decoding")
class DecodeLooksAlike(_Lenient):
    def repaired(self, text: str) -> str:
        scheme, colon, digits = text.rpartition(":")
        return scheme + colon + digits.translate(str.maketrans("018", "olb"))


@mutant("SD-TEXT-3", "folds non-ASCII letters, such as the Kelvin sign, into the alphabet when decoding")
class DecodeFoldsUnicode(_Lenient):
    def repaired(self, text: str) -> str:
        return text.lower().replace("\u017f", "s")


@mutant("SD-TEXT-3", "accepts a set spare bit when decoding")
class DecodeTakesSpareBits(Implementation):
    def parse(self, text: str, scheme: str | None = None) -> Fingerprint:
        try:
            return super().parse(text, scheme)
        except SpareBitsError:
            prefix, colon, digits = text.rpartition(":")
            padded = digits.upper() + "=" * (-len(digits) % 8)
            size = {known.characters: known.bits // 8 for known in get_schemes().values()}[len(digits)]
            right = base64.b32encode(base64.b32decode(padded)[:size]).decode().rstrip("=")
            return super().parse(prefix + colon + right, scheme)


@mutant("SD-TEXT-3", "ignores characters after the 13th when decoding")
class DecodeTakesLong(Implementation):
    def parse(self, text: str, scheme: str | None = None) -> Fingerprint:
        try:
            return super().parse(text, scheme)
        except BadLengthError:
            prefix, colon, digits = text.rpartition(":")
            return super().parse(prefix + colon + digits[:13], scheme)


@mutant("SD-TEXT-3", "pads a short text when decoding")
class DecodeTakesShort(Implementation):
    def parse(self, text: str, scheme: str | None = None) -> Fingerprint:
        try:
            return super().parse(text, scheme)
        except BadLengthError:
            prefix, colon, digits = text.rpartition(":")
            return super().parse(prefix + colon + digits.ljust(13, "a"), scheme)


@mutant("SD-TEXT-4", "checks the length before the characters when decoding")
class DecodeLengthFirst(_Lenient):
    def repaired(self, text: str) -> str:
        digits = text.rpartition(":")[2]
        if len(digits) not in {known.characters for known in get_schemes().values()}:
            raise BadLengthError("another length")
        return text


@mutant("SD-TEXT-4", "reports padding as a bad character")
class DecodePaddingIsCharacter(_Lenient):
    def repaired(self, text: str) -> str:
        if "=" in text:
            raise BadCharacterError("a padding character")
        return text


@mutant("SD-TEXT-5", "rejects the short id in capital letters when decoding")
class DecodeIdLowerOnly(_Lenient):
    def repaired(self, text: str) -> str:
        prefix = text.rpartition(":")[0]
        if prefix != prefix.lower():
            raise UnknownSchemeError("a capital letter")
        return text


@mutant("SD-TEXT-5", "writes and reads the long name of the scheme instead of its short id")
class TextLongName(Implementation):
    def text_form(self, data: bytes, scheme: str, *, canonical: bool) -> str:
        return super().text_form(data, scheme, canonical=canonical).replace("sd", "simhash-doc-")


@mutant("SD-TEXT-5", "writes the text form without its scheme")
class TextWithoutScheme(Implementation):
    def text_form(self, data: bytes, scheme: str, *, canonical: bool) -> str:
        return super().text_form(data, scheme, canonical=canonical).rpartition(":")[2]


@mutant("SD-CUSTOM-1", "loses the mark of a customised fingerprint when decoding")
class CustomMarkLost(_Lenient):
    def repaired(self, text: str) -> str:
        return re.sub(r"(?i)\+custom:", ":", text)


@mutant("SD-CUSTOM-1", "rejects customised fingerprints as an unknown scheme")
class CustomRefused(_Lenient):
    def repaired(self, text: str) -> str:
        if "+" in text:
            raise UnknownSchemeError("a mark")
        return text


@mutant("SD-CUSTOM-2", "writes customised fingerprints like canonical ones")
class CustomUnmarked(Implementation):
    def text_form(self, data: bytes, scheme: str, *, canonical: bool) -> str:
        return super().text_form(data, scheme, canonical=True)


@mutant("SD-WIDE-1", "reads a fingerprint of an unknown scheme by its length")
class SchemeByLength(_Lenient):
    def repaired(self, text: str) -> str:
        prefix, _, digits = text.rpartition(":")
        return text if prefix.lower().removesuffix("+custom") in get_schemes() else digits


@mutant("SD-WIDE-3", "writes the lanes of a wide fingerprint in reverse order")
class WideWordsReversed(Implementation):
    def encode(self, data: bytes) -> str:
        return super().encode(b"".join(reversed([data[i : i + 8] for i in range(0, len(data), 8)])))


@mutant("SD-WIDE-3", "encodes each lane of a wide fingerprint separately")
class WideWordsApart(Implementation):
    def encode(self, data: bytes) -> str:
        return "".join(super(WideWordsApart, self).encode(data[i : i + 8]) for i in range(0, len(data), 8))


@mutant("SD-WIDE-3", "interleaves the bytes of the lanes of a wide fingerprint")
class WideBytesInterleaved(Implementation):
    def encode(self, data: bytes) -> str:
        return super().encode(bytes(data[8 * lane + i] for i in range(8) for lane in range(len(data) // 8)))
