"""What the engines do, counted instead of timed: a slower path shows as more calls, on a busy machine, too.

Only the test of worst texts reads a clock: no counter shows quadratic time in compiled code. At its sizes, quadratic
time is hundreds of times that of ordinary text; `docs/benchmarks/implementations-tables.md` has the ratios of linear
time, all of which are below 30. It compares processor times in one process, the least of several tries each.
"""

from __future__ import annotations

import random
import sys
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from types import FrameType

import pytest

from benchmarks.worst_texts import catalogue, ordinary_text
from simhash_doc.engines.select import get_engine, select_engine
from tests.engines.engines import all_engines, setting

ALPHABETS = {
    "English": "abcdefghijklmnopqrstuvwxyz",
    "German": "abcdefghijklmnoprstuwzäöüß",
    "Russian": "абвгдежзийклмнопрстуфхцчшщыэюя",
    "Chinese": "的一是不了人我在有他这为之大来以个中上们到说国和地也子时道出而要于就下得可你年生",
}


def text_of(script: str, characters: int) -> str:
    """Return random words and sentences of a script; Chinese has no spaces."""
    rng = random.Random(script)
    between = "" if script == "Chinese" else " "
    words: list[str] = []
    size = 0
    while size < characters:
        word = "".join(rng.choices(ALPHABETS[script], k=rng.randint(2, 9)))
        words.append(word + ("." if rng.random() < 0.1 else ""))
        size += len(words[-1]) + len(between)
    return between.join(words)


def calls_of(work: Callable[[], object]) -> int:
    """Return how many functions of Python and C are called."""
    count = 0

    def profile(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(profile)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("script", ALPHABETS)
def test_the_engines_call_few_functions_and_take_little_memory(script: str) -> None:
    text = text_of(script, 20_000)
    size = len(text.encode())
    calls = {}
    for name, most in (("python", 1.2), ("numpy", 0.04)):
        engine = get_engine(name)
        engine.fingerprint(text, 1)  # loads tables
        calls[name] = calls_of(partial(engine.fingerprint, text, 1))
        assert calls[name] < most * size, name
        tracemalloc.start()
        engine.fingerprint(text, 1)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 40 * size, name
    assert 20 * calls["numpy"] < calls["python"]


@pytest.mark.parametrize("script", ALPHABETS)
def test_calls_of_the_numpy_engine_grow_no_faster_than_the_text(script: str) -> None:
    engine = get_engine("numpy")
    small, large = (text_of(script, size) for size in (10_000, 40_000))
    assert calls_of(lambda: engine.fingerprint(large, 1)) < 4 * calls_of(lambda: engine.fingerprint(small, 1))


SIZE = 1 << 19  # bytes
ORDINARY = 1 << 21
LIMIT = 50
TRIES = 4


def seconds_per_byte(text: str, documents: int = 1) -> float:
    """Return the processor time of this thread per byte of a text that is cut into documents."""
    data = text.encode("utf-8")
    step = -(-len(data) // documents)
    parts = [data[start : start + step] for start in range(0, len(data), step)]
    start = time.thread_time()
    select_engine(len(data)).measure_batch(parts, 1)
    return (time.thread_time() - start) / len(data)


@pytest.mark.slow
@all_engines
def test_worst_texts_cost_at_most_a_multiple_of_ordinary_text(name: str) -> None:
    with setting(name):
        texts, ordinary_documents = dict(catalogue(SIZE)), ordinary_text(ORDINARY)
        ratios = {}
        for _ in range(TRIES):  # a ratio over the limit is measured again, together with ordinary text
            ordinary = min(seconds_per_byte(ordinary_documents, ORDINARY // 10_000) for _ in range(5))
            ratios = {kind: seconds_per_byte(text) / ordinary for kind, text in texts.items()}
            texts = {kind: text for kind, text in texts.items() if ratios[kind] > LIMIT}
            if not texts:
                return
        slow = {kind: ratios[kind] for kind in texts}
        pytest.fail(f"over {LIMIT} times the time of ordinary text: {slow}")
