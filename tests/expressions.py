"""Every regular expression of the three products, how each is used, and texts on which it could be slow."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import random
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from re import _compiler, _constants, _parser  # type: ignore[attr-defined]
from types import ModuleType
from typing import Any

PRODUCTS = ("simhash_doc", "simhash_doc_extraction", "simhash_doc_conformance")
WRONG_ON_PURPOSE = "simhash_doc_conformance.mutants"
"""Known bugs, which read only the published cases."""

_FUNCTIONS = frozenset("compile search match fullmatch split sub subn findall finditer".split())
_FLAGS_AT = {"split": 3, "sub": 4, "subn": 4}
_REPEATS = (_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT)
_ANY = (_constants.LITERAL, _constants.NOT_LITERAL, _constants.IN, _constants.ANY)
_EXAMPLE_OF = {
    "CATEGORY_DIGIT": "7", "CATEGORY_SPACE": " ", "CATEGORY_WORD": "a",
    "CATEGORY_NOT_DIGIT": "x", "CATEGORY_NOT_SPACE": "x", "CATEGORY_NOT_WORD": "-",
}  # fmt: skip
_MOST_REPEATS = 300

Expressions = tuple[dict[re.Pattern[Any], tuple[str, set[str]]], list[str]]
"""Each expression with its place and the functions that use it, and the places of those that are not known."""

Family = tuple[str, str, str]
"""What comes before a piece, the piece that is repeated, and what comes after."""


def modules() -> Iterator[tuple[ModuleType, ast.AST]]:
    """Yield the modules that can be imported, and their syntax."""
    for name in PRODUCTS:
        package = importlib.import_module(name)
        names = [name, *(module.name for module in pkgutil.walk_packages(package.__path__, f"{name}."))]
        for module_name in names:
            if module_name.startswith(WRONG_ON_PURPOSE) or module_name.endswith("__main__"):
                continue
            try:
                module = importlib.import_module(module_name)
            except ImportError:  # of an extra
                continue
            yield module, ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))


def expressions() -> Expressions:
    """Return each expression with its place and the functions that use it, and the places where it is not known."""
    found: dict[re.Pattern[Any], tuple[str, set[str]]] = {}
    unknown: list[str] = []
    for module, tree in modules():
        held = {name: list(_patterns(value)) for name, value in vars(module).items()}
        for name, patterns in held.items():
            for number, pattern in enumerate(patterns):
                found.setdefault(pattern, (f"{module.__name__}.{name}.{number}", set()))
        for names, function in _uses(tree):
            for pattern in (pattern for name in names for pattern in held.get(name, ())):
                found[pattern][1].add(function)
        comprehensions = _at_start(tree)
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            if not isinstance(call.func, ast.Attribute) or ast.unparse(call.func.value) != "re":
                continue
            if call.func.attr not in _FUNCTIONS:
                continue
            place = f"{module.__name__}:{ast.unparse(call.args[0])}"
            try:
                pattern = _evaluated(call, call.func.attr, module)
            except NameError:
                if call not in comprehensions:  # what these compile is in a name of the module
                    unknown.append(place)
                continue
            found.setdefault(pattern, (place, set()))[1].update({call.func.attr} - {"compile"})
    return found, unknown


def _patterns(value: Any, depth: int = 0) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif depth < 5:
        if isinstance(value, dict):
            value = [*value, *value.values()]
        elif type(value).__module__.startswith(PRODUCTS[0]) and not isinstance(value, type):
            value = [getattr(value, name, None) for name in (*getattr(value, "__dict__", ()), *_slots(value))]
        if isinstance(value, list | tuple | set | frozenset):
            for item in value:
                yield from _patterns(item, depth + 1)


def _slots(value: Any) -> tuple[str, ...]:
    slots = getattr(type(value), "__slots__", ())
    return (slots,) if isinstance(slots, str) else tuple(slots)


def _uses(tree: ast.AST) -> Iterator[tuple[set[str], str]]:
    """Yield names of expressions, or of what holds them, and the function that uses them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in _FUNCTIONS:
            yield _names(node.value), node.attr
        for loop in getattr(node, "generators", [node] if isinstance(node, ast.For) else []):
            targets = _names(loop.target)
            for inner in ast.walk(node):
                if isinstance(inner, ast.Attribute) and inner.attr in _FUNCTIONS and _names(inner.value) & targets:
                    yield _names(loop.iter), inner.attr


def _names(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def _at_start(tree: ast.AST) -> set[ast.AST]:
    """Return the calls outside functions, which are done when a module is imported."""
    found: set[ast.AST] = set()
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            found.add(node)
            waiting += ast.iter_child_nodes(node)
    return found


def _evaluated(call: ast.Call, function: str, module: ModuleType) -> re.Pattern[Any]:
    """Return the expression of a call; a part that only its function knows is one letter, another for each part."""
    flags = call.args[_FLAGS_AT.get(function, 1 if function == "compile" else 2) :]
    flags += [keyword.value for keyword in call.keywords if keyword.arg == "flags"]
    source = call.args[0]
    parts = (
        [_value(part, module, at) for at, part in enumerate(source.values)] if isinstance(source, ast.JoinedStr) else []
    )
    pattern = "".join(map(str, parts)) if parts else _value(source, module)
    return re.compile(pattern, _value(flags[0], module) if flags else 0)


def _value(node: ast.expr, module: ModuleType, at: int | None = None) -> Any:
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "re.escape":
        return "a-letter"
    value = node.value if isinstance(node, ast.FormattedValue) else node
    try:
        return eval(compile(ast.Expression(value), "", "eval"), dict(vars(module)))
    except NameError:
        if at is None:
            raise
        return chr(ord("a") + at)


def families(pattern: re.Pattern[Any], most: int = 300, seed: int = 0) -> list[Family]:
    """Return what can be repeated for an expression: its characters, their pairs, and examples of its parts."""
    random_ = random.Random(seed)
    tree = _parser.parse(pattern.pattern, pattern.flags)
    characters = [*dict.fromkeys([*sorted(_characters(tree)), "x", " ", "\n", "0"])]
    if len(characters) > 24:
        characters = random_.sample(characters[:-4], 20) + characters[-4:]
    pieces, starts = dict.fromkeys(characters), dict[str, None]()
    for sequence in _sequences(tree):
        for _ in range(8):
            preferred = random_.sample(characters, len(characters))
            parts = _Example(pattern, random_, preferred).parts(sequence)[:12]
            starts.update(dict.fromkeys("".join(parts[:end]) for end in range(1, len(parts))))
            ends = ((first, end) for first in range(len(parts)) for end in range(first + 1, len(parts) + 1))
            pieces.update(dict.fromkeys("".join(parts[first:end]) for first, end in ends))
    pieces.pop("", None)
    every = [("", piece, end) for piece in pieces for end in ("", "\0", "x!")]
    every += [("", first + second, "") for first, second in product(characters, repeat=2)]
    every += [(start, piece, "\0") for start in starts for piece in random_.sample([*pieces], min(len(pieces), 6))]
    return every if len(every) <= most else random_.sample(every, most)


def _characters(tree: Any) -> set[str]:
    """Return the characters that an expression names, the ends of its ranges, and one of each category."""
    found: set[str] = set()
    for operator, value in tree:
        if operator in (_constants.LITERAL, _constants.NOT_LITERAL):
            found.add(chr(value))
        elif operator is _constants.RANGE:
            found.update(map(chr, value))
        elif operator is _constants.CATEGORY:
            found.add(_EXAMPLE_OF[str(value)])
        elif operator is _constants.IN:
            found |= _characters(value)
        else:
            found = found.union(*map(_characters, _inner(operator, value)))
    return found


def _inner(operator: Any, value: Any) -> list[Any]:
    """Return the sequences in a node."""
    if operator in _REPEATS:
        return [value[2]]
    if operator is _constants.SUBPATTERN:
        return [value[3]]
    if operator in (_constants.ASSERT, _constants.ASSERT_NOT):
        return [value[1]]
    if operator is _constants.ATOMIC_GROUP:
        return [value]
    if operator is _constants.BRANCH:
        return list(value[1])
    return [inner for inner in value[1:] if inner] if operator is _constants.GROUPREF_EXISTS else []


def _sequences(tree: Any) -> Iterator[list[Any]]:
    yield list(tree)
    for operator, value in tree:
        for inner in _inner(operator, value):
            yield from _sequences(inner)


class _Example:
    """Texts that parts of an expression accept, of the preferred characters."""

    def __init__(self, pattern: re.Pattern[Any], random_: random.Random, preferred: list[str]) -> None:
        self._pattern, self._random, self._preferred = pattern, random_, preferred
        self._often = random_.choice([0, 0.5, 1])  # what may be left out is there

    def parts(self, sequence: Any) -> list[str]:
        return [self._part(*node) for node in sequence]

    def _part(self, operator: Any, value: Any) -> str:
        if operator in _ANY:
            return self._character(operator, value)
        if operator in (_constants.ASSERT, _constants.ASSERT_NOT):
            return ""
        inner = _inner(operator, value)
        count = 1
        if operator in _REPEATS:
            count = min(value[0], _MOST_REPEATS) or int(self._random.random() < self._often)
        return "".join("".join(self.parts(self._random.choice(inner))) for _ in range(count)) if inner else ""

    def _character(self, operator: Any, value: Any) -> str:
        if operator is _constants.LITERAL:
            return chr(value)
        state = _parser.State()
        state.flags = self._pattern.flags
        state.str = self._pattern.pattern
        accepted = _compiler.compile(_parser.SubPattern(state, [(operator, value)]), self._pattern.flags)
        is_text = isinstance(self._pattern.pattern, str)
        fitting = (one for one in self._preferred if accepted.match(one if is_text else one.encode("latin-1")))
        return next(fitting, "")


def repeated(family: Family, size: int) -> str:
    """Return a text of about this many characters."""
    before, piece, after = family
    return before + piece * (size // len(piece) + 1) + after
