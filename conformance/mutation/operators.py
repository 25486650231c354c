"""Mutation operators on Python code: each yields the changed copies of one node of the syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from copy import deepcopy

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


def _comparisons(node: ast.AST) -> Iterator[Change]:
    if isinstance(node, ast.Compare):
        for place, comparison in enumerate(node.ops):
            for other in _COMPARISONS[type(comparison)]:
                changed = deepcopy(node)
                changed.ops[place] = other()
                yield "comparison", changed


def _arithmetic(node: ast.AST) -> Iterator[Change]:
    if isinstance(node, ast.BinOp):
        for other in _ARITHMETIC.get(type(node.op), ()):
            changed = deepcopy(node)
            changed.op = other()
            yield "arithmetic", changed
        yield "arithmetic", node.left
        yield "arithmetic", node.right
    elif isinstance(node, ast.AugAssign):
        for other in _ARITHMETIC.get(type(node.op), ()):
            altered = deepcopy(node)
            altered.op = other()
            yield "arithmetic", altered
    elif isinstance(node, ast.UnaryOp):
        yield "arithmetic", node.operand


def _branches(node: ast.AST) -> Iterator[Change]:
    if isinstance(node, ast.BoolOp):
        changed = deepcopy(node)
        changed.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield "branch", changed
        yield from (("branch", value) for value in node.values)
    elif isinstance(node, ast.IfExp):
        yield from (("branch", branch) for branch in (node.body, node.orelse))
    elif isinstance(node, ast.If | ast.While):
        for value in (True, False) if isinstance(node, ast.If) else (False,):
            decided = deepcopy(node)
            decided.test = ast.Constant(value)
            yield "branch", decided


def _calls(node: ast.AST) -> Iterator[Change]:
    """Drop a step (keep its argument or object), swap two nested steps or two arguments, drop a keyword."""
    if not isinstance(node, ast.Call):
        return
    if node.args and not isinstance(node.args[0], ast.Starred):
        yield "step dropped", node.args[0]
    if isinstance(node.func, ast.Attribute):
        yield "step dropped", node.func.value
    if len(node.args) == 1 and isinstance(inner := node.args[0], ast.Call) and len(inner.args) == 1:
        swapped = ast.Call(inner.func, [ast.Call(node.func, inner.args, node.keywords)], inner.keywords)
        yield "step swapped", deepcopy(swapped)
    for place in range(len(node.args) - 1):
        exchanged = deepcopy(node)
        exchanged.args[place : place + 2] = reversed(exchanged.args[place : place + 2])
        yield "argument", exchanged
    for place in range(len(node.keywords)):
        fewer = deepcopy(node)
        del fewer.keywords[place]
        yield "argument", fewer
    yield from _related_calls(node)


def _related_calls(node: ast.Call) -> Iterator[Change]:
    changed = deepcopy(node)
    if isinstance(changed.func, ast.Name) and changed.func.id in _RELATED_CALLS:
        changed.func.id = _RELATED_CALLS[changed.func.id]
        yield "related call", changed
    elif isinstance(changed.func, ast.Attribute) and changed.func.attr in _RELATED_CALLS:
        changed.func.attr = _RELATED_CALLS[changed.func.attr]
        yield "related call", changed


def _slices(node: ast.AST) -> Iterator[Change]:
    if isinstance(node, ast.Slice):
        for bound in ("lower", "upper"):
            if getattr(node, bound) is not None:
                changed = deepcopy(node)
                setattr(changed, bound, None)
                yield "slice", changed


def _comprehensions(node: ast.AST) -> Iterator[Change]:
    if isinstance(node, ast.comprehension):
        for place, condition in enumerate(node.ifs):
            for replaced in ([], [ast.UnaryOp(ast.Not(), condition)]):
                changed = deepcopy(node)
                changed.ifs[place : place + 1] = replaced
                yield "branch", changed


def _raises(node: ast.AST) -> Iterator[Change]:
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and isinstance(node.exc.func, ast.Name):
        other = "SchemeMismatchError" if node.exc.func.id != "SchemeMismatchError" else "BadLengthError"
        changed = deepcopy(node)
        assert isinstance(changed.exc, ast.Call)
        changed.exc.func = ast.Name(other, ast.Load())
        yield "error", changed


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
