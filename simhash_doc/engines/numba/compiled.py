"""How the functions are compiled that only other compiled functions call."""

from __future__ import annotations

from numba import njit

# Without the code with which Python could call them, whose compilation takes about a fifth of the time.
inner = njit(no_cpython_wrapper=True, no_cfunc_wrapper=True)  # type: ignore[call-overload]

# The same, compiled into the code of each caller.
inlined = njit(forceinline=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)  # type: ignore[call-overload]
