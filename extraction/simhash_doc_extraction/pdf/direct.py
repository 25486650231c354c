"""Functions of PDFium, called without checks of their arguments: they are called for each character and object."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any


def direct(function: Any, result: Any = ctypes.c_int, *arguments: Any) -> Callable[..., Any]:
    """Return a function of PDFium that takes numbers and references, unchecked: this is faster.

    Args:
        function: a function of `pypdfium2.raw`.
        result: the type of its result.
        arguments: the types of its arguments, needed if one is an address.
    """
    return ctypes.PYFUNCTYPE(result, *arguments)(ctypes.cast(function, ctypes.c_void_p).value or 0)
