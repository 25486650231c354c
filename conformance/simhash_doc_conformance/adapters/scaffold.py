"""Adapter templates in several languages, which `simhash-doc conformance init` writes."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from simhash_doc_conformance.errors import InputError

_TEMPLATES = Path(__file__).parent / "templates"
README = "README.md"
_REPOSITORY = "https://github.com/simhash-doc/simhash-doc/tree/main"


@dataclass(frozen=True, slots=True)
class Language:
    """A language with an adapter template.

    Attributes:
        name: the name of the language.
        adapter: the file to put the implementation into, relative to the adapter's directory.
        build: command that builds the adapter in its directory; empty if none is needed.
        command: command that starts the adapter in its directory.
        reach: how to use an implementation in another directory.
        ported: True if this project has a library in it.
    """

    name: str
    adapter: str
    build: str
    command: str
    reach: str
    ported: bool = True

    @property
    def commands(self) -> list[str]:
        """The commands to run in the adapter's directory, in order."""
        return [*filter(None, [self.build]), f"simhash-doc conformance run -- {self.command}"]


LANGUAGES: Mapping[str, Language] = {
    "python": Language(
        "Python", "adapter.py", "", "python3 adapter.py", "`pip install` it, or name its directory in `PYTHONPATH`"
    ),
    "js": Language(
        "JavaScript", "adapter.mjs", "", "node adapter.mjs", "`import` it by its path, or `npm install ../my-simhash`"
    ),
    "go": Language(
        "Go", "main.go", "go build -o adapter .", "./adapter",
        "`go mod edit -require=example.org/mysimhash@v0.0.0 -replace=example.org/mysimhash=../mysimhash`",
    ),
    "rust": Language(
        "Rust", "src/main.rs", "cargo build --release", "target/release/adapter", "`cargo add --path ../my-simhash`"
    ),
    "java": Language(
        "Java", "Adapter.java", "javac -d classes Adapter.java Json.java", "java -cp classes Adapter",
        "add its classes to the class path of both commands below (`-cp classes:../my-simhash/classes`)",
    ),
    "c": Language(
        "C", "adapter.c", "cc -std=c99 -O2 -o adapter adapter.c json.c", "./adapter",
        "add its sources, or `-I`, `-L` and `-l`, to the `cc` command below",
    ),
    "r": Language(
        "R", "adapter.R", "", "Rscript adapter.R", "`library(mysimhash)`, or `source(\"../mysimhash.R\")`", ported=False
    ),
    "other": Language(
        "another language", "adapter.txt", "", "./my-adapter",
        "as programs of the language do; the file is pseudo-code to translate", ported=False,
    ),
}  # fmt: skip


def write_adapter(language: str, directory: Path) -> list[Path]:
    """Write the adapter template of a language (a key of `LANGUAGES`) and return the paths of the files it wrote.

    It leaves out files that an interrupted run has written.

    Raises:
        InputError: one of the files exists with other content; nothing was written.
        OSError: the files cannot be written, or the directory is behind a link of another user in a shared folder.
    """
    from simhash_doc.files import atomic_write, followed  # not above: the help of the commands needs no file

    followed(directory)
    files = {directory / name: content.encode() for name, content in adapter_files(language).items()}
    existing = [path for path in files if os.path.lexists(path)]
    if others := [str(path) for path in existing if not _has(path, files[path])]:
        raise InputError(f"nothing was written, because these files exist: {', '.join(others)}")
    missing = [path for path in files if path not in existing]
    for path in missing:
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path) as file:
            file.write(files[path])
    return missing


def _has(path: Path, content: bytes) -> bool:
    """Return True if a path is a file, not a link to one, with this content."""
    return stat.S_ISREG(path.lstat().st_mode) and path.stat().st_size == len(content) and path.read_bytes() == content


def adapter_files(language: str) -> dict[str, str]:
    """Return the content of each file of a language's adapter template, by its path."""
    about, source = LANGUAGES[language], _TEMPLATES / language
    paths = sorted(path for path in source.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    files = {path.relative_to(source).as_posix(): path.read_text(encoding="utf-8") for path in paths}
    commands = "\n".join(f"       {command}" for command in about.commands)
    from string import Template

    readme = Template((_TEMPLATES / README).read_text(encoding="utf-8"))
    return {**files, README: readme.substitute(asdict(about), commands=commands, library=library_of(language))}


def library_of(language: str) -> str:
    """Return where the library and adapter are that this project has in a language, or those in others, in words."""
    if not LANGUAGES[language].ported:
        return f"Complete libraries in other languages, with their adapters: {_REPOSITORY}/ports"
    folder = "simhash_doc" if language == "python" else f"ports/{language}"
    return f"A complete library in {LANGUAGES[language].name}, with its adapter: {_REPOSITORY}/{folder}"
