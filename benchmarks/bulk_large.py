"""The speed and memory of one large document that arrives in pieces."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from itertools import islice, product
from typing import Any

from benchmarks.bulk_texts import Texts
from benchmarks.measuring import isolated, peak_mb, version

_PIECE = 1_000_000  # bytes
_ENGINES = ("numpy", "numba")

Row = dict[str, Any]


def large_documents(texts: Texts) -> Iterator[Row]:
    """Yield MB/s and the peak of memory for documents of 50 and 100 MB, each in a new process."""
    english = texts.by_language["en"][:20_000_000]
    for engine in filter(version, _ENGINES):
        for name in _PIECES:
            yield {"engine": engine, "document": name, **isolated(_measured, engine, name, english)[0]}


def _measured(engine: str, name: str, english: str) -> Row:
    from simhash_doc import Accumulator, set_engine

    set_engine(engine)
    warm = Accumulator()
    warm.update("Words, \u00e9 and \u6f22\u5b57. " * 50_000)
    warm.fingerprint()
    before = peak_mb()
    accumulator = Accumulator()
    size = seconds = 0.0
    for piece in _PIECES[name](english):
        size += len(piece.encode("utf-8")) / 1e6
        start = time.thread_time()
        accumulator.update(piece)
        seconds += time.thread_time() - start
    start = time.thread_time()
    accumulator.fingerprint()
    seconds += time.thread_time() - start
    return {"mb": size, "rate": size / seconds, "before_mb": before, "peak_mb": peak_mb()}


def _english(english: str) -> Iterator[str]:
    for at in range(100):
        yield english[at * _PIECE % len(english) :][:_PIECE]


def _distinct_words(english: str) -> Iterator[str]:
    words = map("".join, product("etaoinshrdlu", repeat=7))
    for _ in range(100):
        yield "".join(f"{word} " for word in islice(words, _PIECE // 8))


def _distinct_bigrams(english: str) -> Iterator[str]:
    draw = random.Random(1)
    for _ in range(100):
        yield "".join(map(chr, draw.choices(range(0x4E00, 0x9FFF), k=_PIECE // 3)))


def _one_word(english: str) -> Iterator[str]:
    for _ in range(50):
        yield "a" * _PIECE


_PIECES: dict[str, Callable[[str], Iterator[str]]] = {
    "English": _english,
    "distinct words": _distinct_words,
    "random Han": _distinct_bigrams,
    "one word": _one_word,
}
