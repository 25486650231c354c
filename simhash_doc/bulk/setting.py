"""Which engine works: the compiled loops of the extra `fast`, or numpy."""

from __future__ import annotations

import os
import threading
import warnings
from importlib.util import find_spec

VARIABLE = "SIMHASH_DOC_FAST"
# Starting the compiled loops takes half a second, which the default engine needs for this many bytes.
_WORTH_STARTING = 8 << 20

_lock = threading.Lock()
_wanted: bool | None = None
_usable: bool | None = None
_offered = 0


def use_fast(wanted: bool | None) -> None:
    """Choose the engine of this process: True for the compiled loops, False for numpy, None as it comes.

    As it comes, the compiled loops are used if numba is installed, the environment variable
    SIMHASH_DOC_FAST is not 0, and the process has 8 MiB of text to do: less is done before
    they would have started. Fingerprints are the same with either.

    Raises:
        ModuleNotFoundError: True, and numba is not installed.
        ImportError: True, and numba cannot be used; the message says why.
    """
    global _wanted
    if wanted and not find_spec("numba"):
        raise ModuleNotFoundError("numba is not installed: pip install 'simhash-doc[fast]'")
    if wanted and not _start():
        raise ImportError("the compiled loops cannot be used; the warning before this says why")
    _wanted = wanted


def is_fast(size: int = 0) -> bool:
    """Tell whether to use the compiled loops for the next `size` bytes or characters."""
    global _offered
    if _wanted is not None:
        return _wanted
    if os.environ.get(VARIABLE) == "0":
        return False
    if _usable is not None:
        return _usable
    _offered += size
    return _offered >= _WORTH_STARTING and find_spec("numba") is not None and _start()


def _start() -> bool:
    """Load the compiled loops and try them; return whether they work."""
    global _usable
    with _lock:
        if _usable is None:
            try:
                from simhash_doc.bulk.compiled.batch import try_out

                try_out()
                _usable = True
            except Exception as error:
                # Whatever is wrong with numba, llvmlite or the compiler, the default engine does the work.
                _usable = False
                warnings.warn(
                    f"numba is installed but cannot be used ({type(error).__name__}: {error}); fingerprints are made "
                    f"by the slower default engine. Set {VARIABLE}=0 to leave numba out without this warning.",
                    RuntimeWarning,
                    stacklevel=3,
                )
        return _usable
