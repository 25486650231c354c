"""Columns of pandas and polars give what their documents give one by one.

Both take long to install, so the extra `test` does without them, and these tests run with the slow ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given

from simhash_doc import fingerprint_many
from tests.batch.test_api import expected, rows
from tests.batch.test_arrow import Texts, texts_of_columns

pd = pytest.importorskip("pandas", reason="pandas is not installed: pip install -e '.[dev]'")
pl = pytest.importorskip("polars", reason="polars is not installed: pip install -e '.[dev]'")
pytestmark = pytest.mark.slow

columns: dict[str, Callable[[Texts], Any]] = {
    "string": lambda texts: pd.Series(texts, dtype="str"),
    "object": lambda texts: pd.Series(texts, dtype=object),
    "arrow": lambda texts: pd.Series(texts, dtype=pd.ArrowDtype(pa.string())),
    "category": lambda texts: pd.Series(texts, dtype="category"),
    "polars": lambda texts: pl.Series(texts, dtype=pl.String),
    "polars categorical": lambda texts: pl.Series(texts, dtype=pl.Categorical),
    "polars binary": lambda texts: pl.Series([t if t is None else t.encode() for t in texts], dtype=pl.Binary),
    "other index": lambda texts: pd.Series(texts, index=range(7, 7 + len(texts)), dtype=object),
}


@pytest.mark.parametrize("make", columns.values(), ids=columns)
@given(texts=texts_of_columns)
def test_column_equals_its_documents(make: Callable[[Texts], Any], texts: Texts) -> None:
    assert rows(fingerprint_many(make(texts))) == [expected(text) for text in texts]


@pytest.mark.parametrize(
    "column",
    [pd.Series([1, 2]), pd.DataFrame({"a": ["x"]}), pl.Series([1.5]), pl.DataFrame({"a": ["x"]})],
    ids=lambda column: type(column).__module__ + " " + type(column).__name__,
)
def test_columns_of_other_types_are_rejected(column: object) -> None:
    with pytest.raises(TypeError, match=r"the column is of type|is int; expected str, bytes or None"):
        fingerprint_many(column)  # type: ignore[arg-type]


@pytest.mark.parametrize("dtype", [None, object])
def test_without_pyarrow_a_column_is_read_value_by_value(monkeypatch: pytest.MonkeyPatch, dtype: type | None) -> None:
    monkeypatch.setattr("simhash_doc.batch.batches.find_spec", lambda _: None)
    texts = ["alpha beta", None, ""]
    for column in (pd.Series(texts, dtype=dtype), pl.Series(texts)):
        assert rows(fingerprint_many(column)) == [expected(text) for text in texts]
