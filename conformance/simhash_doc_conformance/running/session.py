"""Sessions with an implementation: an adapter process, a Python function or recorded answers, behind one interface."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from threading import Event
from types import TracebackType
from typing import Any, Protocol

from simhash_doc.schemes import get_schemes
from simhash_doc_conformance.adapters import python_adapter
from simhash_doc_conformance.errors import (
    CannotStartError,
    InputError,
    NoAnswerError,
    NotUnderstoodError,
    PeerError,
)
from simhash_doc_conformance.protocol import (
    BY_RUNNER,
    Answer,
    Handshake,
    check_outcome,
    digest_of,
    read_handshake,
    read_line,
    shown,
)
from simhash_doc_conformance.running.process import AdapterProcess
from simhash_doc_conformance.vectors.cases import Case, request_key
from simhash_doc_conformance.vectors.inputs import without_recipe

NEEDED_FEATURES = {"utf16": "surrogates", "cuts": "cuts"}  # by members of requests


class Peer(Protocol):
    """An implementation after its handshake; see `AdapterProcess`."""

    @property
    def handshake(self) -> Handshake: ...

    def ask(self, request: Mapping[str, Any], key: str = "") -> Answer: ...

    def close(self) -> None: ...

    def kill(self) -> None: ...


class Target(Protocol):
    """What is tested. It starts peers."""

    @property
    def kind(self) -> str: ...

    def connect(self, timeout: float, suite: str, stop: Event | None = None) -> Peer: ...


@dataclass(frozen=True, slots=True)
class CommandTarget:
    """An adapter in any language."""

    command: Sequence[str]
    kind: str = "command"

    def connect(self, timeout: float, suite: str, stop: Event | None = None) -> AdapterProcess:
        """Start a process.

        Raises:
            CannotStartError, PeerError: see `AdapterProcess`.
        """
        try:
            return AdapterProcess(self.command, timeout, suite, stop)
        except PeerError as failure:
            if self.kind == "python" and python_adapter.NOT_FOUND in failure.stderr:
                raise CannotStartError(failure.stderr.rpartition(python_adapter.NOT_FOUND)[2].strip()) from failure
            raise


def python_target(function: str) -> CommandTarget:
    """Return a Python function as a target, called in a separate process, so that it may hang or crash."""
    return CommandTarget([sys.executable, "-m", python_adapter.__name__, function], "python")


class AnswersTarget:
    """Recorded answers, by the key that `simhash-doc conformance requests` prints as ``case``.

    Each line is a JSON object with ``case`` and one of ``result``, ``error`` and ``unsupported``. A line without
    ``case`` is the handshake. Without a handshake, the operations and schemes that have answers count as declared.

    Raises:
        InputError: a line is invalid; the message gives its number.
        OSError: the file cannot be read.
    """

    kind = "answers"

    def __init__(self, path: Path, cases: Iterable[Case]) -> None:
        self._answers: dict[str, Answer] = {}
        handshake: Handshake | None = None
        by_key = {request_key(case.id, n): case for case in cases for n in range(len(case.requests()))}
        for number, line in enumerate(path.read_bytes().splitlines(), 1):
            if not line.strip():
                continue
            try:
                answer = read_line(line)
                if "case" not in answer:
                    handshake = read_handshake(answer)
                    continue
                check_outcome(answer)
            except PeerError as failure:
                raise InputError(f"{path}, line {number}: {failure.message}") from failure
            key = answer.pop("case")
            if not isinstance(key, str) or key not in by_key:
                raise InputError(f"{path}, line {number}: {key!r} is not a case of the suite")
            if key in self._answers:
                raise InputError(f"{path}, line {number}: {key} has two answers")
            self._answers[key] = answer
        answered = [by_key[key] for key, answer in self._answers.items() if "unsupported" not in answer]
        self.handshake = handshake or Handshake(
            name=path.name,
            version="",
            language="",
            unicode="",
            operations=tuple(sorted({case.op for case in answered})),
            schemes=tuple(name for name in get_schemes() if any(name in case.schemes for case in answered)),
            features=("cuts", "digest", "recipes", "surrogates"),
        )

    def connect(self, timeout: float, suite: str, stop: Event | None = None) -> AnswersTarget:
        """Return this object: there is nothing to start."""
        return self

    def ask(self, request: Mapping[str, Any], key: str = "") -> Answer:
        """Return the answer to the request with this key.

        Raises:
            NoAnswerError: the file has no such answer.
        """
        if key not in self._answers:
            raise NoAnswerError(
                f"the file has no answer to {key}" if key else "a file of answers has no further answers"
            )
        return self._answers[key]

    def close(self) -> None:
        """Do nothing."""

    kill = close


class Session:
    """One peer at a time. It is started when it is needed, and again after a failure.

    Args:
        target: the implementation.
        timeout: seconds for each answer.
        suite: version of the suite, for the handshake.
        stop: set when the run is stopped.
        expected: the handshake that every peer must give; that of the first peer if None.

    Attributes:
        answered: number of answers.
    """

    def __init__(
        self,
        target: Target,
        timeout: float,
        suite: str,
        stop: Event | None = None,
        expected: Handshake | None = None,
    ) -> None:
        self._target, self._timeout, self._suite, self._stop = target, timeout, suite, stop
        self._expected = expected
        self._peer: Peer | None = None
        self._silent: set[tuple[str, ...]] = set()  # operations with their members that failed in a diagnosis
        self.answered = 0

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    @property
    def is_running(self) -> bool:
        """True if there is a peer."""
        return self._peer is not None

    @property
    def handshake(self) -> Handshake:
        """The handshake of the running peer, which is started if there is none.

        Raises:
            CannotStartError: the command or function does not exist.
            PeerError: the handshake failed, or is not the expected one: a run is about one implementation.
        """
        return self._running().handshake

    @property
    def declared(self) -> Handshake:
        """The handshake that every peer gives. A peer is started if there was none yet.

        Raises:
            CannotStartError, PeerError: see `handshake`.
        """
        return self._expected or self.handshake

    def exchange(self, request: Mapping[str, Any], key: str = "") -> Answer:
        """Send a request in a form that the implementation understands, and return the answer to the original request.

        Recipes are expanded here, and digests computed here, if these features are not declared, and where the runner
        alone knows them.

        Args:
            request: without ``id``.
            key: of the request in files of answers.

        Raises:
            NotUnderstoodError: the operation, or a feature that the request needs, is not declared.
            NoAnswerError: the file of answers has none.
            PeerError: the peer failed. The next request is sent to a new one.
        """
        peer, op, sent = self._running(), str(request["op"]), dict(request)
        features = peer.handshake.features
        if op not in peer.handshake.operations:
            raise NotUnderstoodError(f"operation {op} is not declared")
        for member, feature in NEEDED_FEATURES.items():
            if member in request and feature not in features:
                raise NotUnderstoodError(f"feature {feature} is not declared")
        if "recipes" not in features or op in BY_RUNNER:
            sent = without_recipe(sent)
        computed = ("digest" not in features or op in BY_RUNNER) and sent.pop("digest", False)
        try:
            answer = peer.ask(sent, key)
        except PeerError:
            self._peer = None
            raise
        self.answered += 1
        return {**answer, "result": digest_of(op, answer["result"])} if computed and "result" in answer else answer

    def send(self, request: Mapping[str, Any]) -> Answer:
        """Send a further request; one that the implementation does not understand is answered `unsupported`.

        Raises:
            PeerError: the peer failed. The next request is sent to a new one.
        """
        try:
            return self.exchange(request)
        except (NotUnderstoodError, NoAnswerError):
            return {"unsupported": True}

    def send_quietly(self, request: Mapping[str, Any]) -> Answer:
        """Send a request for a diagnosis; a failure counts as `unsupported`.

        After a failure, requests of this operation and form are not sent again: each would wait or start a process.
        """
        form = (str(request["op"]), *sorted(request))
        if form in self._silent:
            return {"unsupported": True}
        try:
            return self.send(request)
        except PeerError:
            self._silent.add(form)
            return {"unsupported": True}

    def close(self) -> None:
        """End the peer regularly.

        Raises:
            PeerError: it wrote output without a request.
        """
        if self._peer is not None:
            peer, self._peer = self._peer, None
            peer.close()

    def kill(self) -> None:
        """End the peer at once."""
        if self._peer is not None:
            self._peer.kill()
            self._peer = None

    def _running(self) -> Peer:
        if self._peer is None:
            peer = self._target.connect(self._timeout, self._suite, self._stop)
            self._expected = self._expected or peer.handshake
            if peer.handshake != self._expected:
                peer.kill()
                raise PeerError("handshake", _difference(self._expected, peer.handshake))
            self._peer = peer
        return self._peer


def _difference(first: Handshake, other: Handshake) -> str:
    """Return how a handshake differs from the first, for a message."""
    names = (field.name for field in fields(Handshake))
    name = next(name for name in names if getattr(first, name) != getattr(other, name))
    given, before = (shown(getattr(handshake, name)) for handshake in (other, first))
    return f"in the handshake: {name!r} is {given}, but in that of the first process {before}"
