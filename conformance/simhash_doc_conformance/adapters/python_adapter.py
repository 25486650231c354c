"""A Python function as an adapter: `python -m simhash_doc_conformance.adapters.python_adapter MODULE:FUNCTION`.

If the function's first parameter is named ``request``, it is called with each request, including the handshake, and
returns the answer. Otherwise it is called with a text, like `simhash_doc.fingerprint`, and returns a fingerprint: a
string, with or without the scheme, or an object whose ``str()`` is one. For a text without tokens, it returns None or
raises an exception with the attribute ``code = "no-token"``. If it has a parameter ``scheme``, it is called with each
scheme, and raises an exception with the code ``unknown-scheme`` for other names. Otherwise it is called for `sd64`
only, and this adapter rejects the other names. Every other exception ends the process.
"""

from __future__ import annotations

import inspect
import json
import os
import pkgutil
import sys
import unicodedata
from collections.abc import Callable, Mapping
from platform import python_implementation
from typing import Any

from simhash_doc.schemes import get_schemes
from simhash_doc_conformance.protocol import PROTOCOL
from simhash_doc_conformance.vectors.inputs import read_input

NOT_FOUND = "function not found:"  # begins the last line of standard error if it does not exist


def find(name: str) -> Callable[..., Any]:
    """Return the function with the name ``MODULE:FUNCTION``.

    Raises:
        LookupError: it does not exist or is not a function.
    """
    if not all(name.partition(":")):
        raise LookupError(f"{name!r} does not have the form MODULE:FUNCTION")
    try:
        found: Any = pkgutil.resolve_name(name)
    except (ModuleNotFoundError, AttributeError, ValueError) as error:
        raise LookupError(f"{name}: {error}") from error
    if not callable(found):
        raise LookupError(f"{name} is not a function but a {type(found).__name__}")
    return found  # type: ignore[no-any-return]


def answerer(function: Callable[..., Any], name: str) -> Callable[[Mapping[str, Any]], Any]:
    """Return a function from requests to answers."""
    try:
        parameters = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):  # some built-in functions have no signature
        parameters = []
    if parameters[:1] == ["request"]:
        return function
    takes_scheme = "scheme" in parameters

    def answer(request: Mapping[str, Any]) -> dict[str, Any]:
        if request["op"] == "hello":
            return _hello(name, list(get_schemes()) if takes_scheme else ["sd64"])
        answered: dict[str, Any] = {"id": request["id"]}
        if request["op"] != "fingerprint" or "bytes" in request:
            return {**answered, "unsupported": True}
        if not takes_scheme and request["scheme"] not in get_schemes():
            return {**answered, "error": "unknown-scheme"}
        options = {"scheme": request["scheme"]} if takes_scheme else {}
        try:
            value = function(read_input(request), **options)
        except Exception as error:
            if not isinstance(code := getattr(error, "code", None), str):
                raise
            return {**answered, "error": code}
        if value is None:
            return {**answered, "error": "no-token"}
        text = str(value)
        return {**answered, "result": text if ":" in text else f"{request['scheme']}:{text}"}

    return answer


def _hello(name: str, schemes: list[str]) -> dict[str, Any]:
    return {
        "protocol": PROTOCOL,
        "name": name,
        "version": "",
        "language": python_implementation(),
        "unicode": unicodedata.unidata_version,
        "operations": ["fingerprint"],
        "schemes": schemes,
        "features": ["surrogates", "recipes"],
    }


def main() -> None:
    """Serve the function that the first argument names, on standard input and output."""
    # What the function prints must not mix with the answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.path.insert(0, os.getcwd())
    name = sys.argv[1]
    try:
        answer = answerer(find(name), name)
    except LookupError as error:
        sys.exit(f"{NOT_FOUND} {error}")
    for line in sys.stdin.buffer:
        answers.write(json.dumps(answer(json.loads(line))).encode("ascii") + b"\n")
        answers.flush()


if __name__ == "__main__":
    main()
