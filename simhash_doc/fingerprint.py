"""A fingerprint as a value."""

from __future__ import annotations

from dataclasses import dataclass
from functools import total_ordering
from operator import index
from typing import Literal

from simhash_doc import base32
from simhash_doc.errors import BadLengthError, SchemeMismatchError, shortened
from simhash_doc.schemes import Scheme, get_scheme, get_schemes

CUSTOM_SUFFIX = "+custom"  # SD-CUSTOM-2
Verdict = Literal["close", "loose", "distinct"]

# `reference` is imported where it is used: it loads tables, and `import simhash_doc` is meant to be cheap.


@total_ordering
@dataclass(frozen=True, slots=True)
class Fingerprint:
    """A fingerprint of one scheme: immutable, hashable, and ordered by value within its scheme.

    Attributes:
        value: the bits as an unsigned integer; lane 0 is the most significant 64 bits.
        scheme_id: short id of the scheme, such as ``sd64``.
        canonical: False if it was computed with a tokenizer or stop list of the caller (spec, section 11).

    >>> fingerprint = Fingerprint.parse("sd64:larqgiqsckcca")
    >>> str(fingerprint), fingerprint.hex, fingerprint.scheme.bits
    ('sd64:larqgiqsckcca', '5823032212128420', 64)
    """

    value: int
    scheme_id: str = "sd64"
    canonical: bool = True

    def __post_init__(self) -> None:
        bits, value = get_scheme(self.scheme_id).bits, self.value
        if type(value) is not int:
            try:
                value = index(value)  # as for a list index: numpy integers too, and no fractions
            except TypeError:
                raise TypeError(f"the value is {type(value).__name__}; expected an integer") from None
            object.__setattr__(self, "value", value)
        if value >> bits:  # -1 of a negative integer
            shown = value if value.bit_length() <= 2 * bits else f"an integer of {value.bit_length()} bits"
            raise ValueError(f"{shown} is not an unsigned integer of {bits} bits")

    @classmethod
    def parse(cls, text: str, scheme: str | None = None) -> Fingerprint:
        """Return the fingerprint with this text form: ``sd64:...``, or the base32 digits alone.

        Args:
            text: the text form, in lower or upper case.
            scheme: short id of the scheme. By default the text, or else its length, decides.

        Raises:
            TypeError: the text is not a str.
            UnknownSchemeError, PaddingError, BadCharacterError, BadLengthError, SpareBitsError:
                the text form is malformed (SD-TEXT-4).
            SchemeMismatchError: the text names another scheme than `scheme`.
        """
        if not isinstance(text, str):
            raise TypeError(f"the text form is {type(text).__name__}; expected str")
        prefix, colon, rest = text.partition(":")
        digits = rest if colon else text
        named, canonical = prefix.lower(), True
        if named.endswith(CUSTOM_SUFFIX):
            named, canonical = named.removesuffix(CUSTOM_SUFFIX), False
        if not colon:
            expected = get_scheme(scheme) if scheme is not None else _scheme_by_length(text)
        else:
            expected = get_scheme(named)
            if scheme is not None and get_scheme(scheme) != expected:
                raise SchemeMismatchError(f"{shortened(text)} has the scheme {expected.id}; expected {scheme}")
        value = base32.decode(digits, expected)
        if value is None:  # The reference names the error.
            from simhash_doc import reference

            value = int.from_bytes(reference.decode(digits, expected.id), "big")
        return cls(value, expected.id, canonical)

    @classmethod
    def from_bytes(cls, data: bytes, scheme: str = "sd64", *, canonical: bool = True) -> Fingerprint:
        """Return the fingerprint with these bytes, most significant first.

        Raises:
            BadLengthError: the scheme has another number of bytes.
            UnknownSchemeError: the scheme is not in the registry.
        """
        known = get_scheme(scheme)
        if 8 * len(data) != known.bits:
            raise BadLengthError(f"{len(data)} bytes given; {known.id} has {known.bits // 8}")
        return cls(int.from_bytes(data, "big"), known.id, canonical)

    @property
    def scheme(self) -> Scheme:
        """The scheme."""
        return get_scheme(self.scheme_id)

    @property
    def hex(self) -> str:
        """The value in hexadecimal, most significant digit first, with leading zeros."""
        return f"{self.value:0{self.scheme.bits // 4}x}"

    def __int__(self) -> int:
        return self.value

    def __bytes__(self) -> bytes:
        return self.value.to_bytes(self.scheme.bits // 8, "big")

    @property
    def base32(self) -> str:
        """The digits in base32 without the scheme, such as ``larqgiqsckcca`` (SD-TEXT-1)."""
        return base32.encode(bytes(self))

    def __str__(self) -> str:
        """Return the text form with its scheme, such as ``sd64:larqgiqsckcca`` (SD-TEXT-5, SD-CUSTOM-2)."""
        return f"{self.scheme_id}{'' if self.canonical else CUSTOM_SUFFIX}:{self.base32}"

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Fingerprint) or other.scheme_id != self.scheme_id:
            return NotImplemented
        return (self.value, self.canonical) < (other.value, other.canonical)

    def narrow(self, scheme: str) -> Fingerprint:
        """Return the fingerprint of the same text in a narrower scheme: the first lanes of this one (SD-NARROW-1).

        A fingerprint that is not canonical stays so.

        Raises:
            SchemeMismatchError: the scheme is wider than that of this fingerprint (SD-NARROW-2).
            UnknownSchemeError: the scheme is not in the registry.

        >>> wide = Fingerprint(0x5823032212128420 << 64 | 7, "sd128")
        >>> str(wide.narrow("sd64"))
        'sd64:larqgiqsckcca'
        """
        target, own = get_scheme(scheme), self.scheme
        if target.bits > own.bits:
            raise SchemeMismatchError(
                f"{own.id} cannot be narrowed to {target.id}, which is wider; fingerprint the text again"
            )
        return Fingerprint(self.value >> own.bits - target.bits, target.id, self.canonical)

    def distance(self, other: Fingerprint) -> int:
        """Return the Hamming distance: the number of bits that differ (SD-DIST-1).

        Raises:
            SchemeMismatchError: the fingerprints are of different schemes (SD-DIST-2).
        """
        if self.scheme_id != other.scheme_id:
            raise SchemeMismatchError(f"{self.scheme_id} and {other.scheme_id} fingerprints cannot be compared")
        return (self.value ^ other.value).bit_count()

    def similarity(self, other: Fingerprint) -> float:
        """Return 1 - distance / bits, in [0, 1] (SD-DIST-3).

        Raises:
            SchemeMismatchError: the fingerprints are of different schemes (SD-DIST-2).
        """
        return 1 - self.distance(other) / self.scheme.bits

    def verdict(self, other: Fingerprint) -> Verdict:
        """Return "close", "loose" or "distinct" by the recommended thresholds of the scheme (spec, section 10).

        Raises:
            SchemeMismatchError: the fingerprints are of different schemes (SD-DIST-2).
        """
        distance = self.distance(other)
        if distance <= self.scheme.close:
            return "close"
        return "loose" if distance <= self.scheme.loose else "distinct"


def _scheme_by_length(text: str) -> Scheme:
    from simhash_doc import reference

    for known in get_schemes().values():
        if len(text) == known.characters:
            return known
    # Padding and bad characters are reported before the length (SD-TEXT-4), the same for all schemes.
    reference.decode(text, "sd64")
    lengths = ", ".join(f"{known.characters} ({known.id})" for known in get_schemes().values())
    raise BadLengthError(f"{shortened(text)} has length {len(text)}; a fingerprint has {lengths} characters")
