"""Columns of pyarrow give what their documents give one by one. Those of pandas and polars: test_data_frames."""

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
    "pyarrow run ends": lambda texts: pc.run_end_encode(pa.array(texts, pa.string())),
    "numpy object": lambda texts: np.array(texts, dtype=object),
}
texts_of_columns = st.lists(st.one_of(st.none(), seam_text, st.sampled_from(["same words", "x", ""])), max_size=20)


@pytest.mark.parametrize("make", columns.values(), ids=columns)
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


def test_equal_values_of_a_dictionary_are_sent_once() -> None:
    column = pa.array(["same long text " * 1000, None, "other"] * 5000).dictionary_encode()
    made = list(batches(column))
    assert sum(len(batch) for batch in made) == 15_000
    assert sum(len(batch.texts) for batch in made) == 3
    assert rows(fingerprint_many(column, workers=2))[-3:] == rows(fingerprint_many(column[:3]))


def test_dictionary_of_large_values_is_cut() -> None:
    values = [chr(97 + at) * (BATCH_BYTES // 2) for at in range(6)]
    made = list(batches(pa.array([*values, *values]).dictionary_encode()))
    assert max(sum(len(text or b"") for text in batch.texts) for batch in made) <= BATCH_BYTES
    assert sum(len(batch) for batch in made) == 12


@pytest.mark.parametrize(
    "column",
    [
        pa.array([1]),
        pa.array([["a"]]),
        pa.table({"a": ["x"]}),
        pa.array([1]).dictionary_encode(),
    ],
    ids=lambda column: type(column).__module__ + " " + type(column).__name__,
)
def test_columns_of_other_types_are_rejected(column: object) -> None:
    with pytest.raises(TypeError, match=r"the column is of type|is int; expected str"):
        fingerprint_many(column)  # type: ignore[arg-type]
