"""Integers in memory, read and written by the address of an array; and 64 bytes at once, as a vector instruction.

The compiled loops do not use Numba's arrays. These count references at each call (atomically, which costs several
times as much as looking up a token), and test each index for being negative, which keeps the compiler from joining
eight bytes into one load. Here an array is the address that `address` returns. No access is checked: the callers of
the loops reserve enough room first, and keep the arrays alive.

The bits of 64 bytes are an integer, whose lowest bit is that of the first byte. One instruction compares 16 to 64
bytes, and one more collects their bits.
"""

from __future__ import annotations

from typing import Any

import numpy.typing as npt
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

# Compile functions that only other compiled functions call. The code with which Python could call them is left out: its
# compilation takes about a fifth of the time.
inner = njit(no_cpython_wrapper=True, no_cfunc_wrapper=True)  # type: ignore[call-overload]

# The same, compiled into the code of each caller.
inlined = njit(forceinline=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)  # type: ignore[call-overload]


def address(array: npt.NDArray[Any]) -> int:
    """Return the address of the first item of a contiguous array."""
    assert array.flags.c_contiguous
    found: int = array.__array_interface__["data"][0]  # a third of the time of `array.ctypes.data`
    return found


def _pointer(builder: Any, item: Any, step: int, start: Any, index: Any) -> Any:
    # A pointer and an index, not a sum of integers: so the compiler knows which accesses may overlap.
    base = builder.inttoptr(start, ir.IntType(step).as_pointer())
    return builder.bitcast(builder.gep(base, [index]), item.as_pointer())


def _reading(result: Any, bits: int, step: int) -> Any:
    """Return the intrinsic that reads items of `bits` bits, `step` bits apart."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value = builder.load(_pointer(builder, ir.IntType(bits), step, *arguments), align=step // 8)
        return value if bits == 64 else builder.zext(value, ir.IntType(64))

    def read(typing_context: Any, start: Any, index: Any) -> Any:
        return result(types.int64, types.int64), generate

    return intrinsic(read)


def _writing(item: Any, bits: int, step: int) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value = arguments[2] if bits == 64 else builder.trunc(arguments[2], ir.IntType(bits))
        builder.store(value, _pointer(builder, ir.IntType(bits), step, *arguments[:2]), align=step // 8)
        return context.get_dummy_value()

    def write(typing_context: Any, start: Any, index: Any, value: Any) -> Any:
        return types.void(types.int64, types.int64, item), generate

    return intrinsic(write)


# Bytes, and little-endian integers that begin at any byte; the index counts bytes.
byte_at = _reading(types.int64, 8, 8)
four_at = _reading(types.uint64, 32, 8)
eight_at = _reading(types.uint64, 64, 8)
put_byte = _writing(types.int64, 8, 8)
put_four = _writing(types.int64, 32, 8)
put_eight = _writing(types.uint64, 64, 8)

# Items of arrays of uint32, int64 and uint64; the index counts items.
uint32_item = _reading(types.int64, 32, 32)
int64_item = _reading(types.int64, 64, 64)
uint64_item = _reading(types.uint64, 64, 64)
put_uint32 = _writing(types.int64, 32, 32)
put_int64 = _writing(types.int64, 64, 64)
put_uint64 = _writing(types.uint64, 64, 64)


_BYTES = ir.VectorType(ir.IntType(8), 64)
_BITS = ir.IntType(64)


def _all(value: int) -> Any:
    return ir.Constant(_BYTES, [value] * 64)


def _compare(builder: Any, loaded: Any, first: int, last: int) -> Any:
    return builder.icmp_unsigned("<=", builder.sub(loaded, _all(first)), _all(last - first))


def bits_in_range(first: int, last: int) -> Any:
    """Return the intrinsic that gives the bits of the bytes `first` to `last` among 64 at an index."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        loaded = builder.load(_pointer(builder, _BYTES, 8, *arguments), align=1)
        return builder.bitcast(_compare(builder, loaded, first, last), _BITS)

    def find(typing_context: Any, start: Any, index: Any) -> Any:
        return types.uint64(types.int64, types.int64), generate

    return intrinsic(find)


def _copying_in_lower_case() -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        loaded = builder.load(_pointer(builder, _BYTES, 8, *arguments[:2]), align=1)
        capitals = _compare(builder, loaded, ord("A"), ord("Z"))
        lower = builder.select(capitals, builder.or_(loaded, _all(0x20)), loaded)
        builder.store(lower, _pointer(builder, _BYTES, 8, *arguments[2:]), align=1)
        return context.get_dummy_value()

    def copy(typing_context: Any, source: Any, at: Any, target: Any, out: Any) -> Any:
        return types.void(types.int64, types.int64, types.int64, types.int64), generate

    return intrinsic(copy)


def _counting_zeros(instruction: str) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return getattr(builder, instruction)(arguments[0], ir.Constant(ir.IntType(1), 0))

    def count(typing_context: Any, value: Any) -> Any:
        return types.int64(types.uint64), generate

    return intrinsic(count)


def _choosing() -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        test = builder.icmp_unsigned("!=", arguments[0], ir.Constant(_BITS, 0))
        return builder.select(test, *arguments[1:])

    def choose(typing_context: Any, condition: Any, first: Any, second: Any) -> Any:
        return types.uint64(types.uint64, types.uint64, types.uint64), generate

    return intrinsic(choose)


# (source, index, target, index): copies 64 bytes, and makes the letters A to Z small.
copy_in_lower_case = _copying_in_lower_case()

# The number of zero bits below the lowest one, and above the highest one; 64 if all are zero.
trailing_zeros = _counting_zeros("cttz")
leading_zeros = _counting_zeros("ctlz")

# (condition, first, second): the first if the condition is not 0, else the second, without a branch.
either = _choosing()
