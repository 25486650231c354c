"""Every public name has an example in its docstring. The step `doctests` runs the examples."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from typing import Any

import pytest

MODULES = (
    "simhash_doc",
    "simhash_doc.lookup",
    "simhash_doc.ingest",
    "simhash_doc.provenance",
    "simhash_doc.store",
    "simhash_doc_extraction",
)
# `simhash_doc.spark` needs a session: `docs/spark.md` has its examples.


def functions(name: str, found: Any) -> Iterator[tuple[str, Any]]:
    """Yield a function, or a class with its methods; not errors, whose docstrings say when they are raised."""
    if inspect.isclass(found) and issubclass(found, BaseException):
        return
    yield name, found
    if inspect.isclass(found):
        methods = {key: inspect.getattr_static(found, key) for key in vars(found) if not key.startswith("_")}
        for key, method in methods.items():
            method = getattr(method, "__func__", method)
            if inspect.isfunction(method):
                yield f"{name}.{key}", method


@pytest.mark.parametrize("module", MODULES)
def test_every_public_function_and_class_has_an_example(module: str) -> None:
    public = importlib.import_module(module)
    named = [(name, getattr(public, name)) for name in public.__all__ if callable(getattr(public, name))]
    found = [one for name, value in named for one in functions(name, value)]
    assert not [name for name, value in found if ">>> " not in (value.__doc__ or "")]
    assert all((value.__doc__ or "").strip() for _, value in named)
