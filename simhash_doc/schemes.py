"""The registry of fingerprint schemes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from simhash_doc.errors import UnknownSchemeError, shortened
from simhash_doc.published_files import data_path


@dataclass(frozen=True, slots=True)
class Scheme:
    """A scheme of the registry (spec, section 12).

    Attributes:
        name: long name, such as ``simhash-doc-64``.
        id: short id, such as ``sd64``.
        state: ``active``, or ``deprecated`` for a scheme that new data should not use.
        bits: width of a fingerprint.
        characters: length of a fingerprint in base32.
        close: largest distance of the verdict "close".
        loose: largest distance of the verdict "loose".
    """

    name: str
    id: str
    state: str
    bits: int
    characters: int
    close: int
    loose: int

    @property
    def lanes(self) -> int:
        """The number of 64-bit lanes; lane j is hashed with seed j (SD-WIDE-2)."""
        return self.bits // 64

    def or_close(self, distance: int | None) -> int:
        """Return a maximum distance, which is the close threshold if it is None."""
        return self.close if distance is None else distance


@cache
def get_schemes() -> dict[str, Scheme]:
    """Return the schemes by short id, the narrowest first."""
    import json

    registry = json.loads((data_path("spec/data") / "schemes.json").read_text(encoding="utf-8"))
    return {row["id"]: Scheme(**row) for row in registry["schemes"] if row["state"] != "reserved"}


def scheme_of_bits(bits: int) -> Scheme:
    """Return the scheme of a width, which must be one of the registry."""
    return next(scheme for scheme in get_schemes().values() if scheme.bits == bits)


def get_scheme(short_id: str) -> Scheme:
    """Return the scheme with this short id, exactly as in the registry (SD-TEXT-7).

    Raises:
        UnknownSchemeError: the scheme is not in the registry.
    """
    known = get_schemes().get(short_id)
    if known is None:
        raise UnknownSchemeError(f"unknown scheme {shortened(short_id)}; the registry has {', '.join(get_schemes())}")
    return known
