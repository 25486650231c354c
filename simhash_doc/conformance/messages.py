"""The implementation's side of the protocol, checked: answers and the handshake (PROTOCOL.md)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, NoReturn

from simhash_doc.conformance.adapter import PROTOCOL
from simhash_doc.conformance.failures import PeerFailure

Answer = dict[str, Any]
_SHOWN = 200  # characters of a bad line that a message quotes
_OUTCOMES = ("result", "error", "unsupported")


@dataclass(frozen=True, slots=True)
class Handshake:
    """What an implementation says of itself."""

    name: str
    version: str
    language: str
    unicode: str
    operations: tuple[str, ...]
    schemes: tuple[str, ...]
    features: tuple[str, ...]
    media: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return it as values that JSON can hold."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}


def hello(suite: str) -> dict[str, Any]:
    """Return the first request."""
    return {"op": "hello", "protocol": PROTOCOL, "suite": suite}


def read_handshake(answer: Mapping[str, Any]) -> Handshake:
    """Check the answer to `hello`.

    Raises:
        PeerFailure: of kind ``handshake``, naming the member that is missing or wrong.
    """
    if answer.get("protocol") != PROTOCOL:
        raise PeerFailure("handshake", f"protocol {shown(answer.get('protocol'))} instead of {PROTOCOL}")
    for name in ("name", "version", "language", "unicode"):
        if not isinstance(answer.get(name), str):
            raise PeerFailure("handshake", f"member {name!r} must be a string, not {shown(answer.get(name))}")
    for name in ("operations", "schemes", "features", "media"):
        value = answer.get(name, [] if name == "media" else None)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise PeerFailure("handshake", f"member {name!r} must be a list of strings, not {shown(value)}")
    members: dict[str, Any] = {name: answer[name] for name in ("name", "version", "language", "unicode")}
    lists: dict[str, Any] = {
        name: tuple(answer.get(name, ())) for name in ("operations", "schemes", "features", "media")
    }
    return Handshake(**members, **lists)


def read_line(line: bytes) -> Answer:
    """Return the JSON object that a line of output is.

    Raises:
        PeerFailure: of kind ``garbage``.
    """
    try:
        value = json.loads(line.decode("utf-8"), parse_constant=_no_json_number)
    except (ValueError, RecursionError) as error:
        raise PeerFailure("garbage", f"not JSON ({error}): {_quoted(line)}") from error
    if not isinstance(value, dict):
        raise PeerFailure("garbage", f"not a JSON object: {_quoted(line)}")
    return value


def check_outcome(answer: Answer) -> None:
    """Check that an answer has exactly one of `result`, `error` and `unsupported`, each of its type.

    Raises:
        PeerFailure: of kind ``garbage``.
    """
    outcomes = [name for name in _OUTCOMES if name in answer]
    if len(outcomes) != 1:
        found = " and ".join(outcomes) or "none of them"
        raise PeerFailure("garbage", f"an answer has one of {', '.join(_OUTCOMES)}; this has {found}: {shown(answer)}")
    if "error" in answer and not isinstance(answer["error"], str):
        raise PeerFailure("garbage", f"member 'error' must be the name of an error condition: {shown(answer)}")
    if "unsupported" in answer and answer["unsupported"] is not True:
        raise PeerFailure("garbage", f"member 'unsupported' can only be true: {shown(answer)}")


def shown(value: object) -> str:
    """Return a value as ASCII JSON, cut to a length that a message can hold."""
    text = json.dumps(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}... ({len(text)} characters)"


def _quoted(line: bytes) -> str:
    text = line[: 4 * _SHOWN].decode("utf-8", "backslashreplace")
    quoted = json.dumps(text[:_SHOWN])
    return quoted if len(line) <= _SHOWN else f"{quoted}... ({len(line)} bytes)"


def _no_json_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")
