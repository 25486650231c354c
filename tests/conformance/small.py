"""A small suite of vectors with one operation, which the fakes implement, and queries about processes."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from functools import cache, partial
from pathlib import Path
from typing import Any

import psutil
from jsonschema import Draft202012Validator

from simhash_doc_conformance.running.runner import Bounds, Expected, Outcome, run
from simhash_doc_conformance.running.session import CommandTarget
from simhash_doc_conformance.vectors import cases as suite
from simhash_doc_conformance.vectors.cases import Case
from simhash_doc_conformance.vectors.published import published_path

FAKE = Path(__file__).with_name("fake.py")
# Distinguishes the fakes of this test process from those of others.
MARK = f"fake-of-{os.getpid()}"
TIMEOUT = 1.0
case_of = partial(suite.case_of, contents={})


@cache
def schema(name: str, definition: str = "") -> Draft202012Validator:
    """Return one of the published schemas, or one of its definitions."""
    content = json.loads((published_path("schemas") / f"{name}.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(content)
    part = {"$ref": f"#/$defs/{definition}", "$defs": content["$defs"]} if definition else content
    return Draft202012Validator(part)


def fake(mode: str = "good") -> CommandTarget:
    return CommandTarget([sys.executable, "-S", "-E", str(FAKE), mode, MARK])


def row(name: str, text: str, **changes: Any) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "id": f"small/{name}",
        "op": "fold",
        "input": {"text": text},
        "expected": {"result": text[::-1]},
        "requirements": ["SD-FOLD-1"],
        "since": "0.1.0",
        "flags": ["small"],
        "comment": f"The text {name}.",
    }
    return {**fields, **changes}


def rows() -> list[dict[str, Any]]:
    """Return eight cases. Fakes misbehave at the fourth."""
    return [row(name, name) for name in ("one", "two", "three", "bad", "five", "six", "seven", "eight")]


def cases() -> list[Case]:
    return [case_of(fields) for fields in rows()]


def write_vectors(directory: Path, cases: list[dict[str, Any]] | None = None) -> Path:
    """Write a directory of vectors with correct digests and return it."""
    directory.mkdir(exist_ok=True)
    content = {
        "suite": "0.1.0",
        "specification": 1,
        "generated_by": "tests/conformance/small.py",
        "group": "small",
        "cases": rows() if cases is None else cases,
    }
    data = json.dumps(content).encode()
    (directory / "cases-small.json").write_bytes(data)
    (directory / "SHA256SUMS").write_text(f"{hashlib.sha256(data).hexdigest()}  cases-small.json\n")
    return directory


def run_fake(mode: str, *, timeout: float = TIMEOUT, **options: Any) -> Outcome:
    """Run the cases against a fake adapter; options are those of `run`, and of its bounds and expectations."""
    given = options.pop("cases", cases())
    bounds = Bounds(
        timeout=timeout, **{name: options.pop(name) for name in ("jobs", "max_failures") if name in options}
    )
    expected = Expected(**{name: options.pop(name) for name in ("classes", "skip", "known") if name in options})
    return run(given, fake(mode), suite="0.1.0", bounds=bounds, expected=expected, **options)


def statuses(outcome: Outcome) -> dict[str, str]:
    """Return the statuses other than `passed`, with their kinds, by name."""
    return {
        verdict.case.id.removeprefix("small/"): f"{verdict.status}:{verdict.kind}" if verdict.kind else verdict.status
        for verdict in outcome.verdicts
        if verdict.status != "passed"
    }


def left_behind() -> list[list[str]]:
    """Return the command lines of the fakes that still run. (Zombies have none.)"""
    commands = [process.info["cmdline"] or [] for process in psutil.process_iter(["cmdline"])]
    return [command for command in commands if MARK in command]
