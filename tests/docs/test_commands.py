"""The commands, options and Python names in the documentation exist, and every public name is in the reference."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import shlex
import textwrap
import tomllib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click
import pytest

from simhash_doc.cli import cli
from simhash_doc.lookup import Corpus, IsslIndex
from simhash_doc.store import FingerprintStore
from simhash_doc_conformance.protocol import read_handshake

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [ROOT / "README.md", ROOT / "conformance/README.md", ROOT / "conformance/PROTOCOL.md", *ROOT.glob("docs/**/*.md")]
)
COMMAND = re.compile(r"simhash-doc +[a-z-].*")
OBJECTS = {"store": FingerprintStore, "corpus": Corpus, "index": IsslIndex}  # what the programs call these names
# tests/integrations runs the programs with hosts.
IMPORTED = r"simhash_doc(?!\.integrations)" if find_spec("pyspark") else r"simhash_doc(?!\.integrations|\.spark)"
PYTHON = re.compile(r"^( *)```python[^\n]*\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)


def indented(text: str) -> str:
    """Return a page with its fenced commands indented, as its other blocks of code are."""
    return re.sub(r"^```sh\n(.*?)^```$", lambda block: re.sub("(?m)^", "    ", block[1]), text, flags=re.M | re.S)


def commands(text: str) -> Iterator[list[str]]:
    """Yield the arguments of each `simhash-doc` command in a code block."""
    for line in re.sub(r"\\\n\s*", " ", indented(text)).splitlines():
        if not line.startswith((" ", "\t")):
            continue
        for part in re.split(r" \| |&&", line):
            found = COMMAND.search(part.partition(" #")[0])
            if found and part.lstrip(" $").startswith("simhash-doc"):
                yield shlex.split(re.split(r" [<>]", found[0])[0])[1:]


def faults(arguments: list[str]) -> list[str]:
    """Return what the command line does not know: subcommands, and options of the subcommand."""
    command: click.Command = cli
    remaining = list(arguments)
    while isinstance(command, click.Group) and remaining and not remaining[0].startswith("-"):
        name = remaining.pop(0)
        found = command.get_command(click.Context(command), name)
        if found is None:
            return [f"no command {name!r}"]
        command = found
    known = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    own = remaining[: remaining.index("--")] if "--" in remaining else remaining
    options = {argument.partition("=")[0] for argument in own if re.match(r"--?[a-z]", argument)}
    return [f"{command.name}: no option {option}" for option in sorted(options - known - {"--help", "-h"})]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_and_options_exist(page: Path) -> None:
    found = [fault for arguments in commands(page.read_text(encoding="utf-8")) for fault in faults(arguments)]
    assert found == []


def all_options(command: click.Command = cli) -> set[str]:
    """Return the options of a command and of all commands below it."""
    found = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            assert child is not None
            found |= all_options(child)
    return found


def test_options_in_sentences_exist() -> None:
    known = all_options()
    missing = {
        f"{page.relative_to(ROOT)}: {option}"
        for page in PAGES
        for option in re.findall(r"`(?:[a-z-]+ )*(--[a-z][a-z0-9-]*)[^`\n]*`", page.read_text(encoding="utf-8"))
        if not page.name.endswith("-tables.md") and option not in known
    }
    assert missing == set()


def test_extras_exist_and_the_page_on_installing_has_all() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    messages = [*ROOT.glob("simhash_doc/**/*.py"), *ROOT.glob("conformance/simhash_doc_conformance/**/*.py")]
    texts = {page: page.read_text(encoding="utf-8") for page in [*PAGES, ROOT / "CONTRIBUTING.md", *messages]}
    named = {
        (page.relative_to(ROOT).as_posix(), extra)
        for page, text in texts.items()
        for names in re.findall(r"(?:\.|simhash-doc)\[([a-z][a-z,-]*)\]'|\bextras? `([a-z-]+)`", text)
        for extra in "".join(names).split(",")
    }
    assert len(named) > 20
    assert {(page, extra) for page, extra in named if extra not in extras} == set()
    table = texts[ROOT / "docs/install.md"].partition("| Extra |")[2].partition("\n\n")[0]
    (combined,) = extras["all"]
    assert set(re.findall(r"^\| `([a-z]+)` \|", table, re.MULTILINE)) == {
        "all",
        "fast",
        "spark",
        *re.findall(r"\w+", combined.partition("[")[2]),
    }


def calls(page: Path) -> Iterator[tuple[str, inspect.Signature, ast.Call]]:
    """Yield the calls of functions and methods of the package in the programs of a page, whose imports must succeed."""
    for _, block in PYTHON.findall(page.read_text(encoding="utf-8")):
        program = ast.parse(textwrap.dedent(block))
        known: dict[str, Any] = dict(OBJECTS)
        for node in ast.walk(program):
            if isinstance(node, ast.ImportFrom) and re.match(IMPORTED, node.module or ""):
                module = importlib.import_module(node.module or "")
                known |= {alias.asname or alias.name: getattr(module, alias.name) for alias in node.names}
        for node in ast.walk(program):
            if isinstance(node, ast.Call):
                owner, _, name = ast.unparse(node.func).rpartition(".")
                called = getattr(known.get(owner), name, None) if owner else known.get(name)
                if called is not None:
                    yield ast.unparse(node), inspect.signature(called), node


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_imported_names_and_keyword_arguments_exist(page: Path) -> None:
    wrong = [
        text
        for text, signature, call in calls(page)
        if not {keyword.arg for keyword in call.keywords} <= {*signature.parameters}
    ]
    assert wrong == []


def test_the_adapter_shown_declares_its_formats() -> None:
    page = ROOT / "docs/how-to/validate-your-port.md"
    (_, program), *_ = PYTHON.findall(page.read_text(encoding="utf-8"))
    (shown,) = [
        node for node in ast.walk(ast.parse(program)) if isinstance(node, ast.Dict) and "protocol" in ast.unparse(node)
    ]
    assert read_handshake(ast.literal_eval(shown)).formats == ("html", "text")


def test_documented_names_exist() -> None:
    """Each entry of the reference pages names an object of the package, not a module with the name of its function."""
    for page in sorted(ROOT.glob("docs/reference/*.md")):
        for name in re.findall(r"^::: (\S+)$", page.read_text(encoding="utf-8"), re.MULTILINE):
            assert name.endswith(".errors") or not (ROOT / f"{name.replace('.', '/')}.py").exists(), name
            module, _, attribute = name.rpartition(".")
            try:
                found = importlib.import_module(module)
            except ImportError as error:  # of a tool that is not installed
                if (error.name or "").startswith("simhash_doc"):
                    raise
                continue
            if not hasattr(found, attribute):
                importlib.import_module(name)  # a module, or an error that names what is missing


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("simhash-doc compare a.txt b.txt --json", []),
        ("simhash-doc conformance run -- ./adapter --own-option", []),
        ("simhash-doc missing", ["no command 'missing'"]),
        ("simhash-doc compare --missing=1 a b", ["compare: no option --missing"]),
    ],
)
def test_an_unknown_command_or_option_is_found(line: str, expected: list[str]) -> None:
    assert [fault for arguments in commands(f"    {line}  # comment") for fault in faults(arguments)] == expected


def test_the_readme_program_prints_what_it_shows(capsys: pytest.CaptureFixture[str]) -> None:
    (_, program), *_ = PYTHON.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    exec(compile(program, "README.md", "exec"), {})
    assert capsys.readouterr().out.splitlines() == re.findall(r"^print.*  # (.*)$", program, re.MULTILINE)


PACKAGES = {
    "python.md": "simhash_doc",
    "extract.md": "simhash_doc_extraction",
    "ingest.md": "simhash_doc.ingest",
    "lookup.md": "simhash_doc.lookup",
    "provenance.md": "simhash_doc.provenance",
    "store.md": "simhash_doc.store",
}
# Constants, which the text of a page describes.
CONSTANTS = {"EXTRACTOR", "METADATA_KEY", "SPEC_VERSION", "VERSION", "__version__"}


@pytest.mark.parametrize(("page", "package"), PACKAGES.items())
def test_every_public_name_is_on_the_page_of_its_package(page: str, package: str) -> None:
    entries = re.findall(r"^::: (\S+)$", (ROOT / "docs/reference" / page).read_text(encoding="utf-8"), re.MULTILINE)
    assert {entry.rpartition(".")[2] for entry in entries} == set(importlib.import_module(package).__all__) - CONSTANTS
