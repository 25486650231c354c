"""One process of an implementation. It is ended together with all processes that it started."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import time
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import IO, Any

from simhash_doc.conformance.errors import CannotStartError, PeerError, StoppedError
from simhash_doc.conformance.messages import Answer, Handshake, check_outcome, hello, read_handshake, read_line, shown
from simhash_doc.conformance.process_tree import MARK, end_descendants

LINE_LIMIT = 64 << 20  # bytes in one answer; the longest correct one is a folded document of a few megabytes
STDERR_KEPT = 16 << 10  # bytes of the end of standard error
_CHUNK = 1 << 16
_TICK = 0.02  # seconds between polls of a process on systems without process descriptors
_TERMINATION_GRACE = 0.3  # seconds from SIGTERM to SIGKILL
_EXIT_GRACE = 1.0  # seconds from the end of standard input to SIGTERM
_EXTRA = "it wrote more than one answer to a request"
_GONE_GRACE = 0.5  # seconds for a process that closed its output to exit, which makes it a crash


class AdapterProcess:
    """A running adapter after its handshake.

    Args:
        command: the program and its arguments; found on PATH, run without a shell.
        timeout: seconds for each answer, including the handshake.
        suite: version of the suite, for the handshake.
        stop: descriptor that becomes readable when the run is stopped.

    Raises:
        CannotStartError: the command does not exist.
        PeerError: the handshake failed.
    """

    def __init__(self, command: Sequence[str], timeout: float, suite: str, stop: int | None = None) -> None:
        self._timeout, self._stop = timeout, stop
        self._mark = f"{os.getpid()}-{uuid.uuid4().hex}"
        self._process = _start(command, {**os.environ, MARK: self._mark})
        self._input, self._output, self._errors = map(
            _descriptor, (self._process.stdin, self._process.stdout, self._process.stderr)
        )
        self._exit = os.pidfd_open(self._process.pid) if hasattr(os, "pidfd_open") else None
        self._poll = select.poll()
        for watched in (self._output, self._errors, self._exit, stop):
            if watched is not None:
                self._poll.register(watched, select.POLLIN)
        self._unread, self._stderr = bytearray(), bytearray()
        self._output_open, self._ended = True, False
        self._last_id = 0
        try:
            self.handshake: Handshake = read_handshake(self._exchange(hello(suite)))
        except PeerError as failure:
            raise self._end_with(failure, "in the handshake: ") from None
        except BaseException:
            self.kill()
            raise

    def ask(self, request: Mapping[str, Any], key: str = "") -> Answer:
        """Send a request and return its answer.

        Its ``id`` is kept if it is greater than the last one. The `key` (the case) is for targets that are not
        processes.

        Raises:
            PeerError: the process violated the protocol; it has been ended.
            StoppedError: the run was stopped; the process has been ended.
        """
        request_id = max(self._last_id + 1, request.get("id", 0))
        try:
            self._refuse_unsolicited()
            answer = self._exchange({**request, "id": request_id})
            given = answer.get("id")
            if type(given) is not int or given != request_id:
                # A late second answer is not a wrong id: the verdict must not depend on timing.
                if type(given) is int and given == self._last_id:
                    raise PeerError("extra-answer", _EXTRA, detail=shown(answer))
                raise PeerError("wrong-id", f"the answer to request {request_id} has the id {shown(given)}")
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
            PeerError: of kind ``extra-answer``, if there is output without a request.
        """
        if self._ended:
            return
        try:
            _close(self._process.stdin)
            give_up = time.monotonic() + _EXIT_GRACE
            while not self._has_exited() and time.monotonic() < give_up and not self._unread:
                self._wait(min(_TICK, give_up - time.monotonic()))
            self._refuse_unsolicited()
        except PeerError as failure:
            raise self._end_with(failure) from None
        finally:
            self.kill()

    def kill(self) -> None:
        """End the process and all processes that it started: SIGTERM, a short grace, SIGKILL."""
        if self._ended:
            return
        self._ended = True
        try:
            if not self._has_exited():
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._process.pid, signal.SIGTERM)
                give_up = time.monotonic() + _TERMINATION_GRACE
                while not self._has_exited() and time.monotonic() < give_up:
                    time.sleep(0.002)
        finally:
            end_descendants(self._process.pid, self._mark)
            self._process.wait()
            if self._exit is not None:
                os.close(self._exit)
            for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
                _close(stream)

    def _end_with(self, failure: PeerError, where: str = "") -> PeerError:
        if not self._ended:
            self._read_errors()
            self.kill()
        stderr = self._stderr.decode("utf-8", "replace")
        return PeerError(failure.kind, f"{where}{failure.message}", detail=failure.detail, stderr=stderr)

    def _exchange(self, request: Mapping[str, Any]) -> Answer:
        """Write a request and read one line, both within the timeout."""
        # ASCII: some line readers also split at U+0085 or U+2028.
        unsent = memoryview(json.dumps(request).encode("ascii") + b"\n")
        deadline = time.monotonic() + self._timeout
        unsent = self._write(unsent)
        if unsent:
            self._poll.register(self._input, select.POLLOUT)
        try:
            while (line := self._take_line()) is None:
                left = deadline - time.monotonic()
                if left <= 0:
                    read = "; it has not read the complete request" if unsent else ""
                    raise PeerError("timeout", f"no answer within {self._timeout:g} s{read}")
                # Checked before the output, so that what was written just before the exit is not missed.
                gone = not self._output_open or self._has_exited()
                read_before = len(self._unread)
                self._wait(0 if gone else left)
                if gone and len(self._unread) == read_before:
                    self._raise_gone(deadline)
                if unsent and not (unsent := self._write(unsent)):
                    self._poll.unregister(self._input)
        finally:
            if unsent:
                self._poll.unregister(self._input)
        return read_line(line)

    def _write(self, unsent: memoryview) -> memoryview:
        try:
            return unsent[os.write(self._input, unsent) :]
        except BlockingIOError:
            return unsent
        except BrokenPipeError:  # Whether it crashed or only closed its input shows in the output.
            return unsent[len(unsent) :]

    def _wait(self, seconds: float) -> None:
        """Wait for output, exit or a stop, and read the output that is there."""
        limit = seconds if self._exit is not None else min(seconds, _TICK)
        for descriptor, _ in self._poll.poll(limit * 1000):
            if descriptor == self._stop:
                raise StoppedError
            if descriptor == self._output:
                self._read_output()
            elif descriptor == self._errors:
                self._read_errors()

    def _read_output(self) -> None:
        with suppress(BlockingIOError):
            chunk = os.read(self._output, _CHUNK)
            self._unread += chunk
            if not chunk:
                self._output_open = False
                self._poll.unregister(self._output)

    def _read_errors(self) -> None:
        """Read the available standard error, up to a bound, so that a flood does not hide the output."""
        with suppress(BlockingIOError, KeyError):
            for _ in range(16):
                chunk = os.read(self._errors, _CHUNK)
                if not chunk:
                    self._poll.unregister(self._errors)
                    return
                self._stderr += chunk
                del self._stderr[:-STDERR_KEPT]

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
        if not self._unread and self._output_open:
            self._read_output()
        if self._unread:
            raise PeerError("extra-answer", _EXTRA, detail=shown(self._unread[:_CHUNK].decode("utf-8", "replace")))

    def _raise_gone(self, deadline: float) -> None:
        """Raise why the output ended: the process crashed, or closed it and keeps running."""
        give_up = min(deadline, time.monotonic() + _GONE_GRACE)
        while (status := self._exit_status()) is None and time.monotonic() < give_up:
            time.sleep(0.002)
        self._read_errors()
        if status is None:
            raise PeerError("closed-output", "it closed its standard output and is still running")
        if status < 0:
            raise PeerError("crash", f"killed by signal {_signal_name(-status)} before it answered")
        raise PeerError("crash", f"exited with status {status} before it answered")

    def _has_exited(self) -> bool:
        return self._exit_status() is not None

    def _exit_status(self) -> int | None:
        """Return the exit status, negative for a signal. The process stays a zombie, so its number is not reused."""
        if not hasattr(os, "waitid"):
            return self._process.poll()
        try:
            result = os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:  # This program was started with SIGCHLD ignored: ended children are not kept.
            return self._process.poll()
        if result is None:
            return None
        return result.si_status if result.si_code == os.CLD_EXITED else -result.si_status


def _start(command: Sequence[str], environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    if os.name != "posix":
        raise CannotStartError("adapters run on POSIX systems only; use WSL, or --answers")
    try:
        return subprocess.Popen(
            command,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            env=environment,
        )
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise CannotStartError(f"{command[0]} cannot be run: {reason}") from error


def _descriptor(stream: IO[bytes] | None) -> int:
    assert stream is not None
    os.set_blocking(stream.fileno(), False)
    return stream.fileno()


def _close(stream: IO[bytes] | None) -> None:
    assert stream is not None
    with suppress(OSError):
        stream.close()


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)
