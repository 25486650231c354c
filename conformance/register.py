"""The register of implementations: who maintains each, how it is run, and what its last report says."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, Literal

from simhash_doc_conformance.errors import InputError
from simhash_doc_conformance.reports.report import Report, passed_classes

FORMAT = 1
FILE = "implementations.json"
State = Literal["conformant", "outdated", "failing"]
Entry = dict[str, Any]  # as in the file; see `implementations.schema.json`
# The members of an entry, in the order of the file.
_MEMBERS = (
    "id", "name", "language", "version", "maintainer", "repository", "licence", "classes", "schemes", "formats",
    "limits", "adapter",
)  # fmt: skip
_OPTIONAL = ("source", "build")
# Members that the report decides.
_FROM_HANDSHAKE = ("name", "language", "version", "schemes", "formats")


def read_register(path: Path) -> dict[str, Entry]:
    """Return the entries of a register by id.

    Raises:
        InputError: the file cannot be read, or is not a register.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["register"] != FORMAT:
            raise InputError(f"{path} has format {content['register']!r}, not {FORMAT}")
        entries = [_entry(members) for members in content["implementations"]]
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path} is not a register of implementations: {error!r}") from error
    ids = [entry["id"] for entry in entries]
    if twice := sorted({name for name in ids if ids.count(name) > 1}):
        raise InputError(f"{path} has two entries with the id {twice[0]}")
    return {entry["id"]: entry for entry in entries}


def register_json(entries: dict[str, Entry]) -> str:
    """Return a register as text, its entries sorted by id."""
    content = {"register": FORMAT, "implementations": [entries[name] for name in sorted(entries)]}
    return json.dumps(content, indent=1) + "\n"


def recorded(known: dict[str, Any], report: bytes, date: str) -> Entry:
    """Return the entry of an implementation after a new report.

    Args:
        known: the members that the report does not contain: id, maintainer, repository, licence, limits, adapter, and
            optionally source and build.
        report: the bytes of the report.
        date: of the report, as YYYY-MM-DD.

    Raises:
        InputError: the report does not support an entry.
    """
    content = read_report(report)
    digest = {"report": {"date": date, "sha256": hashlib.sha256(report).hexdigest()}}
    return _entry({**known, **_declared(content), **digest})


def read_report(report: bytes) -> Report:
    """Return a report that supports an entry.

    Raises:
        InputError: it is not a report, not of a full run of all cases, or the implementation did not start.
    """
    try:
        content: Report = json.loads(report)
        if content["implementation"] is None:
            raise InputError("the implementation of the report did not start")
        whole = content["full"] is not None and content["complete"] and not content["options"]["known_failures"]
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"not a report of `simhash-doc conformance run --report`: {error!r}") from error
    if not whole:
        raise InputError("the report is not of a full run: run with --full, without --select, --skip, --known-failures")
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
    path = reports / f"{entry['id']}.json"
    if not path.is_file():
        return f"{entry['id']}: {path.name} is missing"
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != entry["report"]["sha256"]:
        return f"{entry['id']}: {path.name} does not have the digest of its entry"
    try:
        declared = _declared(read_report(content))
    except InputError as error:
        return f"{entry['id']}: {path.name}: {error}"
    wrong = [name for name, value in declared.items() if entry[name] != value]
    return f"{entry['id']}: {', '.join(wrong)} differ from the report" if wrong else None


def _declared(report: Report) -> dict[str, Any]:
    handshake = report["implementation"]
    return {name: handshake[name] for name in _FROM_HANDSHAKE} | {"classes": passed_classes(report)}


def _entry(members: dict[str, Any]) -> Entry:
    """Return the members of an entry in order; raise `KeyError` if one is missing."""
    given = [name for name in _OPTIONAL if members.get(name)]
    report = {name: members["report"][name] for name in ("date", "sha256")}
    return {name: members[name] for name in (*_MEMBERS, *given)} | {"report": report}
