"""Columns of pyarrow, pandas and polars give what their documents give one by one.

pandas and polars take long to install, so the extra `test` does without them, and their tests run with the slow ones.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_doc import fingerprint_many
from simhash_doc.batch.batches import batches
from simhash_doc.engines.text_buffer import BATCH_BYTES, TextBuffer
from tests.batch.test_api import expected, rows
from tests.strategies import seam_text

Texts = list[str | None]
TYPES = [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view()]

columns: dict[str, Callable[[Texts], Any]] = {
    **{f"pyarrow {kind}": partial(pa.array, type=kind) for kind in TYPES},
    "pyarrow dictionary": lambda texts: pa.array(texts, pa.string()).dictionary_encode(),
    "pyarrow dictionary with null": lambda texts: pa.DictionaryArray.from_arrays(
        pa.array(range(len(texts)), pa.int8()), pa.array(texts, pa.large_string())
    ),
    "numpy object": lambda texts: np.array(texts, dtype=object),
}


def pandas(texts: Any, **options: Any) -> Any:
    return pytest.importorskip("pandas").Series(texts, **options)


def polars(texts: Any, kind: str | None = None) -> Any:
    module = pytest.importorskip("polars")
    return module.Series(texts, dtype=kind and getattr(module, kind))


frames: dict[str, Callable[[Texts], Any]] = {
    "pandas str": partial(pandas, dtype="str"),
    "pandas object": partial(pandas, dtype=object),
    "pandas arrow": lambda texts: pandas(texts, dtype=pytest.importorskip("pandas").ArrowDtype(pa.string())),
    "pandas category": partial(pandas, dtype="category"),
    "pandas array of str": lambda texts: pandas(texts, dtype="str").array,
    "pandas array of arrow": lambda texts: pandas(texts, dtype="string[pyarrow]").values,
    "pandas array of objects": lambda texts: pandas(texts, dtype=object).array,
    "pandas labels": lambda texts: pytest.importorskip("pandas").Index(texts, dtype="str"),
    "pandas index": lambda texts: pandas(texts, index=range(7, 7 + len(texts)), dtype=object),
    "polars": partial(polars, kind="String"),
    "polars categorical": partial(polars, kind="Categorical"),
    "polars object": partial(polars, kind="Object"),
    "polars binary": lambda texts: polars([t if t is None else t.encode() for t in texts], "Binary"),
}
made = [pytest.param(make, id=name) for name, make in columns.items()]
made += [pytest.param(make, id=name, marks=pytest.mark.slow) for name, make in frames.items()]
texts_of_columns = st.lists(st.one_of(st.none(), seam_text, st.sampled_from(["same words", "x", ""])), max_size=20)


@pytest.mark.parametrize("make", made)
@given(texts=texts_of_columns)
def test_column_equals_its_documents(make: Callable[[Texts], Any], texts: Texts) -> None:
    assert rows(fingerprint_many(make(texts))) == [expected(text) for text in texts]


@pytest.mark.slow
@pytest.mark.parametrize("kind", TYPES, ids=str)
@given(texts=texts_of_columns, before=texts_of_columns, data=st.data())
def test_slices_and_chunks(kind: pa.DataType, texts: Texts, before: Texts, data: st.DataObject) -> None:
    sliced = pa.array([*before, *texts, "after"], kind).slice(len(before), len(texts))
    cut = data.draw(st.integers(0, len(texts)))
    chunked = pa.chunked_array([sliced.slice(0, cut), sliced.slice(cut)], kind)
    wanted = [expected(text) for text in texts]
    assert rows(fingerprint_many(sliced)) == rows(fingerprint_many(chunked)) == wanted
    assert rows(fingerprint_many(chunk for chunk in chunked.chunks)) == wanted


def test_null_column_and_fixed_size() -> None:
    assert rows(fingerprint_many(pa.nulls(3))) == [None] * 3
    fixed = pa.array([b"ab cd", None, b"12345"], pa.binary(5))
    assert rows(fingerprint_many(fixed)) == [expected("ab cd"), None, None]
    assert rows(fingerprint_many(fixed.slice(1))) == [None, None]


def test_ill_formed_bytes_in_a_string_column() -> None:
    raw = pa.array([b"good \xff words", b"\xe6\x97"], pa.binary())
    unchecked = pa.Array.from_buffers(pa.string(), 2, raw.buffers())
    assert rows(fingerprint_many(unchecked)) == [expected(b"good \xff words"), None]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.large_binary()], ids=str)
def test_documents_stay_in_the_buffer_of_the_column(kind: pa.DataType) -> None:
    column = pa.array(["alpha beta"] * 100_000, kind)
    buffer = column.buffers()[2]
    made = list(batches(column))
    assert len(made) > 1
    for batch in made:
        assert isinstance(batch.texts, TextBuffer)
        assert batch.texts.data.obj.address == buffer.address  # type: ignore[attr-defined]


def test_batches_of_a_column_are_cut_by_bytes() -> None:
    sizes = [10, 3 * BATCH_BYTES, 0, BATCH_BYTES // 2, BATCH_BYTES // 2, 5]
    for kind in TYPES:
        made = list(batches(pa.array(["x" * size for size in sizes], kind)))
        assert [len(batch) for batch in made] == [1, 1, 2, 2]


def test_dictionary_of_large_values_is_cut() -> None:
    values = [chr(97 + at) * (BATCH_BYTES // 2) for at in range(6)]
    made = list(batches(pa.array([*values, *values]).dictionary_encode()))
    assert max(sum(len(text or b"") for text in batch.texts) for batch in made) <= BATCH_BYTES
    assert sum(len(batch) for batch in made) == 12


OTHER_TYPES: list[Callable[[], Any]] = [
    lambda: pa.array([1]),
    lambda: pa.array([["a"]]),
    lambda: pa.table({"a": ["x"]}),
    lambda: pa.array([1]).dictionary_encode(),
    lambda: pc.run_end_encode(pa.array(["x"])),
]
OTHER_FRAMES: list[Callable[[], Any]] = [
    lambda: pandas([1, 2]),
    lambda: pandas(["x"]).to_frame(),
    lambda: polars([1.5]),
    lambda: polars(["x"]).to_frame(),
]


@pytest.mark.parametrize("make", [*OTHER_TYPES, *(pytest.param(make, marks=pytest.mark.slow) for make in OTHER_FRAMES)])
def test_columns_of_other_types_are_rejected(make: Callable[[], Any]) -> None:
    with pytest.raises(TypeError, match=r"the column is of type|is int; expected str|expected one column of it"):
        fingerprint_many(make())


@pytest.mark.slow
def test_without_pyarrow_a_column_is_read_value_by_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simhash_doc.batch.batches.find_spec", lambda _: None)
    texts = ["alpha beta", None, ""]
    for column in (pandas(texts), pandas(texts, dtype=object), polars(texts)):
        assert rows(fingerprint_many(column)) == [expected(text) for text in texts]
