"""The connection with worker processes: what a worker that was taken over sends costs its item, and nothing else."""

from __future__ import annotations

import gc
import json
import os
import pickle
import socket
import stat
import struct
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simhash_doc.parallel.channel import BadAnswerError, Channel, JsonWire, NoResultError, WorkerDiedError
from simhash_doc.parallel.pool import ordered_map
from simhash_doc.parallel.values import of_json, to_json

HEADER = struct.Struct("!QQQ")
SILENT = 5  # seconds; each test with a silent worker takes as long, and a start under load takes 2
WIRE: JsonWire[Any] = JsonWire(int | str)


def answer(number: int, value: bytes, text: bytes = b"") -> bytes:
    return HEADER.pack(number, len(value), len(text)) + value + text


def failed(item: object, error: Exception) -> str:
    return str(error)


def own_socket() -> socket.socket:
    """Return the worker's end of the connection, as code that took it over would find it."""
    (found,) = (one for one in gc.get_objects() if type(one) is socket.socket and one.fileno() >= 0)
    return found


def send(*blocks: bytes) -> None:
    for block in blocks:
        own_socket().sendall(block)
    time.sleep(3600)


class Call:
    """Runs a program where it is unpickled."""

    def __reduce__(self) -> tuple[object, ...]:
        return os.system, ("touch taken-over",)


HOSTILE: dict[str, Callable[[], object]] = {
    "pickle": lambda: send(pickle.dumps((True, Call()))),
    "one byte, then silence": lambda: send(b"\0"),
    "half an answer, then silence": lambda: send(answer(3, b"[true,9]")[:-2]),
    "half an answer, then its end": lambda: os._exit(os.write(own_socket().fileno(), answer(3, b"[true,9]")[:-2])),
    "6 GiB": lambda: send(HEADER.pack(3, 6 << 30, 0)),
    "a text where there is none": lambda: send(answer(3, b"[true,9]", b"text")),
    "the answer of the next item": lambda: send(answer(4, b"[true,9]")),
    "two answers": lambda: send(answer(3, b"[true,9]") * 2),
    "another type": lambda: send(answer(3, b"[true,{}]")),
    "no JSON": lambda: send(answer(3, b"[true,NaN]")),
    "deep": lambda: send(answer(3, b"[" * 100_000)),
    "digits": lambda: send(answer(3, b"[true," + b"9" * 100_000 + b"]")),
    "no pair": lambda: send(answer(3, b"[true]")),
    "no UTF-8": lambda: send(answer(3, b'[true,"\xff"]')),
    "the exit status of a script that runs again": lambda: os._exit(79),
    "an error": lambda: 1 / 0,
    "the end of a run": lambda: sys.exit(0),
    "interruption": lambda: (_ for _ in ()).throw(KeyboardInterrupt),
}


@dataclass(frozen=True, slots=True)
class Hostile:
    """Works on numbers; at one of them, it does what its name says."""

    how: str

    def __call__(self, number: int) -> int | str:
        if number == 3:
            HOSTILE[self.how]()
        return number * number


@pytest.mark.parametrize("how", HOSTILE)
def test_a_hostile_worker_costs_its_item(how: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    started = time.monotonic()
    seconds = SILENT if "silence" in how else 60
    results = list(ordered_map(Hostile(how), range(8), 2, failed, WIRE, seconds=lambda _: seconds))
    assert results[:3] + results[4:] == [0, 1, 4, 16, 25, 36, 49]
    assert isinstance(results[3], str)
    assert time.monotonic() - started < 60
    assert os.listdir(tmp_path) == []


def unread(item: tuple[int, str]) -> int | str:
    """Answer the first item, and do not read the next one, which does not fit into the buffers."""
    if item[0] == 0:
        send(answer(0, b"[true,0]"))
    return item[0]


def test_an_item_that_is_not_read_times_out() -> None:
    items = [(number, "x" * (4 << 20)) for number in range(3)]
    results = list(ordered_map(unread, items, 1, failed, WIRE, seconds=lambda _: SILENT))
    assert results == [0, f"it took more than {SILENT} seconds", 2]


def early(number: int) -> int | str:
    """Answer the first item three times."""
    if number == 0:
        own_socket().sendall(answer(0, b"[true,0]"))
        time.sleep(0.2)
        own_socket().sendall(answer(0, b"[true,0]"))
    return number * number


def test_an_answer_of_an_earlier_item_does_not_count_for_a_later_one() -> None:
    results = list(ordered_map(early, range(4), 1, failed, WIRE, seconds=lambda _: 60))
    assert results == [0, 1, 4, 9]


def open_sockets(_: int) -> int | str:
    found = 0
    for descriptor in range(3, 256):
        try:
            found += stat.S_ISSOCK(os.fstat(descriptor).st_mode)
        except OSError:
            continue
    time.sleep(0.2)
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="descriptors")
def test_a_worker_has_no_end_of_another_connection() -> None:
    before = int(open_sockets(0))
    results = list(ordered_map(open_sockets, range(6), 3, failed, WIRE, seconds=lambda _: 60))
    assert results == [before + 1] * 6


@given(
    st.lists(st.binary(max_size=60) | st.binary(max_size=20).map(lambda data: answer(7, data)), max_size=3),
    st.booleans(),
)
def test_any_bytes_are_an_answer_or_an_error(blocks: list[bytes], closes: bool) -> None:
    own_end, end = socket.socketpair()
    sentinel, other = socket.socketpair()
    with own_end, end, sentinel, other:
        end.sendall(b"\n" + b"".join(blocks))
        if closes:
            end.close()
        try:
            result, _ = Channel(own_end, sentinel.fileno()).ask(7, "item", WIRE, time.monotonic() + 0.05)
        except (BadAnswerError, NoResultError, TimeoutError, WorkerDiedError):
            return
        assert json.loads(b"".join(blocks)[HEADER.size :]) == [True, result]
        assert type(result) in (int, str)


@dataclass(frozen=True, slots=True)
class Part:
    name: str
    size: float | None = None


@dataclass(frozen=True, slots=True)
class Whole:
    parts: tuple[Part, ...]
    pairs: list[tuple[int, str]]
    is_complete: bool


TEXT = st.text(st.characters(), max_size=9)  # surrogates, too
WHOLES = st.builds(
    Whole,
    st.lists(st.builds(Part, TEXT, st.none() | st.floats(allow_nan=False, allow_infinity=False)), max_size=3).map(
        tuple
    ),
    st.lists(st.tuples(st.integers(-(2**63), 2**63 - 1), TEXT), max_size=3),
    st.booleans(),
)


@given(WHOLES)
def test_values_come_back_equal(whole: Whole) -> None:
    assert of_json(Whole, json.loads(json.dumps(to_json(whole)))) == whole or max(str(whole)) >= "\ud800"


@dataclass(frozen=True, slots=True)
class TextWire:
    """Sends a text beside its length."""

    json_bytes: int = 100
    text_bytes: int = 1 << 20

    def pack(self, result: str) -> tuple[object, str]:
        return len(result), result

    def unpack(self, item: object, value: Any, text: str) -> str:
        assert value == len(text)
        return text


def same(item: str) -> str:
    return item


@given(st.lists(TEXT, min_size=1, max_size=3))
@settings(max_examples=5)
def test_texts_come_back_with_every_code_point(texts: list[str]) -> None:
    items = [*texts, "\ud83d\ude00", "\udcff", "\x00", "x" * 100_000]
    assert list(ordered_map(same, items, 2, failed, TextWire())) == items


TYPES = [None, bool, int, float, str, Part, Whole, int | None, tuple[int, ...], tuple[int, str], list[str]]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["name", "size", "parts"]), inner),
)


@given(st.sampled_from(TYPES), JSON)
def test_a_value_of_another_type_is_refused(kind: Any, value: object) -> None:
    try:
        found = of_json(type(None) if kind is None else kind, value)
    except ValueError:
        return
    assert json.dumps(to_json(found)) == json.dumps(value)
