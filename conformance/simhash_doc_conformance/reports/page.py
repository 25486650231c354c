"""The report of a run for the page: the verdict first, then where it fails, and what to fix first."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import Any

from simhash_doc import Fingerprint, SpecError
from simhash_doc.console.messages import counted
from simhash_doc.report import document
from simhash_doc.report import html_page as page_of
from simhash_doc.report.document import (
    Badge,
    Block,
    Facts,
    Group,
    Groups,
    Listing,
    Paragraph,
    Row,
    Rows,
    Run,
    Section,
    Share,
    Shares,
    Table,
    Text,
    Tile,
    Tiles,
    Tone,
)
from simhash_doc_conformance.formatting import printable
from simhash_doc_conformance.pipeline import STEPS, TRACED, step_of
from simhash_doc_conformance.reports.report import (
    EXAMPLES,
    Report,
    all_rows,
    case_count,
    check_rows,
    conclusion,
    failed_of_tested,
    generated,
    grouped,
    not_tested,
    passed_classes,
    specification,
    status_of,
    title,
)
from simhash_doc_conformance.reports.report import (
    Group as Failures,
)
from simhash_doc_conformance.running.judge import BAD, FAILED, OPTIONAL_INPUT, STATUSES
from simhash_doc_conformance.vectors.requirements import address, requirements

_REQUIREMENT = re.compile("(SD-[A-Z]+-[0-9]+)")
_CODE_POINTS = 40  # of a text, up to which a page lists them
_TONES: dict[str, Tone] = {"passed": "good", "known-failure": "other"}
_TONES |= dict.fromkeys(FAILED, "bad")
_LEGEND: dict[Tone, str] = {"good": "passed", "bad": "failed", "other": "known failures", "none": "not tested"}
Link = Callable[[str], list[str | Run]]
"""Returns a text in which the requirements are links."""


def html_page(report: Report, address_of: Callable[[str], str] = address) -> str:
    """Return the page.

    Args:
        report: see `make_report`.
        address_of: returns the address of a requirement; without it, that in the repository.
    """
    return "\n".join([*page_of(report_of(report, address_of)), ""])


def report_of(report: Report, address_of: Callable[[str], str] = address) -> document.Report:
    """Return what the page shows; see `html_page`."""

    def linked(text: str) -> list[str | Run]:
        parts = _REQUIREMENT.split(printable(str(text)))
        return [Run(part, href=address_of(part)) if part in requirements() else part for part in parts if part]

    groups = grouped(all_rows(report))
    tone, heading, said = _verdict(report)
    first = groups[0].rows[0]["id"] if groups else ""
    lines = [*([printable(said)] if said else []), *(_with_link(linked(line), first) for line in report["diagnosis"])]
    if optional := sum(row.get("reason") == OPTIONAL_INPUT for row in report["cases"]):
        lines.append(f"It takes no input of {counted(optional, 'case')}: bytes or pieces, which are optional.")
    if groups and not any(f"begin with {first}" in line for line in report["diagnosis"]):
        lines.append(["Begin with ", _case_link(first), "."])
    about = ["simhash-doc conformance", f"suite {report['suite']['version']}", f"specification {specification(report)}"]
    about += ["quick run, which supports no claim"] * report["options"]["quick"]
    return document.Report(
        printable(title(report)),
        printable(heading),
        printable(" · ".join(about)),
        tone,
        lines,
        list(_tiles(report)),
        [
            Shares([Share(count, _LEGEND[name], name) for name, count in _amounts(report).items()]),
            *_left_out(report),
            *_steps(report),
            *_causes(groups, linked),
            *_others(report, linked),
            Section("What was run", [Facts(list(_facts(report)))], folded=True),
        ],
    )


def _verdict(report: Report) -> tuple[Tone, str, str]:
    """Return the verdict: its tone, in a sentence, and what else there is to say."""
    implementation = report["implementation"]
    name = f"{implementation['name']} {implementation['version']}".strip() if implementation else "The implementation"
    said = conclusion(report)
    if any(row["status"] in BAD for row in all_rows(report)):
        first, _, rest = said.partition("; ")
        return "bad", f"{name} does not conform: {first}", rest
    if passed_classes(report):
        return "good", f"{name} conforms", said
    return "other", f"{name}: no claim of conformance", said


def _tiles(report: Report) -> Iterator[Tile]:
    (failed, tested), (wrong, checked) = failed_of_tested(report)
    amounts = _amounts(report)
    yield Tile(tested, "cases tested")
    yield Tile(failed, "cases failed", "bad")
    yield Tile(checked, "checks beyond the vectors")
    yield Tile(wrong, "checks failed", "bad")
    yield Tile(amounts.get("other", 0), "known failures", "other")
    yield Tile(amounts.get("none", 0), "not tested")
    yield Tile(len(passed_classes(report)), "classes that it may claim")


def _amounts(report: Report) -> dict[Tone, int]:
    """Return the number of cases and checks of each tone."""
    amounts: dict[Tone, int] = dict.fromkeys(_LEGEND, 0)
    for status in STATUSES:
        amounts[_TONES.get(status, "none")] += report["counts"][status]
    for row in check_rows(report):
        amounts[_TONES.get(row["status"], "none")] += 1
    return {name: count for name, count in amounts.items() if count}


def _left_out(report: Report) -> Iterator[Block]:
    """Yield what was not tested, and why."""
    blocks: list[Block] = []
    if rows := report.get("untested"):
        cells = [(row["why"], f"{sum(row['operations'].values()):,}", _counts(row["operations"])) for row in rows]
        blocks.append(Table("What was not tested", ("Reason", "Cases", "Operations"), cells, numbers=(1,)))
    if lines := not_tested(report):
        blocks.append(Listing([printable(line) for line in lines]))
    if blocks:
        yield Section("What was not tested, and why", blocks, folded=True)


def _counts(operations: dict[str, int]) -> str:
    return printable(", ".join(f"{op} {count}" for op, count in operations.items()))


def _steps(report: Report) -> Iterator[Block]:
    """Yield the steps of the pipeline in a row, each with its failures, and the other operations that failed."""
    if report["implementation"] is None:
        return
    failed = {row["step"]: row["cases"] for row in report["failures"]}
    declared = set(report["implementation"]["operations"])
    shown = {step_of(op) for op in declared} | (set(TRACED) if "trace" in declared else set())
    missing = [name for name in ("fold", "tokens", "hash_tokens", "buckets", "trace") if name not in declared]

    def step(name: str) -> Tile:
        label = STEPS[name].title
        if count := failed.get(label, 0):
            return Tile(f"{count:,} wrong", label, "bad", label)
        return Tile("no failure", label, "good") if name in shown else Tile("not shown", label, "none")

    blocks: list[Block] = [Tiles(list(map(step, TRACED)))]
    if missing and report["failures"]:
        wanted = [part for name in missing for part in (", ", Run(name, "code"))][1:]
        blocks.append(Paragraph(["Declare ", *wanted, " in the handshake, and this row shows more."]))
    yield Section("Where cases first go wrong" if report["failures"] else "The steps", blocks)
    others = [step(name) for name in STEPS if name not in TRACED and name != "trace"]
    wrong = [tile for tile in others if tile.tone == "bad"]
    rest = [(value, [tile.label for tile in others if tile.value == value]) for value in ("no failure", "not shown")]
    said = " ".join(f"{value.capitalize()}: {', '.join(labels)}." for value, labels in rest if labels)
    yield Section("Other operations", [*([Tiles(wrong)] if wrong else []), *([Paragraph(said)] if said else [])])


def _causes(groups: list[Failures], linked: Link) -> Iterator[Block]:
    """Yield the causes in the order in which they are best mended: by step, as an early one makes later ones wrong."""
    if groups:
        shown = [_group(number, group, linked) for number, group in enumerate(groups, 1)]
        steps = {group.step: f"Of {group.step}" for group in groups}
        orders = ("First to fix first", "Most cases first")
        yield Section("What to fix first", [Groups("cause", "case or cause", shown, steps, orders)])


def _case_link(case: str) -> Run:
    return Run(printable(case), "code", f"#{printable(case)}")


def _with_link(line: list[str | Run], case: str) -> list[str | Run]:
    """Return a line in which the advice to begin with a case is a link to it."""
    advice = f"begin with {printable(case)}"
    for at, part in enumerate(line):
        if case and isinstance(part, str) and advice in part:
            before, _, after = part.partition(advice)
            return [*line[:at], f"{before}begin with ", _case_link(case), after, *line[at + 1 :]]
    return line


def _group(number: int, group: Failures, linked: Link) -> Group:
    blocks: list[Block] = [Rows([_failure(row, group.cause, linked) for row in group.rows[:EXAMPLES]])]
    if others := [[Run(printable(row["id"]), "code")] for row in group.rows[EXAMPLES:]]:
        blocks.append(Section(f"{len(others)} more like these", [Listing(others)], folded=True))
    return Group(
        printable(f"{group.step}: {group.cause}"),
        f"{counted(len(group.rows), 'case')}, begin with {printable(group.rows[0]['id'])}",
        blocks,
        [group.step],
        -len(group.rows),
        id=f"cause-{number}",
    )


def _failure(row: dict[str, Any], cause: str, linked: Link) -> Row:
    """Return a case; the title of its group has the cause, so that the diagnosis leaves it out."""
    request, expected, given = (row.get(name, "") for name in ("request", "expected", "given"))
    values: dict[str, Text] = {"Request": printable(request), "Code points": _code_points(request)}
    values["Expected"], values["Given"] = _compared(expected, given)
    values["Marks"] = _marks(f"{expected}{given}")
    values["Distance"] = _bits(expected, given)
    diagnosis = [part for line in row["diagnosis"] if line != cause for part in ("\n", *linked(line))]
    values["Diagnosis"] = diagnosis[1:]
    reason: list[str | Run] = [f"{printable(row.get('reason', ''))}. "]
    for requirement in row["requirements"]:
        reason += [*linked(requirement), " "]
    return Row(
        [Run(printable(row["id"]), "code")],
        [Badge(status_of(row), "bad")],
        notes=[[Run(printable(row["comment"]), "mute")], reason],
        facts=[(name, value) for name, value in values.items() if value],
        id=printable(row["id"]),
    )


def _compared(expected: str, given: str) -> tuple[Text, Text]:
    """Return both; what lies between their equal beginnings and ends is marked."""
    start = _equal(expected, given)
    end = _equal(expected[start:][::-1], given[start:][::-1])
    if not expected or not given or expected == given:
        return printable(expected), printable(given)

    def marked(text: str) -> Text:
        middle = Run(printable(text[start : len(text) - end]), "mark")
        return [printable(text[:start]), middle, printable(text[len(text) - end :])]

    return marked(expected), marked(given)


def _equal(a: str, b: str) -> int:
    """Return the number of characters with which both begin."""
    return next((at for at, (one, other) in enumerate(zip(a, b, strict=False)) if one != other), min(len(a), len(b)))


def _bits(expected: str, given: str) -> str:
    """Return in how many bits two fingerprints of one scheme differ; an empty text for other values."""
    try:
        a, b = (Fingerprint.parse(text.strip('"')) for text in (expected, given))
        return f"{a.distance(b)} of {a.scheme.bits} bits" if a.scheme == b.scheme else ""
    except SpecError:
        return ""


def _code_points(request: str) -> str:
    """Return the code points of the text of a request, if it is short and not ASCII; nothing of a shortened request."""
    try:
        text = str(json.loads(request).get("text", ""))
    except ValueError:
        return ""
    return "" if text.isascii() or len(text) > _CODE_POINTS else " ".join(f"U+{ord(c):04X}" for c in text)


def _marks(text: str) -> str:
    """Return the code points and names of marks and invisible characters, which readers cannot tell apart."""
    found = dict.fromkeys(c for c in text if c != "\n" and unicodedata.category(c)[0] in "MC")
    names = [f"U+{ord(c):04X} {unicodedata.name(c, 'without a name').lower()}" for c in list(found)[:_CODE_POINTS]]
    return "\n".join(names)


def _others(report: Report, linked: Link) -> Iterator[Block]:
    others = [row for row in report["cases"] if row["status"] not in {"passed", *BAD}]
    others.sort(key=lambda row: row.get("reason") != OPTIONAL_INPUT)  # of operations that it has
    for caption, rows in (
        ("Checks beyond the vectors", check_rows(report)),
        ("Cases that neither passed nor failed", others),
    ):
        if rows:
            cells = [_cells(row, linked) for row in rows]
            table = Table(caption, ("Case", "Status", "Reason", "Requirements"), cells)
            yield Section(f"{caption} ({len(rows):,})", [table], folded=True)


def _cells(row: dict[str, Any], linked: Link) -> tuple[Text, ...]:
    reason = row.get("reason") or (f"{row['inputs']:,} inputs" if "inputs" in row else "")
    required = [part for name in row["requirements"] for part in (*linked(name), " ")]
    return [Run(printable(row["id"]), "code")], row["status"], printable(reason), required


def _facts(report: Report) -> Iterator[tuple[str, str]]:
    suite, implementation = report["suite"], report["implementation"] or {}
    yield "Suite", printable(f"{suite['version']}, specification {specification(report)}")
    yield "SHA-256 of the vectors' SHA256SUMS", suite["vectors_sha256"]
    yield "SHA-256 of the Unicode data's SHA256SUMS", suite["data_sha256"]
    for name, value in implementation.items():
        if value:
            yield name.capitalize(), printable(value if isinstance(value, str) else ", ".join(value))
    if report["full"]:
        yield "Full run", printable(generated(report))
    yield "Classes", ", ".join(f"{name} {result}" for name, result in report["classes"].items())
    counts = ", ".join(f"{count:,} {status}" for status, count in report["counts"].items() if count)
    yield "Cases", f"{case_count(report):,}: {counts}"
