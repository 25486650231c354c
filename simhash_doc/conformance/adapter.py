"""The adapter of an implementation in Python (PROTOCOL.md)."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, BinaryIO, Protocol

from simhash_doc import __version__
from simhash_doc.conformance.errors import InputError, NotUnderstoodError, RecipeError, UnsupportedIdError
from simhash_doc.conformance.inputs import Entry, read_entries, read_input, read_pieces, without_recipe
from simhash_doc.conformance.protocol import PROTOCOL, Answer, digest_of
from simhash_doc.errors import SpecError
from simhash_doc.extract import ExtractionError
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.schemes import get_schemes
from simhash_doc.unicode_data import NORMALIZATION_VERSION

# The document formats of the extraction vectors.
FORMATS = (
    "html", "xhtml", "pdf", "jats", "tei", "docbook", "epub", "docx", "odt", "rtf", "markdown", "text", "warc",
)  # fmt: skip


class Operations(Protocol):
    """The operations of an implementation: see `Implementation`, the reference.

    Attributes:
        engine: what computes fingerprints.
        index: what searches, if the implementation has several indexes.
        undeclared: operations that the handshake does not declare.
    """

    engine: str
    index: str | None
    undeclared: frozenset[str]

    def fingerprint_text_form(self, given: str | bytes, scheme: str) -> str: ...
    def fingerprint_of_pieces(self, pieces: Sequence[str] | Sequence[bytes], scheme: str) -> str: ...
    def text_form(self, data: bytes, scheme: str, *, canonical: bool) -> str: ...
    def parse(self, text: str, scheme: str | None = None) -> Fingerprint: ...
    def compare(self, a: str, b: str) -> Answer: ...
    def narrow(self, text: str, scheme: str) -> str: ...
    def read(self, given: str | bytes) -> str: ...
    def fold(self, text: str) -> str: ...
    def tokens(self, given: str | bytes) -> list[str]: ...
    def token_hashes(self, tokens: Sequence[str], scheme: str) -> list[str]: ...
    def buckets(self, given: str | bytes, scheme_id: str) -> list[int]: ...
    def search(self, entries: Sequence[Entry], queries: Sequence[str], distance: int) -> list[list[str]]: ...
    def all_pairs(self, entries: Sequence[Entry], distance: int) -> list[tuple[str, str]]: ...
    def update(self, steps: Sequence[Mapping[str, Any]], distance: int) -> list[list[list[str]]]: ...
    def trace(self, given: str | bytes, scheme: str) -> Answer: ...
    def extract(self, document: bytes, name: str | None) -> str: ...


class Adapter:
    """Answers requests with an implementation."""

    def __init__(self, implementation: Operations, name: str = "simhash-doc (Python)") -> None:
        self._implementation, self._name = implementation, name
        self._operations: dict[str, Callable[[Mapping[str, Any]], Any]] = {
            "fingerprint": self._fingerprint,
            "encode": self._encode,
            "decode": self._decode,
            "distance": lambda r: implementation.compare(r["a"], r["b"]),
            "narrow": lambda r: implementation.narrow(r["text"], r["scheme"]),
            "fold": lambda r: implementation.fold(implementation.read(read_input(r))),
            "tokens": lambda r: implementation.tokens(read_input(r)),
            "hash_tokens": lambda r: implementation.token_hashes(r["tokens"], r["scheme"]),
            "buckets": lambda r: implementation.buckets(read_input(r), r["scheme"]),
            "query": lambda r: implementation.search(read_entries(r["entries"]), r["queries"], r["distance"]),
            "find_all": lambda r: list(map(list, implementation.all_pairs(read_entries(r["entries"]), r["distance"]))),
            "update": lambda r: implementation.update(without_recipe(r)["steps"], r["distance"]),
            "trace": lambda r: implementation.trace(read_input(r), r["scheme"]),
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
            result = operation(request)
            if request.get("digest"):
                result = digest_of(str(request["op"]), result)
            return {"id": request.get("id"), "result": result}
        except (SpecError, ExtractionError) as error:
            return {"id": request.get("id"), "error": error.code}
        except (NotUnderstoodError, RecipeError, UnsupportedIdError):
            return {"id": request.get("id"), "unsupported": True}

    def serve(self, requests: BinaryIO, answers: BinaryIO) -> None:
        """Answer requests, one per line, until the end of the input.

        Raises:
            InputError: a line is not JSON, or a request does not follow the protocol.
        """
        for number, line in enumerate(requests, 1):
            try:
                request = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise InputError(f"line {number} is not JSON: {error}") from error
            try:
                answer = json.dumps(self.answer(request)).encode("ascii")
            except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
                raise InputError(f"line {number} is not a request: {type(error).__name__}: {error}") from error
            answers.write(answer + b"\n")
            answers.flush()

    def _hello(self) -> Answer:
        operations = [name for name in self._operations if name not in self._implementation.undeclared]
        return {
            "protocol": PROTOCOL,
            "name": self._name,
            "version": __version__,
            "language": "Python",
            "unicode": NORMALIZATION_VERSION,
            "engine": self._implementation.engine,
            **({"index": self._implementation.index} if self._implementation.index else {}),
            "operations": operations,
            "schemes": list(get_schemes()),
            "features": ["surrogates", "digest", "recipes", "cuts"],
            "formats": list(FORMATS) if "extract" in operations else [],
        }

    def _fingerprint(self, request: Mapping[str, Any]) -> str:
        if "cuts" in request:
            return self._implementation.fingerprint_of_pieces(read_pieces(request), request["scheme"])
        return self._implementation.fingerprint_text_form(read_input(request), request["scheme"])

    def _encode(self, request: Mapping[str, Any]) -> str:
        data = bytes.fromhex(request["hex"])
        return self._implementation.text_form(data, request["scheme"], canonical=request.get("canonical", True))

    def _decode(self, request: Mapping[str, Any]) -> Answer:
        parsed = self._implementation.parse(request["text"], request.get("scheme"))
        return {"scheme": parsed.scheme_id, "hex": parsed.hex, "canonical": parsed.canonical}

    def _extract(self, request: Mapping[str, Any]) -> str:
        return self._implementation.extract(base64.b64decode(request["document"]), request.get("name"))
