"""A fingerprint as a value."""

from __future__ import annotations

from dataclasses import dataclass
from functools import total_ordering
from typing import Literal

from simhash_doc import reference
from simhash_doc.errors import BadLengthError, SchemeMismatchError
from simhash_doc.pinned import Scheme, schemes
from simhash_doc.pinned import scheme as find_scheme

CUSTOM_SUFFIX = "+custom"  # SD-CUSTOM-2
Verdict = Literal["close", "loose", "distinct"]


@total_ordering
@dataclass(frozen=True, slots=True)
class Fingerprint:
    """A fingerprint of one scheme: immutable, hashable, and ordered by value within its scheme.

    Attributes:
        value: the bits as an unsigned integer; word 0 is the most significant 64 bits.
        scheme_id: short id of the scheme, such as ``sd64``.
        canonical: False if a tokenizer or stop list of the caller's made it (spec, section 11).

    >>> fingerprint = Fingerprint.parse("sd64:larqgiqsckcca")
    >>> str(fingerprint), fingerprint.hex, fingerprint.scheme.bits
    ('larqgiqsckcca', '5823032212128420', 64)
    """

    value: int
    scheme_id: str = "sd64"
    canonical: bool = True

    def __post_init__(self) -> None:
        bits = find_scheme(self.scheme_id).bits
        if not 0 <= self.value < 1 << bits:
            raise ValueError(f"{self.value} is not an unsigned integer of {bits} bits")

    @classmethod
    def parse(cls, text: str, scheme: str | None = None) -> Fingerprint:
        """Read the text form, with its scheme (``sd64:...``) or without.

        Without one, `scheme` says which it is; without that too, the length does.

        Raises:
            UnknownSchemeError, PaddingError, BadCharacterError, BadLengthError, SpareBitsError:
                what is wrong with the text (SD-TEXT-4).
            SchemeMismatchError: the text names another scheme than `scheme`.
        """
        prefix, colon, rest = text.partition(":")
        digits = rest if colon else text
        named, canonical = prefix.lower(), True
        if named.endswith(CUSTOM_SUFFIX):
            named, canonical = named.removesuffix(CUSTOM_SUFFIX), False
        if not colon:
            expected = find_scheme(scheme) if scheme else _scheme_by_length(text)
        else:
            expected = _scheme_by_id(named)
            if scheme and find_scheme(scheme) != expected:
                raise SchemeMismatchError(f"{text!r} is of scheme {expected.id}, not {scheme}")
        return cls.from_bytes(reference.decode(digits, expected.id), expected.id, canonical=canonical)

    @classmethod
    def from_bytes(cls, data: bytes, scheme: str = "sd64", *, canonical: bool = True) -> Fingerprint:
        """Return the fingerprint with these bytes, most significant first."""
        known = find_scheme(scheme)
        if 8 * len(data) != known.bits:
            raise BadLengthError(f"{len(data)} bytes; {known.id} has {known.bits // 8}")
        return cls(int.from_bytes(data, "big"), known.id, canonical)

    @property
    def scheme(self) -> Scheme:
        return find_scheme(self.scheme_id)

    @property
    def hex(self) -> str:
        """The value in hexadecimal, most significant digit first, all digits."""
        return f"{self.value:0{self.scheme.bits // 4}x}"

    def __int__(self) -> int:
        return self.value

    def __bytes__(self) -> bytes:
        return self.value.to_bytes(self.scheme.bits // 8, "big")

    def __str__(self) -> str:
        """The text form in base32, without its scheme."""
        return reference.encode(bytes(self))

    def to_uri(self) -> str:
        """The text form with its scheme, such as ``sd64:larqgiqsckcca`` (SD-TEXT-5)."""
        return f"{self.scheme_id}{'' if self.canonical else CUSTOM_SUFFIX}:{self}"

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Fingerprint) or other.scheme_id != self.scheme_id:
            return NotImplemented
        return (self.value, self.canonical) < (other.value, other.canonical)

    def distance(self, other: Fingerprint) -> int:
        """Return the Hamming distance: the number of bits that differ (SD-DIST-1).

        Raises:
            SchemeMismatchError: the fingerprints are of different schemes (SD-DIST-2).
        """
        if self.scheme_id != other.scheme_id:
            raise SchemeMismatchError(f"{self.scheme_id} and {other.scheme_id} fingerprints cannot be compared")
        return (self.value ^ other.value).bit_count()

    def similarity(self, other: Fingerprint) -> float:
        """Return 1 - distance / bits, in [0, 1] (SD-DIST-3)."""
        return 1 - self.distance(other) / self.scheme.bits

    def verdict(self, other: Fingerprint) -> Verdict:
        """Return close, loose or distinct by the recommended thresholds of the scheme (spec, section 10)."""
        distance = self.distance(other)
        if distance <= self.scheme.close:
            return "close"
        return "loose" if distance <= self.scheme.loose else "distinct"


def _scheme_by_id(short_id: str) -> Scheme:
    if short_id not in schemes():
        find_scheme("" if short_id in {known.name for known in schemes().values()} else short_id)
    return schemes()[short_id]


def _scheme_by_length(text: str) -> Scheme:
    for known in schemes().values():
        if len(text) == known.characters:
            return known
    # Padding and bad characters are named first (SD-TEXT-4); any scheme tells them.
    reference.decode(text, "sd64")
    lengths = ", ".join(f"{known.characters} ({known.id})" for known in schemes().values())
    raise BadLengthError(f"{text!r} has {len(text)} characters; a fingerprint has {lengths}")
