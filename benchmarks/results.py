"""Keep the results of the benchmarks: `docs/benchmarks/NAME.json`, and for some of them a page of tables.

python -m benchmarks.results      # write all pages, and the tables of the rationale, from the last results
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from benchmarks import tables
from benchmarks.calibration import tables as calibration_tables
from benchmarks.measuring import Results, Row, machine

FOLDER = Path(__file__).parents[1] / "docs/benchmarks"
RATIONALE = FOLDER.parents[1] / "spec/rationale.md"
PAGES: dict[str, Callable[[Results], str]] = {
    "bulk": tables.bulk,
    "implementations": tables.implementations,
    "calibration": calibration_tables.calibration,
    "rates": calibration_tables.rates,
}


def read(name: str) -> Results:
    """Return the last results of a benchmark, or nothing if it was never run."""
    path = FOLDER / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def write(name: str, measured: Results) -> None:
    """Write the results of a benchmark, and its page. Members of the last results that are not measured stay."""
    results = read(name) | measured
    (FOLDER / f"{name}.json").write_text(rendered(results) + "\n", encoding="utf-8")
    if name in PAGES:
        write_page(name, results)


def write_page(name: str, results: Results) -> None:
    """Write the page of the results of a benchmark, and the tables that the rationale quotes."""
    (FOLDER / f"{name}-tables.md").write_text(PAGES[name](results), encoding="utf-8")
    if name in ("calibration", "rates"):
        text = RATIONALE.read_text(encoding="utf-8")
        RATIONALE.write_text(calibration_tables.quoted(text, read), encoding="utf-8")


def record(name: str, part: str, rows: Iterable[Row], **about: object) -> None:
    """Print the rows of a part as they come, and write them into the results of a benchmark.

    Args:
        name: the benchmark.
        part: the part; the results of all other parts stay.
        rows: the rows of the part.
        about: other members of the results, such as the origin of the texts.
    """
    measured = []
    for row in rows:
        print(part, row, flush=True)
        measured.append(row)
    write(name, {"machine": machine(), **about, part: measured})


def rendered(value: Any, indent: str = "") -> str:
    """Return JSON with a line for each list of figures and for each object that holds no other."""
    inner = indent + " "
    if isinstance(value, dict) and any(isinstance(member, dict | list) for member in value.values()):
        members = (f"{inner}{json.dumps(name)}: {rendered(member, inner)}" for name, member in value.items())
        return "{\n" + ",\n".join(members) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(member, dict) for member in value):
        return "[\n" + ",\n".join(inner + rendered(member, inner) for member in value) + f"\n{indent}]"
    return json.dumps(value, ensure_ascii=False)


if __name__ == "__main__":
    for page in PAGES:
        write_page(page, read(page))
