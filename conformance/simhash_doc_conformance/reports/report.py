"""The report of a run as JSON, and the words that all other forms of report share.

They are rendered from it, JUnit XML with the passed cases.

The same suite, options and implementation give the same bytes in each run, so a claim of conformance can be verified
by running the suite again and comparing bytes. (Generated requests also depend on the version of the generator, which
the report names.)
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from simhash_doc import SPEC_VERSION
from simhash_doc.console.messages import counted
from simhash_doc_conformance.formatting import plainness
from simhash_doc_conformance.pipeline import ADAPTER, STEPS, step_of
from simhash_doc_conformance.protocol import CLASSES
from simhash_doc_conformance.running.judge import BAD, FAILED, STATUSES, TESTED, KnownFailure, Verdict, required_classes
from simhash_doc_conformance.running.runner import Outcome
from simhash_doc_conformance.vectors.cases import Suite

_FORMAT = 1
EXAMPLES = 10  # cases of a group that are shown
TITLES = ("Likely bug: ", "Possible bug: ", "Similar to: ")  # how the diagnosis of a case begins that a bug explains
Report = dict[str, Any]
_ADAPTER, _NOT_SUPPORTED, _NOT_RUN = "the adapter", "required but not supported", "not run"
_UNEXPECTED = "listed as known failures, but passed"
_TITLES = [_ADAPTER, *(step.title for step in STEPS.values()), _NOT_SUPPORTED, _UNEXPECTED]


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The options that influence the verdicts."""

    target: str = "command"
    timeout: float = 10.0
    select: Sequence[str] = ()
    skip: Sequence[str] = ()
    classes: Sequence[str] = ()
    quick: bool = False
    known_failures: Sequence[KnownFailure] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return them as values that JSON can hold."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}


@dataclass(frozen=True, slots=True)
class Checks:
    """The result of the checks of a full run, see `full`.

    Attributes:
        seed: of the generated requests.
        examples: their number per operation and scheme.
        generator: name and version of the library that generates requests; another version generates others.
        verdicts: one per check. Its case is the smallest request with a wrong answer, or has no members.
        not_tested: lines that name what neither a check nor a vector tests.
        interruption: what a signal raised during the checks.
    """

    seed: int
    examples: int
    generator: str
    verdicts: tuple[Verdict, ...]
    not_tested: tuple[str, ...]
    interruption: BaseException | None = None

    @property
    def ok(self) -> bool:
        """True if no check failed, and no signal ended them."""
        return not any(verdict.bad for verdict in self.verdicts) and self.interruption is None


def make_report(
    suite: Suite,
    options: RunOptions,
    outcome: Outcome,
    *,
    checks: Checks | None = None,
    diagnosis: Sequence[str] = (),
) -> Report:
    """Return the report as values that JSON can hold; see `report.schema.json`.

    Args:
        suite: the suite.
        options: the options of the run.
        outcome: the result of the run.
        checks: the result of the checks of a full run.
        diagnosis: lines with the mistakes that explain the wrong answers.
    """
    complete = len(outcome.verdicts) == len(suite.cases) and not options.skip
    places = {case.id: place for place, case in enumerate(suite.cases)}
    cases = [_row(verdict) for verdict in sorted(outcome.verdicts, key=lambda v: places.get(v.case.id, 0))]
    checked = [_row(verdict) for verdict in checks.verdicts] if checks else []
    results = {name: _class_result(name, outcome, complete, checks) for name in CLASSES}
    return {
        "report": _FORMAT,
        "suite": {
            "version": suite.version,
            "specification": suite.specification,
            "vectors_sha256": suite.digest,
            "data_sha256": suite.data_digest,
        },
        "implementation": outcome.handshake.as_dict() if outcome.handshake else None,
        "options": options.as_dict(),
        "ok": outcome.ok and (checks is None or checks.ok),
        "failures": failures([*cases, *checked]),
        "diagnosis": list(diagnosis),
        "not_tested": list(_left_out(outcome, quick=options.quick)),
        "untested": _untested(suite, outcome, quick=options.quick),
        "complete": complete,
        "classes": results,
        "claim": _claim(suite, outcome, checks) if "passed" in results.values() else None,
        "counts": {status: sum(v.status == status for v in outcome.verdicts) for status in STATUSES},
        "cases": cases,
        "full": {
            "seed": checks.seed,
            "examples": checks.examples,
            "generator": checks.generator,
            "not_tested": list(checks.not_tested),
            "checks": checked,
        }
        if checks
        else None,
    }


def _claim(suite: Suite, outcome: Outcome, checks: Checks | None) -> dict[str, Any]:
    """Return what a claim names (SD-CLAIM-1), and the generated requests that it does not need."""
    requests = sum(v.inputs for v in checks.verdicts if v.case.id.startswith("fuzz/")) if checks else 0
    return {
        "specification": SPEC_VERSION,
        "schemes": list(outcome.handshake.schemes) if outcome.handshake else [],
        "suite": suite.version,
        "cases": sum(verdict.status == "passed" for verdict in outcome.verdicts),
        "vectors_sha256": suite.digest,
        "data_sha256": suite.data_digest,
        "generated_requests": requests,
        "seed": checks.seed if checks and requests else None,
    }


def claim_line(report: Report) -> str:
    """Return what the claim of a report rests on, in words; empty if there is none."""
    claim = report.get("claim")
    if not claim:
        return ""
    more = "Generated requests were not run (--full)."
    if claim["generated_requests"]:
        more = f"It also passed {counted(claim['generated_requests'], 'generated request')}, seed {claim['seed']}."
    return (
        f"The claim rests on {counted(claim['cases'], 'case')} of the vectors {claim['suite']} "
        f"(SHA-256 {claim['vectors_sha256']}) and the Unicode data (SHA-256 {claim['data_sha256']}). {more}"
    )


def report_json(report: Report) -> str:
    """Return the report as ASCII text to publish, with one case per line; cases that passed are only counted."""
    return _lines({**report, "cases": [row for row in report["cases"] if row["status"] != "passed"]}) + "\n"


def passed_classes(report: Report) -> list[str]:
    """Return the names of the classes that the implementation may claim."""
    return [name for name, result in report["classes"].items() if result == "passed"]


def case_count(report: Report) -> int:
    """Return the number of cases that were run or skipped; the report does not have to list those that passed."""
    return sum(report["counts"].values())


def check_rows(report: Report) -> list[dict[str, Any]]:
    """Return the rows of the checks of a full run."""
    rows: list[dict[str, Any]] = report["full"]["checks"] if report["full"] else []
    return rows


def all_rows(report: Report) -> list[dict[str, Any]]:
    """Return the rows of the cases, and of the checks of a full run."""
    return [*report["cases"], *check_rows(report)]


def _lines(value: Any, depth: int = 0) -> str:
    """Return a value as JSON with a line per member of the upper two levels, and per object of a list."""
    margin = "\n" + " " * depth
    if isinstance(value, dict) and depth < 2:
        members = (f"{margin} {json.dumps(name)}: {_lines(member, depth + 1)}" for name, member in value.items())
        return f"{{{','.join(members)}{margin}}}"
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return f"[{','.join(f'{margin} {json.dumps(item)}' for item in value)}{margin}]"
    return json.dumps(value)


def _class_result(name: str, outcome: Outcome, complete: bool, checks: Checks | None) -> str:
    """Return whether a class may be claimed, which needs a run of all its cases (SD-CLAIM-1)."""
    operations = CLASSES[name]
    claimed = name in required_classes(outcome.handshake, outcome.classes)
    if not claimed:
        return "not-claimed"
    schemes = set(outcome.handshake.schemes if outcome.handshake else ()) | ({"sd64"} if name != "index" else set())
    verdicts = [v for v in outcome.verdicts if v.case.op in operations and v.case.schemes <= schemes]
    checked = [v for v in checks.verdicts if v.case.op in operations] if checks else []
    wrong = [v for v in (*verdicts, *checked) if v.bad or v.status == "known-failure"]
    if any(v.kind != "timeout" and v.status != "not-run" for v in wrong):
        return "failed"
    if wrong or not complete or not any(v.status == "passed" for v in verdicts):
        return "not-tested"
    return "passed"


def _row(verdict: Verdict) -> dict[str, Any]:
    case = verdict.case
    row: dict[str, Any] = {
        "id": case.id,
        "op": case.op,
        "status": verdict.status,
        "required": verdict.required,
        "requirements": verdict.requirements,
        "comment": case.comment,
    }
    for name in ("reason", "kind", "step", "violated", "example", "inputs", "request", "expected", "given"):
        if getattr(verdict, name):
            row[name] = getattr(verdict, name)
    row["diagnosis"] = list(verdict.diagnosis)
    return row


_LARGE = "large cases, which --quick leaves out"
_REASONS: dict[str, str] = {"skipped": "skipped by --skip", "not-run": "not run, because there were no answers"}


def _untested(suite: Suite, outcome: Outcome, *, quick: bool) -> list[dict[str, Any]]:
    """Return the number of cases of each operation that were not tested, by reason."""
    found: dict[str, Counter[str]] = {}
    handshake, run = outcome.handshake, {verdict.case.id for verdict in outcome.verdicts}
    for case in suite.cases if quick else ():
        if "large" in case.flags and case.id not in run:
            found.setdefault(_LARGE, Counter())[case.op] += 1
    for verdict in outcome.verdicts:
        case, why = verdict.case, _REASONS.get(verdict.status)
        if verdict.status == "unsupported" and handshake is not None:
            declared = case.op in handshake.operations
            other = declared and not case.schemes <= set(handshake.schemes)
            why = "schemes that are not declared" if other else "what the implementation does not support"
        if why:
            found.setdefault(why, Counter())[case.op] += 1
    for case in outcome.left:
        found.setdefault(f"not run, {_ended_by(outcome)}", Counter())[case.op] += 1
    return [{"why": why, "operations": dict(counts)} for why, counts in found.items()]


def _left_out(outcome: Outcome, *, quick: bool) -> Iterator[str]:
    """Yield what a run left out: the large cases, and those of operations and schemes that are not supported."""
    if quick:
        yield "the large cases, which --quick leaves out"
    if outcome.left:
        yield f"{len(outcome.left):,} cases, {_ended_by(outcome)}"
    if outcome.handshake is None:
        return
    operations, schemes = outcome.handshake.operations, set(outcome.handshake.schemes)
    unsupported, other_schemes, needed = Counter[str](), Counter[str](), set[str]()
    for case in (verdict.case for verdict in outcome.verdicts if verdict.status == "unsupported"):
        missing = case.schemes - schemes if case.op in operations else set[str]()
        needed |= missing
        (other_schemes if missing else unsupported)[case.op] += 1
    undeclared = f"which need schemes that are not declared: {', '.join(sorted(needed))}"
    for counts, why in (unsupported, "which the implementation does not support"), (other_schemes, undeclared):
        if counts:
            yield f"{', '.join(f'{count} of {op}' for op, count in counts.items())}, {why}"


_ENDS = ("because of --max-failures", "because the run was interrupted")


def _ended_by(outcome: Outcome) -> str:
    return _ENDS[outcome.interruption is not None]


def title(report: Report) -> str:
    """Return the name and version of the checked implementation."""
    implementation = report["implementation"]
    name = f"{implementation['name']} {implementation['version']}".strip() if implementation else "no implementation"
    parts = [f", {part} {implementation[part]}" for part in ("engine", "index") if part in (implementation or ())]
    return f"simhash-doc conformance: {name}{''.join(parts)}"


def failed_of_tested(report: Report) -> list[tuple[int, int]]:
    """Return how many failed, and how many were tested: of the cases, and of the checks beyond the vectors.

    What was skipped, not run or is not supported was not tested: it shows nothing of the implementation.
    """
    statuses = (report["counts"], Counter(row["status"] for row in check_rows(report)))
    return [(sum(of[status] for status in FAILED), sum(of[status] for status in TESTED)) for of in statuses]


def conclusion(report: Report) -> str:
    """Return the outcome of the run in one sentence, whose first clause says what is wrong."""
    counts, classes = report["counts"], passed_classes(report)
    shares = zip(failed_of_tested(report), ("tested cases", "checks beyond the vectors"), strict=True)
    wrong = [f"{failed:,} of {tested:,} {what}" for (failed, tested), what in shares if failed]
    late = sum(row.get("kind") == "timeout" for row in all_rows(report))
    parts = [f"{' and '.join(wrong)} failed"] * bool(wrong)
    parts += [f"{late:,} of them gave no answer in time, so that nothing is known about them"] * bool(late)
    if not_run := sum(row["status"] == "not-run" for row in all_rows(report)):
        parts.append(f"{not_run:,} {'further cases were' if wrong else 'cases were'} not run")
    if parts:
        return "; ".join(parts)
    if not counts["passed"]:
        return "Nothing was tested: no case passed"
    if classes:
        return f"Conforms: {', '.join(classes)} ({_extent(report)} passed)"
    known = f", {counts['known-failure']:,} known failures" if counts["known-failure"] else ""
    part = "" if report["complete"] else " of a part of the suite"
    return f"{counted(counts['passed'], 'case')}{part} passed{known}: no claim of conformance"


def specification(report: Report) -> str:
    """Return the version of the specification that a claim names, or the major version that the vectors are for."""
    return str((report["claim"] or report["suite"])["specification"])


def not_tested(report: Report) -> list[str]:
    """Return what a run left out, in lines."""
    return [f"Not tested: {line}" for line in _all_left_out(report)]


def cut_off(report: Report) -> list[str]:
    """Return what was not tested because the run ended early, in lines."""
    return [line for line in _all_left_out(report) if line.endswith(_ENDS)]


def _all_left_out(report: Report) -> list[str]:
    return [*report.get("not_tested", ()), *(report["full"]["not_tested"] if report["full"] else ())]


def summary(report: Report) -> list[str]:
    """Return the failures by step, the likely bugs, and what was not tested, in lines."""
    return [*failure_lines(report["failures"]), *report["diagnosis"], *not_tested(report)]


def status_of(row: dict[str, Any]) -> str:
    """Return the status of a row, with the name of the failure of a broken case."""
    return f"{row['status']}: {row['kind']}" if "kind" in row else str(row["status"])


def generated(report: Report) -> str:
    """Return how the requests of a full run were generated."""
    full = report["full"]
    return f"Generated requests: seed {full['seed']}, {full['examples']} per operation and scheme, {full['generator']}."


def _extent(report: Report) -> str:
    """Return what a run without failures consisted of."""
    parts = [counted(report["counts"]["passed"], "case")]
    checks = check_rows(report)
    if any(row["id"].startswith("sweep/") for row in checks):
        parts.append("every Unicode scalar value")
    if number := sum(row.get("inputs", 0) for row in checks if row["id"].startswith("fuzz/")):
        parts.append(counted(number, "generated request"))
    return f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else parts[0]


def failures(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the number of failures per step, and per requirement within it, in the order of the pipeline."""
    counts: Counter[str] = Counter()
    requirements: dict[str, Counter[str]] = {}
    for row in rows:
        if row["status"] in BAD:
            step = _step(row)
            counts[step] += 1
            violated = [row["violated"]] if "violated" in row else row["requirements"]
            # A fault of the adapter says nothing about a requirement.
            requirements.setdefault(step, Counter()).update([] if step == _ADAPTER else violated)
    return [
        {
            "step": step,
            "cases": counts[step],
            "requirements": [
                {"requirement": name, "cases": count}
                for name, count in sorted(requirements[step].items(), key=lambda item: (-item[1], item[0]))
            ],
        }
        for step in sorted(counts, key=_place)
    ]


def order(row: dict[str, Any]) -> tuple[int, bool, tuple[bool, int, int]]:
    """Return the place of a failed case for sorting: by step of the pipeline, then examples, then plain requests."""
    return _place(_step(row)), "example" not in row, plainness(row.get("request", ""))


@dataclass(frozen=True, slots=True)
class Group:
    """Failed cases with one step and one cause.

    Attributes:
        step: the title of the step, or of the status.
        cause: the bug that explains them, or the requirement that the step violates, or how the process failed.
        rows: the cases, the plainest first. A report shows `EXAMPLES` of them and counts the others.
    """

    step: str
    cause: str
    rows: list[dict[str, Any]]


def grouped(rows: Iterable[dict[str, Any]]) -> list[Group]:
    """Return the failed cases by step and cause, in the order of the pipeline and of their plainest cases."""
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in sorted((row for row in rows if row["status"] in BAD), key=order):
        found.setdefault((_step(row), _cause(row)), []).append(row)
    return [Group(step, cause, alike) for (step, cause), alike in found.items()]


def _cause(row: dict[str, Any]) -> str:
    if row["status"] == "not-run":
        return str(row["reason"])
    if row["status"] != "failed":
        return str(row.get("kind") or row["status"])
    if row.get("step") == ADAPTER:
        return "answers of a wrong type"
    first = row["diagnosis"][0] if row["diagnosis"] else ""
    return str(first if first.startswith(TITLES) else row.get("violated") or row["requirements"][0])


def failure_lines(found: Iterable[dict[str, Any]], most: int = 4) -> list[str]:
    """Return a line per step with the `most` frequent requirements.

    >>> failure_lines([{"step": "links", "cases": 3, "requirements": [{"requirement": "SD-LINK-2", "cases": 3}]}])
    ['links: 3 (SD-LINK-2 3)']
    """
    lines = []
    for row in found:
        named = [f"{item['requirement']} {item['cases']}" for item in row["requirements"]]
        more = f", {len(named) - most} more" if len(named) > most else ""
        lines.append(f"{row['step']}: {row['cases']}" + (f" ({', '.join(named[:most])}{more})" if named else ""))
    return lines


def _step(row: dict[str, Any]) -> str:
    if row["status"] == "broken" or row.get("step") == ADAPTER:
        return _ADAPTER
    if row["status"] == "not-run":
        return _NOT_RUN
    if row["status"] == "unexpected-pass":
        return _UNEXPECTED
    if row["status"] == "failed" and "expected" not in row:
        return _NOT_SUPPORTED
    return STEPS[row.get("step") or step_of(row["op"])].title


def _place(step: str) -> int:
    return _TITLES.index(step) if step in _TITLES else len(_TITLES)
