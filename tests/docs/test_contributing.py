"""What CONTRIBUTING.md names is there, and its picture of the rooms is the import contract."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
_PICTURE = re.compile(r"^```mermaid\n.*?^```\n", re.MULTILINE | re.DOTALL)
PICTURE, PROSE = "".join(_PICTURE.findall(TEXT)), _PICTURE.sub("", TEXT)
# Folders that commands create.
CREATED = {"build/fuzz", "site/"}

_PATH = re.compile(r"(?<![\w./-])(?:\.?\w[\w.-]*/[\w./-]*|[\w-]+\.(?:cff|json|md|py|toml|yml))(?![\w/])")
_NAMES_IN = re.compile(r"((?:`\w+`(?:,| and) )*`\w+`) in (?:a module of )?`([^`]+)`")
DEFINED = [(name, path) for names, path in _NAMES_IN.findall(PROSE) for name in re.findall(r"\w+(?=`)", names)]
_DOTTED = re.compile(r"(?<![\w./-])((?:tests|benchmarks)(?:\.\w+)+)")


def paths() -> Iterator[tuple[str, list[Path]]]:
    """Yield each path that is named, and where it may be: a bare file name is beside the first path of its line."""
    for line in PROSE.splitlines():
        found = [path.rstrip(".") for path in _PATH.findall(line) if path not in CREATED]
        for path in found:
            yield path, [ROOT / path, *([(ROOT / found[0]).parent / path] if "/" not in path else [])]


def names(path: Path) -> set[str]:
    """Return the names that a file defines: of a module its functions, classes and variables, of JSON its keys."""
    if path.is_dir():
        return set(chain.from_iterable(names(module) for module in path.glob("*.py")))
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        return set(re.findall(r'"(\w+)":', text))
    nodes = list(ast.walk(ast.parse(text)))
    defined = {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    return defined | {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def test_every_path_exists() -> None:
    named = list(paths())
    assert len(named) > 40
    assert [path for path, places in named if not any(place.exists() for place in places)] == []


@pytest.mark.parametrize(("name", "path"), DEFINED)
def test_every_name_is_defined_in_its_file(name: str, path: str) -> None:
    assert name in names(ROOT / path)


@pytest.mark.parametrize("dotted", _DOTTED.findall(PROSE))
def test_every_module_exists(dotted: str) -> None:
    path = ROOT.joinpath(*dotted.split("."))
    assert path.with_suffix(".py").is_file() or path.name in names(path.parent.with_suffix(".py"))


def test_every_step_of_ci_exists() -> None:
    commands = " ".join(re.findall(r"^ *\.ci/run((?: [a-z]+| --here)*)", PROSE, re.MULTILINE))
    steps = set(re.findall(r"(?<!-)\b[a-z]+", commands)) | set(re.findall(r"step `(\w+)`", PROSE))
    assert len(steps) > 3
    assert steps <= {path.stem for path in (ROOT / ".ci/steps").iterdir()}


def test_every_extra_exists() -> None:
    extras = set(re.findall(r"'\.\[(\w+)\]'", PROSE))
    assert extras
    assert extras <= PROJECT["project"]["optional-dependencies"].keys()


def test_the_picture_has_the_rooms_of_the_import_contract_in_their_order() -> None:
    drawn = [name for names in re.findall(r"<b>(.*?)</b>", PICTURE) for name in names.split(", ")]
    contract = PROJECT["tool"]["importlinter"]
    package, suite, extraction = contract["root_packages"]
    layers = {tuple(one["containers"]): one["layers"] for one in contract["contracts"] if "containers" in one}
    assert drawn == [*layers[suite,], *layers[package,][1:], extraction]


def test_each_room_below_the_command_lines_may_not_load_click() -> None:
    contracts = PROJECT["tool"]["importlinter"]["contracts"]
    layers = {contract["containers"][0]: contract["layers"] for contract in contracts if "containers" in contract}
    rooms = {f"{package}.{room}" for package, names in layers.items() for room in re.findall(r"\w+", " ".join(names))}
    above = {
        "simhash_doc.__main__",
        "simhash_doc.cli",
        "simhash_doc.command_line",
        "simhash_doc_conformance.commands",
    }
    (contract,) = (contract for contract in contracts if "click" in contract.get("forbidden_modules", ()))
    assert rooms - above <= {*contract["source_modules"]}
