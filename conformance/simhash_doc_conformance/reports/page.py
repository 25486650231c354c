"""The report as one self-contained HTML page: the verdict first, then where it goes wrong, and what to mend first."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterator
from html import escape
from typing import Any

from simhash_doc import Fingerprint, SpecError
from simhash_doc.cli.page import END, facts, folded, head
from simhash_doc_conformance.formatting import printable
from simhash_doc_conformance.pipeline import STEPS, TRACED, step_of
from simhash_doc_conformance.reports.report import (
    EXAMPLES,
    Group,
    Report,
    all_rows,
    case_count,
    check_rows,
    conclusion,
    generated,
    grouped,
    not_tested,
    passed_classes,
    status_of,
    title,
)
from simhash_doc_conformance.running.judge import BAD, FAILED, STATUSES
from simhash_doc_conformance.vectors.requirements import address, requirements

_REQUIREMENT = re.compile("SD-[A-Z]+-[0-9]+")
_CODE_POINTS = 40  # of a text, up to which a page lists them
_FIRST = 8  # causes in the list of what to mend first
_COLOURS = {"passed": "good", "known-failure": "other"} | dict.fromkeys(FAILED, "bad")
_LEGEND = {"good": "passed", "bad": "failed", "other": "known failures", "none": "not tested"}
Link = Callable[[str], str]
"""Returns a text in HTML in which the requirements are links."""


def html_page(report: Report, specification: str | None = None) -> str:
    """Return the page.

    Args:
        report: see `make_report`.
        specification: address of the specification, to which requirements link; without one, that of the repository.
    """

    def linked(text: str) -> str:
        def link(match: re.Match[str]) -> str:
            if match[0] not in requirements():
                return match[0]
            target = f"{specification}#{match[0]}" if specification is not None else address(match[0])
            return f'<a href="{_safe(target)}">{match[0]}</a>'

        return _REQUIREMENT.sub(link, _safe(text))

    groups = grouped(all_rows(report))
    amounts = _amounts(report)
    widths = "".join(f".stack .{name} {{ flex: {count} 1 0; }}" for name, count in amounts.items())
    parts = [
        *head(title(report), widths),
        _verdict(report, groups, linked),
        _bar(amounts),
        *_left_out(report),
        *_steps(report),
        *_first(groups, linked),
        *(["<h2>Cases that did not pass</h2>"] if groups else []),
        *(_group(number, group, linked) for number, group in enumerate(groups, 1)),
        *_others(report, linked),
        folded("What was run", _facts(report)),
        END,
    ]
    return "\n".join(parts) + "\n"


def _amounts(report: Report) -> dict[str, int]:
    """Return the number of cases and checks of each colour of the bar."""
    amounts = dict.fromkeys(_LEGEND, 0)
    for status in STATUSES:
        amounts[_COLOURS.get(status, "none")] += report["counts"][status]
    for row in check_rows(report):
        amounts[_COLOURS.get(row["status"], "none")] += 1
    return {name: count for name, count in amounts.items() if count}


def _verdict(report: Report, groups: list[Group], linked: Link) -> str:
    suite, implementation = report["suite"], report["implementation"]
    name = f"{implementation['name']} {implementation['version']}".strip() if implementation else "The implementation"
    said = conclusion(report)
    if groups:
        first, _, said = said.partition("; ")
        colour, heading = "bad", f"{name} does not conform: {first}"
    elif passed_classes(report):
        colour, heading = "good", f"{name} conforms"
    else:
        colour, heading = "other", f"{name}: no claim of conformance"
    lines = [*([_safe(said)] if said else []), *map(linked, report["diagnosis"])]
    if groups:
        case = _safe(groups[0].rows[0]["id"])
        lines.append(f'Begin with <a href="#{case}"><code>{case}</code></a> ({linked(groups[0].cause)}).')
    about = f"simhash-doc conformance · suite {suite['version']} · specification {suite['specification']}"
    paragraphs = "".join(f"<p>{line}</p>" for line in lines)
    return f'<p class="sub">{_safe(about)}</p><div class="verdict {colour}"><h1>{_safe(heading)}</h1>{paragraphs}</div>'


def _bar(amounts: dict[str, int]) -> str:
    legend = [f"{count:,} {_LEGEND[name]}" for name, count in amounts.items()]
    segments = "".join(f'<i class="{name}"></i>' for name in amounts)
    keys = "".join(f'<span><i class="{name}"></i>{text}</span>' for name, text in zip(amounts, legend, strict=True))
    return (
        f'<div class="stack" role="img" aria-label="{", ".join(legend)}">{segments}</div>'
        f'<p class="legend mute">{keys}</p>'
    )


def _left_out(report: Report) -> Iterator[str]:
    """Yield what was not tested, and why."""
    lines = not_tested(report)
    rows = report.get("untested") or []
    if not lines and not rows:
        return
    body = "".join(
        f"<tr><td>{_safe(row['why'])}</td><td>{sum(row['operations'].values())}</td><td>"
        f"{_safe(', '.join(f'{op} {count}' for op, count in row['operations'].items()))}</td></tr>"
        for row in rows
    )
    columns = "".join(f'<th scope="col">{name}</th>' for name in ("Reason", "Cases", "Operations"))
    table = f"<table><thead><tr>{columns}</tr></thead><tbody>{body}</tbody></table>" if rows else ""
    listed = "".join(f"<li>{_safe(line)}</li>" for line in lines)
    yield folded("What was not tested, and why", f"{table}<ul>{listed}</ul>")


def _steps(report: Report) -> Iterator[str]:
    """Yield the steps of the pipeline in a row, and the other operations in another, each with its failures."""
    if report["implementation"] is None:
        return
    failed = {row["step"]: row["cases"] for row in report["failures"]}
    declared = set(report["implementation"]["operations"])
    shown = {step_of(op) for op in declared} | (set(TRACED) if "trace" in declared else set())
    missing = [name for name in ("fold", "tokens", "hash_tokens", "buckets", "trace") if name not in declared]
    for heading, names in (
        ("Where it goes wrong" if report["failures"] else "The steps", TRACED),
        ("Other operations", [name for name in STEPS if name not in TRACED and name != "trace"]),
    ):
        yield f'<h2>{heading}</h2><ol class="steps">'
        for name in names:
            step = STEPS[name].title
            count = failed.get(step, 0)
            colour, state = ("good", "no failure") if name in shown else ("none", "not shown")
            if count:
                colour, state = "bad", f"{count:,} wrong"
            yield f'<li class="{colour}"><b>{step}</b>{state}</li>'
        yield "</ol>"
        if names is TRACED and missing and report["failures"]:
            wanted = ", ".join(f"<code>{name}</code>" for name in missing)
            yield f'<p class="mute">Declare {wanted} in the handshake, and this row shows more.</p>'


def _first(groups: list[Group], linked: Link) -> Iterator[str]:
    """Yield the causes in the order in which they are best mended: by step, as an early one makes later ones wrong."""
    if not groups:
        return
    yield '<h2>What to mend first</h2><ol class="fix">'
    for number, group in enumerate(groups[:_FIRST], 1):
        case = _safe(group.rows[0]["id"])
        cases = f"{len(group.rows):,} case{'s' if len(group.rows) > 1 else ''}"
        yield f'<li><span><a href="#cause-{number}"><b>{_safe(group.step)}</b></a> {linked(group.cause)}'
        yield f' <span class="mute">· begin with <a href="#{case}"><code>{case}</code></a></span></span>'
        yield f'<span class="bad number">{cases}</span></li>'
    yield "</ol>"
    if more := len(groups) - _FIRST:
        yield f'<p class="mute">{more} more causes follow below.</p>' if more > 0 else ""


def _group(number: int, group: Group, linked: Link) -> str:
    examples = "".join(_failure(row, linked) for row in group.rows[:EXAMPLES])
    others = ", ".join(f"<code>{_safe(row['id'])}</code>" for row in group.rows[EXAMPLES:])
    count = len(group.rows) - EXAMPLES
    more = f'<div class="inside">{folded(f"{count} more like these", f"<p>{others}</p>")}</div>' if others else ""
    return (
        f'<details class="card" id="cause-{number}"{" open" if number == 1 else ""}><summary>'
        f'<span class="name">{_safe(group.step)}: {_safe(group.cause)}</span>'
        f'<span class="count">{len(group.rows):,}</span></summary>{examples}{more}</details>'
    )


def _failure(row: dict[str, Any], linked: Link) -> str:
    request, expected, given = (row.get(name, "") for name in ("request", "expected", "given"))
    values = {"Request": _safe(request), "Code points": _code_points(request)}
    values["Expected"], values["Given"] = _compared(expected, given)
    values["Marks"] = _marks(f"{expected}{given}")
    values["Distance"] = _bits(expected, given)
    values["Diagnosis"] = "\n".join(map(linked, row["diagnosis"]))
    shown = "".join(f"<dt>{name}</dt><dd><pre>{value}</pre></dd>" for name, value in values.items() if value)
    return (
        f'<section class="case"><h3 id="{_safe(row["id"])}"><code>{_safe(row["id"])}</code> '
        f'<span class="bad">{status_of(row)}</span></h3><p class="mute">{_safe(row["comment"])}</p>'
        f"<p>{_safe(row.get('reason', ''))}. {' '.join(map(linked, row['requirements']))}</p>"
        f"{f'<dl>{shown}</dl>' if shown else ''}</section>"
    )


def _compared(expected: str, given: str) -> tuple[str, str]:
    """Return both in HTML; what lies between their equal beginnings and ends is marked."""
    start = _equal(expected, given)
    end = _equal(expected[start:][::-1], given[start:][::-1])
    if not expected or not given or expected == given:
        return _safe(expected), _safe(given)

    def marked(text: str) -> str:
        middle = text[start : len(text) - end]
        return f"{_safe(text[:start])}<mark>{_safe(middle)}</mark>{_safe(text[len(text) - end :])}"

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


def _others(report: Report, linked: Link) -> Iterator[str]:
    others = [row for row in report["cases"] if row["status"] not in {"passed", *BAD}]
    for caption, rows in (
        ("Checks beyond the vectors", check_rows(report)),
        ("Cases that neither passed nor failed", others),
    ):
        if rows:
            yield _table(caption, rows, linked)


def _table(caption: str, rows: list[dict[str, Any]], linked: Link) -> str:
    body = "".join(
        f"<tr><td><code>{_safe(row['id'])}</code></td>"
        f'<td class="{_COLOURS.get(row["status"], "")}">{row["status"]}</td>'
        f"<td>{_safe(row.get('reason') or _inputs(row))}</td><td>{' '.join(map(linked, row['requirements']))}</td></tr>"
        for row in rows
    )
    columns = "".join(f'<th scope="col">{name}</th>' for name in ("Case", "Status", "Reason", "Requirements"))
    table = f'<table class="wide" tabindex="0"><thead><tr>{columns}</tr></thead><tbody>{body}</tbody></table>'
    return folded(f"{caption} ({len(rows):,})", table)


def _inputs(row: dict[str, Any]) -> str:
    return f"{row['inputs']:,} inputs" if "inputs" in row else ""


def _facts(report: Report) -> str:
    suite, implementation = report["suite"], report["implementation"] or {}
    found = {
        "Suite": f"{suite['version']}, specification {suite['specification']}",
        "SHA-256 of the vectors' SHA256SUMS": suite["vectors_sha256"],
        "SHA-256 of the Unicode data's SHA256SUMS": suite["data_sha256"],
    }
    for name, value in implementation.items():
        if value:
            found[name.capitalize()] = value if isinstance(value, str) else ", ".join(value)
    if report["full"]:
        found["Full run"] = generated(report)
    found["Classes"] = ", ".join(f"{name} {result}" for name, result in report["classes"].items())
    counts = ", ".join(f"{count:,} {status}" for status, count in report["counts"].items() if count)
    found["Cases"] = f"{case_count(report):,}: {counts}"
    return facts((_safe(name), _safe(value)) for name, value in found.items())


def _safe(text: str) -> str:
    return escape(printable(str(text)))
