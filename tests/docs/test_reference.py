"""What a reader of the reference meets in a signature is explained on its pages."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

griffe = pytest.importorskip("griffe")

ROOT = Path(__file__).parents[2]
PAGES = {page.stem: page.read_text(encoding="utf-8") for page in sorted((ROOT / "docs/reference").glob("*.md"))}
ENTRIES = [name for page in PAGES.values() for name in re.findall(r"^::: (\S+)$", page, re.MULTILINE)]
ROWS = re.compile(r"^\| (`\w+`(?:, `\w+`)*) \|", re.MULTILINE)
OURS = ("simhash_doc", "simhash_doc_extraction")


@pytest.fixture(scope="module")
def found() -> list[Any]:
    """Return the objects of the pages as the site shows them."""
    extensions = griffe.load_extensions(str(ROOT / "docs/_hooks/docstrings.py"))
    loader = griffe.GriffeLoader(search_paths=[ROOT, ROOT / "extraction"], extensions=extensions)
    for package in OURS:
        loader.load(package)
    loader.resolve_aliases()
    entries = [loader.modules_collection[name] for name in ENTRIES]
    return [one.final_target if one.is_alias else one for one in entries]


def functions(entries: list[Any]) -> Iterator[Any]:
    """Yield the functions and methods that the site shows: those with a docstring."""
    for one in entries:
        if one.is_class:
            yield from functions([member for member in one.members.values() if not member.is_alias])
        elif one.is_function and one.docstring and not re.match("_[^_]", one.name):
            yield one


def names(expression: Any) -> Iterator[str]:
    """Yield the paths of the names of this package in a type or a default."""
    for one in expression.iterate(flat=True) if isinstance(expression, griffe.Expr) else ():
        if isinstance(one, griffe.ExprName) and one.canonical_path.startswith(OURS):
            yield one.canonical_path


def test_each_name_in_a_signature_is_explained(found: list[Any]) -> None:
    """A public name, or one of the names of types that a page lists."""
    known = {one.canonical_path.rpartition(".")[2] for one in found} | {*dir(builtins)}
    listed = set(re.findall(r"`(\w+)`", "".join(ROWS.findall(PAGES["python"]))))
    used = {
        name.rpartition(".")[2]: function.path
        for function in functions(found)
        for part in (function.returns, *(part for p in function.parameters for part in (p.annotation, p.default)))
        for name in names(part)
    }
    assert {name: where for name, where in used.items() if name not in known | listed} == {}
    assert listed - {*used} == set(), "listed, but in no signature"


def test_no_default_is_the_name_of_a_constant(found: list[Any]) -> None:
    defaults = {str(p.default) for function in functions(found) for p in function.parameters if p.default}
    assert [one for one in defaults if re.fullmatch("_?[A-Z][A-Z_]+", one)] == []


def test_docstrings_name_nothing_private(found: list[Any]) -> None:
    """A dotted name of this package in a docstring is one of the pages, or a module that a page describes."""
    public = {*ENTRIES, *(entry.rpartition(".")[0] for entry in ENTRIES)}
    texts = [one.docstring.value for entry in found for one in (entry, *functions([entry])) if one.docstring]
    dotted = {name for text in texts for name in re.findall(r"`(simhash_doc[\w.]*)`", text)}
    assert {name for name in dotted - public if not name.endswith(".EXTRACTOR")} == set()
