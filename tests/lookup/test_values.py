"""What is taken as 64-bit fingerprints, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from simhash_doc.lookup import BadValueError
from simhash_doc.lookup.values import as_value, as_values


@pytest.mark.parametrize("dtype", [np.uint64, np.int64, np.uint8, np.int32])
def test_arrays_of_any_integer_type_keep_their_values(dtype: type[np.integer]) -> None:
    array = as_values(np.array([0, 5, 100], dtype))
    assert (array.dtype, array.tolist()) == (np.dtype(np.uint64), [0, 5, 100])


def test_foreign_byte_order_strides_and_objects_keep_their_values() -> None:
    assert as_values(np.array([1, 2**63], ">u8")).tolist() == [1, 2**63]
    assert as_values(np.arange(10, dtype=np.uint64)[::3]).tolist() == [0, 3, 6, 9]
    assert as_values(np.array([2**64 - 1, 3], object)).tolist() == [2**64 - 1, 3]
    assert as_values(iter([1, 2])).tolist() == [1, 2]
    assert as_values([]).shape == (0,)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([1, -1], "position 1: -1 is negative"),
        ([2**64], "position 0: 18446744073709551616 has 65 bits"),
        ([1, 2.0], "position 1: 2.0 is no integer but of type float"),
        (["12"], "position 0: '12' is no integer but of type str"),
        ([True], "position 0: True is no integer"),
        ([None], "position 0: None is no integer"),
        (np.array([3, -7]), "position 1: -7 is negative"),
        (np.array([1.0]), "dtype float64"),
        (np.array([True]), "dtype bool"),
        (np.array(["a"]), "dtype <U1"),
        (np.array([1, -1], object), "position 1: -1 is negative"),
        (np.zeros((2, 2), np.uint64), r"shape \(2, 2\)"),
    ],
)
def test_everything_else_is_refused_with_its_place(values: object, reason: str) -> None:
    with pytest.raises(BadValueError, match=reason):
        as_values(values)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [-1, 2**64, 1.5, "1", None, False])
def test_single_values_are_checked_alike(value: object) -> None:
    with pytest.raises(BadValueError, match="the fingerprint: "):
        as_value(value)  # type: ignore[arg-type]


def test_numpy_scalars_are_integers() -> None:
    assert as_value(np.uint64(2**64 - 1)) == 2**64 - 1  # type: ignore[arg-type]
