"""The requests of a case, in the form that an implementation declares to understand."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import xxhash

from simhash_doc.conformance.cases import Case
from simhash_doc.conformance.errors import NotUnderstoodError
from simhash_doc.conformance.inputs import without_recipe
from simhash_doc.conformance.messages import Answer, Handshake
from simhash_doc.schemes import get_schemes

_PREFIX = re.compile(r"([a-z0-9-]+)(?:\+custom)?:", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A request as it is sent. `digest` is True if the runner has to compute the digest of the result."""

    request: dict[str, Any]
    digest: bool = False

    def read(self, answer: Answer) -> Answer:
        """Return the answer to the original request."""
        if not self.digest or "result" not in answer:
            return answer
        return {**answer, "result": _digest(str(self.request["op"]), answer["result"])}


def prepare(request: Mapping[str, Any], handshake: Handshake) -> Prepared:
    """Return the request in a form that the implementation understands.

    Recipes are expanded here, and digests computed here, if these features are not declared.

    Raises:
        NotUnderstoodError: the operation is not declared; or the feature `surrogates` is not, and the input is UTF-16.
    """
    prepared, digest = dict(request), False
    if request["op"] not in handshake.operations:
        raise NotUnderstoodError(f"operation {request['op']} is not declared")
    if "utf16" in request and "surrogates" not in handshake.features:
        raise NotUnderstoodError("feature surrogates is not declared")
    if "recipe" in request and "recipes" not in handshake.features:
        prepared = without_recipe(prepared)
    if request.get("digest") and "digest" not in handshake.features:
        digest = bool(prepared.pop("digest"))
    return Prepared(prepared, digest)


def request_key(case_id: str, number: int) -> str:
    """Return the key of a request in files of answers: the case id, then ``ID#2``, ``ID#3`` for its other inputs."""
    return case_id if number == 0 else f"{case_id}#{number + 1}"


def case_schemes(case: Case) -> set[str]:
    """Return the short ids of the registered schemes that a case is about.

    Names that are not in the registry do not count: rejecting them is part of `sd64`. A text form to decode that names
    no scheme is about the scheme with its length.
    """
    named = {str(case.members["scheme"])} if "scheme" in case.members else set()
    for text in _text_forms(case):
        prefix = _PREFIX.match(text)
        if prefix:
            named.add(prefix[1].lower())
    if case.op == "decode" and not named and ":" not in case.members["text"]:
        length = len(case.members["text"])
        named = {name for name, scheme in get_schemes().items() if scheme.characters == length}
    return (named & set(get_schemes())) or {"sd64"}


def is_about(case: Case, schemes: Collection[str]) -> bool:
    """Return True if a request is about these schemes alone: an implementation that has only these can answer it.

    The length of a text form without a scheme names one, even if the text form is malformed.
    """
    lengths = {scheme.characters for name, scheme in get_schemes().items() if name not in schemes}
    bare = (text for text in _text_forms(case) if ":" not in text)
    return case_schemes(case) <= set(schemes) and not any(len(text) in lengths for text in bare)


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
    """Return the digest that PROTOCOL.md defines, or the result unchanged if it has the wrong type."""
    if op == "fold" and isinstance(result, str):
        return _hash(_utf8(result))
    if op == "tokens" and isinstance(result, list) and all(isinstance(token, str) for token in result):
        return _hash(b"".join(token + b"\n" for token in sorted(map(_utf8, result))))
    return result


def _hash(data: bytes) -> str:
    return f"{xxhash.xxh64_intdigest(data):016x}"


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
