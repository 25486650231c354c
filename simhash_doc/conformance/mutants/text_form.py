"""Wrong ports of section 9, text form, of section 11 and of the wide schemes of section 12."""

from __future__ import annotations

import base64
import re

from simhash_doc.conformance.mutants import wrong
from simhash_doc.conformance.steps import Steps
from simhash_doc.errors import BadCharacterError, BadLengthError, SpareBitsError, UnknownSchemeError
from simhash_doc.pinned import schemes
from simhash_doc.value import Fingerprint


@wrong("SD-TEXT-1", "you write the bytes least significant first")
class TextLittleEndian(Steps):
    def base32(self, data: bytes) -> str:
        return super().base32(b"".join(data[i : i + 8][::-1] for i in range(0, len(data), 8)))


@wrong("SD-TEXT-1", "you write capital letters")
class TextUpperCase(Steps):
    def base32(self, data: bytes) -> str:
        return super().base32(data).upper()


@wrong("SD-TEXT-1", "you keep the padding")
class TextPadded(Steps):
    def base32(self, data: bytes) -> str:
        return base64.b32encode(data).decode().lower()


@wrong("SD-TEXT-1", "you use the base32hex alphabet (0-9, a-v)")
class TextBase32Hex(Steps):
    def base32(self, data: bytes) -> str:
        return base64.b32hexencode(data).decode().lower().rstrip("=")


@wrong("SD-TEXT-1", "you use Crockford's base32 alphabet")
class TextCrockford(Steps):
    def base32(self, data: bytes) -> str:
        there = str.maketrans("abcdefghijklmnopqrstuvwxyz234567", "0123456789abcdefghjkmnpqrstvwxyz")
        return super().base32(data).translate(there)


@wrong("SD-TEXT-1", "you write hexadecimal instead of base32")
class TextHexadecimal(Steps):
    def base32(self, data: bytes) -> str:
        return data.hex()


@wrong("SD-TEXT-2", "you put the spare bits in front: you write the integer in base 32 instead of the bytes in base32")
class TextIntegerBase32(Steps):
    def base32(self, data: bytes) -> str:
        digits = -(-8 * len(data) // 5)
        value = int.from_bytes(data, "big")
        return "".join("abcdefghijklmnopqrstuvwxyz234567"[value >> 5 * i & 31] for i in reversed(range(digits)))


@wrong("SD-TEXT-2", "you set the spare bit")
class TextSpareSet(Steps):
    def base32(self, data: bytes) -> str:
        right = super().base32(data)
        alphabet = "abcdefghijklmnopqrstuvwxyz234567"
        return right[:-1] + alphabet[alphabet.index(right[-1]) | 1]


class _Lenient(Steps):
    def repaired(self, text: str) -> str:
        raise AssertionError("replaced by each wrong port")

    def decode(self, text: str, scheme: str | None = None) -> Fingerprint:
        return super().decode(self.repaired(text), scheme)


@wrong("SD-TEXT-3", "your decoder does not take capital letters")
class DecodeLowerOnly(_Lenient):
    def repaired(self, text: str) -> str:
        digits = text.rpartition(":")[2]
        if digits != digits.lower():
            raise BadCharacterError("a capital letter")
        return text


@wrong("SD-TEXT-3", "your decoder accepts padding")
class DecodeTakesPadding(_Lenient):
    def repaired(self, text: str) -> str:
        return text.rstrip("=")


@wrong("SD-TEXT-3", "your decoder strips white space")
class DecodeStripsSpace(_Lenient):
    def repaired(self, text: str) -> str:
        return "".join(text.split())


@wrong("SD-TEXT-3", "your decoder skips hyphens")
class DecodeSkipsHyphens(_Lenient):
    def repaired(self, text: str) -> str:
        return text.replace("-", "")


@wrong("SD-TEXT-3", "your decoder reads 0 as o, 1 as l and 8 as b")
class DecodeLooksAlike(_Lenient):
    def repaired(self, text: str) -> str:
        scheme, colon, digits = text.rpartition(":")
        return scheme + colon + digits.translate(str.maketrans("018", "olb"))


@wrong("SD-TEXT-3", "your decoder folds non-ASCII letters, such as the Kelvin sign, into the alphabet")
class DecodeFoldsUnicode(_Lenient):
    def repaired(self, text: str) -> str:
        return text.lower().replace("\u017f", "s")


@wrong("SD-TEXT-3", "your decoder accepts a set spare bit")
class DecodeTakesSpareBits(Steps):
    def decode(self, text: str, scheme: str | None = None) -> Fingerprint:
        try:
            return super().decode(text, scheme)
        except SpareBitsError:
            prefix, colon, digits = text.rpartition(":")
            padded = digits.upper() + "=" * (-len(digits) % 8)
            size = {known.characters: known.bits // 8 for known in schemes().values()}[len(digits)]
            right = base64.b32encode(base64.b32decode(padded)[:size]).decode().rstrip("=")
            return super().decode(prefix + colon + right, scheme)


@wrong("SD-TEXT-3", "your decoder ignores characters after the 13th")
class DecodeTakesLong(Steps):
    def decode(self, text: str, scheme: str | None = None) -> Fingerprint:
        try:
            return super().decode(text, scheme)
        except BadLengthError:
            prefix, colon, digits = text.rpartition(":")
            return super().decode(prefix + colon + digits[:13], scheme)


@wrong("SD-TEXT-3", "your decoder fills up a text that is too short")
class DecodeTakesShort(Steps):
    def decode(self, text: str, scheme: str | None = None) -> Fingerprint:
        try:
            return super().decode(text, scheme)
        except BadLengthError:
            prefix, colon, digits = text.rpartition(":")
            return super().decode(prefix + colon + digits.ljust(13, "a"), scheme)


@wrong("SD-TEXT-4", "you check the length before the characters")
class DecodeLengthFirst(_Lenient):
    def repaired(self, text: str) -> str:
        digits = text.rpartition(":")[2]
        if len(digits) not in {known.characters for known in schemes().values()}:
            raise BadLengthError("another length")
        return text


@wrong("SD-TEXT-4", "you take padding for any other bad character")
class DecodePaddingIsCharacter(_Lenient):
    def repaired(self, text: str) -> str:
        if "=" in text:
            raise BadCharacterError("a padding character")
        return text


@wrong("SD-TEXT-5", "your decoder does not take the short id in capital letters")
class DecodeIdLowerOnly(_Lenient):
    def repaired(self, text: str) -> str:
        prefix = text.rpartition(":")[0]
        if prefix != prefix.lower():
            raise UnknownSchemeError("a capital letter")
        return text


@wrong("SD-TEXT-5", "you write and read the long name of the scheme instead of its short id")
class TextLongName(Steps):
    def encode(self, data: bytes, scheme: str, *, canonical: bool) -> str:
        return super().encode(data, scheme, canonical=canonical).replace("sd", "simhash-doc-")


@wrong("SD-TEXT-5", "you write the text form without its scheme")
class TextWithoutScheme(Steps):
    def encode(self, data: bytes, scheme: str, *, canonical: bool) -> str:
        return super().encode(data, scheme, canonical=canonical).rpartition(":")[2]


@wrong("SD-CUSTOM-1", "you lose the mark of a customised fingerprint when you read it")
class CustomMarkLost(_Lenient):
    def repaired(self, text: str) -> str:
        return re.sub(r"(?i)\+custom:", ":", text)


@wrong("SD-CUSTOM-1", "you refuse customised fingerprints as an unknown scheme")
class CustomRefused(_Lenient):
    def repaired(self, text: str) -> str:
        if "+" in text:
            raise UnknownSchemeError("a mark")
        return text


@wrong("SD-CUSTOM-2", "you write customised fingerprints like canonical ones")
class CustomUnmarked(Steps):
    def encode(self, data: bytes, scheme: str, *, canonical: bool) -> str:
        return super().encode(data, scheme, canonical=True)


@wrong("SD-WIDE-1", "you read a fingerprint of an unknown scheme by its length")
class SchemeByLength(_Lenient):
    def repaired(self, text: str) -> str:
        prefix, _, digits = text.rpartition(":")
        return text if prefix.lower().removesuffix("+custom") in schemes() else digits


@wrong("SD-WIDE-3", "you write the words of a wide fingerprint last word first")
class WideWordsReversed(Steps):
    def base32(self, data: bytes) -> str:
        return super().base32(b"".join(reversed([data[i : i + 8] for i in range(0, len(data), 8)])))


@wrong("SD-WIDE-3", "you encode each word of a wide fingerprint on its own")
class WideWordsApart(Steps):
    def base32(self, data: bytes) -> str:
        return "".join(super(WideWordsApart, self).base32(data[i : i + 8]) for i in range(0, len(data), 8))


@wrong("SD-WIDE-3", "you interleave the bytes of the words of a wide fingerprint")
class WideBytesInterleaved(Steps):
    def base32(self, data: bytes) -> str:
        return super().base32(bytes(data[8 * word + i] for i in range(8) for word in range(len(data) // 8)))
