"""Interoperable similarity fingerprints for documents: the reference implementation of `simhash-doc`.

>>> from simhash_doc import fingerprint
>>> print(fingerprint("The quick brown fox"))
sd64:larqgiqsckcca

Most names are loaded when they are first used, so that importing the package is cheap.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

# Not lazily: importing the module `simhash_doc.fingerprint` would replace the function of that name.
from simhash_doc.api import buckets, fingerprint

if TYPE_CHECKING:
    from simhash_doc.accumulator import Accumulator as Accumulator
    from simhash_doc.batch.api import Measured as Measured
    from simhash_doc.batch.api import WorkerFailedError as WorkerFailedError
    from simhash_doc.batch.api import fingerprint_batches as fingerprint_batches
    from simhash_doc.batch.api import fingerprint_many as fingerprint_many
    from simhash_doc.batch.api import measure_many as measure_many
    from simhash_doc.engines.select import EngineInfo as EngineInfo
    from simhash_doc.engines.select import engine_info as engine_info
    from simhash_doc.engines.select import set_engine as set_engine
    from simhash_doc.engines.tracing import Trace as Trace
    from simhash_doc.engines.tracing import trace as trace
    from simhash_doc.errors import BadCharacterError as BadCharacterError
    from simhash_doc.errors import BadLengthError as BadLengthError
    from simhash_doc.errors import EngineError as EngineError
    from simhash_doc.errors import EngineUnavailableError as EngineUnavailableError
    from simhash_doc.errors import MalformedFingerprintError as MalformedFingerprintError
    from simhash_doc.errors import NoTokenError as NoTokenError
    from simhash_doc.errors import PaddingError as PaddingError
    from simhash_doc.errors import SchemeMismatchError as SchemeMismatchError
    from simhash_doc.errors import SimhashDocError as SimhashDocError
    from simhash_doc.errors import SpareBitsError as SpareBitsError
    from simhash_doc.errors import SpecError as SpecError
    from simhash_doc.errors import UnknownEngineError as UnknownEngineError
    from simhash_doc.errors import UnknownSchemeError as UnknownSchemeError
    from simhash_doc.fingerprint import Fingerprint as Fingerprint
    from simhash_doc.schemes import Scheme as Scheme
    from simhash_doc.schemes import get_scheme as get_scheme
    from simhash_doc.schemes import get_schemes as get_schemes

__version__ = "0.1.0"
SPEC_VERSION = "1.0.0-rc.2"

_NAMES = {
    "accumulator": ("Accumulator",),
    "batch.api": ("Measured", "WorkerFailedError", "fingerprint_batches", "fingerprint_many", "measure_many"),
    "engines.select": ("EngineInfo", "engine_info", "set_engine"),
    "errors": (
        "BadCharacterError",
        "BadLengthError",
        "EngineError",
        "EngineUnavailableError",
        "MalformedFingerprintError",
        "NoTokenError",
        "PaddingError",
        "SchemeMismatchError",
        "SimhashDocError",
        "SpareBitsError",
        "SpecError",
        "UnknownEngineError",
        "UnknownSchemeError",
    ),
    "fingerprint": ("Fingerprint",),
    "schemes": ("Scheme", "get_scheme", "get_schemes"),
    "engines.tracing": ("Trace", "trace"),
}
_MODULE_OF = {name: module for module, names in _NAMES.items() for name in names}
__all__ = ["SPEC_VERSION", "__version__", "buckets", "fingerprint", *sorted(_MODULE_OF)]  # noqa: PLE0604


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULE_OF})
