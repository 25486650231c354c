"""A fingerprint as a value."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from functools import total_ordering
from operator import index
from typing import Any, Literal, SupportsIndex

from simhash_doc import base32
from simhash_doc.arguments import collection
from simhash_doc.errors import (
    BadCharacterError,
    BadLengthError,
    MalformedFingerprintError,
    PaddingError,
    SchemeMismatchError,
    SpecError,
    shortened,
    shown,
    warn_caller,
)
from simhash_doc.schemes import AnyScheme, Scheme, get_scheme, get_schemes

CUSTOM_SUFFIX = "+custom"  # SD-CUSTOM-2
_NOT_BASE32 = re.compile("[^A-Za-z2-7]")
_MOST_DIGITS = 1000  # more than any scheme has
Verdict = Literal["close", "loose", "distinct"]

# `reference` is imported where it is used: it loads tables, and `import simhash_doc` is meant to be cheap.


@total_ordering
class Fingerprint:  # no dataclass: `dataclasses.asdict` and FastAPI would take it apart
    """A fingerprint of one scheme. It is immutable and hashable, and ordered by value within its scheme.

    Like a `Path`, it does not equal its text form: compare `str(fingerprint)`, or parse the text.

    Args:
        value: the bits as an unsigned integer of Python or NumPy; lane 0 is the most significant 64 bits.
        scheme: a short id, for example ``sd64``, or a `Scheme`.
        canonical: False if it was computed with a tokenizer or stop list of the caller (spec, section 11).

    Raises:
        TypeError: the value is not an integer.
        ValueError: the value is negative, or has more bits than the scheme.
        UnknownSchemeError: the registry has no such scheme.

    >>> fingerprint = Fingerprint.parse("sd64:larqgiqsckcca")
    >>> str(fingerprint), fingerprint.hex, fingerprint.scheme.bits
    ('sd64:larqgiqsckcca', '5823032212128420', 64)
    """

    __slots__ = ("_canonical", "_scheme", "_value")

    def __init__(self, value: SupportsIndex, scheme: AnyScheme = "sd64", *, canonical: bool = True) -> None:
        known = get_scheme(scheme)
        if type(value) is not int:
            value = _integer(value, "the value")
        if value >> known.bits:  # -1 of a negative integer
            big = value.bit_length() > 2 * known.bits
            found = f"an integer of {value.bit_length()} bits" if big else value
            raise ValueError(f"{found} is not an unsigned integer of {known.bits} bits")
        self._value: int = value
        self._scheme = known
        self._canonical = canonical

    @property
    def value(self) -> int:
        """The bits as an int."""
        return self._value

    @property
    def scheme(self) -> Scheme:
        """The `Scheme`."""
        return self._scheme

    @property
    def canonical(self) -> bool:
        """False if it was computed with a tokenizer or stop list of the caller (spec, section 11)."""
        return self._canonical

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Fingerprint):
            return NotImplemented
        return (self._value, self._scheme, self._canonical) == (other._value, other._scheme, other._canonical)

    def __hash__(self) -> int:
        return hash((self._value, self._scheme.id, self._canonical))

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (self.value, self.scheme.id, self.canonical)

    def __repr__(self) -> str:
        return f"Fingerprint.parse({str(self)!r})"

    @classmethod
    def parse(cls, text: str, scheme: AnyScheme | None = None) -> Fingerprint:
        """Return the fingerprint with this text form: ``sd64:...``, or the base32 digits alone.

        Args:
            text: the text form, in lower or upper case.
            scheme: the expected scheme. By default, the prefix of the text or its length determines it.

        Raises:
            TypeError: the text is not a str.
            MalformedFingerprintError: the text form is malformed (SD-TEXT-4).
            UnknownSchemeError: the registry has no such scheme.
            SchemeMismatchError: the text names a different scheme than `scheme`.

        >>> Fingerprint.parse("larqgiqsckcca", "sd64") == Fingerprint.parse("sd64:larqgiqsckcca")
        True
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

            _refuse_long(digits, f"{expected.id} has {expected.characters}")
            value = int.from_bytes(reference.decode(digits, expected.id), "big")
        return cls(value, expected, canonical=canonical)

    @classmethod
    def from_bytes(
        cls, data: bytes | bytearray, scheme: AnyScheme | None = None, *, canonical: bool = True
    ) -> Fingerprint:
        """Return the fingerprint with these bytes, most significant first. `bytes(fingerprint)` returns them.

        Args:
            data: 8, 16, 32 or 64 bytes. For a row of an array, use `from_lanes`: NumPy stores the bytes of its integers
                in reverse order on most machines.
            scheme: the scheme; None for the scheme with this number of bytes.
            canonical: as for `Fingerprint`.

        Raises:
            TypeError: the data are not bytes.
            MalformedFingerprintError: the scheme, or every scheme, has a different number of bytes.

        >>> data = bytes(Fingerprint.parse("sd64:larqgiqsckcca"))
        >>> len(data), str(Fingerprint.from_bytes(data))
        (8, 'sd64:larqgiqsckcca')
        """
        if not isinstance(data, bytes | bytearray):
            remedy = "; a row of an array is given to from_lanes" if hasattr(data, "dtype") else ""
            raise TypeError(f"the data are {type(data).__name__}; expected bytes{remedy}")
        known = _scheme_of_size(8 * len(data), f"{len(data)} bytes", scheme)
        return cls(int.from_bytes(data, "big"), known, canonical=canonical)

    @classmethod
    def from_lanes(
        cls, lanes: SupportsIndex | Iterable[SupportsIndex], scheme: AnyScheme | None = None, *, canonical: bool = True
    ) -> Fingerprint:
        """Return the fingerprint with these lanes, the most significant first: a row of an array, or of a table.

        Args:
            lanes: 1, 2, 4 or 8 unsigned integers of 64 bits; or one integer for ``sd64``, for example an item of an
                array of shape (n,).
            scheme: the scheme; None for the scheme with this number of lanes.
            canonical: as for `Fingerprint`.

        Raises:
            TypeError: a lane is not an integer, or the array has integers of another size.
            ValueError: a lane is not in [0, 2^64). `from_signed` takes the signed integers of databases.
            MalformedFingerprintError: the scheme, or every scheme, has a different number of lanes.

        >>> Fingerprint.from_lanes([0x5823032212128420, 7]).hex
        '58230322121284200000000000000007'
        """
        given: Any = lanes
        is_one = hasattr(given, "__index__") and not getattr(given, "ndim", 0)
        listed = [given] if is_one else [*collection(given, "lanes", "integers")]
        if not is_one and (kind := _narrow_type(given)):
            raise TypeError(
                f"lanes are of type {kind}; expected 64 bits each: from_bytes takes the bytes of a fingerprint"
            )
        known = _scheme_of_size(64 * len(listed), f"{len(listed)} lanes", scheme)
        value = 0
        for at, lane in enumerate(listed):
            number = _integer(lane, f"lane {at}")
            if not 0 <= number < 1 << 64:
                raise ValueError(f"lane {at} is {number}; expected 0 to 2^64 - 1 (from_signed takes signed integers)")
            value = value << 64 | number
        return cls(value, known, canonical=canonical)

    @classmethod
    def from_hex(cls, text: str, scheme: AnyScheme | None = None, *, canonical: bool = True) -> Fingerprint:
        """Return the fingerprint with these hexadecimal digits, most significant first. `hex` returns them.

        Args:
            text: 16, 32, 64 or 128 digits, in lower or upper case.
            scheme: the scheme; None for the scheme with this number of digits.
            canonical: as for `Fingerprint`.

        Raises:
            TypeError: the text is not a str.
            MalformedFingerprintError: a character is not a digit; or the scheme, or every scheme, has another number of
                digits.

        >>> str(Fingerprint.from_hex("5823032212128420"))
        'sd64:larqgiqsckcca'
        """
        if not isinstance(text, str):
            raise TypeError(f"the text is {type(text).__name__}; expected str")
        for character in text:
            if character not in "0123456789abcdefABCDEF":
                raise BadCharacterError(f"{shortened(text)} has the character {character!r}; expected 0-9, a-f")
        known = _scheme_of_size(4 * len(text), f"{len(text)} hexadecimal digits", scheme)
        return cls(int(text, 16), known, canonical=canonical)

    @classmethod
    def from_signed(cls, value: SupportsIndex, scheme: AnyScheme = "sd64", *, canonical: bool = True) -> Fingerprint:
        """Return the fingerprint with this signed integer, as `signed` returns it.

        Args:
            value: an integer from -2^(bits - 1) to 2^(bits - 1) - 1.
            scheme: the scheme.
            canonical: as for `Fingerprint`.

        Raises:
            TypeError: the value is not an integer.
            ValueError: the value is out of its range.

        >>> Fingerprint.from_signed(-1).hex
        'ffffffffffffffff'
        """
        bits, number = get_scheme(scheme).bits, _integer(value, "the value")
        if number + (1 << bits - 1) >> bits:
            raise ValueError(f"{shown(number)} is not a signed integer of {bits} bits")
        return cls(number % (1 << bits), scheme, canonical=canonical)

    @property
    def signed(self) -> int:
        """The bits as a signed integer (two's complement), for example for a BIGINT column of ``sd64``.

        >>> Fingerprint(2**64 - 1).signed
        -1
        """
        bits = self.scheme.bits
        return self.value - (1 << bits) if self.value >> bits - 1 else self.value

    @property
    def lanes(self) -> tuple[int, ...]:
        """The value as unsigned 64-bit integers, the most significant first."""
        shifts = range(self.scheme.bits - 64, -1, -64)
        return tuple(self.value >> shift & (1 << 64) - 1 for shift in shifts)

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
        return f"{self.scheme.id}{'' if self.canonical else CUSTOM_SUFFIX}:{self.base32}"

    def __format__(self, specification: str) -> str:
        """Return the text form, padded and aligned as a str."""
        return format(str(self), specification)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        """Let pydantic read a `Fingerprint` or its text form, and write the text form."""
        from pydantic_core import PydanticCustomError, core_schema

        def read(value: object) -> Fingerprint:
            if isinstance(value, cls):
                return value
            if not isinstance(value, str):
                raise PydanticCustomError("fingerprint", "a fingerprint is given as its text form, such as sd64:...")
            try:
                return cls.parse(value)
            except SpecError as error:
                raise PydanticCustomError("fingerprint", "{reason}", {"reason": str(error)}) from error

        return core_schema.no_info_plain_validator_function(
            read,
            serialization=core_schema.to_string_ser_schema(when_used="json"),
            json_schema_input_schema=core_schema.str_schema(),
        )

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Fingerprint) or other.scheme != self.scheme:
            return NotImplemented
        return (self.value, self.canonical) < (other.value, other.canonical)

    def narrow(self, scheme: AnyScheme) -> Fingerprint:
        """Return the fingerprint of the same text in a narrower scheme: the first lanes of this one (SD-NARROW-1).

        A customised fingerprint stays customised.

        Raises:
            SchemeMismatchError: the scheme is wider than that of this fingerprint (SD-NARROW-2).
            UnknownSchemeError: the registry has no such scheme.

        >>> wide = Fingerprint(0x5823032212128420 << 64 | 7, "sd128")
        >>> str(wide.narrow("sd64"))
        'sd64:larqgiqsckcca'
        """
        target, own = get_scheme(scheme), self.scheme
        if target.bits > own.bits:
            raise SchemeMismatchError(
                f"{own.id} cannot be narrowed to {target.id}, which is wider; fingerprint the text again"
            )
        return Fingerprint(self.value >> own.bits - target.bits, target, canonical=self.canonical)

    def distance(self, other: Fingerprint | str) -> int:
        """Return the Hamming distance: the number of bits that differ (SD-DIST-1).

        Args:
            other: a fingerprint or its text form.

        Raises:
            SchemeMismatchError: the fingerprints have different schemes (SD-DIST-2).
            MalformedFingerprintError: the text form is malformed.
            TypeError: the other is neither.

        Warns:
            ProvenanceWarning: only one of the two is customised (section 11).

        >>> Fingerprint.parse("sd64:larqgiqsckcca").distance("sd64:aaaaaaaaaaaaa")
        17
        """
        if isinstance(other, str):
            other = _parsed(other)
        if not isinstance(other, Fingerprint):
            raise TypeError(f"the other is {type(other).__name__}; expected a Fingerprint or its text form")
        if self.scheme != other.scheme:
            raise SchemeMismatchError(f"{self.scheme} and {other.scheme} fingerprints cannot be compared")
        if self.canonical != other.canonical:
            from simhash_doc.provenance import MIXED, ProvenanceWarning

            warn_caller(MIXED, ProvenanceWarning)
        return (self.value ^ other.value).bit_count()

    def similarity(self, other: Fingerprint | str) -> float:
        """Return 1 - distance / bits, in [0, 1] (SD-DIST-3). Arguments and errors are as for `distance`.

        >>> Fingerprint(0).similarity(Fingerprint(0xFFFF))
        0.75
        """
        return 1 - self.distance(other) / self.scheme.bits

    def verdict(self, other: Fingerprint | str) -> Verdict:
        """Return "close", "loose" or "distinct" by the recommended thresholds of the scheme (spec, section 10).

        Arguments and errors are as for `distance`.

        >>> one = Fingerprint(0)
        >>> one.verdict(Fingerprint(7)), one.verdict(Fingerprint(2**32 - 1))
        ('close', 'distinct')
        """
        distance = self.distance(other)
        if distance <= self.scheme.close:
            return "close"
        return "loose" if distance <= self.scheme.loose else "distinct"


def _parsed(text: str) -> Fingerprint:
    try:
        return Fingerprint.parse(text)
    except MalformedFingerprintError as error:
        raise type(error)(f"{error}{of_text(text)}") from None


def of_text(text: str) -> str:
    """Return where the fingerprint of a text comes from, as the end of a message; "" for what has no space."""
    return "; fingerprint() returns the fingerprint of a text" if " " in text else ""


def _refuse_long(digits: str, expected: str) -> None:
    """Refuse more digits than any scheme has, as the reference does, which would read them one by one.

    A file without line ends has millions.

    Raises:
        PaddingError, BadCharacterError, BadLengthError: in this order.
    """
    if len(digits) <= _MOST_DIGITS:
        return
    if "=" in digits:
        raise PaddingError(f"{shortened(digits)} is padded with '='; remove the padding")
    if bad := _NOT_BASE32.search(digits):
        raise BadCharacterError(
            f"{shortened(digits)} has {bad[0]!r} at position {bad.start()}; base32 has a to z and 2 to 7"
        )
    raise BadLengthError(f"{shortened(digits)} has length {len(digits)}; {expected} characters")


def _restored(value: int, scheme: str, canonical: bool) -> Fingerprint:
    return Fingerprint(value, get_scheme(scheme), canonical=canonical)


def _scheme_of_size(bits: int, found: str, scheme: AnyScheme | None) -> Scheme:
    """Return the scheme of a width, which must be the expected one if there is one.

    Raises:
        BadLengthError: `found`, which describes what has the width, is of no scheme or of another.
    """
    if scheme is None:
        for known in get_schemes().values():
            if known.bits == bits:
                return known
        raise BadLengthError(f"{found} are no fingerprint of any scheme; one has 64, 128, 256 or 512 bits")
    expected = get_scheme(scheme)
    if expected.bits != bits:
        raise BadLengthError(f"{found} are no fingerprint of {expected}, which has {expected.bits} bits")
    return expected


def _scheme_by_length(text: str) -> Scheme:
    from simhash_doc import reference

    for known in get_schemes().values():
        if len(text) == known.characters:
            return known
    lengths = ", ".join(f"{known.characters} ({known.id})" for known in get_schemes().values())
    # Padding and bad characters are reported before the length (SD-TEXT-4), the same for all schemes.
    _refuse_long(text, f"a fingerprint has {lengths}")
    reference.decode(text, "sd64")
    raise BadLengthError(f"{shortened(text)} has length {len(text)}; a fingerprint has {lengths} characters")


def _integer(value: Any, name: str) -> int:
    """Return an integer of Python or NumPy, as for the index of a list; a bool is none."""
    if not isinstance(value, bool):
        with suppress(TypeError):
            return index(value)
    raise TypeError(f"{name} is {shown(value)}, of type {type(value).__name__}; expected an integer")


def _narrow_type(array: Any) -> str:
    """Return the type of an array or column of integers under 64 bits; empty for all else."""
    kind = getattr(array, "dtype", getattr(array, "type", ""))
    bits = re.search(r"u?int(\d+)", getattr(kind, "name", str(kind)), re.IGNORECASE)
    return bits[0] if bits and bits[1] != "64" else ""
