"""Select the engine: only in this module, and only from the arguments of the call.

A call uses the same engine whatever the process did before. The setting `auto` selects `native` if the compiled core is
installed and works. Otherwise the size of the text or batch of the call decides:

- below 8 KiB: `python`. It is faster for small texts, and starts in milliseconds.
- from 8 KiB: `numpy`. It is faster from there on, and pays once for numpy and its tables (a fifth of a second).

`numba` is used if it is named.
"""

from __future__ import annotations

import os
import sys
import threading
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

from simhash_doc.errors import EngineUnavailableError, UnknownEngineError

if TYPE_CHECKING:
    from simhash_doc.engines.base import Engine

AUTO = "auto"
ENGINES = ("python", "numpy", "native", "numba")
VARIABLE = "SIMHASH_DOC_ENGINE"
NUMPY_SIZE = 8 << 10  # bytes of a text or batch

_LIBRARIES = {"native": "simhash-doc-native", "numba": "numba"}  # of the engines that may not be installed
_EXTRAS = {"native": "fast", "numba": "numba"}

_lock = threading.Lock()
_loaded: dict[str, Engine] = {}
_failed: dict[str, str] = {}  # why an engine cannot be used
_setting: str | None = None  # of `set_engine`, or else of the environment once it was read

on_compilation: Callable[[], object] | None = None
"""Called once, when Numba begins to compile loops of this package: it takes seconds; the result is cached."""


def set_engine(name: str) -> None:
    """Set the engine of this process, and of the worker processes that it starts.

    All engines give the same fingerprints. The setting takes precedence over the environment variable
    SIMHASH_DOC_ENGINE, which has the same values, and is read when an engine is needed for the first time.

    Args:
        name: `python`, `numpy`, `native` or `numba`: this engine for every text, loaded now. `auto`: the
            fastest one; see `simhash_doc.engines.select`.

    Raises:
        UnknownEngineError: the name is not that of an engine.
        EngineUnavailableError: the engine is not installed or does not work. The setting does not change.
    """
    global _setting
    _checked(name, "the engine")
    if name != AUTO:
        get_engine(name)
    _setting = name


def get_setting() -> str:
    """Return the setting: `auto`, `python`, `numpy`, `native` or `numba`.

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
        UnknownEngineError: the name is not that of an engine.
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

    if name == "native":
        from simhash_doc.engines.native import NativeEngine

        return NativeEngine()

    import numba  # noqa: F401 - first, so that a failure to import anything else is not treated as its absence

    watch_compilation()
    from simhash_doc.engines.numba.engine import NumbaEngine

    return NumbaEngine()


def _reason(name: str, error: BaseException) -> str:
    if isinstance(error, ModuleNotFoundError) and error.name == _module(name):
        return _not_installed(name)
    if isinstance(error, EngineUnavailableError):
        return str(error)
    reinstall = f"; run: pip install --force-reinstall {_LIBRARIES[name]}" if name in _LIBRARIES else ""
    return f"{type(error).__name__}: {error}{reinstall}"


def _module(name: str) -> str:
    return _LIBRARIES.get(name, name).replace("-", "_")


def _not_installed(name: str) -> str:
    return f"{_LIBRARIES[name]} is not installed; run: pip install 'simhash-doc[{_EXTRAS[name]}]'"


def _native_works() -> bool:
    """Return True if the compiled core is installed and works; warn once if it is installed and does not."""
    if "native" in _loaded:
        return True
    if "native" in _failed:
        return False
    try:
        get_engine("native")
    except EngineUnavailableError as error:
        if _failed["native"] != _not_installed("native"):
            warnings.warn(f"{error}. The engines python and numpy are used instead.", RuntimeWarning, stacklevel=4)
        return False
    return True


@dataclass(frozen=True, slots=True)
class EngineInfo:
    """The engines of this process.

    Attributes:
        setting: `auto`, `python`, `numpy`, `native` or `numba`.
        selected: the engine that the setting gives for a text of `size` bytes.
        size: see `selected`.
        versions: of each engine that is installed, the library and version that it runs on.
        unavailable: of each other engine, why it cannot be used.
    """

    setting: str
    selected: str
    size: int
    versions: dict[str, str]
    unavailable: dict[str, str]


def engine_info(size: int = 0) -> EngineInfo:
    """Return the engines, and the one that a text of `size` bytes uses.

    Nothing is loaded for the report, except what `auto` has to try: whether `native` works.

    >>> engine_info().setting
    'auto'
    """
    setting, selected = get_setting(), select_name(size)
    versions = {"python": f"Python {sys.version.split()[0]}", "numpy": f"numpy {_version('numpy')}"}
    unavailable = dict(_failed)
    for name, library in _LIBRARIES.items():
        if name in unavailable:
            continue
        if find_spec(_module(name)) is None:
            unavailable[name] = _not_installed(name)
        else:
            versions[name] = f"{library} {_version(library)}"
    return EngineInfo(setting, selected, size, versions, unavailable)


def _version(package: str) -> str:
    from importlib import metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "(unknown version)"


def watch_compilation() -> None:
    """Let Numba, which is installed, report to `on_compilation`. Call this before a compiled loop is called."""
    if on_compilation is None:
        return
    try:
        from numba.core import event
    except ImportError:  # experimental in Numba
        return

    class Listener(event.Listener):
        def on_start(self, event: object) -> None:
            _report()

        def on_end(self, event: object) -> None:
            pass

    event.register("numba:compile", Listener())  # type: ignore[no-untyped-call]


def _report() -> None:
    global on_compilation
    report, on_compilation = on_compilation, None
    if report is not None:
        report()
