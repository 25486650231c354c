"""The compiled core by itself: long texts, threads, states, and arguments that it refuses."""

from __future__ import annotations

import pickle
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event, Thread

import numpy as np
import pytest

from simhash_doc import Accumulator, fingerprint
from simhash_doc.engines.base import AnyText
from simhash_doc.engines.select import get_engine
from tests.engines.engines import NATIVE_MARKS, expected

core = pytest.importorskip("simhash_doc_native", reason=NATIVE_MARKS[0].kwargs["reason"])

PIECE = 4 << 20  # bytes that the core counts at once
LONG = b"seven wizards " * (3 * PIECE // 14)


def test_long_documents_of_a_batch_have_their_place() -> None:
    engine = get_engine("native")
    texts: list[AnyText | None] = ["one", LONG, None, "", "two", b"12", LONG[:PIECE], "three words here"]
    found = engine.measure_batch(texts, 2)
    alone = [engine.measure(text or "", 2) for text in texts]
    assert [value << 64 | low for value, low in found.values.tolist()] == [measured.value for measured in alone]
    assert found.statistics.tolist() == [list(measured[2:5]) for measured in alone]
    assert found.values.flags.writeable
    assert alone[1].tokens == LONG.count(b" ")


def test_a_long_text_in_pieces_has_the_tokens_of_the_complete_text() -> None:
    engine = get_engine("native")
    counter = engine.token_counter()
    for start in range(0, len(LONG), 1 << 20):
        counter.feed(LONG[start : start + (1 << 20)])
    assert counter.measure(1) == engine.measure(LONG, 1)


@pytest.mark.parametrize(
    "text",
    [
        "漢字仮名東京東京国語辞典の漢字です",
        "http://a.example/x漢字漢字漢字,漢\u0301字漢字漢a@b.cd",
        "ภาษาไทยไม่มีช่องว่าง",
        "ひらがなとカタカナか\u3099",
        "http://a.example/x",
    ],
)
def test_text_without_spaces_is_not_kept(text: str) -> None:
    """And wherever it is cut, measured or pickled, no token is lost or counted twice."""
    engine, data = get_engine("native"), (text * 9).encode()
    for size in range(1, 40):
        counter = core.TokenCounter()
        for start in range(0, len(data), size):
            counter.feed(data[start : start + size])
            counter.measure(1)
            counter = pickle.loads(pickle.dumps(counter))
        assert counter.measure(1) == engine.measure(data, 1)
    data *= 2000
    for size in (1, 1 << 16):
        counter = core.TokenCounter()
        for start in range(0, len(data), size):
            counter.feed(data[start : start + size])
        assert len(counter.__getstate__()[2]) < 1 << 16
        assert counter.measure(1) == engine.measure(data, 1)


@contextmanager
def started_with_a_long_call() -> Iterator[Event]:
    """Yield an event: a thread that waits for it can go on as soon as compiled code releases the interpreter."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    try:
        yield Event()
    finally:
        sys.setswitchinterval(before)


def until(seen: Callable[[], bool], call: Callable[[], object]) -> int:
    """Call until something is seen, at most 200 times: a busy machine may be late to run the thread that waits."""
    count = 0
    while not count or (count < 200 and not seen()):
        call()
        count += 1
    return count


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no timer that sends a signal")
def test_a_signal_interrupts_a_long_text() -> None:
    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    counter, text = get_engine("native").token_counter(), LONG * 32
    counter.feed(b"one two thr")
    before = signal.signal(signal.SIGVTALRM, interrupt)
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.05)  # of processor time, whatever else the machine does
    try:
        with pytest.raises(KeyboardInterrupt):
            counter.feed(text)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    tokens = counter.measure(1).tokens
    assert 3 < tokens < text.count(b" ")
    counter.feed(b" one")
    assert counter.measure(1).tokens == tokens + 1
    found = dict(counter.tokens().items())
    assert found[b"thrseven"] == 1
    assert b"thr" not in found, "text before the interruption is counted twice"


def test_the_number_of_tokens_does_not_wrap() -> None:
    """Merged with itself 64 times, a text of one token would have none."""
    accumulator = Accumulator()
    accumulator._counter = get_engine("native").token_counter()
    accumulator.update("one")
    for _ in range(64):
        accumulator.merge(accumulator)
    assert accumulator.measure().tokens == (1 << 64) - 1
    assert accumulator.fingerprint() == fingerprint("one")


def test_a_counter_belongs_to_one_thread_at_a_time() -> None:
    def use() -> None:
        event.wait()
        try:
            counter.measure(1)
        except RuntimeError as error:
            raised.append(error)

    raised: list[RuntimeError] = []
    counter = core.TokenCounter()
    with started_with_a_long_call() as event:
        thread = Thread(target=use)
        thread.start()
        event.set()
        fed = until(lambda: bool(raised), lambda: counter.feed(LONG))
        thread.join()
    assert [str(error) for error in raised] == ["Already mutably borrowed"]
    assert counter.measure(1)[1] == fed * LONG.count(b" ")


def test_other_threads_run_while_a_text_is_counted() -> None:
    def note() -> None:
        event.wait()
        noted.append(True)

    noted: list[bool] = []
    with started_with_a_long_call() as event:
        thread = Thread(target=note)
        thread.start()
        event.set()
        until(lambda: bool(noted), lambda: get_engine("native").fingerprint(LONG, 1))
        during = list(noted)
        thread.join()
    assert during == [True]


def test_threads_do_not_share_memory() -> None:
    engine = get_engine("native")
    texts = [f"{'word ' * (at % 9)}{at:x}é漢字 " * (at % 50 * 20 + 1) for at in range(300)]
    alone = [engine.measure(text, 1) for text in texts]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda text: engine.measure(text, 1), texts)) == alone


def test_a_state_that_is_damaged_is_refused() -> None:
    counter = core.TokenCounter()
    counter.feed(b"one two two thr " * 3000 + b"ee")
    total, tokens, rest = counter.__getstate__()
    twin = pickle.loads(pickle.dumps(counter))
    assert twin.measure(1) == counter.measure(1)
    for damaged in (tokens[:-1], b"\0" + tokens, tokens + b"\1\0"):
        with pytest.raises(ValueError, match="token"):
            core.TokenCounter().__setstate__((total, damaged, rest))
    for damaged in (b"", b"\xff" + rest, b"\3abc"):
        with pytest.raises(ValueError, match="rest of the text"):
            core.TokenCounter().__setstate__((total, tokens, damaged))
    with pytest.raises(TypeError):
        core.TokenCounter().__setstate__(None)


@pytest.mark.parametrize("item", [(b"", 1), (b"a\0b", 1), (b"a", 0)])
def test_what_is_no_token_is_refused(item: tuple[bytes, int]) -> None:
    with pytest.raises(ValueError, match="token"):
        core.TokenCounter().add(1, [item])


@pytest.mark.parametrize("lanes", [0, 3, 16, 1 << 40])
def test_other_numbers_of_lanes_are_refused(lanes: int) -> None:
    bounds = np.zeros(2, np.int64)
    calls: list[Callable[[], object]] = [
        lambda: core.fingerprint("a", lanes),
        lambda: core.measure("a", lanes),
        lambda: core.measure_batch(b"", bounds, lanes),
        lambda: core.TokenCounter().measure(lanes),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=f"the number of lanes is {lanes}"):
            call()


def test_arrays_of_another_form_are_refused() -> None:
    bounds, data = np.array([0, 3]), b"one two"
    for wrong in (bounds.astype(np.int32), bounds.astype(np.uint64), np.frombuffer(b"x" * 17, np.int64, 2, 1)):
        with pytest.raises(BufferError):
            core.measure_batch(data, wrong, 1)
    with pytest.raises(ValueError, match="contiguous"):
        core.measure_batch(data, np.arange(6)[::2], 1)
    with pytest.raises(TypeError):
        core.measure_batch("one two", bounds, 1)
    assert [len(found) for found in core.measure_batch(b"", np.zeros(0, np.int64), 1)] == [0, 0]
    assert core.measure_batch(data, bounds, 1)[0] == core.fingerprint("one", 1).to_bytes(8, sys.byteorder)


@pytest.mark.parametrize("text", [bytearray(b"a"), None, 5, memoryview(b"a")])
def test_texts_of_other_types_are_refused(text: object) -> None:
    with pytest.raises(TypeError, match=f"the text is {type(text).__name__}; expected str or bytes"):
        core.fingerprint(text, 1)


def test_a_str_with_surrogates_goes_through_the_engine() -> None:
    with pytest.raises(UnicodeEncodeError):
        core.fingerprint("a \ud800 b", 1)
    lanes = expected("a \ud800 b", 1)
    assert lanes is not None
    assert get_engine("native").fingerprint("a \ud800 b", 1) == lanes[0]
