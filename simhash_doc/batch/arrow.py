"""Columns of pandas, polars and pyarrow as documents. Arrow buffers are read in place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from simhash_doc.engines.text_buffer import BATCH_BYTES, TextBuffer, batch_ranges

if TYPE_CHECKING:
    import pyarrow as pa

_DICTIONARY_ROWS = 1 << 16
_OFFSETS: dict[str, type[np.signedinteger[Any]]] = {
    "string": np.int32,
    "binary": np.int32,
    "large_string": np.int64,
    "large_binary": np.int64,
}


@dataclass(frozen=True, slots=True)
class ColumnSlice:
    """Consecutive rows of a column: row i is `texts[places[i]]`, or `texts[i]` if `places` is None."""

    texts: TextBuffer
    places: npt.NDArray[np.intp] | None = None

    def __len__(self) -> int:
        return len(self.texts) if self.places is None else len(self.places)


def is_column(value: object) -> bool:
    """Return True if a value exports Arrow data or is a pandas Series."""
    return hasattr(value, "__arrow_c_stream__") or hasattr(value, "__arrow_c_array__") or _is_pandas(value)


def read_column(column: Any) -> Iterator[str | bytes | ColumnSlice | None]:
    """Yield slices of about `BATCH_BYTES` of a column with Arrow buffers, or else its documents one by one.

    Raises:
        TypeError: the type of the column is neither text nor bytes.
    """
    if find_spec("pyarrow") is None or (_is_pandas(column) and not _has_arrow_buffers(column.dtype)):
        yield from map(_document, column)
        return
    import pyarrow as pa

    if _is_pandas(column):
        array = pa.array(column.array)
    elif isinstance(column, pa.Array | pa.ChunkedArray):
        array = column
    else:
        array = pa.chunked_array(column) if hasattr(column, "__arrow_c_stream__") else pa.array(column)
    for chunk in array.chunks if isinstance(array, pa.ChunkedArray) else [array]:
        yield from _slices(chunk)


def _is_pandas(value: object) -> bool:
    return type(value).__module__.partition(".")[0] == "pandas" and hasattr(value, "dtype")


def _has_arrow_buffers(dtype: object) -> bool:
    return hasattr(dtype, "pyarrow_dtype") or getattr(dtype, "storage", None) == "pyarrow"


def _document(value: Any) -> Any:
    """Return None for a value that pandas treats as missing, and any other value unchanged."""
    is_missing = type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value)
    return None if is_missing else value


def _slices(chunk: Any) -> Iterator[ColumnSlice]:
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = chunk.type
    if isinstance(chunk, pa.ExtensionArray):
        yield from _slices(chunk.storage)
    elif pa.types.is_dictionary(kind):
        _check_type(kind.value_type)
        if str(kind.value_type) not in _OFFSETS:  # Arrow cannot take single elements of these
            values = pc.cast(chunk.dictionary, pa.large_binary())
            chunk = pa.DictionaryArray.from_arrays(chunk.indices, values)
        for start in range(0, len(chunk), _DICTIONARY_ROWS):
            yield from _dictionary_slices(chunk.slice(start, _DICTIONARY_ROWS))
    elif pa.types.is_run_end_encoded(kind):
        runs = pa.array(np.arange(len(chunk.values)))
        codes = pc.run_end_decode(pa.RunEndEncodedArray.from_arrays(chunk.run_ends, runs))
        yield from _slices(pa.DictionaryArray.from_arrays(codes.slice(chunk.offset, len(chunk)), chunk.values))
    else:
        _check_type(kind)
        for start, stop in batch_ranges(_sizes(chunk)):
            yield ColumnSlice(_packed(chunk.slice(start, stop - start)))


def _check_type(kind: Any) -> None:
    import pyarrow as pa

    if str(kind) not in (*_OFFSETS, "string_view", "binary_view", "null") and not pa.types.is_fixed_size_binary(kind):
        raise TypeError(f"the column is of type {kind}; expected strings, or bytes in UTF-8")


def _sizes(chunk: pa.Array) -> npt.NDArray[np.int64]:
    """Return the size of each document of a chunk in bytes, shape (n,)."""
    name = str(chunk.type)
    if not len(chunk) or name == "null":
        return np.zeros(len(chunk), np.int64)
    if name in _OFFSETS:
        return np.diff(_bounds(chunk))
    if name in ("string_view", "binary_view"):
        # An element is four 32-bit words, the first of them its length.
        lengths = np.frombuffer(chunk.buffers()[1], np.int32).reshape(-1, 4)[:, 0]
        return lengths[chunk.offset : chunk.offset + len(chunk)].astype(np.int64)
    return np.full(len(chunk), chunk.type.byte_width, np.int64)


def _bounds(chunk: pa.Array) -> npt.NDArray[np.int64]:
    stored = _OFFSETS[str(chunk.type)]
    offsets = chunk.buffers()[1]
    if offsets is None or not offsets.size:
        return np.zeros(1, np.int64)
    return np.frombuffer(offsets, stored, len(chunk) + 1, chunk.offset * stored().itemsize).astype(np.int64, copy=False)


def _packed(chunk: pa.Array) -> TextBuffer:
    """Return the documents of a chunk in its own buffer. Views and values of a fixed size are copied to a new one."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if str(chunk.type) not in _OFFSETS:
        chunk = pc.cast(chunk, pa.large_binary())
    data = chunk.buffers()[2]
    missing = chunk.is_null().to_numpy(zero_copy_only=False)
    return TextBuffer(b"" if data is None else data, _bounds(chunk), missing)


def _dictionary_slices(chunk: Any) -> Iterator[ColumnSlice]:
    """Yield the distinct documents of a dictionary array, halved until they fit into a batch."""
    import pyarrow as pa
    import pyarrow.compute as pc

    codes = pc.fill_null(pc.cast(chunk.indices, pa.int64()), -1).to_numpy(zero_copy_only=False)
    used, places = np.unique(codes, return_inverse=True)
    if not len(used):
        return
    if len(used) > 1 and _sizes(chunk.dictionary)[used[used >= 0]].sum() > BATCH_BYTES:
        half = len(chunk) // 2
        yield from _dictionary_slices(chunk.slice(0, half))
        yield from _dictionary_slices(chunk.slice(half))
        return
    # The code of a null row is -1. It is masked, so that its document is missing.
    texts = chunk.dictionary.take(pa.array(used, mask=used < 0))
    yield ColumnSlice(_packed(texts), places.astype(np.intp, copy=False))
