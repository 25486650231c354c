"""The adapter of an implementation in Python (PROTOCOL.md), and this package as such an implementation."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Mapping
from importlib import metadata
from io import BytesIO
from typing import Any, BinaryIO

from simhash_doc import __version__
from simhash_doc.conformance.errors import InputError, RecipeError
from simhash_doc.conformance.implementation import Implementation
from simhash_doc.conformance.inputs import read_input
from simhash_doc.conformance.protocol import PROTOCOL, Answer, digest_of
from simhash_doc.errors import SpecError
from simhash_doc.extract import ExtractionError
from simhash_doc.schemes import get_scheme, get_schemes
from simhash_doc.unicode_data import NORMALIZATION_VERSION

# The document formats of the extraction vectors.
FORMATS = (
    "html", "xhtml", "pdf", "jats", "tei", "docbook", "epub", "docx", "odt", "rtf", "markdown", "text", "warc",
)  # fmt: skip


class Adapter:
    """Answers requests with an implementation."""

    def __init__(self, implementation: Implementation, name: str = "simhash-doc (Python)") -> None:
        self._implementation, self._name = implementation, name
        self._operations: dict[str, Callable[[Mapping[str, Any]], Any]] = {
            "fingerprint": lambda r: implementation.fingerprint_text_form(read_input(r), r["scheme"]),
            "encode": self._encode,
            "decode": self._decode,
            "distance": self._distance,
            "narrow": lambda r: implementation.narrow(r["text"], r["scheme"]),
            "fold": lambda r: implementation.fold(implementation.read(read_input(r))),
            "tokens": lambda r: implementation.tokens(read_input(r)),
            "hash_tokens": self._hash_tokens,
            "buckets": lambda r: implementation.buckets(read_input(r), r["scheme"]),
            "query": self._query,
            "find_all": self._find_all,
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
            result = operation(request)
            if request.get("digest"):
                result = digest_of(str(request["op"]), result)
            return {"id": request.get("id"), "result": result}
        except (SpecError, ExtractionError) as error:
            return {"id": request.get("id"), "error": error.code}
        except RecipeError:
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
            "operations": operations,
            "schemes": list(get_schemes()),
            "features": ["surrogates", "digest", "recipes"],
            "formats": list(FORMATS) if "extract" in operations else [],
        }

    def _encode(self, request: Mapping[str, Any]) -> str:
        data = bytes.fromhex(request["hex"])
        return self._implementation.text_form(data, request["scheme"], canonical=request.get("canonical", True))

    def _decode(self, request: Mapping[str, Any]) -> Answer:
        parsed = self._implementation.parse(request["text"], request.get("scheme"))
        return {"scheme": parsed.scheme_id, "hex": parsed.hex, "canonical": parsed.canonical}

    def _distance(self, request: Mapping[str, Any]) -> Answer:
        a, b = self._implementation.parse_all([request["a"], request["b"]])
        distance = self._implementation.differing_bits(a, b)
        return {"distance": distance, "similarity": self._implementation.similarity(distance, a.scheme.bits)}

    def _hash_tokens(self, request: Mapping[str, Any]) -> list[str]:
        lanes = range(get_scheme(request["scheme"]).lanes)
        hashed = self._implementation.hash_token
        return ["".join(f"{hashed(token, lane):016x}" for lane in lanes) for token in request["tokens"]]

    def _extract(self, request: Mapping[str, Any]) -> str:
        return self._implementation.extract(base64.b64decode(request["document"]), request.get("name"))

    def _query(self, request: Mapping[str, Any]) -> list[list[str]]:
        entries, queries = request["entries"], request["queries"]
        self._implementation.check_search(entries, queries)
        return [self._implementation.query(entries, wanted, request["distance"]) for wanted in queries]

    def _find_all(self, request: Mapping[str, Any]) -> list[list[str]]:
        self._implementation.check_search(request["entries"], ())
        return [list(pair) for pair in self._implementation.find_all(request["entries"], request["distance"])]

    def _trace(self, request: Mapping[str, Any]) -> Answer:
        implementation, given = self._implementation, read_input(request)
        folded = implementation.fold(implementation.read(given))
        traced: Answer = {
            "folded": folded,
            "prepared": implementation.remove_links(folded),
            "tokens": implementation.tokens(given),
        }
        try:
            traced["buckets"] = implementation.buckets(given, request["scheme"])
            traced["fingerprint"] = implementation.fingerprint_text_form(given, request["scheme"])
        except SpecError as error:
            traced["error"] = error.code
        return traced


# The steps that the engines `numpy` and `numba` do not expose. Declaring them would certify the engine `python`.
_STEPS = frozenset({"fold", "tokens", "hash_tokens", "trace"})


class PackageImplementation(Implementation):
    """The package with the engine of this process.

    Args:
        engine: `auto`, `python`, `numpy` or `numba`, see `set_engine`; None to keep the configured engine.

    Raises:
        EngineUnavailableError: the engine is not installed or cannot be used.
    """

    def __init__(self, engine: str | None = None) -> None:
        from simhash_doc.engines.select import get_setting, set_engine

        if engine is not None:
            set_engine(engine)
        self.engine = get_setting()
        self.undeclared = frozenset() if has_extra("extract") else frozenset({"extract"})
        if self.engine in ("numpy", "numba"):
            self.undeclared |= _STEPS

    def fold(self, text: str) -> str:
        from simhash_doc.engines import strings

        return strings.fold(text)

    def remove_links(self, folded: str) -> str:
        from simhash_doc.engines import strings

        return strings.remove_links(folded)

    def tokens(self, given: str | bytes) -> list[str]:
        from simhash_doc.engines.python import count_tokens

        return [token.decode("utf-8") for token in count_tokens(self.read(given)).elements()]

    def buckets(self, given: str | bytes, scheme_id: str = "sd64") -> list[int]:
        from simhash_doc import buckets

        return buckets(given, scheme_id)

    def fingerprint_text_form(self, given: str | bytes, scheme: str) -> str:
        from simhash_doc import fingerprint

        return str(fingerprint(given, scheme))

    def extract(self, document: bytes, name: str | None) -> str:
        from simhash_doc import extract

        texts = []
        for extracted in extract.extract_each(BytesIO(document), name=name):
            if isinstance(extracted, extract.ExtractionError):
                raise extracted
            texts.append(extracted.text)
        return "\n\n".join(texts)


def has_extra(extra: str) -> bool:
    """Return True if all libraries of an extra of this package are installed."""
    wanted = re.compile(rf"([\w.-]+).*; .*extra == ['\"]{extra}['\"]")
    named = (wanted.match(requirement) for requirement in metadata.requires("simhash-doc") or ())
    try:
        return all(metadata.version(match[1]) for match in named if match)
    except metadata.PackageNotFoundError:
        return False
