"""Integers in memory, read and written by the address of an array.

The compiled loops do not use Numba's arrays. These count references at each call (atomically, which costs several
times as much as looking up a token), and test each index for being negative, which keeps the compiler from joining
eight bytes into one load. Here an array is the address that `address` returns. No access is checked: the callers of
the loops reserve enough room first, and keep the arrays alive.
"""

from __future__ import annotations

from typing import Any

import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.extending import intrinsic


def address(array: npt.NDArray[Any]) -> int:
    """Return the address of the first item of a contiguous array."""
    assert array.flags.c_contiguous
    found: int = array.__array_interface__["data"][0]  # a third of the time of `array.ctypes.data`
    return found


def _pointer(builder: Any, start: Any, index: Any, item_bits: int, step: int) -> Any:
    # A pointer and an index, not a sum of integers: so the compiler knows which accesses may overlap.
    base = builder.inttoptr(start, ir.IntType(step).as_pointer())
    return builder.bitcast(builder.gep(base, [index]), ir.IntType(item_bits).as_pointer())


def _reading(result: Any, bits: int, step: int) -> Any:
    """Return the intrinsic that reads items of `bits` bits, `step` bits apart."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value = builder.load(_pointer(builder, arguments[0], arguments[1], bits, step), align=step // 8)
        return value if bits == 64 else builder.zext(value, ir.IntType(64))

    def read(typing_context: Any, start: Any, index: Any) -> Any:
        return result(types.int64, types.int64), generate

    return intrinsic(read)


def _writing(item: Any, bits: int, step: int) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value = arguments[2] if bits == 64 else builder.trunc(arguments[2], ir.IntType(bits))
        builder.store(value, _pointer(builder, arguments[0], arguments[1], bits, step), align=step // 8)
        return context.get_dummy_value()

    def write(typing_context: Any, start: Any, index: Any, value: Any) -> Any:
        return types.void(types.int64, types.int64, item), generate

    return intrinsic(write)


def _prefetching(step: int) -> Any:
    """Return the intrinsic that requests the cache line of an item without waiting for it."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        function_type = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
        function = builder.module.declare_intrinsic("llvm.prefetch", [pointer], function_type)
        place = _pointer(builder, arguments[0], arguments[1], 8, step)
        # For reading, into all caches, as data.
        builder.call(function, [place, number(0), number(3), number(1)])
        return context.get_dummy_value()

    def prefetch(typing_context: Any, start: Any, index: Any) -> Any:
        return types.void(types.int64, types.int64), generate

    return intrinsic(prefetch)


# Bytes, and little-endian integers that begin at any byte; the index counts bytes.
byte_at = _reading(types.int64, 8, 8)
four_at = _reading(types.uint64, 32, 8)
eight_at = _reading(types.uint64, 64, 8)
put_byte = _writing(types.int64, 8, 8)
put_four = _writing(types.int64, 32, 8)
put_eight = _writing(types.uint64, 64, 8)
prefetch_byte = _prefetching(8)

# Items of arrays of uint32, int64 and uint64; the index counts items.
uint32_item = _reading(types.int64, 32, 32)
int64_item = _reading(types.int64, 64, 64)
uint64_item = _reading(types.uint64, 64, 64)
put_uint32 = _writing(types.int64, 32, 32)
prefetch_uint32 = _prefetching(32)
put_int64 = _writing(types.int64, 64, 64)
put_uint64 = _writing(types.uint64, 64, 64)
