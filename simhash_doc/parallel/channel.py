"""The connection with a worker process: nothing that the worker sends runs here, or holds this process up.

A worker is sent pickles, which come from this process. It sends one byte when it begins. Its answers are JSON and one
text. Each has the number of its item and its lengths before it, and a limit on its bytes and its time.

    8 bytes   number of the item
    8 bytes   length of the JSON
    8 bytes   length of the text
    JSON      in UTF-8: [true, the result], or [false, why there is none]
    text      in UTF-8

All numbers are big-endian. Lone surrogates are three bytes each, so every string of Python can be sent.
"""

from __future__ import annotations

import json
import pickle
import socket
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import wait
from typing import Any, ClassVar, Generic, NoReturn, Protocol, TypeVar

from simhash_doc.parallel.values import of_json, to_json

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")
Item_contra = TypeVar("Item_contra", contravariant=True)

_REQUEST = struct.Struct("!QQ")  # number of the item, length of its pickle
_BEGIN = b"\n"
_ANSWER = struct.Struct("!QQQ")
_AT_ONCE = 1 << 18  # bytes that are read at once
_SMALL = 1 << 14  # bytes of most answers: the system maps and clears the memory for larger ones each time
_LONGEST_REASON = 500  # characters
_CODING = ("utf-8", "surrogatepass")
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


class Wire(Protocol[Item_contra, _Result]):
    """How results are sent. It can itself be sent to another process."""

    @property
    def json_bytes(self) -> int:
        """Largest JSON of a result. Its values take up to 30 times as much memory."""

    @property
    def text_bytes(self) -> int:
        """Largest text of a result."""

    def pack(self, result: _Result, /) -> tuple[object, str]:
        """Return a result as JSON and a text; called in the worker."""

    def unpack(self, item: Item_contra, value: Any, text: str, /) -> _Result:
        """Return the result for an item; called in this process.

        Raises:
            Exception: the worker sent what `pack` does not return.
        """


@dataclass(frozen=True, slots=True)
class JsonWire(Generic[_Result]):
    """Sends results of a type that `of_json` knows as JSON alone."""

    kind: Any
    json_bytes: ClassVar[int] = 64 << 20
    text_bytes: ClassVar[int] = 0

    def pack(self, result: _Result) -> tuple[object, str]:
        """Return a result as JSON."""
        return to_json(result), ""

    def unpack(self, item: object, value: Any, text: str) -> _Result:
        """Return the result of the type that is expected."""
        result: _Result = of_json(self.kind, value)
        return result


class WorkerDiedError(Exception):
    """The worker process ended, or was killed, while it processed an item."""


class BadAnswerError(Exception):
    """The worker process sent what is no answer to its item."""


class NoResultError(Exception):
    """The work on an item raised an exception; the message names it."""


class Channel:
    """The end of this process.

    Attributes:
        has_begun: whether the worker came to its work.
    """

    def __init__(self, end: socket.socket, sentinel: int) -> None:
        self._end, self._sentinel, self._received = end, sentinel, bytearray()
        self.has_begun = False

    def ask(self, number: int, item: object, wire: Wire[Any, _Result], deadline: float | None) -> tuple[_Result, int]:
        """Return the result for an item, and the bytes of its answer.

        Args:
            number: of the item.
            item: what the worker works on.
            wire: how its result is sent.
            deadline: time of `time.monotonic` at which the answer must be here; None for no limit.

        Raises:
            WorkerDiedError: the process ended.
            BadAnswerError: the process sent what is no answer to this item.
            NoResultError: the work raised an exception.
            TimeoutError: the time is over.
        """
        data = pickle.dumps(item, pickle.HIGHEST_PROTOCOL)
        try:
            self._wait_for_begin(deadline)
            self._end.settimeout(_remaining(deadline))
            _send(self._end, _REQUEST.pack(number, len(data)), data)
            self._receive(_ANSWER.size, deadline)
            answered, *lengths = _ANSWER.unpack_from(self._received)
            if answered != number or lengths[0] > wire.json_bytes or lengths[1] > wire.text_bytes:
                raise BadAnswerError(f"number {answered}, {lengths[0]:,} and {lengths[1]:,} bytes")
            size = _ANSWER.size + sum(lengths)
            self._receive(size, deadline)
        except TimeoutError:
            raise
        except OSError as error:
            raise WorkerDiedError from error
        if len(self._received) > size:
            raise BadAnswerError("more than one answer")
        answer, self._received = bytes(self._received), bytearray()
        return _unpacked(wire, item, answer, lengths[0]), size

    def close(self) -> None:
        self._end.close()

    def _wait_for_begin(self, deadline: float | None) -> None:
        if not self.has_begun:
            self._receive(len(_BEGIN), deadline)
            del self._received[: len(_BEGIN)]
            self.has_begun = True

    def _receive(self, size: int, deadline: float | None) -> None:
        """Read until as many bytes are here."""
        while len(self._received) < size:
            ready = wait([self._end, self._sentinel], _remaining(deadline))
            if not ready:
                raise TimeoutError
            if self._end not in ready and not wait([self._end], 0):
                raise WorkerDiedError
            block = self._end.recv(_piece(size - len(self._received)))
            if not block:
                raise WorkerDiedError
            self._received += block


def _piece(missing: int) -> int:
    return min(_AT_ONCE, max(_SMALL, missing))


def _remaining(deadline: float | None) -> float | None:
    if deadline is None:
        return None
    remaining = deadline - time.monotonic()
    if remaining <= 0:
        raise TimeoutError
    return remaining


def _unpacked(wire: Wire[Any, _Result], item: object, answer: bytes, length: int) -> _Result:
    try:
        data = answer[_ANSWER.size : _ANSWER.size + length].decode(*_CODING)
        succeeded, value = _DECODER.decode(data)
        if succeeded is True:
            return wire.unpack(item, value, answer[_ANSWER.size + length :].decode(*_CODING))
        reason = str(value)[:_LONGEST_REASON]
    except Exception as error:
        raise BadAnswerError(f"{type(error).__name__}: {error}"[:_LONGEST_REASON]) from error
    raise NoResultError(reason)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse)


def serve(end: socket.socket, work: Callable[[Any], Any], wire: Wire[Any, Any]) -> None:
    """Answer in a worker process until the other end is closed, or an answer does not fit into memory."""
    end.sendall(_BEGIN)
    while (request := _read(end, _REQUEST.size, bytearray())) is not None:
        number, length = _REQUEST.unpack_from(request)
        request = _read(end, _REQUEST.size + length, request)
        if request is None:
            return
        try:
            answer, text = _answer(work, wire, memoryview(request)[_REQUEST.size :])
        except MemoryError:
            return  # the item fails as one whose worker ran out of memory in any other place
        _send(end, _ANSWER.pack(number, len(answer), len(text)), answer, text)


def _send(end: socket.socket, *pieces: bytes) -> None:
    """Send pieces: small ones at once, because the other end wakes up for each that comes by itself."""
    at_once = sum(map(len, pieces)) <= _AT_ONCE
    for piece in (b"".join(pieces),) if at_once else pieces:
        end.sendall(piece)


def _read(end: socket.socket, size: int, data: bytearray) -> bytearray | None:
    """Return data with what follows, at least as many bytes; None if the other end was closed before.

    The other end sends nothing more until it has its answer.
    """
    while len(data) < size:
        block = end.recv(_piece(size - len(data)))
        if not block:
            return None
        data += block
    return data


def _answer(work: Callable[[Any], Any], wire: Wire[Any, Any], data: memoryview) -> tuple[bytes, bytes]:
    try:
        value, text = wire.pack(work(pickle.loads(data)))
        return _encoded([True, value]), text.encode(*_CODING)
    except MemoryError:
        raise
    except Exception as error:
        return _encoded([False, f"{type(error).__name__}: {error}"]), b""


def _encoded(value: object) -> bytes:
    return _ENCODER.encode(value).encode(*_CODING)
