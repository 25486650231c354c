"""Recorded answers: a file of answers that were computed elsewhere. Nothing is executed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from simhash_doc.conformance.cases import Case
from simhash_doc.conformance.errors import AnswersError, NoAnswerError, PeerError
from simhash_doc.conformance.messages import Answer, Handshake, check_outcome, read_handshake, read_line
from simhash_doc.conformance.requests import case_schemes, request_key
from simhash_doc.schemes import get_schemes


class AnswersTarget:
    """Recorded answers, by the key that `simhash-doc conformance requests` prints as ``case``.

    Each line is a JSON object with ``case`` and one of ``result``, ``error`` and ``unsupported``. A line without
    ``case`` is the handshake. Without a handshake, the operations and schemes that have answers count as declared.

    Raises:
        AnswersError: a line is invalid; the message gives its number.
    """

    kind = "answers"

    def __init__(self, path: Path, cases: Iterable[Case]) -> None:
        self._answers: dict[str, Answer] = {}
        handshake: Handshake | None = None
        by_key = {request_key(case.id, n): case for case in cases for n in range(len(case.requests()))}
        try:
            lines = path.read_bytes().splitlines()
        except OSError as error:
            raise AnswersError(f"{path} cannot be read: {error.strerror}") from error
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                answer = read_line(line)
                if "case" not in answer:
                    handshake = read_handshake(answer)
                    continue
                check_outcome(answer)
            except PeerError as failure:
                raise AnswersError(f"{path}, line {number}: {failure.message}") from failure
            key = answer.pop("case")
            if not isinstance(key, str) or key not in by_key:
                raise AnswersError(f"{path}, line {number}: {key!r} is not a case of the suite")
            if key in self._answers:
                raise AnswersError(f"{path}, line {number}: {key} has two answers")
            self._answers[key] = answer
        answered = [by_key[key] for key, answer in self._answers.items() if "unsupported" not in answer]
        self.handshake = handshake or Handshake(
            name=path.name,
            version="",
            language="",
            unicode="",
            operations=tuple(sorted({case.op for case in answered})),
            schemes=tuple(name for name in get_schemes() if any(name in case_schemes(case) for case in answered)),
            features=("digest", "recipes", "surrogates"),
        )

    def connect(self, timeout: float, suite: str, stop: int | None = None) -> AnswersTarget:
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
