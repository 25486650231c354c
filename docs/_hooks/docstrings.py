"""Renders docstrings for readers without the code: examples as code, and the value of a default instead of its name."""

from __future__ import annotations

import re
from typing import Any

import griffe

# From the first prompt to the next empty line. Markdown takes a line that begins with `>>>` for a quotation.
_EXAMPLE = re.compile(r"^( *)>>> .*(?:\n *\S.*)*", re.MULTILINE)


class Docstrings(griffe.Extension):
    """Put the examples of each docstring into a fenced block, and values in the place of names of constants."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring:
            obj.docstring.value = _EXAMPLE.sub(_fenced, obj.docstring.value)

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        _show_defaults(pkg)


def _show_defaults(found: griffe.Module | griffe.Class) -> None:
    """Put the value of a constant of this package in the place of its name in the defaults of functions."""
    for member in found.members.values():
        if isinstance(member, griffe.Function):
            for parameter in member.parameters:
                parameter.default = _value(parameter.default, found)
        elif isinstance(member, griffe.Module | griffe.Class):
            _show_defaults(member)


def _value(default: str | griffe.Expr | None, found: griffe.Object) -> str | griffe.Expr | None:
    path = default.canonical_path if isinstance(default, griffe.ExprName) else ""
    try:
        constant = found.modules_collection[path] if path.startswith(found.package.path) else None
    except KeyError:  # an attribute of a class
        return default
    return constant.value if isinstance(constant, griffe.Attribute) else default


def _fenced(example: re.Match[str]) -> str:
    return f"{example[1]}```pycon\n{example[0]}\n{example[1]}```"
