"""Engine `native`: the compiled core, the Rust crate of `ports/rust` as the Python module `simhash_doc_native`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING

import simhash_doc_native as core

from simhash_doc.engines.base import AnyText, Measurement, Multiset, TokenCounter, utf8
from simhash_doc.errors import EngineUnavailableError
from simhash_doc.published_files import data_directory
from simhash_doc.versions import SPEC_VERSION

if TYPE_CHECKING:
    from simhash_doc.engines.base import Measurements

_SAMPLE_TEXT = "The quick brown ﬁx, e\u0301té 東京タワー http://a.example/x"
_SAMPLE_FINGERPRINT = 0x1D0B43EA1AC78D20
_INTERFACE = 5  # of the functions of the compiled core: raised there and here whenever one of them changes
_UPGRADE = "run: pip install --upgrade 'simhash-doc[fast]'"


class NativeEngine:
    """The compiled core. Each thread keeps the memory for its work. Texts of 4 KiB or more run in parallel.

    Raises:
        EngineUnavailableError: the compiled core has another interface, specification or data.
        RuntimeError: it gives a wrong result.
    """

    name = "native"

    def __init__(self) -> None:
        with open(f"{data_directory('spec/data')}/SHA256SUMS", "rb") as file:
            digest = sha256(file.read()).hexdigest()
        if core.SPECIFICATION != SPEC_VERSION or digest != core.DATA_DIGEST:
            raise EngineUnavailableError(
                f"simhash-doc-native implements the specification {core.SPECIFICATION} with the data "
                f"{core.DATA_DIGEST[:8]}, and simhash-doc {SPEC_VERSION} with {digest[:8]}; {_UPGRADE}"
            )
        if core.INTERFACE != _INTERFACE:
            raise EngineUnavailableError(
                f"simhash-doc-native has the interface {core.INTERFACE}, and simhash-doc uses {_INTERFACE}; {_UPGRADE}"
            )
        self._fingerprint, self._measure = core.fingerprint, core.measure
        self._measure_batch, self._counter = core.measure_batch, core.TokenCounter
        found = self.fingerprint(_SAMPLE_TEXT, 1)
        if found != _SAMPLE_FINGERPRINT:
            raise RuntimeError(f"the fingerprint of a sample is {found}; expected {_SAMPLE_FINGERPRINT}")

    def fingerprint(self, text: AnyText, lanes: int) -> int | None:
        return self._fingerprint(_utf8(text), lanes)

    def measure(self, text: AnyText, lanes: int) -> Measurement:
        return Measurement(*self._measure(_utf8(text), lanes))

    def measure_batch(self, texts: Sequence[AnyText | None], lanes: int) -> Measurements:
        import numpy as np

        from simhash_doc.engines.base import Measurements
        from simhash_doc.engines.text_buffer import TextBuffer, pack

        texts = texts if isinstance(texts, TextBuffer) else pack(texts)
        values, statistics = self._measure_batch(texts.data, np.ascontiguousarray(texts.bounds), lanes)
        result = Measurements(
            np.frombuffer(values, np.uint64).reshape(-1, lanes), np.frombuffer(statistics, np.int64).reshape(-1, 3)
        )
        result.values[texts.missing], result.statistics[texts.missing] = 0, 0
        return result

    def token_counter(self) -> TokenCounter:
        return NativeTokenCounter(self._counter())


class NativeTokenCounter:
    """The tokens of a text in pieces.

    Memory grows with the distinct tokens (twice that while a result is computed), and with the longest word. Only one
    thread at a time may use it.
    """

    def __init__(self, counter: core.TokenCounter) -> None:
        self._counter = counter

    def feed(self, data: bytes) -> None:
        self._counter.feed(data)

    def merge(self, other: TokenCounter) -> None:
        if isinstance(other, NativeTokenCounter):
            self._counter.merge(other._counter)
        else:
            tokens = other.tokens()
            self._counter.add(tokens.total, tokens.items())

    def copy(self) -> NativeTokenCounter:
        return NativeTokenCounter(self._counter.copy())

    def tokens(self) -> Multiset:
        return _Tokens(*self._counter.tokens())

    def measure(self, lanes: int) -> Measurement:
        return Measurement(*self._counter.measure(lanes))


class _Tokens:
    def __init__(self, total: int, items: list[tuple[bytes, int]]) -> None:
        self.total, self._items = total, items

    def items(self) -> Iterator[tuple[bytes, int]]:
        return iter(self._items)


def _utf8(text: AnyText) -> AnyText:
    """Return the text as the compiled core reads it without a copy.

    It could read every str without surrogates, but Python would then keep the UTF-8 as long as the str.
    """
    return text if isinstance(text, bytes) or text.isascii() else utf8(text)
