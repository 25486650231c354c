"""Select the engine: only in this module, from the setting, what is installed, and the size that the call states.

A call uses the same engine whatever texts the process had before. The setting `auto` selects `native` if the compiled
core is installed and works. Otherwise the size of the text or batch of the call decides:

- below 8 KiB: `python`. It is faster for small texts, and starts in milliseconds.
- from 8 KiB: `numpy`. It is faster from there on, and pays once for numpy and its tables (a fifth of a second).
"""

from __future__ import annotations

import os
import sys
import threading
from typing import TYPE_CHECKING

from simhash_doc.errors import EngineUnavailableError, UnknownEngineError, warn_caller

if TYPE_CHECKING:
    from simhash_doc.engines.base import Engine

AUTO = "auto"
ENGINES = ("python", "numpy", "native")
VARIABLE = "SIMHASH_DOC_ENGINE"
NUMPY_SIZE = 8 << 10  # bytes of a text or batch

LIBRARY = "simhash-doc-native"  # of the engine `native`, which may not be installed
NOT_INSTALLED = (
    f"{LIBRARY} has no wheel for Python without the global interpreter lock; `auto` selects the other engines"
    if "free-threading" in sys.version
    else f"{LIBRARY} is not installed; run: pip install 'simhash-doc[fast]'"
)

_lock = threading.Lock()
_loaded: dict[str, Engine] = {}
_failed: dict[str, str] = {}  # why an engine cannot be used
_setting: str | None = None  # of `set_engine`, or else of the environment once it was read


def set_engine(name: str) -> None:
    """Set the engine of this process, and of the worker processes that it starts.

    All engines compute the same fingerprints. The setting takes precedence over the environment variable
    SIMHASH_DOC_ENGINE, which has the same values, and is read when an engine is needed for the first time.

    Args:
        name: `python`, `numpy` or `native`: this engine for every text, loaded now. `auto`: the
            fastest one that is installed.

    Raises:
        EngineError: no engine has this name, or it is not installed or does not work. The setting does not change.

    >>> from simhash_doc import engine_info
    >>> set_engine("python")
    >>> engine_info().selected
    'python'
    >>> set_engine("auto")
    """
    global _setting
    _checked(name, "the engine")
    if name != AUTO:
        get_engine(name)
    _setting = name


def get_setting() -> str:
    """Return the setting: `auto`, `python`, `numpy` or `native`.

    Raises:
        UnknownEngineError: SIMHASH_DOC_ENGINE has another value.
    """
    global _setting
    if _setting is None:  # to read the environment takes as long as to fingerprint a short text
        value = os.environ.get(VARIABLE)
        _setting = _checked(value, VARIABLE) if value else AUTO
    return _setting


def restore_setting(name: str) -> None:
    """Use the setting of the parent process. The engine is loaded when it is first used."""
    global _setting
    _setting = name


def select_engine(size: int, *, parallel: bool = False) -> Engine:
    """Return the engine for a text, or for the documents of one call.

    Args:
        size: bytes or characters of the text, or of all documents of the call together.
        parallel: several processes share the documents; a caller that requests them is assumed to have enough text
            for any engine.

    Raises:
        UnknownEngineError, EngineUnavailableError: the configured engine is unknown or cannot be used.
    """
    name = select_name(size, parallel=parallel)
    return _loaded.get(name) or get_engine(name)


def select_name(size: int, *, parallel: bool = False) -> str:
    """Return the name of the engine that `select_engine` returns."""
    setting = get_setting()
    if setting != AUTO:
        return setting
    if _native_works():
        return "native"
    return "python" if size < NUMPY_SIZE and not parallel else "numpy"


def get_engine(name: str) -> Engine:
    """Return an engine by its name, loaded if it is not yet.

    Raises:
        UnknownEngineError: no engine has this name.
        EngineUnavailableError: the engine is not installed or does not work.
    """
    if name not in ENGINES:
        raise UnknownEngineError(f"unknown engine {name!r}; the engines are {', '.join(ENGINES)}")
    with _lock:
        if name not in _loaded and name not in _failed:
            try:
                _loaded[name] = _load(name)
            except (KeyboardInterrupt, SystemExit):
                raise
            except BaseException as error:  # a panic in Rust is no Exception
                _failed[name] = _reason(name, error)
    if name in _failed:
        raise EngineUnavailableError(f"the engine {name!r} cannot be used: {_failed[name]}")
    return _loaded[name]


def failures() -> dict[str, str]:
    """Return why engines cannot be used, of those that were tried."""
    return dict(_failed)


def _checked(name: str, source: str) -> str:
    if name not in (AUTO, *ENGINES):
        raise UnknownEngineError(f"{source} is {name!r}; expected {', '.join((AUTO, *ENGINES))}")
    return name


def _load(name: str) -> Engine:
    if name == "python":
        from simhash_doc.engines.python import PythonEngine

        return PythonEngine()
    if name == "numpy":
        from simhash_doc.engines.numpy.engine import NumpyEngine

        return NumpyEngine()

    from simhash_doc.engines.native import NativeEngine

    return NativeEngine()


def _reason(name: str, error: BaseException) -> str:
    if isinstance(error, ModuleNotFoundError) and error.name == LIBRARY.replace("-", "_"):
        return NOT_INSTALLED
    if isinstance(error, EngineUnavailableError):
        return str(error)
    reinstall = f"; run: pip install --force-reinstall {LIBRARY}" if name == "native" else ""
    return f"{type(error).__name__}: {error}{reinstall}"


def _native_works() -> bool:
    """Return True if the compiled core is installed and works; warn once if it is installed and does not."""
    if "native" in _loaded:
        return True
    if "native" in _failed:
        return False
    try:
        get_engine("native")
    except EngineUnavailableError as error:
        if _failed["native"] != NOT_INSTALLED:
            warn_caller(f"{error}. The engines python and numpy are used instead.", RuntimeWarning)
        return False
    return True
