"""The protocol's side of an implementation in Python: requests to answers (PROTOCOL.md)."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO

import xxhash

from simhash_doc import __version__
from simhash_doc.conformance.extraction import NoTextError
from simhash_doc.conformance.inputs import RecipeError, read_input
from simhash_doc.conformance.steps import Steps
from simhash_doc.errors import SimhashDocError, SpecError
from simhash_doc.extract.errors import ExtractionError
from simhash_doc.pinned import NORMALIZATION_VERSION, schemes
from simhash_doc.pinned import scheme as find_scheme

PROTOCOL = 1
# The media of the extraction vectors.
MEDIA = (
    "html", "xhtml", "pdf", "jats", "tei", "docbook", "epub", "docx", "odt", "rtf", "markdown", "text", "warc",
)  # fmt: skip
Answer = dict[str, Any]
Handler = Callable[[Mapping[str, Any]], Answer]


class RequestError(SimhashDocError):
    """A line that is no request."""


class Adapter:
    """Answers requests with the steps that it is given."""

    def __init__(self, steps: Steps, name: str = "simhash-doc (Python)") -> None:
        self._steps, self._name = steps, name
        self._operations: dict[str, Callable[[Mapping[str, Any]], Any]] = {
            "fingerprint": lambda r: steps.fingerprint(read_input(r), r["scheme"]),
            "encode": self._encode,
            "decode": self._decode,
            "distance": self._distance,
            "fold": lambda r: self._maybe_digest(r, steps.fold(steps.read(read_input(r)))),
            "tokens": self._tokens,
            "hash_tokens": self._hash_tokens,
            "buckets": lambda r: steps.buckets(read_input(r), r["scheme"]),
            "query": self._query,
            "find_all": lambda r: [list(pair) for pair in steps.find_all(r["entries"], r["distance"])],
            "trace": self._trace,
            "extract": self._extract,
        }

    def answer(self, request: Mapping[str, Any]) -> Answer:
        """Return the answer to one request."""
        if request.get("op") == "hello":
            return self._hello()
        operation = self._operations.get(str(request.get("op")))
        if operation is None:
            return {"id": request.get("id"), "unsupported": True}
        try:
            return {"id": request.get("id"), "result": operation(request)}
        except SpecError as error:
            return {"id": request.get("id"), "error": error.error_class}
        except NoTextError:
            return {"id": request.get("id"), "error": "no-text"}
        except ExtractionError as error:
            return {"id": request.get("id"), "error": error.reason}
        except RecipeError:
            return {"id": request.get("id"), "unsupported": True}

    def serve(self, requests: BinaryIO, answers: BinaryIO) -> None:
        """Answer requests, one a line, until their end.

        Raises:
            RequestError: a line is not JSON.
        """
        for number, line in enumerate(requests, 1):
            try:
                request = json.loads(line)
            except ValueError as error:
                raise RequestError(f"line {number} is not JSON: {error}") from error
            answers.write(json.dumps(self.answer(request)).encode("ascii") + b"\n")
            answers.flush()

    def _hello(self) -> Answer:
        return {
            "protocol": PROTOCOL,
            "name": self._name,
            "version": __version__,
            "language": "Python",
            "unicode": NORMALIZATION_VERSION,
            "operations": [name for name in self._operations if name != "extract" or self._steps.extracts],
            "schemes": list(schemes()),
            "features": ["surrogates", "digest", "recipes"],
            "media": list(MEDIA) if self._steps.extracts else [],
        }

    def _encode(self, request: Mapping[str, Any]) -> str:
        data = bytes.fromhex(request["hex"])
        return self._steps.encode(data, request["scheme"], canonical=request.get("canonical", True))

    def _decode(self, request: Mapping[str, Any]) -> Answer:
        parsed = self._steps.decode(request["text"], request.get("scheme"))
        return {"scheme": parsed.scheme_id, "hex": parsed.hex, "canonical": parsed.canonical}

    def _distance(self, request: Mapping[str, Any]) -> Answer:
        a, b = (self._steps.decode(request[name]) for name in ("a", "b"))
        distance = self._steps.distance(a, b)
        return {"distance": distance, "similarity": self._steps.similarity(distance, a.scheme.bits)}

    def _tokens(self, request: Mapping[str, Any]) -> list[str] | str:
        tokens = self._steps.tokens(read_input(request))
        if not request.get("digest"):
            return tokens
        return self._maybe_digest(request, "".join(f"{token}\n" for token in sorted(tokens, key=_utf8)))

    def _maybe_digest(self, request: Mapping[str, Any], text: str) -> str:
        return f"{xxhash.xxh64_intdigest(_utf8(text)):016x}" if request.get("digest") else text

    def _hash_tokens(self, request: Mapping[str, Any]) -> list[str]:
        words = range(find_scheme(request["scheme"]).words)
        return ["".join(f"{self._steps.hash_token(token, word):016x}" for word in words) for token in request["tokens"]]

    def _extract(self, request: Mapping[str, Any]) -> str:
        return self._steps.extract(base64.b64decode(request["document"]), request.get("name"))

    def _query(self, request: Mapping[str, Any]) -> list[list[str]]:
        return [self._steps.query(request["entries"], wanted, request["distance"]) for wanted in request["queries"]]

    def _trace(self, request: Mapping[str, Any]) -> Answer:
        steps, given = self._steps, read_input(request)
        folded = steps.fold(steps.read(given))
        traced: Answer = {"folded": folded, "prepared": steps.remove_links(folded), "tokens": steps.tokens(given)}
        try:
            traced["buckets"] = steps.buckets(given, request["scheme"])
            traced["fingerprint"] = steps.fingerprint(given, request["scheme"])
        except SpecError as error:
            traced["error"] = error.error_class
        return traced


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
