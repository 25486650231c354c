"""Interoperable similarity fingerprints for documents: the reference implementation of `simhash-doc`.

>>> from simhash_doc import fingerprint
>>> print(fingerprint("The quick brown fox"))
sd64:larqgiqsckcca

The package loads NumPy and rarely used modules on first use, so importing it is cheap.
"""

from __future__ import annotations

from simhash_doc import interruption as _interruption  # noqa: F401 # isort: skip # first: Ctrl-C may come at any time

from importlib import import_module
from typing import TYPE_CHECKING

from simhash_doc.engines.select import set_engine
from simhash_doc.errors import (
    EngineError,
    MalformedFingerprintError,
    MissingExtraError,
    NoTokenError,
    SchemeMismatchError,
    SimhashDocError,
    SpecError,
    UnknownSchemeError,
)
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.schemes import Scheme, get_scheme, get_schemes
from simhash_doc.versions import SPEC_VERSION, __version__

from simhash_doc.api import fingerprint  # isort: skip # last: `fingerprint` is also a module

if TYPE_CHECKING:
    from simhash_doc import ingest as ingest
    from simhash_doc import lookup as lookup
    from simhash_doc import store as store
    from simhash_doc.accumulator import Accumulator
    from simhash_doc.batch.api import WorkerFailedError, fingerprint_batches, fingerprint_many
    from simhash_doc.duplicates.policy import Policy
    from simhash_doc.duplicates.rows import DuplicateRows, find_duplicates
    from simhash_doc.engines.base import Measurement
    from simhash_doc.engines.info import EngineInfo, engine_info
    from simhash_doc.engines.tracing import Trace, trace
    from simhash_doc.fingerprints import Fingerprints
    from simhash_doc.thresholds import ThresholdParameterError, threshold_for

_MODULES = ("ingest", "lookup", "store")  # as attributes, like numpy.linalg
_LAZY = {
    "Accumulator": "accumulator",
    "EngineInfo": "engines.info",
    "Fingerprints": "fingerprints",
    "Measurement": "engines.base",
    "ThresholdParameterError": "thresholds",
    "DuplicateRows": "duplicates.rows",
    "Policy": "duplicates.policy",
    "Trace": "engines.tracing",
    "WorkerFailedError": "batch.api",
    "engine_info": "engines.info",
    "find_duplicates": "duplicates.rows",
    "fingerprint_batches": "batch.api",
    "fingerprint_many": "batch.api",
    "threshold_for": "thresholds",
    "trace": "engines.tracing",
}
__all__ = [
    "SPEC_VERSION", "Accumulator", "DuplicateRows", "EngineError", "EngineInfo",
    "Fingerprint", "Fingerprints", "MalformedFingerprintError", "Measurement",
    "MissingExtraError", "NoTokenError", "Policy", "Scheme", "SchemeMismatchError", "SimhashDocError",
    "SpecError", "ThresholdParameterError", "Trace", "UnknownSchemeError",
    "WorkerFailedError", "__version__", "engine_info", "find_duplicates", "fingerprint", "fingerprint_batches",
    "fingerprint_many", "get_scheme", "get_schemes", "set_engine", "threshold_for", "trace",
]  # fmt: skip


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    if name not in _LAZY:
        raise AttributeError(
            f"module {__name__!r} has no attribute {name!r}: see also {__name__}.lookup, {__name__}.store and "
            f"{__name__}.ingest, and the methods of Fingerprint, for example distance"
        )
    value = getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
