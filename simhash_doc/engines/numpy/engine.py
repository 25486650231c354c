"""Engine `numpy`: the pipeline as operations on arrays of many documents.

Documents of about `GROUP_BYTES` go through these steps together: fold (`fold`), bigrams of scripts without spaces
(`bigrams`), links (`simhash_doc.engines.strings`), the words of the rest (`words`), and the sums
(`simhash_doc.engines.bit_sums`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simhash_doc.engines.base import (
    LARGE_DOCUMENT,
    AnyText,
    Measurement,
    Measurements,
    TokenCounter,
    measurement_of_sums,
    utf8,
)
from simhash_doc.engines.bit_sums import BitSums, signs, sum_tokens
from simhash_doc.engines.numpy.bigrams import Bigrams, count_bigrams
from simhash_doc.engines.numpy.fold import fold_to_code_points, to_text
from simhash_doc.engines.numpy.words import Words, find_words
from simhash_doc.engines.python import count_tokens
from simhash_doc.engines.strings import SEPARATOR, without_marked_links
from simhash_doc.engines.text_buffer import batch_ranges, texts_as_utf8
from simhash_doc.engines.token_counts import TextCounter
from simhash_doc.engines.unicode_tables import CODE_POINT, CONTINUA, OUTSIDE

GROUP_BYTES = 3 << 16  # bytes of documents that go through the steps together
_SPACE, _BETWEEN = 0x20, 0x0A  # a line feed stands between documents


class NumpyEngine:
    """The pipeline through arrays."""

    name = "numpy"

    def fingerprint(self, text: AnyText, lanes: int) -> int | None:
        measured = self.measure(text, lanes)
        return measured.value if measured.tokens else None

    def measure(self, text: AnyText, lanes: int) -> Measurement:
        data = utf8(text) if isinstance(text, str) else text
        if len(data) > LARGE_DOCUMENT:
            return self._measure_large(data, lanes)
        sums = _sums([data], lanes)
        return measurement_of_sums(int(sums.totals[0]), sums.statistics[0].tolist(), sums.sums[0].tolist())

    def measure_batch(self, texts: Sequence[AnyText | None], lanes: int) -> Measurements:
        documents = texts_as_utf8(texts)
        result = Measurements.empty(len(documents), lanes)
        is_ascii = np.array([document.isascii() for document in documents], bool)
        for places in (is_ascii.nonzero()[0], (~is_ascii).nonzero()[0]):  # ASCII folds faster
            sizes = np.array([len(documents[at]) for at in places.tolist()], np.int64)
            for start, stop in batch_ranges(sizes, GROUP_BYTES):
                group = places[start:stop]
                if sizes[start] > LARGE_DOCUMENT:  # alone in its group
                    at = int(group[0])
                    result.put_measured(at, self._measure_large(documents[at], lanes))
                else:
                    sums = _sums([documents[at] for at in group.tolist()], lanes)
                    result.values[group], result.statistics[group] = signs(sums.sums), sums.statistics
        return result

    def token_counter(self) -> TokenCounter:
        return TextCounter(_count_tokens)

    def _measure_large(self, data: bytes, lanes: int) -> Measurement:
        counter = self.token_counter()
        counter.feed(data)
        return counter.measure(lanes)


def _count_tokens(text: str) -> dict[bytes, int]:
    """Return the tokens of a text with their occurrences."""
    if len(text) > LARGE_DOCUMENT:  # strings take less memory than arrays of characters
        return count_tokens(text)
    counts: dict[bytes, int] = {}
    for tokens in _tokens([utf8(text)]):
        counts |= tokens.counts()
    return counts


def _sums(documents: list[bytes], lanes: int) -> BitSums:
    parts = [part for tokens in _tokens(documents) for part in tokens.weighted(lanes)]
    return sum_tokens(parts, len(documents), lanes)


def _tokens(documents: list[bytes]) -> list[Words | Bigrams]:
    """Return the tokens of documents in UTF-8."""
    if all(map(bytes.isascii, documents)):
        return [find_words(without_marked_links(SEPARATOR.join(documents).lower()))]
    # A byte order mark folds to nothing, wherever it is.
    joined = b"\n".join([document.replace(b"\n", b" ") for document in documents]).decode("utf-8", "replace")
    folded = fold_to_code_points(joined)
    found: list[Words | Bigrams] = []
    if (folded & CONTINUA).any():
        found.append(count_bigrams(folded, (folded & CODE_POINT == _BETWEEN).nonzero()[0]))
    # No character that is in no word and not ASCII is in a link.
    folded[folded & OUTSIDE != 0] = _SPACE
    texts = to_text(folded).encode("utf-8").replace(b"\n", SEPARATOR)
    return [*found, find_words(without_marked_links(texts))]
