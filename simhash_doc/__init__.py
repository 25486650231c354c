"""Interoperable similarity fingerprints of documents: the reference implementation of `simhash-doc`.

>>> from simhash_doc import fingerprint
>>> print(fingerprint("The quick brown fox"))
larqgiqsckcca

Names load when first used, so that importing the package is cheap.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simhash_doc.accumulator import Accumulator as Accumulator
    from simhash_doc.api import Trace as Trace
    from simhash_doc.api import buckets as buckets
    from simhash_doc.api import fingerprint as fingerprint
    from simhash_doc.api import trace as trace
    from simhash_doc.bulk.many import LostDocumentsError as LostDocumentsError
    from simhash_doc.bulk.many import fingerprint_batches as fingerprint_batches
    from simhash_doc.bulk.many import fingerprint_many as fingerprint_many
    from simhash_doc.errors import BadCharacterError as BadCharacterError
    from simhash_doc.errors import BadLengthError as BadLengthError
    from simhash_doc.errors import MalformedFingerprintError as MalformedFingerprintError
    from simhash_doc.errors import NoTokenError as NoTokenError
    from simhash_doc.errors import PaddingError as PaddingError
    from simhash_doc.errors import SchemeMismatchError as SchemeMismatchError
    from simhash_doc.errors import SimhashDocError as SimhashDocError
    from simhash_doc.errors import SpareBitsError as SpareBitsError
    from simhash_doc.errors import SpecError as SpecError
    from simhash_doc.errors import UnknownSchemeError as UnknownSchemeError
    from simhash_doc.pinned import Scheme as Scheme
    from simhash_doc.pinned import scheme as scheme
    from simhash_doc.pinned import schemes as schemes
    from simhash_doc.value import Fingerprint as Fingerprint

__version__ = "0.1.0"
SPEC_VERSION = 1

_HOME = {
    "Accumulator": "accumulator",
    **dict.fromkeys(("LostDocumentsError", "fingerprint_batches", "fingerprint_many"), "bulk.many"),
    **dict.fromkeys(("Trace", "buckets", "fingerprint", "trace"), "api"),
    **dict.fromkeys(
        (
            "BadCharacterError",
            "BadLengthError",
            "MalformedFingerprintError",
            "NoTokenError",
            "PaddingError",
            "SchemeMismatchError",
            "SimhashDocError",
            "SpareBitsError",
            "SpecError",
            "UnknownSchemeError",
        ),
        "errors",
    ),
    **dict.fromkeys(("Scheme", "scheme", "schemes"), "pinned"),
    "Fingerprint": "value",
}
__all__ = ["SPEC_VERSION", "__version__", *sorted(_HOME)]  # noqa: PLE0604


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
