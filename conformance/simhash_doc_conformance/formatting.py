"""Format values and differences for people: printable, shortened, with positions, code points, and missing items.

It also orders requests, the plainest first.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sized
from typing import Any

from simhash_doc.errors import SpecError

SHOWN = 240  # characters of a value that are shown
_BEFORE = 60  # at most this many of them before the first difference


def outcome_text(op: str, outcome: dict[str, Any]) -> str:
    """Return ``result``, ``error: NAME`` or ``unsupported`` as text.

    >>> outcome_text("tokens", {"result": ["b", "a"]}), outcome_text("fold", {"error": "no-token"})
    ('["a", "b"]', 'error: no-token')
    """
    if "result" not in outcome:
        return f"error: {printable(outcome['error'])}" if "error" in outcome else "unsupported"
    result = outcome["result"]
    if op == "tokens" and isinstance(result, list) and all(isinstance(token, str) for token in result):
        result = in_byte_order(result)
    return json_text(result)


def in_byte_order(tokens: Iterable[str]) -> list[str]:
    """Return tokens sorted by their bytes in UTF-8."""
    return sorted(tokens, key=lambda token: token.encode("utf-8", "surrogatepass"))


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


_CONTEXT = 3  # code points that are shown from the first difference
_LISTED = 4  # missing and extra items that are shown
_LANE_BITS = 64


def difference(op: str, expected: Any, given: Any) -> list[str]:
    """Return lines that show where a result begins to differ; none if the values themselves show it.

    >>> difference("fold", "cafe\u0301", "café")
    ['  at position 3: expected U+0065 U+0301, given U+00E9']
    """
    if expected == given:
        return []
    if isinstance(expected, str) and isinstance(given, str):
        return _of_fingerprints(expected, given) or _of_texts(expected, given)
    if op == "tokens" and is_texts(expected) and is_texts(given):
        return _of_items(expected, given)
    if op == "buckets" and isinstance(expected, list) and isinstance(given, list):
        return _of_buckets(expected, given)
    if op == "query" and isinstance(expected, list) and isinstance(given, list) and len(expected) == len(given):
        return _of_queries(expected, given)
    if op == "find_all" and isinstance(expected, list) and isinstance(given, list):
        return _of_items(_pairs(expected), _pairs(given))
    if isinstance(expected, dict) and isinstance(given, dict):
        return [
            f"  {name}: expected {json_text(value)}, given {json_text(given.get(name))}"
            for name, value in expected.items()
            if given.get(name) != value
        ]
    return []


def _of_texts(expected: str, given: str) -> list[str]:
    at = next((i for i, (a, b) in enumerate(zip(expected, given, strict=False)) if a != b), None)
    at = min(len(expected), len(given)) if at is None else at
    expected_points, given_points = (_code_points(text[at : at + _CONTEXT]) for text in (expected, given))
    return [f"  at position {at}: expected {expected_points}, given {given_points}"]


def _code_points(text: str) -> str:
    return " ".join(f"U+{ord(character):04X}" for character in text) or "the end"


def _of_fingerprints(expected: str, given: str) -> list[str]:
    from simhash_doc.fingerprint import Fingerprint

    try:
        a, b = Fingerprint.parse(expected), Fingerprint.parse(given)
        bits = a.scheme.bits
        different = [bit for bit in range(bits) if (a.value ^ b.value) >> (bits - 1 - bit) & 1] if a.distance(b) else []
    except SpecError:
        return []
    if not different:
        return []
    order = permuted(bytes(a), bytes(b))
    return [
        f"  in hexadecimal: expected {bytes(a).hex()}, given {bytes(b).hex()}",
        f"  {len(different)} of {bits} bits {_differ(different)}{f': it is the right value {order}' if order else ''}",
    ]


def permuted(right: bytes, given: bytes) -> str:
    """Return in which order the bits of a fingerprint are given; empty if in none that is known."""
    bits, wanted = ("".join(f"{byte:08b}" for byte in data) for data in (right, given))
    lanes, octets = _cut(bits, _LANE_BITS), _cut(bits, 8)
    orders = {
        "with all bits reversed": bits[::-1],
        "with the bits of each byte reversed": "".join(octet[::-1] for octet in octets),
        "with the bits of each lane reversed": "".join(lane[::-1] for lane in lanes),
        "with all bytes reversed": "".join(octets[::-1]),
        "with the bytes of each lane reversed": "".join(octet for lane in lanes for octet in _cut(lane, 8)[::-1]),
        "with the lanes reversed": "".join(lanes[::-1]),
        "with the bytes of the lanes in turn": _in_turn(_cut(lane, 8) for lane in lanes),
        "with the bits of the lanes in turn": _in_turn(lanes),
        "with the bits of the lanes in turn, the lowest first": "".join(
            lane[::-1] for lane in _cut(_in_turn(lane[::-1] for lane in lanes), _LANE_BITS)
        ),
    }
    found = next((name for name, order in orders.items() if order == wanted != bits), "")
    return found or ("with the bytes in another order" if sorted(right) == sorted(given) and right != given else "")


def _cut(bits: str, size: int) -> list[str]:
    return [bits[at : at + size] for at in range(0, len(bits), size)]


def _in_turn(lanes: Iterable[Iterable[str]]) -> str:
    return "".join(map("".join, zip(*lanes, strict=True)))


def _differ(items: Sized) -> str:
    return "differs" if len(items) == 1 else "differ"


def _of_items(expected: Iterable[str], given: Iterable[str]) -> list[str]:
    expected_counts, given_counts = Counter(expected), Counter(given)
    lines = []
    for what, items in (("missing", expected_counts - given_counts), ("extra", given_counts - expected_counts)):
        if items:
            listed = sorted(items)[:_LISTED]
            shown = ", ".join(f"{shorten(json_text(item))}{_times(items[item])}{_named(item)}" for item in listed)
            more = f" and {len(items) - len(listed)} more" if len(items) > len(listed) else ""
            lines.append(f"  {what}: {shown}{more}")
    return lines


def _times(count: int) -> str:
    return f" ({count} times)" if count > 1 else ""


def _named(item: str) -> str:
    """Return the code points of a short item that is not ASCII."""
    return "" if item.isascii() or len(item) > _CONTEXT else f" ({_code_points(item)})"


def _of_buckets(expected: list[Any], given: list[Any]) -> list[str]:
    if len(expected) != len(given):
        return [f"  expected {len(expected)} buckets, given {len(given)}"]
    at = [index for index, (a, b) in enumerate(zip(expected, given, strict=True)) if a != b]
    if not at:
        return []
    place = f"bit {at[0] % _LANE_BITS} of lane {at[0] // _LANE_BITS}"
    shown = f"expected {json_text(expected[at[0]])}, given {json_text(given[at[0]])}"
    return [f"  {place}: {shown}; {len(at)} of {len(expected)} buckets {_differ(at)}"]


def _of_queries(expected: list[Any], given: list[Any]) -> list[str]:
    for number, (wanted, found) in enumerate(zip(expected, given, strict=True), 1):
        if is_texts(found) and Counter(wanted) != Counter(found):
            return [f"  query {number}", *_of_items(wanted, found)]
    return []


def _pairs(found: list[Any]) -> list[str]:
    return [json_text(sorted(pair, key=str)) for pair in found if isinstance(pair, list)]


def is_texts(value: Any) -> bool:
    """Return True if a value is a list of texts."""
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


# Where rarer characters begin: Latin, Greek to Hebrew, other scripts, East Asian, beyond the basic plane.
_RARER = "\x80\u0250\u0600\u3000\U00010000"
_AS_LATIN = re.compile("[\u0300-\u036f\u2000-\u206f\ufe0f]")  # combining marks and invisible characters


def plainness(request: str) -> tuple[bool, int, int]:
    """Return the place of a request as JSON for sorting: ASCII before Latin before rare characters, short before long.

    Compatibility characters are as rare as the characters that they fold to, and marks as Latin. Bytes, UTF-16 and what
    is shortened count as rare, and ranges of characters as the rarest. Recipes come last: one is short, but describes a
    long text.
    """
    from bisect import bisect_right

    from simhash_doc.unicode_data import normalize

    text = re.sub(r"\\u([0-9a-f]{4})", lambda escape: chr(int(escape[1], 16)), request)
    folded = _AS_LATIN.sub("", normalize("NFD", normalize("NFKC", text)))
    rarity = max(bisect_right(_RARER, max(folded, default="")), not text.isascii())
    if '"scalars": ' in request:
        rarity = len(_RARER)
    elif re.search(r'"(bytes|utf16|utf8)": |\[\d+ more\]$', request):
        rarity = max(rarity, len(_RARER) - 1)
    return '"recipe": ' in request, rarity, len(request)
