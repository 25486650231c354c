"""Reading and writing bytes and little-endian integers in a byte array.

Numba's own indexing makes a negative index count from the end, a test at each access that keeps
the compiler from joining eight bytes into one load. These read where they are told to: each
caller keeps the index inside the array.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


def _place(context: Any, builder: Any, array_type: Any, array: Any, index: Any, bits: int) -> Any:
    data = context.make_array(array_type)(context, builder, array).data
    place = builder.gep(builder.bitcast(data, ir.IntType(8).as_pointer()), [index])
    return builder.bitcast(place, ir.IntType(bits).as_pointer())


def _load(bits: int) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _place(context, builder, signature.args[0], arguments[0], arguments[1], bits)
        value = builder.load(place, align=1)
        return value if bits == 64 else builder.zext(value, ir.IntType(64))

    return generate


def _store(bits: int) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _place(context, builder, signature.args[0], arguments[0], arguments[1], bits)
        value = arguments[2]
        builder.store(value if bits == 64 else builder.trunc(value, ir.IntType(bits)), place, align=1)
        return context.get_dummy_value()

    return generate


@intrinsic  # type: ignore[untyped-decorator]
def byte_at(typing_context: Any, array: Any, index: Any) -> Any:
    """Return the byte at an index, as int64."""
    return types.int64(array, types.int64), _load(8)


@intrinsic  # type: ignore[untyped-decorator]
def four_at(typing_context: Any, array: Any, index: Any) -> Any:
    """Return the four bytes from an index on as a little-endian uint64."""
    return types.uint64(array, types.int64), _load(32)


@intrinsic  # type: ignore[untyped-decorator]
def eight_at(typing_context: Any, array: Any, index: Any) -> Any:
    """Return the eight bytes from an index on as a little-endian uint64."""
    return types.uint64(array, types.int64), _load(64)


@intrinsic  # type: ignore[untyped-decorator]
def put_byte(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
    """Store the lowest byte of an integer."""
    return types.void(array, types.int64, types.int64), _store(8)


@intrinsic  # type: ignore[untyped-decorator]
def put_four(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
    """Store the lowest four bytes of an integer, the lowest first."""
    return types.void(array, types.int64, types.int64), _store(32)


@intrinsic  # type: ignore[untyped-decorator]
def put_eight(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
    """Store a uint64, its lowest byte first."""
    return types.void(array, types.int64, types.uint64), _store(64)
