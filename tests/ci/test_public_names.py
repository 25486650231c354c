"""One public name of a product is defined in one module, so that a name says what it is and where it is found."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

PRODUCTS = {
    "simhash_doc": "simhash_doc",
    "extraction": "extraction/simhash_doc_extraction",
    "suite": "conformance/simhash_doc_conformance",
}
APART = {
    "simhash_doc/reference.py": "it defines what the package computes, in the names of the specification",
    "conformance/simhash_doc_conformance/adapters/templates": "programs of others, which begin as copies of these",
    "conformance/simhash_doc_conformance/commands": "functions of commands have the names of the commands",
}
ALLOWED = {
    "simhash_doc": {
        "main": "the program, and `python -m`",
        "find_all": "the same question about a data frame of Spark",
        "find_clusters": "the same question about a data frame of Spark",
        "plan": "the same question about a search on Spark",
        "fingerprint": "the same function for columns of Daft",
    },
    "extraction": {"Node": "two parts of the reader of web pages, which name it differently from outside"},
    "suite": {},
}


def public_names(statements: list[ast.stmt]) -> Iterator[str]:
    """Yield the public functions, classes and constants that statements at the top of a module define."""
    for one in statements:
        match one:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                names = [one.name]
            case ast.Assign() | ast.AnnAssign():
                targets = one.targets if isinstance(one, ast.Assign) else [one.target]
                nodes = [node for target in targets for node in ast.walk(target)]
                names = [node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
            case ast.If() | ast.Try():
                handled = [line for handler in getattr(one, "handlers", []) for line in handler.body]
                names = [*public_names([*one.body, *one.orelse, *handled])]
            case _:
                names = []
        yield from (name for name in names if not name.startswith("_"))


def modules_of(product: str) -> dict[str, list[str]]:
    """Return the modules of a product that define each of its public names."""
    found: dict[str, set[str]] = defaultdict(set)
    for file in sorted(Path(PRODUCTS[product]).rglob("*.py")):
        if not any(file.as_posix().startswith(apart) for apart in APART):
            for name in public_names(ast.parse(file.read_text("utf-8")).body):
                found[name].add(file.as_posix())
    return {name: sorted(modules) for name, modules in found.items()}


@pytest.mark.parametrize("product", PRODUCTS)
def test_a_public_name_is_defined_in_one_module(product: str) -> None:
    twice = {name: modules for name, modules in modules_of(product).items() if len(modules) > 1}
    assert twice.keys() == ALLOWED[product].keys(), twice


def test_names_are_found_wherever_a_module_defines_them() -> None:
    code = "A = b.C[D] = E, F = 1\nG: int = 2\nif x:\n    def h(): i = 1\nelse: J = 3\ntry: K = 1\nexcept L: M = 2\n"
    assert sorted(public_names(ast.parse(code).body)) == ["A", "E", "F", "G", "J", "K", "M", "h"]
