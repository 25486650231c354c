"""The inputs of cases: text, bytes, UTF-16 code units, and recipes of large texts (PROTOCOL.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simhash_doc.conformance.errors import RecipeError

_MULTIPLIER, _INCREMENT = 6364136223846793005, 1442695040888963407
INPUT_FORMS = ("text", "bytes", "utf16", "recipe")
DIGITS = {"bytes": 2, "utf16": 4}  # per unit of the forms that can be cut into pieces
DOCUMENT_FORMS = ("document", "file", "name")  # of the operation extract


def read_input(members: Mapping[str, Any]) -> str | bytes:
    """Return the text or bytes of the input of a request or case.

    Raises:
        RecipeError: there is no input, or its recipe is unknown.
    """
    if "text" in members:
        return str(members["text"])
    if "bytes" in members:
        return bytes.fromhex(members["bytes"])
    if "utf16" in members:
        return bytes.fromhex(members["utf16"]).decode("utf-16-be", "surrogatepass")
    if "recipe" in members:
        return _input_of(members["recipe"])
    raise RecipeError(f"the request has no input; it needs one of {', '.join(INPUT_FORMS)}")


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
    """Return the members of a request or case with the `text` or `bytes` that its recipe describes."""
    if "recipe" not in members:
        return dict(members)
    expanded = {name: value for name, value in members.items() if name != "recipe"}
    given = _input_of(members["recipe"])
    return expanded | ({"text": given} if isinstance(given, str) else {"bytes": given.hex()})


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
    raise RecipeError(f"a recipe has the members {', '.join(recipe)}; see PROTOCOL.md for the known ones")


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
