"""Mutants of the code of the specification: where they are, how they are put in place, and the operators.

A mutant is a module with one change. It is compiled and run as a module of its own; the code of its functions and
the values of its constants then replace those of the real module until the mutant is left.
"""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from mutation.mutant import Mutant, Step

# Each module with the parts that implement the specification. None: all of it.
_TEXT_FORM, _COMPARING, _SEARCH = Step.TEXT_FORM, Step.COMPARING, Step.SEARCH
MODULES: dict[str, dict[str, Step]] = {
    "simhash_doc.reference": {
        "NONSTARTER_LIMIT": Step.FOLDING, "OCCURRENCE_CAP": Step.COUNTING, "BUCKET_LIMIT": Step.SUMS,
        "LANE_BITS": Step.SUMS, "BASE32": _TEXT_FORM,
        "read": Step.INPUT, "decode_utf8": Step.INPUT, "scalar_values": Step.INPUT,
        "fold": Step.FOLDING, "map_characters": Step.FOLDING, "bound_nonstarters": Step.FOLDING,
        "decomposed": Step.FOLDING, "long_run": Step.FOLDING, "compose": Step.FOLDING,
        "link_forms": Step.LINKS, "remove_links": Step.LINKS,
        "runs": Step.TOKENS, "is_word": Step.TOKENS, "split": Step.TOKENS, "is_continua": Step.TOKENS,
        "bigrams": Step.TOKENS, "trim": Step.TOKENS, "trim_connectors": Step.TOKENS, "is_token": Step.TOKENS,
        "link_free_tokens": Step.TOKENS, "tokens": Step.TOKENS,
        "capped_counts": Step.COUNTING, "hash_token": Step.HASHING,
        "bit_sums": Step.SUMS, "no_token": Step.SUMS, "to_buckets": Step.SUMS, "buckets": Step.SUMS,
        "to_bytes": Step.SUMS, "encode": _TEXT_FORM, "decode": _TEXT_FORM, "similarity": _COMPARING,
    },
    "simhash_doc_conformance.adapters.implementation": {
        "fingerprint_text_form": _TEXT_FORM, "text_form": _TEXT_FORM, "parse": _TEXT_FORM,
        "differing_bits": _COMPARING, "parse_all": _COMPARING, "check_search": _SEARCH, "query": _SEARCH,
        "find_all": _SEARCH,
    },
    "simhash_doc_conformance.adapters.adapter": {
        "_decode": _TEXT_FORM, "_encode": _TEXT_FORM,
    },
    "simhash_doc.fingerprint": {
        "CUSTOM_SUFFIX": _TEXT_FORM, "parse": _TEXT_FORM, "from_bytes": _TEXT_FORM, "hex": _TEXT_FORM,
        "scheme": _TEXT_FORM, "__post_init__": _TEXT_FORM, "distance": _COMPARING, "_scheme_by_length": _TEXT_FORM,
    },
    "simhash_doc.schemes": {"lanes": Step.SCHEMES, "get_schemes": Step.SCHEMES, "get_scheme": Step.SCHEMES},
    "simhash_doc_conformance.mutants.appendix_a": {
        "MASK": Step.HASHING, "P1": Step.HASHING, "P4": Step.HASHING, "rotl": Step.HASHING, "mix": Step.HASHING,
        "xxh64": Step.HASHING,
    },
    "mutation.appendix_c": {
        "S_BASE": Step.FOLDING, "L_COUNT": Step.FOLDING, "S_COUNT": Step.FOLDING,
        "decompose": Step.FOLDING, "nfd": Step.FOLDING, "compose": Step.FOLDING, "nfc": Step.FOLDING,
    },
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Place:
    """A member of a node of a syntax tree, and what to put there."""

    node: ast.AST
    member: str
    index: int | None
    new: Any

    def exchange(self) -> _Place:
        """Put the new value there, and return the place with the old one."""
        old = getattr(self.node, self.member)
        if self.index is None:
            setattr(self.node, self.member, self.new)
            return _Place(self.node, self.member, None, old)
        previous, old[self.index] = old[self.index], self.new
        return _Place(self.node, self.member, self.index, previous)


@dataclass(frozen=True, slots=True)
class CodeMutant(Mutant):
    """One change of one module."""

    module: str
    function: str | None  # None: a constant
    place: _Place

    @property
    def appendix(self) -> str | None:
        name = self.module.rpartition(".")[2]
        return name if name.startswith("appendix") else None

    @contextmanager
    def installed(self) -> Iterator[None]:
        with _changed(sys.modules[self.module], self.compiled()):
            yield

    def compiled(self) -> CodeType:
        """Return the module with the change."""
        previous = self.place.exchange()
        try:
            return compile(ast.fix_missing_locations(_tree(self.module)), f"<{self.module}>", "exec")
        finally:
            previous.exchange()


@cache
def _tree(module: str) -> ast.Module:
    path = importlib.import_module(module).__file__
    assert path is not None
    return ast.parse(Path(path).read_text(encoding="utf-8"))


def code_mutants() -> Iterator[CodeMutant]:
    """Yield all mutants of the code, in the order of the modules."""
    for module, steps in MODULES.items():
        names: dict[str, int] = {}
        for name, function, statement in _parts(_tree(module).body):
            if name in steps:
                for operator, place, header in _changes_of(statement):
                    title = f"{module.rpartition('.')[2]}.{name}: {header}"
                    names[title] = names.get(title, 0) + 1
                    number = f" ({names[title]})" if names[title] > 1 else ""
                    yield CodeMutant(f"{title}{number}", steps[name], operator, module, function, place)


def _parts(body: list[ast.stmt]) -> Iterator[tuple[str, str | None, ast.stmt]]:
    """Yield (name, name of the function or None, definition) of each function and constant."""
    for statement in body:
        if isinstance(statement, ast.ClassDef):
            yield from ((n, f, s) for n, f, s in _parts(statement.body) if f is not None)
        elif isinstance(statement, ast.FunctionDef):
            yield statement.name, statement.name, statement
        elif isinstance(statement, ast.Assign):
            names = [node.id for node in ast.walk(statement.targets[0]) if isinstance(node, ast.Name)]
            yield names[0], None, statement


def _changes_of(statement: ast.stmt) -> Iterator[tuple[str, _Place, str]]:
    """Yield (operator, place, description) of each change within a statement."""
    before = _header(statement)
    for node, member, index, value in _expressions(statement):
        for operator, new in expression_changes(value):
            place = _Place(node, member, index, new)
            yield operator, place, f"`{before}` -> `{_changed_header(statement, place)}`"
    for operator, new in expression_changes(statement):
        yield operator, _Place(statement, "__self__", None, new), f"`{before}` -> `{_header(new)}`"
    for member in ("body", "orelse"):
        body = getattr(statement, member, [])
        for operator, number, new_body in body_changes(body):
            at = _header(body[number])
            yield operator, _Place(statement, member, None, new_body), f"{operator}: `{at}`"
        for number, inner in enumerate(body):
            if not is_text(inner):
                for operator, place, title in _changes_of(inner):
                    whole = place.member == "__self__"
                    outer = _Place(statement, member, None, _with(body, number, place.new))
                    yield operator, outer if whole else place, title


def _with(items: Sequence[Any], number: int, new: ast.AST) -> list[Any]:
    return [*items[:number], new, *items[number + 1 :]]


def _expressions(node: ast.AST) -> Iterator[tuple[ast.AST, str, int | None, ast.AST]]:
    """Yield (parent, member, index, node) of the expressions of a statement, without messages and annotations."""
    for member, value in ast.iter_fields(node):
        if member in ("annotation", "returns", "decorator_list", "body", "orelse") and isinstance(node, ast.stmt):
            continue
        if isinstance(node, ast.arg) or (isinstance(node, ast.Raise) and member == "exc"):
            continue  # the text of an error means nothing
        for index, child in enumerate(value) if isinstance(value, list) else ((None, value),):
            if isinstance(child, ast.expr | ast.comprehension | ast.arguments | ast.keyword | ast.Slice):
                yield node, member, index, child
                yield from _expressions(child)
            elif isinstance(child, ast.FormattedValue):
                yield from _expressions(child)


def _header(statement: ast.AST) -> str:
    lines = ast.unparse(ast.fix_missing_locations(statement)).splitlines()
    return next((line for line in lines if not line.startswith("@")), "").removesuffix(":")


def _changed_header(statement: ast.stmt, place: _Place) -> str:
    previous = place.exchange()
    try:
        return _header(statement)
    finally:
        previous.exchange()


@contextmanager
def _changed(module: ModuleType, code: CodeType) -> Iterator[None]:
    """Give a module the functions and constants of a changed one."""
    changed: dict[str, Any] = {"__name__": module.__name__, "__file__": module.__file__}
    exec(code, changed)
    undo: list[tuple[Any, str, Any]] = []
    try:
        _transplant(vars(module), changed, module, undo)
        _clear(module)
        yield
    finally:
        for owner, member, value in reversed(undo):
            setattr(owner, member, value)
        _clear(module)


def _transplant(old: Any, new: Any, owner: Any, undo: list[tuple[Any, str, Any]]) -> None:
    for name, value in dict(new).items():
        mine = old.get(name)
        if isinstance(value, type) and isinstance(mine, type) and value.__module__ == mine.__module__:
            if value is not mine:
                _transplant(vars(mine), vars(value), mine, undo)
        elif (function := _function(mine)) is not None and (other := _function(value)) is not None:
            for member in ("__code__", "__defaults__", "__kwdefaults__"):
                if getattr(function, member) != getattr(other, member):
                    undo.append((function, member, getattr(function, member)))
                    setattr(function, member, getattr(other, member))
        elif isinstance(value, int | str | bytes) and not name.startswith("__") and value != mine:
            undo.append((owner, name, mine))
            setattr(owner, name, value)


def _function(value: Any) -> FunctionType | None:
    """Return the function behind a method, property or cached function."""
    value = getattr(value, "__func__", None) or getattr(value, "fget", None) or value
    value = getattr(value, "__wrapped__", value)
    return value if isinstance(value, FunctionType) else None


def _clear(module: ModuleType) -> None:
    """Empty the caches of a module, and those of results of the package that its functions may have computed."""
    package = [importlib.import_module(name) for name in MODULES if name.startswith("simhash_doc.")]
    for place in (module, *package):
        for value in vars(place).values():
            if getattr(value, "__module__", None) in MODULES and hasattr(value, "cache_clear"):
                value.cache_clear()


# The operators: each yields the changed copies of one node of the syntax tree.
Change = tuple[str, ast.AST]  # operator, new node

_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE, ast.NotEq),
    ast.LtE: (ast.Lt, ast.Gt, ast.Eq),
    ast.Gt: (ast.GtE, ast.LtE, ast.NotEq),
    ast.GtE: (ast.Gt, ast.Lt, ast.Eq),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
_ARITHMETIC: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.FloorDiv, ast.Add),
    ast.Div: (ast.Mult, ast.FloorDiv),
    ast.FloorDiv: (ast.Mult, ast.Mod),
    ast.Mod: (ast.FloorDiv, ast.Mult),
    ast.LShift: (ast.RShift,),
    ast.RShift: (ast.LShift,),
    ast.BitAnd: (ast.BitOr, ast.BitXor),
    ast.BitOr: (ast.BitAnd, ast.BitXor),
    ast.BitXor: (ast.BitAnd, ast.BitOr),
}
_RELATED_CALLS = {"min": "max", "max": "min", "any": "all", "all": "any", "startswith": "endswith", "lower": "upper"}
_LONG_TEXT = 20  # characters; an alphabet, whose characters are exchanged


def expression_changes(node: ast.AST) -> Iterator[Change]:
    """Yield the changes of an expression."""
    for operator in (_constants, _comparisons, _arithmetic, _branches, _calls, _slices, _comprehensions, _raises):
        yield from operator(node)


def _constants(node: ast.AST) -> Iterator[Change]:
    if not isinstance(node, ast.Constant):
        return
    if isinstance(node.value, bool):
        yield "constant", ast.Constant(not node.value)
    elif isinstance(node.value, int):
        yield from (("constant", ast.Constant(node.value + step)) for step in (1, -1))
    elif isinstance(node.value, str):
        yield from (("text", ast.Constant(changed)) for changed in _texts(node.value))


def _texts(text: str) -> Iterator[str]:
    if len(text) >= _LONG_TEXT:
        yield from (f"{text[:i]}{text[i + 1]}{text[i]}{text[i + 2 :]}" for i in range(len(text) - 1))
        return
    yield f"{text}x"
    if text:
        yield ""
    if text.upper() != text:
        yield text.upper()


def _altered(node: Any, **members: Any) -> Any:
    """Return a copy of a node with other members."""
    changed = copy(node)
    for name, value in members.items():
        setattr(changed, name, value)
    return changed


def _comparisons(node: ast.AST) -> Iterator[Change]:
    if isinstance(node, ast.Compare):
        for place, comparison in enumerate(node.ops):
            for other in _COMPARISONS[type(comparison)]:
                yield "comparison", _altered(node, ops=_with(node.ops, place, other()))


def _arithmetic(node: ast.AST) -> Iterator[Change]:
    if isinstance(node, ast.BinOp | ast.AugAssign):
        for other in _ARITHMETIC.get(type(node.op), ()):
            yield "arithmetic", _altered(node, op=other())
    if isinstance(node, ast.BinOp):
        yield "arithmetic", node.left
        yield "arithmetic", node.right
    elif isinstance(node, ast.UnaryOp):
        yield "arithmetic", node.operand


def _branches(node: ast.AST) -> Iterator[Change]:
    if isinstance(node, ast.BoolOp):
        yield "branch", _altered(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
        yield from (("branch", value) for value in node.values)
    elif isinstance(node, ast.IfExp):
        yield from (("branch", branch) for branch in (node.body, node.orelse))
    elif isinstance(node, ast.If | ast.While):
        for value in (True, False) if isinstance(node, ast.If) else (False,):
            yield "branch", _altered(node, test=ast.Constant(value))


def _calls(node: ast.AST) -> Iterator[Change]:
    """Drop a step (keep its argument or object), swap two nested steps or two arguments, drop a keyword."""
    if not isinstance(node, ast.Call):
        return
    function, arguments, keywords = node.func, node.args, node.keywords
    if arguments and not isinstance(arguments[0], ast.Starred):
        yield "step dropped", arguments[0]
    if isinstance(function, ast.Attribute):
        yield "step dropped", function.value
    if len(arguments) == 1 and isinstance(inner := arguments[0], ast.Call) and len(inner.args) == 1:
        yield "step swapped", _altered(inner, args=[_altered(node, args=inner.args)])
    for place in range(len(arguments) - 1):
        swapped = [*arguments[:place], arguments[place + 1], arguments[place], *arguments[place + 2 :]]
        yield "argument", _altered(node, args=swapped)
    for place in range(len(keywords)):
        yield "argument", _altered(node, keywords=[*keywords[:place], *keywords[place + 1 :]])
    member = "id" if isinstance(function, ast.Name) else "attr"
    if related := _RELATED_CALLS.get(getattr(function, member, "")):
        yield "related call", _altered(node, func=_altered(function, **{member: related}))


def _slices(node: ast.AST) -> Iterator[Change]:
    if isinstance(node, ast.Slice):
        for bound in ("lower", "upper"):
            if getattr(node, bound) is not None:
                yield "slice", _altered(node, **{bound: None})


def _comprehensions(node: ast.AST) -> Iterator[Change]:
    if isinstance(node, ast.comprehension):
        for place, condition in enumerate(node.ifs):
            yield "branch", _altered(node, ifs=[*node.ifs[:place], *node.ifs[place + 1 :]])
            yield "branch", _altered(node, ifs=_with(node.ifs, place, ast.UnaryOp(ast.Not(), condition)))


def _raises(node: ast.AST) -> Iterator[Change]:
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and isinstance(node.exc.func, ast.Name):
        other = "SchemeMismatchError" if node.exc.func.id != "SchemeMismatchError" else "BadLengthError"
        yield "error", _altered(node, exc=_altered(node.exc, func=ast.Name(other, ast.Load())))


def body_changes(body: list[ast.stmt]) -> Iterator[tuple[str, int, list[ast.stmt]]]:
    """Yield (operator, place, new body): each statement deleted, and each swapped with the next."""
    for place, statement in enumerate(body):
        if not is_text(statement) and not isinstance(statement, ast.Pass):
            yield "statement deleted", place, [*body[:place], ast.Pass(), *body[place + 1 :]]
        if place + 1 < len(body) and not is_text(statement):
            yield "statement swapped", place, [*body[:place], body[place + 1], statement, *body[place + 2 :]]


def is_text(statement: ast.stmt) -> bool:
    """Return True for a docstring."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
