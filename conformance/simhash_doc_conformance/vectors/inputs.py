"""The inputs of cases: text, bytes, UTF-16 code units, and recipes of large texts and many entries (PROTOCOL.md)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from simhash_doc.arrays import Lanes
from simhash_doc.reference import BASE32
from simhash_doc.schemes import get_scheme
from simhash_doc_conformance.errors import NotUnderstoodError

Entry = tuple[str, str]  # id, text form
_MULTIPLIER, _INCREMENT = 6364136223846793005, 1442695040888963407
_GAMMA, _MIX_1, _MIX_2 = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB  # of SplitMix64
_STEP = 13  # bits between two that are flipped
INPUT_FORMS = ("text", "bytes", "utf16", "recipe")
DIGITS = {"bytes": 2, "utf16": 4}  # per unit of the forms that can be cut into pieces
DOCUMENT_FORMS = ("document", "file", "name")  # of the operation extract


def read_input(members: Mapping[str, Any]) -> str | bytes:
    """Return the text or bytes of the input of a request or case.

    Raises:
        NotUnderstoodError: the input is missing, or its recipe is unknown.
    """
    if "text" in members:
        return str(members["text"])
    if "bytes" in members:
        return bytes.fromhex(members["bytes"])
    if "utf16" in members:
        return bytes.fromhex(members["utf16"]).decode("utf-16-be", "surrogatepass")
    if "recipe" in members:
        return _input_of(members["recipe"])
    raise NotUnderstoodError(f"the request has no input; it needs one of {', '.join(INPUT_FORMS)}")


def read_pieces(members: Mapping[str, Any]) -> list[str] | list[bytes]:
    """Return the input of a request in the pieces that end at its `cuts`; code units as surrogates."""
    units = "utf16" in members
    given = bytes.fromhex(members["utf16"]) if units else read_input(members)
    ends = [cut * (2 if units else 1) for cut in members["cuts"]]
    pieces = [given[start:end] for start, end in zip([0, *ends], [*ends, len(given)], strict=True)]
    if units:
        return [bytes(piece).decode("utf-16-be", "surrogatepass") for piece in pieces]  # type: ignore[arg-type]
    return pieces  # type: ignore[return-value]


def without_recipe(members: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members of a request or case with the `text`, `bytes` or `entries` that its recipe describes."""
    members = dict(members)
    if "entries" in members:
        members["entries"] = read_entries(members["entries"])
    for name in ("queries", "tokens", "steps"):
        if name in members:
            members[name] = read_list(members[name])
    if "steps" in members:
        members["steps"] = list(map(_step, members["steps"]))
    if "recipe" not in members:
        return members
    expanded = {name: value for name, value in members.items() if name != "recipe"}
    given = _input_of(members["recipe"])
    return expanded | ({"text": given} if isinstance(given, str) else {"bytes": given.hex()})


def _step(step: Mapping[str, Any]) -> dict[str, Any]:
    """Return a step of an update with the entries and ids that its recipes describe."""
    step = dict(step)
    if "insert" in step:
        step["insert"] = read_entries(step["insert"])
    if "remove" in step:
        step["remove"] = read_list(step["remove"])
    return step


def read_list(listed: Sequence[Any] | Mapping[str, Any]) -> Sequence[Any]:
    """Return a list, which a recipe may describe.

    >>> read_list({"concat": [{"repeat": ["a", "b"], "count": 2}, {"numbers": [8, 10]}]})
    ['a', 'b', 'a', 'b', '8', '9', '10']
    """
    if not isinstance(listed, Mapping):
        return listed
    if "concat" in listed:
        return [item for part in listed["concat"] for item in read_list(part)]
    if "numbers" in listed:
        first, last = listed["numbers"]
        return [str(number) for number in range(first, last + 1)]
    return list(listed["repeat"]) * int(listed["count"])


def _input_of(recipe: str | Mapping[str, Any]) -> str | bytes:
    if isinstance(recipe, Mapping) and "utf8" in recipe:
        return expand(recipe["utf8"]).encode("utf-8")
    return expand(recipe)


def described_size(recipe: str | Mapping[str, Any]) -> int:
    """Return about how many characters a recipe describes."""
    if isinstance(recipe, str):
        return len(recipe)
    if "utf8" in recipe:
        return described_size(recipe["utf8"])
    if "concat" in recipe:
        return sum(map(described_size, recipe["concat"]))
    if "repeat" in recipe:
        return len(str(recipe["repeat"])) * int(recipe["count"])
    if "words" in recipe:
        return 7 * int(recipe["words"])
    first, last = recipe["scalars"]
    return len(str(recipe["template"])) * int(last - first + 1)


def expand(recipe: str | Mapping[str, Any]) -> str:
    """Return the text that a recipe describes.

    >>> expand({"words": 3, "distinct": 6, "seed": 1, "letters": "ab"})
    'aa ab a '
    """
    if isinstance(recipe, str):
        return recipe
    if "repeat" in recipe:
        return str(recipe["repeat"]) * int(recipe["count"])
    if "words" in recipe:
        return _words(recipe["words"], recipe["distinct"], recipe["seed"], recipe["letters"])
    if "scalars" in recipe:
        first, last = recipe["scalars"]
        scalars = (chr(c) for c in range(first, last + 1) if not 0xD800 <= c <= 0xDFFF)
        return "".join(recipe["template"].replace("{}", scalar) for scalar in scalars)
    if "concat" in recipe:
        return "".join(expand(part) for part in recipe["concat"])
    raise NotUnderstoodError(f"a recipe has the members {', '.join(recipe)}; see PROTOCOL.md for the known ones")


def read_entries(entries: Sequence[Entry] | Mapping[str, Any]) -> Sequence[Entry]:
    """Return entries, which a recipe may describe: each id with its text form."""
    return _generated(json.dumps(entries)) if isinstance(entries, Mapping) else entries


@lru_cache(maxsize=2)  # several queries and mutants of one case
def _generated(recipe: str) -> Sequence[Entry]:
    described = json.loads(recipe)
    first, known = described.pop("first_id"), get_scheme(described["scheme"])
    values, size = fingerprints(**described), known.characters
    bits = np.zeros((len(values), 5 * size), np.uint8)
    bits[:, : known.bits] = np.unpackbits(values.astype(">u8").view(np.uint8), axis=1)
    digits = bits.reshape(-1, 5) @ np.array([16, 8, 4, 2, 1], np.uint8)
    text = np.frombuffer(BASE32.encode("ascii"), np.uint8)[digits].tobytes().decode("ascii")
    starts = range(0, len(text), size)
    return [(str(number), f"{known.id}:{text[at : at + size]}") for number, at in enumerate(starts, first)]


def fingerprints(count: int, scheme: str, seed: int, distinct: int, flips: int, prefix: int, order: str) -> Lanes:
    """Return the fingerprints that a recipe of entries describes (PROTOCOL.md), shape (count, lanes)."""
    known, numbers = get_scheme(scheme), np.arange(count, dtype=np.uint64)
    copies, groups = numbers // np.uint64(distinct), numbers % np.uint64(distinct)
    values = np.empty((count, known.lanes), np.uint64)
    for lane in range(known.lanes):
        drawn = _mixed(seed, np.uint64(8) * groups + np.uint64(lane + 1))
        shared = (1 << 64) - (1 << 64 - min(max(prefix - 64 * lane, 0), 64))
        values[:, lane] = (drawn[0] & np.uint64(shared)) | (drawn & np.uint64(2**64 - 1 - shared))
    for flip in range(flips):
        rows = np.flatnonzero(copies % np.uint64(flips + 1) > flip)
        bits = (copies[rows] + np.uint64(_STEP * flip)) % np.uint64(known.bits)
        values[rows, (bits // np.uint64(64)).astype(np.intp)] ^= np.uint64(1 << 63) >> bits % np.uint64(64)
    if order == "generated":
        return values
    ascending = values[np.lexsort(values.T[::-1])]
    return ascending if order == "ascending" else ascending[::-1]


def _mixed(seed: int, steps: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Return the outputs of SplitMix64 after so many steps from a seed (Steele, Lea and Flood 2014)."""
    state = np.uint64(seed) + steps * np.uint64(_GAMMA)
    state = (state ^ state >> np.uint64(30)) * np.uint64(_MIX_1)
    state = (state ^ state >> np.uint64(27)) * np.uint64(_MIX_2)
    return state ^ state >> np.uint64(31)


def _words(count: int, distinct: int, seed: int, letters: str) -> str:
    state, words = seed, []
    for _ in range(count):
        state = (_MULTIPLIER * state + _INCREMENT) % 2**64
        words.append(_word((state >> 33) % distinct + 1, letters) + " ")
    return "".join(words)


def _word(number: int, letters: str) -> str:
    word = ""
    while number:
        number, digit = divmod(number - 1, len(letters))
        word = letters[digit] + word
    return word
