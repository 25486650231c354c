"""Write results as tables in Markdown, and the pages of the benchmarks; the calibration has a module of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

Row = dict[str, Any]
Results = dict[str, Any]
WIDTHS = (64, 128, 256, 512)  # of the schemes, in bits


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table in Markdown, with a line end after each row, from the titles of its columns and its cells.

    Cells are not escaped.
    """
    lines = [f"| {' | '.join(head)} |", f"|{'|'.join(['---'] * len(head))}|"]
    lines += [f"| {' | '.join(str(cell) for cell in row)} |" for row in rows]
    return "\n".join(lines) + "\n"


def page(command: str, *parts: str) -> str:
    """Return the page that a command writes."""
    return "\n".join([f"<!-- Written by `python -m benchmarks.{command}`; do not edit. -->\n", *parts])


def share(value: float) -> str:
    """Return a share with two decimals, such as `.93`."""
    return f"{value:.2f}".removeprefix("0")


def listing(rows: Sequence[Row]) -> str:
    """Return a table with a line per row, and with a column for each member that a row has."""
    columns = dict.fromkeys(column for row in rows for column in row)
    head = [column.replace("_", " ").replace("mb per second", "MB/s") for column in columns]
    return table(head, ([_value(column, row.get(column)) for column in columns] for row in rows))


def _value(column: str, value: object) -> str:
    if value is None:
        return ""
    if "bytes" in column and isinstance(value, int | float):
        return f"{value / 1e6:,.1f} MB"
    if isinstance(value, int):
        return f"{value:,}"
    if not isinstance(value, float):
        return str(value)
    if "recall" in column:
        return f"{value:.3f}"
    if column.endswith("mb"):
        return f"{value:.0f}"
    if column.endswith("mb_per_second"):
        return f"{value:.1f}"
    if value >= 0.1:
        return f"{value:.2f} s"
    return f"{value * 1e3:.2f} ms" if value >= 1e-3 else f"{value * 1e6:.1f} us"


def _machine(machine: Row) -> str:
    return "{processor}, {cores} cores, Python {python}".format_map(machine)


# Bulk fingerprints.


def bulk(results: Results) -> str:
    """Return the page of `benchmarks.bulk`."""
    return page(
        "bulk",
        f"{_machine(results['machine'])}, numpy {results['machine']['numpy']}, "
        f"numba {results['numba'] or 'not installed'}. "
        f"Texts: {results['texts']}. MB are millions of bytes of UTF-8 or of memory; medians. "
        "CPU time of one thread, except for processes and long runs.\n",
        "## Sizes of documents\n",
        _sizes(results["sizes"]),
        "## One large document, in pieces\n",
        listing(results["large"]),
        "## Threads and processes: 100 MB of English in documents of 10 KB, with starting\n",
        listing(results["processes"]),
        "## Memory of long runs through the iterator\n",
        listing(results["memory"]),
    )


def _sizes(rows: Sequence[Row]) -> str:
    """Return a table with a row per text and a column per engine."""
    engines = list(dict.fromkeys(row["engine"] for row in rows))
    cells: dict[tuple[str, int], list[str]] = {}
    for row in rows:
        speeds = f"{row['first_mb_per_second']:.1f} / {row['again_mb_per_second']:.1f}"
        cells.setdefault((row["language"], row["utf8_size"]), []).append(speeds)
    head = ("language", "size", *(f"{engine}, MB/s, first / again" for engine in engines))
    return table(head, ([language, f"{size:,}", *speeds] for (language, size), speeds in cells.items()))


# The implementations in all languages.


def implementations(results: Results) -> str:
    """Return the page of `benchmarks.implementations`."""
    machine = results["machine"]
    about = (
        f"The artefacts of a release, installed as their users do. One core of {machine['processor']} with "
        f"{machine['cores']} cores, shared with other work: the load was {results['load']}, of which one is the "
        f"measurement. Texts: {results['texts']}. MB/s are millions of bytes of UTF-8 per second: medians of "
        f"{results['rounds']} rounds, in each of which all programs ran in turn. Ratios within a table are more "
        "reliable than MB/s. [The figures](implementations.json). To measure again: "
        "`python -m benchmarks.implementations`.\n"
    )
    return page(
        "implementations",
        "# Implementations: measurements\n",
        about,
        f"## English documents of 10 KB, MB/s\n\n{_schemes(results['english'])}",
        f"## Other languages, documents of 10 KB, `sd64`, MB/s\n\n{_by_file('Implementation', results['languages'])}",
        f"## Worst-case texts\n\n{_worst_texts(results['worst'], results['english'])}",
        "## Long texts of distinct tokens, `sd64`, MB/s\n",
        _by_file("Random Han characters", results["long"], lambda size: f"{int(size) >> 10:,} KiB"),
    )


def _schemes(results: Results) -> str:
    """Return a row per program, with each scheme and the ratio to the first program."""
    speeds = {name: files["English"] for name, files in results.items()}
    first, best = next(iter(speeds.items()))
    rows = [
        [name, *(f"{rates[scheme]:.1f}" for scheme in best), f"{rates['sd64'] / best['sd64']:.2f}"]
        for name, rates in speeds.items()
    ]
    return table(["Implementation", *(f"`{scheme}`" for scheme in best), f"`sd64`, ratio to {first}"], rows)


def _by_file(first: str, results: Results, title: Callable[[str], str] = str) -> str:
    names = list(next(iter(results.values())))
    rows = [[program, *(f"{files[name]['sd64']:.1f}" for name in names)] for program, files in results.items()]
    return table([first, *map(title, names)], rows)


def _worst_texts(results: Results, english: Results) -> str:
    """Return a row per program: the slowest text, and how the time grows with the length."""
    small, large = results["sizes"]
    rows = []
    for name, files in results["speeds"].items():
        speeds = {number: files[f"{number}-{large}"]["sd64"] for number in results["names"]}
        growth = {
            number: large / speeds[number] / (small / files[f"{number}-{small}"]["sd64"]) for number in results["names"]
        }
        slowest = min(speeds, key=lambda number: speeds[number])
        steepest = max(growth, key=lambda number: growth[number])
        rows.append(
            [
                name,
                f"{results['names'][slowest]}: {speeds[slowest]:.1f}",
                f"{english[name]['English']['sd64'] / speeds[slowest]:.0f}",
                f"{sorted(growth.values())[len(growth) // 2]:.1f}",
                f"{growth[steepest]:.1f} ({results['names'][steepest]})",
            ]
        )
    head = [
        "Implementation",
        "slowest text of 256 KiB, MB/s",
        "English is faster, times",
        "time of 256 KiB / 64 KiB, median",
        "and greatest",
    ]
    times = large // small
    return (
        f"The {len(results['names'])} texts of `benchmarks/worst_texts.py`, each as one document; the best of the "
        f"rounds. Time is linear if {times} times the text takes about {times} times as long.\n\n{table(head, rows)}"
    )


# Extraction.


def extraction(results: Results) -> str:
    """Return the page of `benchmarks.extraction`."""
    introduction = (
        f"{_machine(results['machine'])}. Recall is the share of pairs "
        "within 3 (close) or 6 (loose) of 64 bits. A star marks a document with its original in the corpus; without "
        "an original, every column uses the text file.\n"
    )
    ways = {"stored": "stored text", "dumped": "plain dump", "extracted": "extracted"}
    columns = [(way, radius) for way in ways for radius in ("close", "loose")]
    totals = _shares(
        ["pairs", "number", *(f"{ways[way]}, {radius}" for way, radius in columns)],
        [
            [name, rows["extracted"]["pairs"], *(rows[way][radius] for way, radius in columns)]
            for name, rows in results["recall"].items()
        ],
    )
    return page(
        "extraction",
        introduction,
        "## Recall\n",
        totals,
        "## Real pairs by the number of originals, loose\n",
        _shares(
            ["originals", "pairs", *ways.values(), "over 8 bits"],
            [
                [row["originals"], row["pairs"], *(row[way] for way in ways), row["missed"]]
                for row in results["by_originals"]
            ],
        ),
    )


def _shares(head: list[str], rows: list[list[Any]]) -> str:
    """Return a table with shares such as .755."""

    def shown(value: Any) -> str:
        if isinstance(value, float):
            return f"{value:.3f}".removeprefix("0") if value < 1 else f"{value:.2f}"
        return "-" if value is None else str(value).replace("|", "\\|")

    return table(head, ([shown(value) for value in row] for row in rows))
