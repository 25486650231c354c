"""64 bytes at once, as vector instructions or a bit for each, and bits without branches.

The bits of 64 bytes are an integer, whose lowest bit is that of the first byte. One instruction compares 16 to 64
bytes, and one more collects their bits.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

_BYTES = ir.VectorType(ir.IntType(8), 64)
_BITS = ir.IntType(64)


def _pointer(builder: Any, start: Any, index: Any) -> Any:
    base = builder.inttoptr(start, ir.IntType(8).as_pointer())
    return builder.bitcast(builder.gep(base, [index]), _BYTES.as_pointer())


def _all(value: int) -> Any:
    return ir.Constant(_BYTES, [value] * 64)


def _compare(builder: Any, loaded: Any, first: int, last: int) -> Any:
    return builder.icmp_unsigned("<=", builder.sub(loaded, _all(first)), _all(last - first))


def bits_in_range(first: int, last: int) -> Any:
    """Return the intrinsic that gives the bits of the bytes `first` to `last` among 64 at an index."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        loaded = builder.load(_pointer(builder, *arguments), align=1)
        return builder.bitcast(_compare(builder, loaded, first, last), _BITS)

    def find(typing_context: Any, start: Any, index: Any) -> Any:
        return types.uint64(types.int64, types.int64), generate

    return intrinsic(find)


def _copying_in_lower_case() -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        loaded = builder.load(_pointer(builder, *arguments[:2]), align=1)
        capitals = _compare(builder, loaded, ord("A"), ord("Z"))
        lower = builder.select(capitals, builder.or_(loaded, _all(0x20)), loaded)
        builder.store(lower, _pointer(builder, *arguments[2:]), align=1)
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
