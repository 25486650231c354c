"""Documents in batches of bounded size: the input of one call of an engine, and of one message to a worker."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from simhash_doc.batch.arrow import ColumnSlice, is_column, read_column
from simhash_doc.engines.base import exact
from simhash_doc.engines.text_buffer import BATCH_BYTES, DOCUMENT_OVERHEAD, TextBuffer, pack

Text = str | bytes | None


@dataclass(frozen=True, slots=True)
class Batch:
    """Consecutive documents.

    Attributes:
        first: number of the first of them in the input, from 0.
        texts: the documents; None where there is none.
        places: if given, document i is `texts[places[i]]`: equal documents of a dictionary column are fingerprinted
            once.
    """

    first: int
    texts: Sequence[Text]
    places: npt.NDArray[np.intp] | None = None

    def __len__(self) -> int:
        return len(self.texts) if self.places is None else len(self.places)

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
    size = getattr(texts, "nbytes", 0) if is_column(texts) else 0
    return size if isinstance(size, int) else 0


def batches(texts: Iterable[Text | object]) -> Iterator[Batch]:
    """Cut an input into batches of about `BATCH_BYTES`; each larger document is a separate batch.

    Args:
        texts: an iterable of documents, a column, or an iterable of columns.

    Raises:
        TypeError: an item has another type; the message gives its type and position.
    """
    first = 0
    gathered: list[Text] = []
    size = 0
    for item in _flattened(texts):
        weight = 0 if isinstance(item, ColumnSlice) else DOCUMENT_OVERHEAD + len(item or b"")
        if gathered and (isinstance(item, ColumnSlice) or size + weight > BATCH_BYTES):
            yield Batch(first, gathered)
            first, gathered, size = first + len(gathered), [], 0
        if isinstance(item, ColumnSlice):
            batch = Batch(first, item.texts, item.places)
            yield batch
            first += len(batch)
        else:
            gathered.append(item)
            size += weight
    if gathered:
        yield Batch(first, gathered)


def _flattened(texts: Iterable[object]) -> Iterator[Text | ColumnSlice]:
    number = 0
    for item in [texts] if is_column(texts) else texts:
        for part in read_column(item) if is_column(item) else [item]:
            if part is not None and not isinstance(part, str | bytes | ColumnSlice):
                raise TypeError(f"text {number} is {type(part).__name__}; expected str, bytes or None")
            yield exact(part) if isinstance(part, str | bytes) else part
            number += len(part) if isinstance(part, ColumnSlice) else 1
