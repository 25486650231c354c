"""A running adapter: requests on its standard input, answers on its standard output, within a time."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from threading import Event
from typing import IO, Any

import psutil

from simhash_doc.schemes import get_schemes
from simhash_doc_conformance.errors import CannotStartError, PeerError, StoppedError
from simhash_doc_conformance.protocol import Answer, Handshake, check_outcome, hello, read_handshake, read_line, shown
from simhash_doc_conformance.vectors.inputs import described_size

LINE_LIMIT = 64 << 20  # bytes in one answer; the longest correct one is a folded document of a few megabytes
STDERR_KEPT = 16 << 10  # bytes of the end of standard error
_CHUNK = 1 << 16
_TICK = 0.02  # seconds between two looks whether the process has exited, or the run was stopped
_START = 3  # times the time of an answer: a runtime that starts on a busy machine
_TERMINATION_GRACE = 0.3  # seconds from SIGTERM to SIGKILL
_LAST_LOOKS = 3  # without a process that was left behind
_EXIT_GRACE = 1.0  # seconds from the end of standard input to SIGTERM
_GONE_GRACE = 0.5  # seconds for a process that closed its output to exit, which makes it a crash
_SET_CHILD_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER
_MARK = "SIMHASH_DOC_ADAPTER"  # variable that an adapter and all that it starts inherit
_EXTRA = "it wrote more than one answer to a request"


class AdapterProcess:
    """A running adapter after its handshake.

    Args:
        command: the program and its arguments; found on PATH, run without a shell.
        timeout: seconds for the answer to a short request; a long one and the handshake have more.
        suite: version of the suite, for the handshake.
        stop: set when the run is stopped.

    Raises:
        CannotStartError: the command does not exist.
        PeerError: the handshake failed.
    """

    def __init__(self, command: Sequence[str], timeout: float, suite: str, stop: Event | None = None) -> None:
        self._timeout, self._stop = timeout, stop or Event()
        self._mark = os.urandom(16).hex()
        self._process = _start(command, self._mark)
        streams = (self._process.stdin, self._process.stdout, self._process.stderr)
        self._input, self._output, self._errors = map(_unblocked, streams)
        self._open = {self._output, self._errors}
        self._unread, self._stderr = bytearray(), bytearray()
        self._ended = False
        self._descendants: list[psutil.Process] = []
        self._last_id = 0
        try:
            self.handshake: Handshake = read_handshake(self._exchange(hello(suite), _START * timeout))
        except PeerError as failure:
            raise self._end_with(failure, "in the handshake: ") from None
        except BaseException:
            self.kill()
            raise

    def ask(self, request: Mapping[str, Any], key: str = "") -> Answer:
        """Send a request and return its answer.

        The `key` (the case) is for targets that are not processes.

        Raises:
            PeerError: the process violated the protocol; it has been ended.
            StoppedError: the run was stopped; the process has been ended.
        """
        request_id = self._last_id + 1
        try:
            self._refuse_unsolicited()
            timeout = self._timeout * _allowance(request)
            answer = self._exchange({**request, "id": request_id}, timeout)
            given = answer.pop("id", None)  # messages must not quote it: it depends on the process
            if type(given) is not int or given != request_id:
                if given == self._last_id and self._follows(request_id, timeout):
                    raise PeerError("extra-answer", _EXTRA, detail=shown(answer))
                raise PeerError("wrong-id", "the answer has another id than the request", detail=shown(given))
            check_outcome(answer)
        except PeerError as failure:
            raise self._end_with(failure) from None
        except BaseException:
            self.kill()
            raise
        self._last_id = request_id
        return answer

    def close(self) -> None:
        """Close standard input and wait for the process to exit; kill it and its descendants if it does not.

        Raises:
            PeerError: of kind ``extra-answer``, if there is output without a request; or ``crash``, if it exits with an
                error.
        """
        if self._ended:
            return
        self._descendants = _descendants(self._process.pid)  # their parent is about to exit
        try:
            _close(self._input)
            give_up = time.monotonic() + _EXIT_GRACE
            while self._process.poll() is None and time.monotonic() < give_up and not self._unread:
                self._wait(_TICK)
            self._refuse_unsolicited()
            if status := self._process.poll():
                raise PeerError("crash", f"{_end_of(status)} after its last answer")
        except PeerError as failure:
            raise self._end_with(failure) from None
        finally:
            self.kill()

    def kill(self) -> None:
        """End the process and the processes that it started: SIGTERM, a short grace, SIGKILL.

        On Linux this finds a process that lost its parent and left the process group, unless it has other variables.
        """
        if self._ended:
            return
        self._ended = True
        descendants = {*self._descendants, *_descendants(self._process.pid)}
        try:
            self._signal_group(signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_TERMINATION_GRACE)
        finally:
            give_up = time.monotonic() + _TERMINATION_GRACE
            for descendant in descendants:
                with suppress(psutil.Error):
                    descendant.kill()
            while self._signal_group(signal.SIGKILL) and time.monotonic() < give_up:
                self._process.poll()
                time.sleep(0.002)
            self._process.wait()
            give_up = time.monotonic() + _TERMINATION_GRACE  # zombies in the group may have taken all of it
            unseen = 0
            while unseen < _LAST_LOOKS and time.monotonic() < give_up:
                left = []
                for process in _marked(self._mark):
                    with suppress(psutil.Error):
                        process.kill()
                    left.append(process)
                psutil.wait_procs(left, _TICK)
                unseen = 0 if left else unseen + 1  # one may have forked and ended during a look
            psutil.wait_procs(descendants, _TERMINATION_GRACE)
            _close(self._input, self._output, self._errors)

    def _signal_group(self, number: signal.Signals) -> bool:
        """Send a signal to the process group; return False if it is empty."""
        try:
            os.killpg(self._process.pid, number)
        except (ProcessLookupError, PermissionError):  # the latter on macOS, if all of them are zombies
            return False
        return True

    def _end_with(self, failure: PeerError, where: str = "") -> PeerError:
        if not self._ended:
            self._read_errors()
            self.kill()
        stderr = self._stderr.decode("utf-8", "replace")
        return PeerError(failure.kind, f"{where}{failure.message}", detail=failure.detail, stderr=stderr)

    def _follows(self, request_id: int, timeout: float) -> bool:
        """Return True if the answer to this request comes after a late second answer to the previous one.

        If not, the id was wrong: this request is at fault.
        """
        deadline = time.monotonic() + timeout
        with suppress(PeerError):
            while (left := deadline - time.monotonic()) > 0:
                given = self._receive(timeout=left).get("id")
                if given != self._last_id:
                    return bool(given == request_id)
        return False

    def _exchange(self, request: Mapping[str, Any], timeout: float) -> Answer:
        """Write a request and read one line, both within a number of seconds."""
        # ASCII: some line readers also split at U+0085 or U+2028.
        return self._receive(json.dumps(request).encode("ascii") + b"\n", timeout=timeout)

    def _receive(self, request: bytes = b"", *, timeout: float) -> Answer:
        unsent = memoryview(request)
        deadline = time.monotonic() + timeout
        while True:
            unsent = self._write(unsent)
            if (line := self._take_line()) is not None:
                return read_line(line)
            left = deadline - time.monotonic()
            if left <= 0:
                read = "; it has not read the complete request" if unsent else ""
                raise PeerError(
                    "timeout", f"no answer within {timeout:.6g} s{read}: nothing is known about it; see --timeout"
                )
            # Checked before the output, so that what was written just before the exit is not missed.
            gone = self._output not in self._open or self._process.poll() is not None
            read_before = len(self._unread)
            self._wait(0 if gone else min(left, _TICK), to_write=bool(unsent))
            if gone and len(self._unread) == read_before:
                self._raise_gone(deadline)

    def _write(self, unsent: memoryview) -> memoryview:
        try:
            return unsent[self._input.write(unsent) or 0 :]
        except BrokenPipeError:  # Whether it crashed or only closed its input shows in the output.
            return unsent[len(unsent) :]

    def _wait(self, seconds: float, *, to_write: bool = False) -> None:
        """Wait for output, or until more of a request can be written, and read what is there."""
        if self._stop.is_set():
            raise StoppedError
        poll = select.poll()
        for stream in self._open:
            poll.register(stream, select.POLLIN)
        if to_write:
            poll.register(self._input, select.POLLOUT)
        poll.poll(1000 * seconds)
        self._unread += self._read(self._output)
        self._read_errors()

    def _read_errors(self) -> None:
        """Read the available standard error, up to a bound, so that a flood does not hide the output."""
        for _ in range(16):
            if not (chunk := self._read(self._errors)):
                return
            self._stderr += chunk
            del self._stderr[:-STDERR_KEPT]

    def _read(self, stream: IO[bytes]) -> bytes:
        """Return the next part of an output; empty if there is none at present, or at its end."""
        chunk = stream.read(_CHUNK) if stream in self._open else None
        if chunk == b"":
            self._open.remove(stream)
        return chunk or b""

    def _take_line(self) -> bytes | None:
        # Only the last chunk can hold the first line end: earlier ones were searched already.
        end = self._unread.find(b"\n", max(0, len(self._unread) - _CHUNK))
        if end < 0:
            if len(self._unread) > LINE_LIMIT:
                raise PeerError("flood", f"an answer of more than {LINE_LIMIT >> 20} MiB without a line end")
            return None
        line = bytes(self._unread[:end])
        del self._unread[: end + 1]
        return line

    def _refuse_unsolicited(self) -> None:
        if not self._unread:
            self._unread += self._read(self._output)
        if self._unread:
            raise PeerError("extra-answer", _EXTRA, detail=shown(self._unread[:_CHUNK].decode("utf-8", "replace")))

    def _raise_gone(self, deadline: float) -> None:
        """Raise why the output ended: the process crashed, or closed it and keeps running."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(max(0, min(deadline - time.monotonic(), _GONE_GRACE)))
        self._read_errors()
        status = self._process.returncode
        if status is None:
            raise PeerError("closed-output", "it closed its standard output and is still running")
        raise PeerError("crash", f"{_end_of(status)} before it answered")


def _allowance(request: Mapping[str, Any]) -> float:
    """Return how many times the timeout a request has: once more for each MiB, and for each 10^8 pairs of lanes."""
    entries = [*request.get("entries", ()), *chain(*(step.get("insert", ()) for step in request.get("steps", ())))]
    size = sum(len(key) + len(text) for key, text in entries) + described_size(request.get("recipe", ""))
    size += sum(len(request.get(name, "")) for name in ("text", "bytes", "utf16", "document"))
    scheme = get_schemes().get(str(request.get("scheme")))
    pairs = len(entries) ** 2 * (scheme.lanes if scheme else 1) / 1e8 if request["op"] == "find_all" else 0
    return 1 + (size >> 20) + int(pairs)


def _start(command: Sequence[str], mark: str) -> subprocess.Popen[bytes]:
    if os.name != "posix":
        raise CannotStartError("adapters run on POSIX systems only; use WSL, or --answers")
    _adopt_orphans()
    pipe, environment = subprocess.PIPE, os.environ | {_MARK: mark}
    try:
        return subprocess.Popen(
            command, bufsize=0, stdin=pipe, stdout=pipe, stderr=pipe, env=environment, start_new_session=True
        )
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise CannotStartError(f"{command[0]} cannot be run: {reason}") from error


def _descendants(pid: int) -> list[psutil.Process]:
    with suppress(psutil.Error):
        return list(psutil.Process(pid).children(recursive=True))
    return []


def _adopt_orphans() -> None:
    """Become the parent of descendants that lose theirs, so that they can be found. Only Linux can do this."""
    with suppress(ImportError, OSError, AttributeError):
        import ctypes

        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _marked(mark: str) -> Iterator[psutil.Process]:
    """Yield the descendants of this process that an adapter, or what it started, left behind."""
    for process in _descendants(os.getpid()):
        with suppress(psutil.Error):
            if process.status() != psutil.STATUS_ZOMBIE and process.environ().get(_MARK) == mark:
                yield process


def _unblocked(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None
    os.set_blocking(stream.fileno(), False)
    return stream


def _close(*streams: IO[bytes]) -> None:
    for stream in streams:
        with suppress(OSError):
            stream.close()


def _end_of(status: int) -> str:
    """Return how a process ended, by its exit status as in `Popen.returncode`."""
    if status >= 0:
        return f"exited with status {status}"
    with suppress(ValueError):
        return f"killed by signal {signal.Signals(-status).name}"
    return f"killed by signal {-status}"
