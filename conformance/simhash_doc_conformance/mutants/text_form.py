"""Mutants of section 9, text form, of section 11, customised fingerprints, and of section 12, wide schemes.

Those of names and marks as a text form writes them are in `scheme_names`.
"""

from __future__ import annotations

import base64
import re
import unicodedata
from collections.abc import Callable, Sequence

from simhash_doc.errors import (
    BadCharacterError,
    BadLengthError,
    MalformedFingerprintError,
    SchemeMismatchError,
    SpareBitsError,
    SpecError,
    UnknownSchemeError,
)
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.reference import BASE32
from simhash_doc.schemes import get_schemes
from simhash_doc_conformance.adapters.implementation import Implementation
from simhash_doc_conformance.mutants import after, before, failing, mutant, of_sizes, table
from simhash_doc_conformance.vectors.inputs import Entry

_CROCKFORD = str.maketrans(BASE32, "0123456789abcdefghjkmnpqrstvwxyz")


def _lanes(data: bytes) -> list[bytes]:
    return [data[start : start + 8] for start in range(0, len(data), 8)]


def _integer_base32(data: bytes) -> str:
    digits = -(-8 * len(data) // 5)
    return "".join(BASE32[int.from_bytes(data) >> 5 * i & 31] for i in reversed(range(digits)))


def split(text: str) -> tuple[str, str]:
    """Return a text form up to the last colon, and its digits."""
    name, colon, digits = text.rpartition(":")
    return name + colon, digits


def prefix(text: str) -> str:
    """Return what precedes the first colon of a text form, in lower case."""
    return text.partition(":")[0].lower()


def _id_of(text: str) -> str:
    """Return the short id that a text form names, in lower case; empty if it names none."""
    return text.rpartition(":")[0].lower().removesuffix("+custom")


def _id_by_digits(digits: str) -> str | None:
    return next((known.id for known in get_schemes().values() if known.characters == len(digits)), None)


def _id_by_bytes(data: bytes) -> str | None:
    return next((known.id for known in get_schemes().values() if known.bits == 8 * len(data)), None)


def _spare_cleared(text: str) -> str:
    """Return a text form of the right length without the bits of its last digit that are not part of the value."""
    digits = split(text)[1]
    spare = 5 * len(digits) - next(known.bits for known in get_schemes().values() if known.characters == len(digits))
    return text[:-1] + BASE32[BASE32.index(text[-1].lower()) >> spare << spare]


table("SD-TEXT-1", encode={
    "text-little-endian": ("writes the bytes least significant first",
        before(lambda data: b"".join(lane[::-1] for lane in _lanes(data)))),
    "text-upper-case": ("writes capital letters", after(lambda digits: digits.upper())),
    "text-padded": ("keeps the padding", lambda data: base64.b32encode(data).decode().lower()),
    "text-base32-hex": ("uses base32hex", lambda data: base64.b32hexencode(data).decode().lower().rstrip("=")),
    "text-crockford": ("uses Crockford's base32 alphabet", after(lambda digits: digits.translate(_CROCKFORD))),
    "text-leading-zeros-lost": ("leaves out leading zeros", after(lambda digits: digits.lstrip("a"))),
    "text-hexadecimal": ("writes hexadecimal instead of base32", lambda data: data.hex()),
})  # fmt: skip

table("SD-TEXT-2", encode={
    "text-integer-base32": ("puts the spare bits first: writes the integer in base 32, not the bytes in base32",
        lambda data: _integer_base32(data)),
    "text-spare-set": ("sets the spare bit",
        lambda step, data: step(data)[:-1] + BASE32[BASE32.index(step(data)[-1]) | 1]),
})  # fmt: skip


def _low_tags(text: str) -> str:
    return "".join(chr(ord(c) - 0xE0000) if "\U000e0020" <= c <= "\U000e007e" else c for c in text)


class Reading(Implementation):
    """Reads a text form in steps that mutants replace.

    Attributes:
        refused_text: which text forms are refused before they are read, and the error.
        retried: the error after which a text form is read once more, and the text that is read.
        refused_value: which values (of a text form with an expected scheme) are refused, and the error.
    """

    refused_text: tuple[Callable[[str], bool], type[SpecError]] | None = None
    retried: tuple[type[SpecError], Callable[[str], str]] | None = None
    refused_value: tuple[Callable[[Fingerprint, str, str | None], bool], type[SpecError]] | None = None

    def repaired(self, text: str) -> str:
        """Return the text that is read."""
        return text

    def expected(self, text: str, scheme: str | None) -> str | None:
        """Return the scheme that is expected."""
        return scheme

    def returned(self, found: Fingerprint, text: str) -> Fingerprint:
        """Return the fingerprint that is returned."""
        return found

    def parse(self, text: str, scheme: str | None = None) -> Fingerprint:
        if self.refused_text and self.refused_text[0](text):
            raise self.refused_text[1]("refused")
        try:
            found = super().parse(self.repaired(text), self.expected(text, scheme))
        except SpecError as error:
            if self.retried is None or not isinstance(error, self.retried[0]):
                raise
            found = super().parse(self.retried[1](text), scheme)
        if self.refused_value and self.refused_value[0](found, text, scheme):
            raise self.refused_value[1]("refused")
        return self.returned(found, text)


table("SD-TEXT-3", Reading, refused_text={
    "decode-lower-only": ("rejects capital letters when decoding",
        (lambda text: split(text)[1] != split(text)[1].lower(), BadCharacterError)),
}, repaired={
    "decode-takes-padding": ("accepts padding when decoding", lambda text: text.rstrip("=")),
    "decode-strips-space": ("strips white space when decoding", lambda text: "".join(text.split())),
    "decode-skips-hyphens": ("skips hyphens when decoding", lambda text: text.replace("-", "")),
    "decode-looks-alike": ("reads 0 as o, 1 as l and 8 as b when decoding",
        lambda text: split(text)[0] + split(text)[1].translate(str.maketrans("018", "olb"))),
    "decode-folds-unicode": ("folds non-ASCII letters, such as the Kelvin sign, into the alphabet when decoding",
        lambda text: text.lower().replace("\u017f", "s")),
    "decode-lower-cases": ("lower-cases all letters of a text form, so that U+0130 and U+212A are letters",
        lambda text: text.lower().replace("\u0307", "")),
    "decode-drops-nul": ("drops U+0000 when decoding", lambda text: text.replace("\0", "")),
    "decode-ends-at-nul": ("ends a text form at U+0000 (strings of C)", lambda text: text.partition("\0")[0]),
}, retried={
    "decode-takes-long": ("ignores characters after the 13th when decoding",
        (BadLengthError, lambda text: split(text)[0] + split(text)[1][:13])),
    "decode-takes-short": ("pads a short text when decoding",
        (BadLengthError, lambda text: split(text)[0] + split(text)[1].ljust(13, "a"))),
}, returned={
    "decode-hex-low-word": ("loses the leading zeros of the low 32 bits of a value",
        lambda found, text: Fingerprint(
            int(f"{found.value >> 32:x}{found.value & 0xFFFFFFFF:x}", 16), "sd64", canonical=found.canonical)
        if found.scheme.id == "sd64" else found),
})  # fmt: skip


table("SD-TEXT-5", Reading, retried={
    "decode-takes-spare-bits": ("accepts a set spare bit when decoding", (SpareBitsError, _spare_cleared)),
    "decode-spare-one": ("checks the lowest spare bit only",
        (SpareBitsError, lambda text: text if BASE32.index(text[-1].lower()) & 1 else _spare_cleared(text))),
}, refused_value={
    "decode-spare-four": ("checks four spare bits of sd512, which has three",
        (lambda found, text, scheme: found.scheme.id == "sd512" and found.value & 1 == 1, SpareBitsError)),
})  # fmt: skip


def _low_bits(bits: int) -> Callable[[str], str]:
    """Return the change that keeps so many bits of each code point of the digits."""
    return lambda text: split(text)[0] + "".join(chr(ord(c) % 2**bits) for c in split(text)[1])


def _name_bits(bits: int) -> Callable[[str], str]:
    return lambda text: "".join(chr(ord(c) % 2**bits) for c in split(text)[0]) + split(text)[1]


def _normalized(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


table("SD-TEXT-3", Reading, repaired={
    **of_sizes("digits-low{}", "reads the low {} bits of each digit", _low_bits, 7, 8, 12, 16, 17, 20),
    **of_sizes("name-low{}", "reads the low {} bits of each character of a name", _name_bits, 7, 8, 12, 16, 17, 20),
    **of_sizes("colon-low{}", "looks for a colon in the low {} bits", lambda bits: lambda text: "".join(
        ":" if ord(c) % 2**bits == 0x3A else c for c in text), 7, 8, 12, 16, 17, 20),
    "digits-nfkc": ("reads the NFKC of a text form", lambda text: _normalized(text).lower()),
    "digits-full-width": ("reads full-width digits",
        lambda text: "".join(chr(ord(c) - 0xFEE0) if "\uff01" <= c <= "\uff5e" else c for c in text)),
    "digits-alike": ("reads letters that look like digits",
    lambda text: text.translate(str.maketrans("\u0435\u03b5\u1d07", "eee"))),
    "digits-accents": ("reads letters with accents as digits without",
        lambda text: "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))),
    "digits-ignorable": ("drops characters that nobody sees",
    lambda text: re.sub("[\u00ad\u200b-\u200d\ufe0f]", "", text)),
    "digits-tags": ("reads tag characters", _low_tags),
    "digits-enclosed": ("reads enclosed letters",
    lambda text: text.translate(str.maketrans("\U0001f154\U0001f1ea\u24d4", "eee"))),
})  # fmt: skip

table("SD-TEXT-4", Reading, refused_text={
    "decode-length-first": ("checks the length before the characters when decoding",
        (lambda text: _id_by_digits(split(text)[1]) is None, BadLengthError)),
    "decode-character-first": ("reports another bad character before padding",
        (lambda text: "=" in text and bool(re.search("[^A-Za-z2-7=]", split(text)[1])), BadCharacterError)),
    "decode-padding-is-character": ("reports padding as bad character", (lambda text: "=" in text, BadCharacterError)),
    "non-ascii-before-padding": ("reports a character beyond ASCII before padding",
        (lambda text: not (text.partition(":")[2] or text).isascii(), BadCharacterError)),
})  # fmt: skip


def _one_name(right: Implementation, text: str, scheme: str | None = None) -> Fingerprint:
    try:
        return right.parse(text, scheme)
    except MalformedFingerprintError:
        raise BadCharacterError(text) from None


table("SD-ERR-1", parse={
    "errors-one-name": ("reports every malformed text form as a bad character", _one_name),
})  # fmt: skip


table("SD-CUSTOM-1", Reading, repaired={
    "custom-mark-lost": ("loses the mark +custom when decoding", lambda text: re.sub(r"(?i)\+custom:", ":", text)),
}, refused_text={
    "custom-refused": ("rejects customised fingerprints as unknown", (lambda text: "+" in text, UnknownSchemeError)),
})  # fmt: skip

table("SD-CUSTOM-2", text_form={
    "custom-unmarked": ("writes customised fingerprints like canonical ones",
        lambda step, data, scheme, *, canonical: step(data, scheme, canonical=True)),
})  # fmt: skip

table("SD-WIDE-1", Reading, repaired={
    "scheme-by-length": ("reads a fingerprint of an unknown scheme by its length",
        lambda text: text if _id_of(text) in get_schemes() else split(text)[1]),
})  # fmt: skip

table("SD-WIDE-3", encode={
    "wide-words-reversed": ("writes the lanes of a wide fingerprint in reverse order",
        before(lambda data: b"".join(reversed(_lanes(data))))),
    "wide-words-apart": ("encodes each lane separately", lambda step, data: "".join(map(step, _lanes(data)))),
    "wide-bytes-interleaved": ("interleaves the bytes of the lanes of a wide fingerprint",
        before(lambda data: bytes(lane[i] for i in range(8) for lane in _lanes(data)))),
})  # fmt: skip


def _scheme_by_length_only(right: Implementation, text: str, scheme: str | None = None) -> Fingerprint:
    digits = split(text)[1]
    known = _id_by_digits(digits)
    if known is None or ":" not in text:
        return right.parse(text, scheme)
    mark = "+custom" if prefix(text).endswith("+custom") else ""
    return right.parse(f"{known}{mark}:{digits}", scheme)


def _repaired(right: Implementation, text: str) -> str:
    try:
        right.parse(text)
    except SpareBitsError:
        return _spare_cleared(text)
    return text


table("SD-TEXT-3", parse_all={
    "distance-lenient": ("ignores a spare bit in distances",
        lambda right, texts: right.parse_all([_repaired(right, text) for text in texts])),
})  # fmt: skip


def _distance_case(right: Implementation, texts: Sequence[str]) -> list[Fingerprint]:
    found = right.parse_all(texts)
    names = {text.partition(":")[0] for text in texts if ":" in text and "+" not in text}
    if len(names) > 1 and len({fingerprint.scheme.id for fingerprint in found}) == 1:
        raise SchemeMismatchError("the case differs")
    return found


mutant(
    "scheme-sd32", "SD-TEXT-7", "accepts the short id sd32",
    text_form=lambda step, data, scheme, *, canonical: step(
        data, "sd64" if scheme == "sd32" and len(data) == 8 else scheme, canonical=canonical),
    parse=lambda step, text, scheme=None: step(
        re.sub("(?i)^sd32:", "sd64:", text), "sd64" if scheme == "sd32" else scheme),
)  # fmt: skip

table("SD-TEXT-4", parse={
    "mismatch-last": ("decodes the characters before it compares the scheme with the expected one",
        lambda step, text, scheme=None: step(
            str(step(text)) if scheme is not None and ":" in text else text, scheme)),
    "mismatch-before-unknown": ("reports an unknown scheme as a mismatch if another one is expected",
        lambda step, text, scheme=None: failing(SchemeMismatchError("not the expected scheme"))
        if scheme in get_schemes() and ":" in text and _id_of(text) not in get_schemes()
        else step(text, scheme)),
})  # fmt: skip


def _mismatch_is_unknown(right: Implementation, text: str, scheme: str | None = None) -> Fingerprint:
    try:
        return right.parse(text, scheme)
    except SchemeMismatchError as error:
        raise UnknownSchemeError(str(error)) from error


table("SD-TEXT-5", text_form={
    "text-long-name": ("writes and reads the long name of the scheme instead of its short id",
        after(lambda text: text.replace("sd", "simhash-doc-"))),
    "text-without-scheme": ("writes the text form without its scheme", after(lambda text: text.rpartition(":")[2])),
}, parse={
    "scheme-by-length-only": ("reads the scheme from the number of digits, whatever is named", _scheme_by_length_only),
    "mismatch-is-unknown": ("reports another scheme than the expected one as unknown", _mismatch_is_unknown),
}, parse_all={
    "distance-case": ("treats text forms in capital letters as of another scheme", _distance_case),
})  # fmt: skip


table("SD-TEXT-6", Reading, returned={
    "bare-is-custom": ("reads a text form without a scheme as customised",
        lambda found, text: found if ":" in text else Fingerprint(found.value, found.scheme.id, canonical=False)),
})  # fmt: skip


table("SD-TEXT-7", Reading, refused_value={
    "mismatch-custom": ("reports a customised fingerprint as another scheme than the expected one",
        (lambda found, text, scheme: scheme is not None and not found.canonical, SchemeMismatchError)),
})  # fmt: skip


class _Names(Implementation):
    """Accepts other names of schemes."""

    read_name: Callable[..., str]

    def fingerprint_text_form(self, given: str | bytes, scheme: str) -> str:
        return super().fingerprint_text_form(given, self.read_name(scheme))

    def text_form(self, data: bytes, scheme: str, *, canonical: bool) -> str:
        return super().text_form(data, self.read_name(scheme), canonical=canonical)

    def parse(self, text: str, scheme: str | None = None) -> Fingerprint:
        return super().parse(text, None if scheme is None else self.read_name(scheme))


table("SD-TEXT-7", _Names, read_name={
    "scheme-name-any-case": ("accepts the name of a scheme in capital letters", lambda scheme: scheme.lower()),
    "scheme-name-long": ("accepts the long name of a scheme",
        lambda scheme: {known.name: known.id for known in get_schemes().values()}.get(scheme, scheme)),
    "scheme-name-custom": ("accepts the name of a scheme with +custom", lambda scheme: scheme.removesuffix("+custom")),
    "scheme-name-empty": ("treats an empty name of a scheme as sd64", lambda scheme: scheme or "sd64"),
})  # fmt: skip


def _encode_unknown_scheme(right: Implementation, data: bytes, scheme: str, *, canonical: bool) -> str:
    known = _id_by_bytes(data)
    if scheme in get_schemes() or known is None:
        return right.text_form(data, scheme, canonical=canonical)
    return right.text_form(data, known, canonical=canonical).replace(known, scheme, 1)


table("SD-WIDE-1", fingerprint_text_form={
    "fingerprint-unknown-scheme": ("computes sd64 if the scheme to compute is unknown",
        lambda step, given, scheme: step(given, scheme if scheme in get_schemes() else "sd64")),
    "no-token-before-scheme": ("looks for tokens before it looks at the scheme",
        lambda right, given, scheme: right.fingerprint_text_form(given, scheme) if right.tokens(given)
        else right.no_token(1)),
}, text_form={
    "encode-unknown-scheme": ("writes any name before the colon when encoding", _encode_unknown_scheme),
})  # fmt: skip


def _encode_length_unchecked(right: Implementation, data: bytes, scheme: str, *, canonical: bool) -> str:
    try:
        return right.text_form(data, scheme, canonical=canonical)
    except BadLengthError:
        return f"{scheme}{'' if canonical else '+custom'}:{right.encode(data)}"


table("SD-TEXT-8", text_form={
    "encode-length-unchecked": ("encodes bytes of any number", _encode_length_unchecked),
    "encode-scheme-from-length": ("takes the scheme from the number of bytes when encoding",
        lambda step, data, scheme, *, canonical: step(
            data, (scheme in get_schemes() and _id_by_bytes(data)) or scheme, canonical=canonical)),
    "encode-length-first": ("checks the number of bytes before the scheme when encoding",
        lambda step, data, scheme, *, canonical: step(
            data, scheme if _id_by_bytes(data) else "sd64", canonical=canonical)),
})  # fmt: skip


def _texts_by_error(right: Implementation, texts: Sequence[str]) -> list[Fingerprint]:
    order = ("unknown-scheme", "padding", "bad-character", "bad-length", "spare-bits")
    found: list[SpecError] = []
    for text in texts:
        try:
            right.parse(text)
        except SpecError as error:
            found.append(error)
    if found:
        raise min(found, key=lambda error: order.index(error.code))
    return right.parse_all(texts)


def _entries_one_by_one(right: Implementation, entries: Sequence[Entry], queries: Sequence[str]) -> None:
    first = None
    for text in [*(text for _, text in entries), *queries]:
        found = right.parse(text)
        first = first or found
        if found.scheme.id != first.scheme.id:
            raise SchemeMismatchError("not the scheme of the first entry")


table("SD-TEXT-9", parse_all={
    "texts-backwards": ("checks text forms from the last to the first", lambda step, texts: step(texts[::-1])[::-1]),
    "texts-schemes-first": ("compares the schemes of several text forms before it decodes them",
        lambda step, texts: step(texts)
        if len({_id_of(text) for text in texts} & set(get_schemes())) < 2
        else failing(SchemeMismatchError("two schemes"))),
    "texts-by-error": ("checks for each kind of error in all text forms before the next kind", _texts_by_error),
}, check_search={
    "queries-before-entries": ("checks queries before entries",
        lambda right, entries, queries: (right.parse_all(queries), right.check_search(entries, queries))),
    "entries-one-by-one": ("compares the scheme of each entry before it reads the next", _entries_one_by_one),
})  # fmt: skip
