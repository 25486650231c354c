"""Provenance: the scheme, the version and the software that a fingerprint comes from (`spec/provenance.md`)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from simhash_doc.arguments import collection
from simhash_doc.errors import SchemeMismatchError, SimhashDocError, shown
from simhash_doc.schemes import Scheme, get_scheme
from simhash_doc.versions import SPEC_VERSION, __version__

__all__ = [
    "METADATA_KEY",
    "InvalidProvenanceError",
    "Provenance",
    "ProvenanceCheck",
    "ProvenanceWarning",
    "Software",
]

METADATA_KEY = b"simhash_doc.provenance"
"""Key of the JSON text in the metadata of an Arrow schema and of a Parquet file."""
PACKAGE = "simhash-doc"

_SCHEME = re.compile(r"[a-z][a-z0-9]*", re.ASCII)
_VERSION = re.compile(r"(0|[1-9][0-9]{0,8})\.[0-9]{1,9}\.[0-9]{1,9}([-+][0-9A-Za-z.+-]{1,50})?", re.ASCII)
_LABEL = re.compile(r"[^\x00-\x1f\x7f-\x9f]{1,200}")
_MOST_KNOWN = 100
_LESS_RELIABLE = "distances between them are less reliable"
MIXED = f"customized and canonical fingerprints are compared: {_LESS_RELIABLE}"
"""The warning of fingerprints whose marks differ (SD-CUSTOM-2), also if their provenances are not known."""


class InvalidProvenanceError(SimhashDocError, ValueError):
    """A provenance object is not of the form that `spec/provenance.md` describes, or contradicts its fingerprint."""

    code = "invalid-provenance"


class ProvenanceWarning(UserWarning):
    """Fingerprints of different extractors or customizations are combined: distances between them are less reliable."""


@dataclass(frozen=True, slots=True)
class Software:
    """A program or library, by name and version.

    >>> print(Software("trafilatura", "2.0.0"))
    trafilatura 2.0.0
    """

    name: str
    version: str

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where fingerprints come from.

    Attributes:
        scheme: Short id of the scheme, without ``+custom``.
        specification: Version of the specification, such as ``1.0.0-rc.4``.
        generator: What computed the fingerprints.
        extractor: What extracted the texts; None if the input was text.
        customization: Description of a custom tokenizer or stop list; None for canonical fingerprints.

    >>> Provenance.of_package("sd64").generator.name
    'simhash-doc'
    """

    scheme: str
    specification: str
    generator: Software
    extractor: Software | None = None
    customization: str | None = None

    @classmethod
    def of_package(
        cls, scheme: str | Scheme, *, extractor: Software | None = None, customization: str | None = None
    ) -> Provenance:
        """Return the provenance of fingerprints that this package computes.

        Args:
            scheme: A short id, for example ``sd64``, or a `Scheme`.
            extractor: What extracted the texts, such as `simhash_doc.ingest.EXTRACTOR`; None if the input was text.
            customization: Description of a custom tokenizer or stop list.

        Raises:
            UnknownSchemeError: The registry has no such scheme.

        >>> Provenance.of_package("sd256", customization="without stop words").scheme
        'sd256'
        """
        return cls(get_scheme(scheme).id, SPEC_VERSION, Software(PACKAGE, __version__), extractor, customization)

    @classmethod
    def from_dict(cls, value: object) -> Provenance:
        """Return the provenance of a parsed JSON object; unknown members are ignored.

        Raises:
            InvalidProvenanceError: It is not an object, or a member is missing or invalid.

        >>> known = Provenance.of_package("sd64")
        >>> Provenance.from_dict(known.to_dict()) == known
        True
        """
        fields = _object(value, "provenance")
        scheme = _text(fields, "scheme", _SCHEME, "the short id of a scheme, such as 'sd64'")
        specification = _text(fields, "specification", _VERSION, "a version, such as '1.0.0'")
        generator = _software(_member(fields, "generator"), "generator")
        extractor = _member(fields, "extractor")
        custom = _member(fields, "customization")
        return cls(
            scheme,
            specification,
            generator,
            None if extractor is None else _software(extractor, "extractor"),
            None if custom is None else _text(_object(custom, "customization"), "description", within="customization"),
        )

    @classmethod
    def from_json(cls, text: str | bytes) -> Provenance:
        """Return the provenance of a JSON text.

        Raises:
            InvalidProvenanceError: It is not JSON, or not a provenance object.
            TypeError: It is neither str nor bytes.

        >>> known = Provenance.of_package("sd64")
        >>> Provenance.from_json(known.to_json()) == known
        True
        """
        if not isinstance(text, str | bytes):
            raise TypeError(f"text is {type(text).__name__}; expected the JSON text as str or bytes")
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InvalidProvenanceError(f"the provenance is not JSON: {error}") from error
        return cls.from_dict(value)

    def to_dict(self) -> dict[str, Any]:
        """Return the members of the JSON object.

        >>> Provenance.of_package("sd64").to_dict()["extractor"] is None
        True
        """
        custom = {"description": self.customization} if self.customization else None
        return asdict(self) | {"customization": custom}

    def to_json(self) -> str:
        """Return the JSON text, in ASCII.

        >>> Provenance.of_package("sd64").to_json()[:17]
        '{"scheme": "sd64"'
        """
        return json.dumps(self.to_dict())


def provenances_of(values: Iterable[Provenance] | Any) -> tuple[Provenance, ...]:
    """Return a collection of provenances as a tuple.

    Raises:
        TypeError: it is no collection, or an item is no `Provenance`.
    """
    listed = tuple(collection(values, "provenances", "Provenance"))
    for one in listed:
        if not isinstance(one, Provenance):
            raise TypeError(f"provenances has an item of type {type(one).__name__}; expected Provenance")
    return listed


def check_comparable(later: Provenance, earlier: Provenance) -> list[str]:
    """Return why distances between fingerprints of two provenances are less reliable; empty if they are not.

    A text that was given as text is compared with an extracted one without a warning.

    Raises:
        SchemeMismatchError: The schemes differ.
    """
    if later.scheme != earlier.scheme:
        raise SchemeMismatchError(
            f"of scheme {later.scheme}, earlier entries of {earlier.scheme}: "
            "fingerprints of different schemes cannot be compared"
        )
    found = []
    if later.extractor and earlier.extractor and later.extractor != earlier.extractor:
        found.append(f"extracted by {later.extractor}, earlier entries by {earlier.extractor}: {_LESS_RELIABLE}")
    if later.customization != earlier.customization:
        custom, before = _customized(later), _customized(earlier)
        found.append(f"{custom}, earlier entries {before}: {_LESS_RELIABLE}")
    return found


class ProvenanceCheck:
    """Checks whether fingerprints that arrive one by one can be combined.

    Args:
        known: The provenances of fingerprints with which all others are combined.

    Attributes:
        known: The different provenances so far, in the order of their arrival; at most a hundred of them.

    >>> check = ProvenanceCheck([Provenance.of_package("sd64", extractor=Software("trafilatura", "2.0.0"))])
    >>> check.add(Provenance.of_package("sd64", extractor=Software("trafilatura", "2.1.0")))
    'extracted by trafilatura 2.1.0, earlier entries by trafilatura 2.0.0: distances between them are less reliable'
    """

    def __init__(self, known: Iterable[Provenance] = ()) -> None:
        self.known = list(provenances_of(known))
        self._parsed: list[tuple[object, Provenance]] = []
        self._warned = False

    def parse(self, value: object, scheme: str, *, canonical: bool) -> Provenance | None:
        """Return the provenance that a fingerprint carries; None if it carries none.

        Args:
            value: The parsed JSON value; None if there is none.
            scheme: Short id of the fingerprint's scheme.
            canonical: Whether the fingerprint is canonical, rather than marked as customized.

        Raises:
            InvalidProvenanceError: It is not a provenance object, or contradicts the mark of the fingerprint.
            SchemeMismatchError: It has a different scheme than the fingerprint.

        >>> ProvenanceCheck().parse(Provenance.of_package("sd64").to_dict(), "sd64", canonical=True).scheme
        'sd64'
        """
        if value is None:
            return None
        found = next((parsed for known, parsed in self._parsed if known == value), None)
        if found is None:
            found = Provenance.from_dict(value)
            if len(self._parsed) < _MOST_KNOWN:
                self._parsed.append((value, found))
        _check_fingerprint(found, scheme, canonical)
        return found

    def add(self, provenance: Provenance | None) -> str | None:
        """Add the provenance of one more fingerprint; return a warning the first time that it is less reliable.

        Raises:
            SchemeMismatchError: The fingerprint cannot be compared with those before; its provenance is not added.
            TypeError: It is no `Provenance`.

        >>> check = ProvenanceCheck()
        >>> check.add(Provenance.of_package("sd64")), len(check.known)
        (None, 1)
        """
        if not isinstance(provenance, Provenance | None):
            raise TypeError(f"provenance is {type(provenance).__name__}; expected a Provenance or None")
        if provenance is None or provenance in self.known:
            return None
        warnings = [warning for earlier in self.known for warning in check_comparable(provenance, earlier)]
        if len(self.known) < _MOST_KNOWN:
            self.known.append(provenance)
        if not warnings or self._warned:
            return None
        self._warned = True
        return warnings[0]


def _check_fingerprint(provenance: Provenance, scheme: str, canonical: bool) -> None:
    if provenance.scheme != scheme:
        raise SchemeMismatchError(f"the provenance is of scheme {provenance.scheme}, the fingerprint of {scheme}")
    if canonical and provenance.customization is not None:
        raise InvalidProvenanceError(
            f"the provenance has a customization, but the fingerprint is not marked {scheme}+custom"
        )
    if not canonical and provenance.customization is None:
        raise InvalidProvenanceError(f"the fingerprint is marked {scheme}+custom, but its provenance does not say how")


def _customized(provenance: Provenance) -> str:
    return "not customized" if provenance.customization is None else f"customized ({provenance.customization})"


def _object(value: object, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InvalidProvenanceError(f"{name!r} is {shown(value)}, not an object")
    return value


def _member(fields: dict[str, Any], name: str) -> object:
    if name not in fields:
        raise InvalidProvenanceError(f"the provenance has no member {name!r}")
    return fields[name]


def _text(
    fields: dict[str, Any],
    name: str,
    pattern: re.Pattern[str] = _LABEL,
    expected: str = "1 to 200 characters, none of them a control character",
    within: str = "",
) -> str:
    value = fields.get(name)
    if not isinstance(value, str) or not pattern.fullmatch(value):
        path = f"{within}.{name}" if within else name
        found = shown(value) if name in fields else "missing"
        raise InvalidProvenanceError(f"{path!r} of the provenance is {found}; expected {expected}")
    return value


def _software(value: object, name: str) -> Software:
    fields = _object(value, name)
    return Software(_text(fields, "name", within=name), _text(fields, "version", within=name))
