"""Documents in batches of bounded size: the input of one call of an engine, and of one message to a worker.

Columns of pandas, polars and pyarrow are documents, too. Their Arrow buffers are read in place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.util import find_spec
from itertools import chain
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from simhash_doc.arguments import exact, how_to_read
from simhash_doc.engines.text_buffer import BATCH_BYTES, DOCUMENT_OVERHEAD, TextBuffer, batch_ranges, pack

if TYPE_CHECKING:
    import pyarrow as pa

NULL_TEXT, NO_TOKEN = "the text is null", "no token"  # why a document has no fingerprint

TextOrNull = str | bytes | None


class _ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: Any = None) -> Any: ...


class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...


Column: TypeAlias = _ArrowArray | _ArrowStream
"""A column of pandas, polars, pyarrow or another library that exports Arrow data."""

_ROWS = 1 << 16  # of a column that are cast at once; Arrow copies the text only of views and of fixed sizes
_STRINGS = ("string", "binary", "large_string", "large_binary", "string_view", "binary_view", "null")


@dataclass(frozen=True, slots=True)
class Batch:
    """Consecutive documents.

    Attributes:
        first: number of the first of them in the input, from 0.
        texts: the documents; None where there is none.
    """

    first: int
    texts: Sequence[TextOrNull]

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def documents(self) -> range:
        """The positions of the documents in the input."""
        return range(self.first, self.first + len(self))

    @property
    def nbytes(self) -> int:
        """Size of `texts` in bytes, or in characters where they are str."""
        return self.texts.nbytes if isinstance(self.texts, TextBuffer) else sum(len(text or b"") for text in self.texts)

    def packed(self) -> Batch:
        """Return the batch in a form that is cheap to send to another process."""
        return self if isinstance(self.texts, TextBuffer) else replace(self, texts=pack(self.texts))


def known_size(texts: object) -> int:
    """Return the total size of a list, tuple or Arrow column: bytes, or characters of str; 0 for any other input."""
    if isinstance(texts, list | tuple):
        return sum(len(exact(text)) for text in texts if isinstance(text, str | bytes))
    size = None
    with suppress(TypeError):  # of views, which not all versions of Arrow measure
        size = getattr(texts, "nbytes", 0) if is_column(texts) else 0
    return size if isinstance(size, int) else 0


def batches(texts: Iterable[Any] | Column) -> Iterator[Batch]:
    """Cut an input into batches of about `BATCH_BYTES`; each larger document is a separate batch.

    Args:
        texts: an iterable of documents, a column, or an iterable of columns.

    Raises:
        TypeError: an item has another type; the message gives its type and position.
    """
    first, size = 0, 0
    gathered: list[TextOrNull] = []
    items: Any = [texts] if is_column(texts) else texts
    for part in chain.from_iterable(_read_column(item) if is_column(item) else (item,) for item in items):
        if isinstance(part, Batch):
            weight = BATCH_BYTES
        elif part is None or isinstance(part, str | bytes):
            weight = DOCUMENT_OVERHEAD + len(part or b"")
        else:
            found = f"text {first + len(gathered)} is {type(part).__name__}"
            raise TypeError(f"{found}; expected str, bytes or None{how_to_read(part)}")
        if gathered and size + weight > BATCH_BYTES:
            yield Batch(first, gathered)
            first, gathered, size = first + len(gathered), [], 0
        if isinstance(part, Batch):
            yield replace(part, first=first)
            first += len(part)
        else:
            gathered.append(None if part is None else exact(part))
            size += weight
    if gathered:
        yield Batch(first, gathered)


def is_column(value: object) -> bool:
    """Return True if a value exports Arrow data or is a pandas Series."""
    if isinstance(value, str | bytes):  # most values: that takes less time than three attributes
        return False
    return hasattr(value, "__arrow_c_stream__") or hasattr(value, "__arrow_c_array__") or _is_pandas(value)


def is_text(kind: pa.DataType) -> bool:
    """Return True if the values of an Arrow type are strings or bytes, or missing."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return is_text(kind.value_type)
    return str(kind) in _STRINGS or pa.types.is_fixed_size_binary(kind)


def _read_column(column: Any) -> Iterator[Any]:
    """Yield batches of a column with Arrow buffers, numbered from any document, or else its documents one by one.

    Raises:
        TypeError: the type of the column is neither text nor bytes.
    """
    if find_spec("pyarrow") is None or not _has_arrow_values(column):
        yield from map(_document, column)
        return
    import pyarrow as pa

    if _is_pandas(column):
        array = pa.array(getattr(column, "array", column))  # of a Series or an Index, or an array itself
    elif isinstance(column, pa.Array | pa.ChunkedArray):
        array = column
    elif hasattr(column, "to_arrow") and hasattr(column, "dtype"):  # polars, whose stream of categories is often wrong
        array = column.to_arrow()
    else:
        array = pa.chunked_array(column) if hasattr(column, "__arrow_c_stream__") else pa.array(column)
    for chunk in array.chunks if isinstance(array, pa.ChunkedArray) else [array]:
        yield from _slices(chunk)


def _is_pandas(value: object) -> bool:
    return type(value).__module__.partition(".")[0] == "pandas" and hasattr(value, "dtype")


def _has_arrow_values(column: Any) -> bool:
    """Return False for pandas data without Arrow buffers, and for Python objects in polars, exported as addresses."""
    dtype = getattr(column, "dtype", None)
    if _is_pandas(column):
        return hasattr(dtype, "pyarrow_dtype") or getattr(dtype, "storage", None) == "pyarrow"
    return str(dtype) != "Object"


def _document(value: Any) -> Any:
    """Return None for a value that pandas treats as missing, and any other value unchanged."""
    is_missing = type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value)
    return None if is_missing else value


def _slices(chunk: Any) -> Iterator[Batch]:
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = chunk.type
    if isinstance(chunk, pa.ExtensionArray):
        yield from _slices(chunk.storage)
    elif pa.types.is_dictionary(kind):
        _check_type(kind.value_type)
        values = pc.cast(chunk.dictionary, pa.large_binary())
        sizes = np.append(np.diff(_bounds(values)), 0)  # and of a null
        codes = pc.fill_null(pc.cast(chunk.indices, pa.int64()), -1).to_numpy(zero_copy_only=False)
        for start, stop in batch_ranges(sizes[codes]):
            yield Batch(0, _packed(values.take(chunk.indices.slice(start, stop - start))))
    else:
        _check_type(kind)
        for first in range(0, len(chunk), _ROWS):
            part = pc.cast(chunk.slice(first, _ROWS), pa.large_binary())
            for start, stop in batch_ranges(np.diff(_bounds(part))):
                yield Batch(0, _packed(part.slice(start, stop - start)))


def _check_type(kind: pa.DataType) -> None:
    if not is_text(kind):
        raise TypeError(f"the column is of type {kind}; expected strings, or bytes in UTF-8")


def _bounds(chunk: pa.Array) -> npt.NDArray[np.int64]:
    offsets = chunk.buffers()[1]
    if offsets is None or not offsets.size:
        return np.zeros(1, np.int64)
    return np.frombuffer(offsets, np.int64, len(chunk) + 1, chunk.offset * 8)


def _packed(chunk: pa.Array) -> TextBuffer:
    """Return the documents of a chunk in its own buffer."""
    data = chunk.buffers()[2]
    missing = booleans(chunk.is_null()) if chunk.null_count else np.zeros(len(chunk), np.bool_)
    return TextBuffer(b"" if data is None else data, _bounds(chunk), missing)


def booleans(array: pa.Array) -> npt.NDArray[np.bool_]:
    """Return an Arrow array of booleans as one of NumPy. `to_numpy` would import pandas, half a second and 30 MB."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return np.frombuffer(pc.cast(array, pa.uint8()).buffers()[1], np.bool_, len(array))
