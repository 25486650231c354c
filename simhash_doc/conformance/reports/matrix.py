"""The result of the matrix as JSON, as Markdown and as lines for a terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from simhash_doc.conformance.formatting import json_text, outcome_text, printable, shorten
from simhash_doc.conformance.fuzzing.run import GENERATOR
from simhash_doc.conformance.matrix.participant import Participant, common_operations
from simhash_doc.conformance.matrix.run import Difference, MatrixResult
from simhash_doc.conformance.reports.markdown import escaped
from simhash_doc.conformance.suite import Suite

FORMAT = 1
Matrix = dict[str, Any]
_SUBMITTED = 1000  # characters of a request up to which it is in the report


def make_matrix(result: MatrixResult, suite: Suite, absent: Sequence[tuple[str, str]]) -> Matrix:
    """Return the result as values that JSON can hold; see `matrix.schema.json`.

    Args:
        result: of the run.
        suite: the vectors.
        absent: names of implementations that cannot be run here, and why.
    """
    pairs = result.comparison.pairs
    return {
        "matrix": FORMAT,
        "suite": {"version": suite.version, "vectors_sha256": suite.digest},
        "documents": result.options.documents,
        "seed": result.options.seed,
        "generator": GENERATOR,
        "ok": result.ok,
        "implementations": [_implementation(participant) for participant in result.comparison.participants],
        "absent": [{"name": name, "reason": reason} for name, reason in absent],
        "failures": [
            {"name": participant.name, "reason": reason}
            for participant in result.asked
            for reason in participant.failures
        ],
        "pairs": [_pair(result, a, b) for a, b in pairs],
        "differences": [_difference(difference) for difference in result.differences],
    }


def matrix_json(matrix: Matrix) -> str:
    """Return the report as ASCII text to publish."""
    return json.dumps(matrix, indent=1, ensure_ascii=True) + "\n"


def matrix_lines(matrix: Matrix) -> Iterator[str]:
    """Yield the result in lines: a line per pair, then the differences, then what could not be compared."""
    for pair in matrix["pairs"]:
        yield f"{', '.join(pair['names'])}: {_summary(pair)}"
    for difference in matrix["differences"]:
        yield from ("", *_difference_lines(difference))
    for kind, what in (("failures", "failed"), ("absent", "not compared")):
        yield from (f"{entry['name']} {what}: {printable(entry['reason'])}" for entry in matrix[kind])
    yield conclusion(matrix)


def matrix_table(matrix: Matrix) -> list[str]:
    """Return a table in Markdown of all implementations against all: the number of equal answers, or of differences."""
    names = [implementation["name"] for implementation in matrix["implementations"]]
    cells = {frozenset(pair["names"]): pair for pair in matrix["pairs"]}
    lines = [f"| Implementation | {' | '.join(map(escaped, names))} |", f"|---|{'---:|' * len(names)}"]
    for row in names:
        shown = ("" if row == column else _cell(cells[frozenset((row, column))]) for column in names)
        lines.append(f"| {escaped(row)} | {' | '.join(shown)} |")
    return lines


def matrix_markdown(matrix: Matrix) -> str:
    """Return the result as Markdown: the table, the differences, and what could not be compared."""
    lines = ["## simhash-doc conformance: pairwise comparison", "", f"**{escaped(conclusion(matrix))}**", ""]
    lines += matrix_table(matrix)
    for difference in matrix["differences"]:
        lines += ["", "```text", *_difference_lines(difference), "```"]
    for kind, what in (("failures", "failed"), ("absent", "not compared")):
        lines += [f"- {escaped(entry['name'])} {what}: {escaped(entry['reason'])}" for entry in matrix[kind]]
    return "\n".join(lines) + "\n"


def conclusion(matrix: Matrix) -> str:
    """Return the result in one sentence."""
    count, compared = len(matrix["implementations"]), sum(pair["equal"] for pair in matrix["pairs"])
    if matrix["ok"]:
        return f"{count} implementations agree: {compared:,} comparisons of two answers"
    if not matrix["pairs"]:
        return f"Nothing was compared: {count} of the implementations could be run"
    different = sum(pair["verdict"] == "different" for pair in matrix["pairs"])
    missing = sum(pair["verdict"] == "not compared" for pair in matrix["pairs"])
    return f"Of {len(matrix['pairs'])} pairs of implementations, {different} differ and {missing} were not compared"


def _implementation(participant: Participant) -> dict[str, Any]:
    handshake = participant.handshake
    members = {name: getattr(handshake, name) for name in ("version", "language")}
    return {"name": participant.name, **members, "operations": sorted(handshake.operations)}


def _pair(result: MatrixResult, a: Participant, b: Participant) -> dict[str, Any]:
    comparison, pair = result.comparison, (a.name, b.name)
    common = sorted(common_operations(a, b))
    counts = {op: {"equal": comparison.equal[pair, op], "different": comparison.different[pair, op]} for op in common}
    return {
        "names": list(pair),
        "verdict": result.verdict(a, b),
        "equal": sum(count["equal"] for count in counts.values()),
        "different": sum(count["different"] for count in counts.values()),
        "operations": counts,
    }


def _difference(difference: Difference) -> dict[str, Any]:
    op = str(difference.request["op"])
    members = {name: value for name, value in difference.request.items() if name != "op"}
    shown = {
        "op": op,
        "found": difference.origin,
        "request": shorten(json_text(members)),
        "expected": shorten(outcome_text(op, dict(difference.expected))),
        "right": list(difference.groups[0]) if difference.right else [],
        "answers": dict(difference.answers),
    }
    if len(json.dumps(members)) > _SUBMITTED:
        return shown
    return {**shown, "vector": {"op": op, "input": members, "expected": difference.expected, "flags": ["matrix"]}}


def _difference_lines(difference: dict[str, Any]) -> list[str]:
    lines = [
        f"{difference['op']}: different answers, found in {difference['found']}",
        f"  request  {difference['request']}",
        f"  expected {difference['expected']}",
        *(
            f"  {name}{'' if name in difference['right'] else ' (wrong)'}: {answer}"
            for name, answer in difference["answers"].items()
        ),
    ]
    vector = [f"  as a test case: {json_text(difference['vector'])}"] if "vector" in difference else []
    return list(map(printable, [*lines, *vector]))


def _summary(pair: dict[str, Any]) -> str:
    if pair["verdict"] == "different":
        return f"{pair['different']:,} answers differ, {pair['equal']:,} are equal"
    without = [op for op, count in pair["operations"].items() if not count["equal"]]
    if pair["verdict"] == "not compared":
        return f"not compared: {', '.join(without) or 'no operation is declared by both'}"
    return f"{pair['equal']:,} equal answers"


def _cell(pair: dict[str, Any]) -> str:
    return {"equal": f"{pair['equal']:,}", "different": f"**{pair['different']:,} differ**"}.get(
        pair["verdict"], "not compared"
    )
