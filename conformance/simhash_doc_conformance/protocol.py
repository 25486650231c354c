"""The messages of the protocol: the handshake, answers, and digests of results (PROTOCOL.md)."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, NoReturn

from simhash_doc_conformance.errors import PeerError
from simhash_doc_conformance.formatting import in_byte_order, json_text, shorten

PROTOCOL = 1
TIMEOUT = 10.0  # seconds for the answer to a short request
# The operations of each conformance class (spec, section 18; PROTOCOL.md).
CLASSES = {
    "fingerprint": ("fingerprint", "encode", "decode"),
    "compare": ("fingerprint", "encode", "decode", "distance", "narrow"),
    "steps": ("fingerprint", "encode", "decode", "fold", "tokens", "hash_tokens", "buckets"),
    "index": ("encode", "decode", "query", "find_all"),
    "extract": ("extract",),
}
Answer = dict[str, Any]
Ask = Callable[[Mapping[str, Any]], Mapping[str, Any]]  # sends a request and returns the answer
_SHOWN = 200  # bytes of a bad line that a message quotes
_LONGEST_NAME, _MOST_NAMES = 200, 100  # characters of a text in the handshake; items of a list
_NAME = f"a string of at most {_LONGEST_NAME} characters"
_UNICODE = re.compile(r"[0-9]{1,2}(\.[0-9]{1,2}){0,2}", re.ASCII)
_OUTCOMES = ("result", "error", "unsupported")


@dataclass(frozen=True, slots=True)
class Handshake:
    """What an implementation declares. `engine` and `index` are None if it does not name one."""

    name: str
    version: str
    language: str
    unicode: str
    operations: tuple[str, ...]
    schemes: tuple[str, ...]
    features: tuple[str, ...]
    formats: tuple[str, ...] = ()
    engine: str | None = None
    index: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return its members as values that JSON can hold."""
        members = {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}
        return {name: value for name, value in members.items() if value is not None}


def hello(suite: str) -> dict[str, Any]:
    """Return the first request."""
    return {"op": "hello", "protocol": PROTOCOL, "suite": suite}


def read_handshake(answer: Mapping[str, Any]) -> Handshake:
    """Check the answer to `hello`.

    Raises:
        PeerError: of kind ``handshake``. The message names the member that is missing or wrong.
    """
    if type(answer.get("protocol")) is not int or answer["protocol"] != PROTOCOL:
        raise PeerError("handshake", f"protocol {shown(answer.get('protocol'))} instead of {PROTOCOL}")
    members: dict[str, Any] = {}
    for name in ("name", "version", "language", "unicode", "engine", "index"):
        members[name] = answer.get(name)
        if not _is_name(members[name]) and (name in answer or name not in ("engine", "index")):
            raise PeerError("handshake", f"member {name!r} must be {_NAME}, not {shown(members[name])}")
    if not _UNICODE.fullmatch(members["unicode"]):
        raise PeerError(
            "handshake", f"member 'unicode' must be a version such as 15.0, not {shown(members['unicode'])}"
        )
    for name in ("operations", "schemes", "features", "formats"):
        value = answer.get(name, [] if name == "formats" else None)
        if not isinstance(value, list) or len(value) > _MOST_NAMES or not all(map(_is_name, value)):
            raise PeerError("handshake", f"member {name!r} must be a list, each item {_NAME}, not {shown(value)}")
        members[name] = tuple(value)
    return Handshake(**members)


def _is_name(value: object) -> bool:
    return isinstance(value, str) and len(value) <= _LONGEST_NAME


def read_line(line: bytes) -> Answer:
    """Return the JSON object of a line of output.

    Raises:
        PeerError: of kind ``garbage``.
    """
    try:
        value = json.loads(
            line.decode("utf-8"), parse_constant=_no_json_number, object_pairs_hook=_with_different_names
        )
    except (ValueError, RecursionError) as error:
        raise PeerError("garbage", f"not JSON ({error}): {_quoted(line)}") from error
    if not isinstance(value, dict):
        raise PeerError("garbage", f"not a JSON object: {_quoted(line)}")
    return value


def check_outcome(answer: Answer) -> None:
    """Check that an answer has exactly one of `result`, `error` and `unsupported`.

    `error` must be a string and `unsupported` true. The type of a result is not checked here: a wrong one is a wrong
    answer, which `diagnosis` explains.

    Raises:
        PeerError: of kind ``garbage``.
    """
    outcomes = [name for name in _OUTCOMES if name in answer]
    if len(outcomes) != 1:
        found = " and ".join(outcomes) or "none of them"
        raise PeerError(
            "garbage", f"an answer needs one of {', '.join(_OUTCOMES)}, this one has {found}: {shown(answer)}"
        )
    if "error" in answer and not isinstance(answer["error"], str):
        raise PeerError("garbage", f"member 'error' must be the name of an error condition: {shown(answer)}")
    if "unsupported" in answer and answer["unsupported"] is not True:
        raise PeerError("garbage", f"member 'unsupported' must be true: {shown(answer)}")


def shown(value: object) -> str:
    """Return a value as JSON for a message: printable and shortened."""
    return shorten(json_text(value))


def _quoted(line: bytes) -> str:
    text = line[: 4 * _SHOWN].decode("utf-8", "backslashreplace")
    quoted = json.dumps(text[:_SHOWN])
    return quoted if len(line) <= _SHOWN else f"{quoted}... ({len(line)} bytes)"


def _with_different_names(members: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(members)
    if len(found) < len(members):
        counts = Counter(name for name, _ in members)
        raise ValueError(f"two members are called {shown(counts.most_common(1)[0][0])}")
    return found


def _no_json_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


SEARCHES = ("query", "find_all", "update")
BY_RUNNER = (*SEARCHES, "hash_tokens")  # operations whose recipes and digests the runner alone knows


def digest_of(op: str, result: Any) -> Any:
    """Return the digest of a result that PROTOCOL.md defines, or the result unchanged if it has none."""
    if op in SEARCHES:
        return _digest_of_search(op, result)
    if op == "fold" and isinstance(result, str):
        text = result
    elif op == "hash_tokens" and isinstance(result, list) and all(isinstance(digits, str) for digits in result):
        text = "".join(f"{digits}\n" for digits in result)
    elif op == "tokens" and isinstance(result, list) and all(isinstance(token, str) for token in result):
        text = "".join(f"{token}\n" for token in in_byte_order(result))
    else:
        return result
    return _hash(text)


def _digest_of_search(op: str, result: Any) -> Any:
    """Return the number of ids or pairs, and the hash of all of them; a result of a wrong type unchanged."""
    lists = [answer for step in result for answer in step] if op == "update" and _is_list(result) else result
    if not _is_list(lists) or not all(isinstance(item, str) for found in lists for item in found):
        return result
    if op == "find_all":
        return {"count": len(lists), "xxh64": _hash("".join(sorted(f"{' '.join(sorted(pair))}\n" for pair in lists)))}
    lines = (line for found in lists for line in (*sorted(found), ""))
    return {"count": sum(map(len, lists)), "xxh64": _hash("".join(f"{line}\n" for line in lines))}


def _is_list(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, list) for item in value)


def _hash(text: str) -> str:
    import xxhash

    return f"{xxhash.xxh64_intdigest(text.encode('utf-8', 'surrogatepass')):016x}"
