"""The values of `keep`: of every array and column, the same rows are kept as of a list of Python."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from simhash_doc import find_duplicates
from simhash_doc.duplicates.keep_values import keep_values

TEXTS = ["the old ferry crosses the sound twice a day in summer"] * 4
DAYS = [datetime.date(2026, 3, 3), None, datetime.date(2026, 3, 1), datetime.date(2026, 3, 2)]
NUMBERS = [3, None, -1, 2]
LARGE = [3 * 2**61, None, 2**61 - 1, 2**61]  # which differ as integers alone


def kept(keep: Any) -> list[int]:
    found: list[int] = find_duplicates(TEXTS, preferred=keep).representatives.tolist()
    return found


def timestamps(unit: str) -> pa.Array:
    return pa.array([1000, None, 998, 999], pa.timestamp(unit))


ARROW = [
    pa.array(NUMBERS),
    pa.array(LARGE),
    pa.array([2**64 - 1, None, 1, 2**63], pa.uint64()),
    pa.array([0.5, float("nan"), float("-inf"), 0.25]),
    pa.array(DAYS),
    pa.array([1, None, -1, 0], pa.date64()),
    pa.array([3, None, 1, 2], pa.time32("s")),
    pa.array([3, None, 1, 2], pa.time64("ns")),
    pa.array([3, None, 1, 2], pa.duration("ns")),
    *map(timestamps, ("s", "ms", "us", "ns")),
    timestamps("ns").cast(pa.timestamp("ns", "Europe/Berlin")),
    pa.array(["c", None, "a", "b"]),
    pa.array(["c", None, "a", "b"], pa.large_string()),
    pa.array(["c", None, "a", "b"], pa.string_view()),
    pa.array(["c", None, "a", "b"]).dictionary_encode(),
    pa.DictionaryArray.from_arrays(pa.array([2, None, 0, 1]), pa.array(["z", "y", "x"]), ordered=True),
    pa.array([Decimal("1.5"), None, Decimal("-2.5"), Decimal("1.25")]),
    pa.array([True, None, False, True]),
    pa.array([b"c", None, b"a", b"b"], pa.binary(1)),
]


@pytest.mark.parametrize("column", ARROW, ids=lambda column: str(column.type))
def test_columns_of_arrow(column: pa.Array) -> None:
    sliced = pa.concat_arrays([column.slice(0, 1), column, column]).slice(1, 4)
    chunked = pa.chunked_array([column.slice(0, 2), column.slice(2, 0), column.slice(2)])
    for one in (column, sliced, chunked, pa.chunked_array([sliced])):
        assert kept(one) == [2] * 4


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("kind", ["i2", "i8", "u8", "f4", "f8", "M8[D]", "M8[ns]", "m8[s]", "U3", "S3"])
def test_arrays_of_numpy_of_each_byte_order_and_stride(order: str, kind: str) -> None:
    array = np.array([5, 3, 1, 2]).astype(kind if kind[0] == "S" else order + kind)
    spread = np.repeat(array, 3)
    for one in (array, spread[::3], np.flip(np.flip(array)), np.ma.MaskedArray(array, [False] * 4)):
        assert kept(one) == [2] * 4
    assert kept(array[::-1]) == [1] * 4
    assert kept(np.ma.MaskedArray(array, [False, False, True, False])) == [3] * 4


def test_missing_values_come_last() -> None:
    assert kept(np.array(["2026-03-03", "NaT", "2026-03-01", "NaT"], "M8[ns]")) == [2] * 4
    assert kept(np.array([np.nan, 2.0, np.nan, 1.0])) == [3] * 4
    assert kept(np.array([None, 2, None, 1], object)) == [3] * 4
    assert kept([None, float("nan"), Decimal("NaN"), None]) == [0] * 4
    assert kept([pa.scalar(2), pa.scalar(None), pa.scalar(1), 3]) == [2] * 4


def test_columns_of_pandas() -> None:
    pd = pytest.importorskip("pandas")
    moments = pd.to_datetime(pd.Series([1000, None, 998, 999], dtype="Int64"), unit="ns")
    levels = pd.CategoricalDtype(["low", "medium", "high"], ordered=True)
    columns = [
        pd.Series(LARGE, dtype="Int64"),
        pd.Series(NUMBERS, dtype="Float64"),
        pd.Series(NUMBERS, dtype="int32[pyarrow]"),
        pd.Series(NUMBERS),
        pd.Series([True, None, False, True], dtype="boolean"),
        pd.Series(["c", None, "a", "b"], dtype="string"),
        pd.Series(["c", None, "a", "b"], dtype=object),
        moments,
        moments.dt.tz_localize("UTC"),
        moments - pd.Timestamp(0),
        pd.Series(["high", None, "low", "medium"], dtype=levels),
    ]
    for column in columns:
        for one in (column, pd.concat([column, column]).iloc[4:], column.iloc[::-1].iloc[::-1], column.array):
            assert kept(one) == [2] * 4, column.dtype
    assert kept(pd.PeriodIndex(["2026-03", "2026-04", "2026-01", "2026-02"], freq="M")) == [2] * 4


def test_columns_of_polars() -> None:
    pl = pytest.importorskip("polars")
    columns = [
        pl.Series(LARGE),
        pl.Series(DAYS),
        pl.Series([1000, None, 998, 999]).cast(pl.Datetime("ns")),
        pl.Series([1000, None, 998, 999]).cast(pl.Duration("ns")),
        pl.Series(["high", None, "low", "medium"], dtype=pl.Enum(["low", "medium", "high"])),
        pl.Series(["c", None, "a", "b"], dtype=pl.Categorical),
        pl.Series([0.5, float("nan"), -1.0, 0.25]),
    ]
    for column in columns:
        assert kept(column) == kept(pl.concat([column, column], rechunk=False)[4:]) == [2] * 4, column.dtype


def test_columns_of_other_libraries_by_their_arrow_data() -> None:
    class Exported:
        def __init__(self, column: Any) -> None:
            self.__arrow_c_stream__ = column.__arrow_c_stream__

    assert kept(Exported(pa.chunked_array([timestamps("ns")]))) == [2] * 4


@pytest.mark.parametrize("keep", [np.zeros((4, 2)), pa.table({"a": NUMBERS}), np.zeros(())])
def test_more_than_one_value_for_a_row_is_an_error(keep: Any) -> None:
    with pytest.raises(ValueError, match="expected one value for each row"):
        kept(keep)


def test_values_without_an_order_name_their_rows() -> None:
    with pytest.raises(TypeError, match="2 of row 0 is int, and 'a' of row 2 is str"):
        kept([2, None, "a", 3])
    with pytest.raises(ValueError, match="preferred has 3 values; expected 4"):
        kept(pa.array([1, 2, 3]))


def test_times_keep_their_nanoseconds() -> None:
    assert keep_values(pa.array([1, None], pa.timestamp("ns"))) == [1, None]


@pytest.mark.parametrize("keep", ["date", b"date", dict.fromkeys(range(4)), {*range(4)}, 4, object()])
@pytest.mark.parametrize("name", ["preferred", "protected"])
def test_what_has_no_value_for_each_row_is_refused(name: str, keep: Any) -> None:
    with pytest.raises(TypeError, match=f"^{name} is "):
        find_duplicates(TEXTS, **{name: keep})
