"""The adapter of an implementation in Python (PROTOCOL.md)."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, BinaryIO

from simhash_doc import __version__
from simhash_doc.errors import SpecError
from simhash_doc.schemes import get_schemes
from simhash_doc.unicode_data import NORMALIZATION_VERSION
from simhash_doc_conformance.errors import InputError, NotUnderstoodError
from simhash_doc_conformance.protocol import PROTOCOL, Answer, digest_of
from simhash_doc_conformance.vectors.inputs import read_entries, read_input, read_list, read_pieces, without_recipe
from simhash_doc_extraction import ExtractionError

if TYPE_CHECKING:
    from simhash_doc_conformance.adapters.implementation import Implementation
    from simhash_doc_conformance.adapters.package import PackageImplementation

# The document formats of the extraction vectors.
FORMATS = (
    "html", "xhtml", "pdf", "jats", "tei", "docbook", "epub", "docx", "odt", "rtf", "markdown", "text", "warc",
)  # fmt: skip


class Adapter:
    """Answers requests with an implementation: the reference, a mutant, or this package."""

    def __init__(
        self, implementation: Implementation | PackageImplementation, name: str = "simhash-doc (Python)"
    ) -> None:
        self._implementation, self._name = implementation, name
        self._operations: dict[str, Callable[[Mapping[str, Any]], Any]] = {
            "fingerprint": self._fingerprint,
            "encode": self._encode,
            "decode": self._decode,
            "distance": lambda r: implementation.compare(r["a"], r["b"]),
            "narrow": lambda r: implementation.narrow(r["text"], r["scheme"]),
            "fold": lambda r: implementation.fold(implementation.read(read_input(r))),
            "tokens": lambda r: implementation.tokens(read_input(r)),
            "hash_tokens": lambda r: implementation.token_hashes(read_list(r["tokens"]), r["scheme"]),
            "buckets": lambda r: implementation.buckets(read_input(r), r["scheme"]),
            "query": lambda r: implementation.search(
                read_entries(r["entries"]), read_list(r["queries"]), r["distance"]
            ),
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
        except NotUnderstoodError:
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
        return {"scheme": parsed.scheme.id, "hex": parsed.hex, "canonical": parsed.canonical}

    def _extract(self, request: Mapping[str, Any]) -> str:
        return self._implementation.extract(base64.b64decode(request["document"]), request.get("name"))
