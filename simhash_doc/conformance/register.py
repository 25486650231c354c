"""The register of implementations: who maintains each, how it is run, and what its last report says."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from simhash_doc.conformance.errors import RegisterError
from simhash_doc.conformance.report import Report, passed_classes

FORMAT = 1
FILE = "implementations.json"
State = Literal["conformant", "outdated", "failing"]
_OPTIONAL = ("source", "build")
# Members that the report decides.
_FROM_HANDSHAKE = ("name", "language", "version", "schemes", "formats")


@dataclass(frozen=True, slots=True)
class Entry:
    """An implementation.

    Attributes:
        id: name of its report, ``reports/ID.json``.
        name, language, version, classes, schemes, formats: as in the report.
        maintainer: a person, project or organisation.
        repository: address of the source.
        licence: SPDX expression.
        limits: known limits, one sentence each.
        adapter: command of the adapter, from the root of this repository; empty if it is not public.
        source: its folder, if it belongs to this repository; otherwise empty.
        build: commands that build the adapter, from the root of this repository.
        date: of the report, as YYYY-MM-DD.
        sha256: of the report.
    """

    id: str
    name: str
    language: str
    version: str
    maintainer: str
    repository: str
    licence: str
    classes: tuple[str, ...]
    schemes: tuple[str, ...]
    formats: tuple[str, ...]
    limits: tuple[str, ...]
    adapter: tuple[str, ...]
    source: str
    build: tuple[tuple[str, ...], ...]
    date: str
    sha256: str

    def as_dict(self) -> dict[str, Any]:
        """Return the entry as values that JSON can hold."""
        members = asdict(self)
        report = {"date": members.pop("date"), "sha256": members.pop("sha256")}
        return {name: value for name, value in members.items() if value or name not in _OPTIONAL} | {"report": report}


def read_register(path: Path) -> dict[str, Entry]:
    """Return the entries of a register by id.

    Raises:
        RegisterError: the file cannot be read, or is not a register.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["register"] != FORMAT:
            raise RegisterError(f"{path} has format {content['register']!r}, not {FORMAT}")
        entries = [_entry(members) for members in content["implementations"]]
    except OSError as error:
        raise RegisterError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise RegisterError(f"{path} is not a register of implementations: {error!r}") from error
    ids = [entry.id for entry in entries]
    if twice := sorted({name for name in ids if ids.count(name) > 1}):
        raise RegisterError(f"{path} has two entries with the id {twice[0]}")
    return {entry.id: entry for entry in entries}


def register_json(entries: dict[str, Entry]) -> str:
    """Return a register as text, its entries sorted by id."""
    content = {"register": FORMAT, "implementations": [entries[name].as_dict() for name in sorted(entries)]}
    return json.dumps(content, indent=1) + "\n"


def recorded(known: dict[str, Any], report: bytes, date: str) -> Entry:
    """Return the entry of an implementation after a new report.

    Args:
        known: the members that the report does not contain: id, maintainer, repository, licence, limits, adapter, and
            optionally source and build.
        report: the bytes of the report.
        date: of the report, as YYYY-MM-DD.

    Raises:
        RegisterError: the report does not support an entry.
    """
    content = read_report(report)
    digest = {"report": {"date": date, "sha256": hashlib.sha256(report).hexdigest()}}
    return _entry({**known, **_declared(content), **digest})


def read_report(report: bytes) -> Report:
    """Return a report that supports an entry.

    Raises:
        RegisterError: it is not a report, not of a full run of all cases, or the implementation did not start.
    """
    try:
        content: Report = json.loads(report)
        if content["implementation"] is None:
            raise RegisterError("the implementation of the report did not start")
        whole = content["full"] is not None and content["complete"] and not content["options"]["known_failures"]
    except (ValueError, KeyError, TypeError) as error:
        raise RegisterError(f"not a report of `simhash-doc conformance run --report`: {error!r}") from error
    if not whole:
        raise RegisterError(
            "the report is not of a full run: run with --full, without --select, --skip, --known-failures"
        )
    return content


def state_of(report: Report, vectors_sha256: str) -> State:
    """Return whether an implementation conforms.

    Args:
        report: its last report.
        vectors_sha256: digest of the current vectors, see `cases.suite_digest`.
    """
    if not report["ok"] or not passed_classes(report):
        return "failing"
    return "conformant" if report["suite"]["vectors_sha256"] == vectors_sha256 else "outdated"


def fault_of(entry: Entry, reports: Path) -> str | None:
    """Return why an entry and its report do not belong together; None if they do."""
    path = reports / f"{entry.id}.json"
    if not path.is_file():
        return f"{entry.id}: {path.name} is missing"
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != entry.sha256:
        return f"{entry.id}: {path.name} does not have the digest of its entry"
    try:
        declared = _declared(read_report(content))
    except RegisterError as error:
        return f"{entry.id}: {path.name}: {error}"
    members = entry.as_dict()
    wrong = [name for name, value in declared.items() if list(members[name]) != list(value)]
    return f"{entry.id}: {', '.join(wrong)} differ from the report" if wrong else None


def _declared(report: Report) -> dict[str, Any]:
    handshake = report["implementation"]
    return {name: handshake[name] for name in _FROM_HANDSHAKE} | {"classes": passed_classes(report)}


def _entry(members: dict[str, Any]) -> Entry:
    texts = ("id", "name", "language", "version", "maintainer", "repository", "licence")
    lists = ("classes", "schemes", "formats", "limits", "adapter")
    fields: dict[str, Any] = {name: members[name] for name in texts} | {name: tuple(members[name]) for name in lists}
    return Entry(
        **fields,
        source=members.get("source", ""),
        build=tuple(tuple(command) for command in members.get("build", ())),
        date=members["report"]["date"],
        sha256=members["report"]["sha256"],
    )
