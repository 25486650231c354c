"""What is sent to an implementation for a case: the case's requests, in the forms that it says it understands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import xxhash

from simhash_doc.conformance.cases import Case
from simhash_doc.conformance.inputs import expand
from simhash_doc.conformance.messages import Answer, Handshake
from simhash_doc.pinned import schemes

_PREFIX = re.compile(r"([a-z0-9-]+)(?:\+custom)?:", re.IGNORECASE)


class NotUnderstood(Exception):  # noqa: N818
    """The implementation does not declare what a request needs; the argument says what."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A request as it is sent, and whether the runner has to take the digest of its result."""

    request: dict[str, Any]
    digest: bool = False

    def read(self, answer: Answer) -> Answer:
        """Return the answer to the request that was prepared."""
        if not self.digest or "result" not in answer:
            return answer
        return {**answer, "result": _digest(str(self.request["op"]), answer["result"])}


def prepare(request: Mapping[str, Any], handshake: Handshake) -> Prepared:
    """Return the request in a form that the implementation understands.

    Recipes are expanded and digests are taken here for those that do not declare these features.

    Raises:
        NotUnderstood: the operation is not declared, or the input may hold surrogates.
    """
    prepared, digest = dict(request), False
    if request["op"] not in handshake.operations:
        raise NotUnderstood(f"operation {request['op']} is not declared")
    if "utf16" in request and "surrogates" not in handshake.features:
        raise NotUnderstood("feature surrogates is not declared")
    if "recipe" in request and "recipes" not in handshake.features:
        prepared["text"] = expand(prepared.pop("recipe"))
    if request.get("digest") and "digest" not in handshake.features:
        digest = bool(prepared.pop("digest"))
    return Prepared(prepared, digest)


def request_key(case_id: str, number: int) -> str:
    """Return the name of a case's request in files of answers: the id, then ``ID#2``, ``ID#3`` for its other inputs."""
    return case_id if number == 0 else f"{case_id}#{number + 1}"


def case_schemes(case: Case) -> set[str]:
    """Return the short ids of the registered schemes that a case is about.

    Names that are not in the registry do not count: refusing them is part of `sd64`, too.
    """
    named = {str(case.members["scheme"])} if "scheme" in case.members else set()
    for text in _text_forms(case):
        prefix = _PREFIX.match(text)
        if prefix:
            named.add(prefix[1].lower())
    result = case.expected.get("result")
    if case.op == "decode" and isinstance(result, dict):
        named.add(str(result.get("scheme")))
    return (named & set(schemes())) or {"sd64"}


def _text_forms(case: Case) -> Iterator[str]:
    members = case.members
    if case.op == "decode":
        yield str(members.get("text", ""))
    elif case.op == "distance":
        yield from (str(members.get("a", "")), str(members.get("b", "")))
    elif case.op in ("query", "find_all"):
        yield from (str(entry[1]) for entry in members.get("entries", ()))
        yield from map(str, members.get("queries", ()))


def _digest(op: str, result: Any) -> Any:
    """Return the digest that PROTOCOL.md defines, or the result itself where it is not of the right type."""
    if op == "fold" and isinstance(result, str):
        return _hash(_utf8(result))
    if op == "tokens" and isinstance(result, list) and all(isinstance(token, str) for token in result):
        return _hash(b"".join(token + b"\n" for token in sorted(map(_utf8, result))))
    return result


def _hash(data: bytes) -> str:
    return f"{xxhash.xxh64_intdigest(data):016x}"


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
