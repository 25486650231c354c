"""Format values for people: printable, and shortened around the first difference."""

from __future__ import annotations

import json
from itertools import zip_longest
from typing import Any

from simhash_doc.conformance import extraction

SHOWN = 240  # characters of a value that are shown
_BEFORE = 60  # at most this many of them before the first difference


def shown_outcomes(op: str, expected: dict[str, Any], given: dict[str, Any]) -> tuple[str, str]:
    """Return both outcomes as text, shortened around the first difference."""
    if op == "extract" and "result" in expected and isinstance(given.get("result"), str):
        return extraction.outcome(expected["result"], given["result"])
    left, right = (outcome_text(op, outcome) for outcome in (expected, given))
    at = next((i for i, (a, b) in enumerate(zip_longest(left, right)) if a != b), 0)
    return shorten(left, at), shorten(right, at)


def outcome_text(op: str, outcome: dict[str, Any]) -> str:
    """Return ``result``, ``error: NAME`` or ``unsupported`` as text.

    >>> outcome_text("tokens", {"result": ["b", "a"]}), outcome_text("fold", {"error": "no-token"})
    ('["a", "b"]', 'error: no-token')
    """
    if "result" not in outcome:
        return f"error: {printable(outcome['error'])}" if "error" in outcome else "unsupported"
    result = outcome["result"]
    if op == "tokens" and isinstance(result, list) and all(isinstance(token, str) for token in result):
        result = sorted(result, key=lambda token: token.encode("utf-8", "surrogatepass"))
    return json_text(result)


def json_text(value: Any) -> str:
    """Return a value as JSON with all invisible characters escaped."""
    return printable(json.dumps(value, ensure_ascii=False))


def printable(text: str) -> str:
    r"""Return a text with unprintable characters as JSON escapes: controls, format characters, surrogates.

    >>> printable("soft\u00adhyphen"), printable("\x1b[31m")
    ('soft\\u00adhyphen', '\\u001b[31m')
    """
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else json.dumps(character).strip('"') for character in text)


def shorten(text: str, at: int = 0) -> str:
    """Return at most `SHOWN` characters of a text, including the one at `at`, and how many were left out."""
    if len(text) <= SHOWN:
        return text
    start = max(0, min(at - _BEFORE, len(text) - SHOWN))
    end = start + SHOWN
    before = f"[{start} more] " if start else ""
    after = f" [{len(text) - end} more]" if end < len(text) else ""
    return f"{before}{text[start:end]}{after}"
