"""The limits on the page of the threat model are those of the code, and each of its promises has a test."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from simhash_doc.cli.document_options import LIMIT_OPTIONS
from simhash_doc_conformance.commands.run import run

ROOT = Path(__file__).parents[2]
UNITS = {"": 1, "bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "seconds": 1}
_ROW = re.compile(r"^\| [^|]+ \| ([0-9,]+) ?(\w*) \| (?:`(--[a-z-]+)` )?\| `([\w.]+)` \|$", re.MULTILINE)
PAGE = (ROOT / "docs/threat-model.md").read_text(encoding="utf-8")
ROWS = _ROW.findall(PAGE)


def value_of(name: str) -> Any:
    """Return the constant of the package, or the default of an attribute, that a dotted name means."""
    parts = name.split(".") if name.startswith("simhash_doc_") else ["simhash_doc", *name.split(".")]
    of_class = parts[-2][0].isupper()
    module, rest = (parts[:-2], parts[-2:]) if of_class else (parts[:-1], parts[-1:])
    found = import_module(".".join(module))
    for part in rest:
        found = getattr(found, part)
        if isinstance(found, type):
            found = found()
    return found


@pytest.mark.parametrize(("number", "unit", "option", "name"), ROWS, ids=[row[3] for row in ROWS])
def test_a_default_is_that_of_the_code(number: str, unit: str, option: str, name: str) -> None:
    assert int(number.replace(",", "")) * UNITS[unit] == value_of(name)
    if option:
        assert option in {*LIMIT_OPTIONS.values(), *(form for one in run.params for form in one.opts)}
        assert LIMIT_OPTIONS.get(name.rpartition(".")[2], "--timeout") == option


def test_every_row_is_checked_and_every_limit_of_documents_is_there() -> None:
    table = PAGE[PAGE.index("| Limit |") :].split("\n\n")[0].splitlines()
    assert len(ROWS) == len(table) - 2
    assert {name.rpartition(".")[2] for *_, name in ROWS} > set(LIMIT_OPTIONS)


_PROMISE = re.compile(r"^\| (.+) \| ((?:`test_\w+`(?:, )?)+) \|$", re.MULTILINE)
_TABLE = "| Promise | Test |\n|---|---|\n"


def test_each_promise_names_tests_that_exist() -> None:
    tables = [table.split("\n\n")[0] for table in PAGE.split(_TABLE)[1:]]
    promises = _PROMISE.findall(PAGE)
    assert len(promises) == sum(len(table.splitlines()) for table in tables) >= 50
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    defined = set(re.findall(r"^def (test_\w+)", sources, re.MULTILINE))
    named = {name for _, names in promises for name in re.findall(r"\w+", names)}
    assert named <= defined


def test_each_section_has_a_table_of_promises_or_of_other_facts() -> None:
    for section in PAGE.split("\n## ")[1:]:
        assert "\n|---|" in section
