"""Write results as Markdown tables: each page `docs/benchmarks/NAME-tables.md` from `NAME.json`.

    python -m benchmarks.tables                # all pages
    python -m benchmarks.tables bulk lookup    # some

`benchmarks.calibration.tables` has those of the calibration, which the rationale quotes, too.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from benchmarks import plots
from benchmarks.plots import FOLDER

Row = dict[str, Any]
Results = dict[str, Any]
Cell = str | Callable[[Row], str]
"""What a row shows in a column: a format of its members, such as "{seconds:.1f} s", or a function."""


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table in Markdown, with a line end after each row, from the titles of its columns and its cells.

    Cells are not escaped.
    """
    lines = [f"| {' | '.join(head)} |", f"|{'|'.join(['---'] * len(head))}|"]
    lines += [f"| {' | '.join(str(cell) for cell in row)} |" for row in rows]
    return "\n".join(lines) + "\n"


def listing(rows: Iterable[Row], columns: dict[str, Cell]) -> str:
    """Return a table with a line per row."""

    def shown(row: Row, cell: Cell) -> str:
        return cell(row) if callable(cell) else cell.format_map(row)

    return table(list(columns), ([shown(row, cell) for cell in columns.values()] for row in rows))


def distinct(rows: Iterable[Row], name: str) -> list[Any]:
    """Return the values of a member, each once, in order."""
    return list(dict.fromkeys(row[name] for row in rows))


def _machine(machine: Row) -> str:
    return "{processor}, {cores} cores, Python {python}".format_map(machine)


# Bulk fingerprints.


def bulk(results: Results) -> str:
    """Return the page of `benchmarks.bulk`."""
    return "\n".join(
        [
            (
                f"{_machine(results['machine'])}, numpy {results['machine']['numpy']}, "
                f"numba {results['numba'] or 'not installed'}. "
                f"Texts: {results['texts']}. MB/s are millions of bytes of UTF-8 per second; medians. "
                "CPU time of one thread, except for processes and long runs.\n"
            ),
            "## Sizes of documents, MB/s\n",
            "![MB/s against the size of the documents](bulk-sizes.svg)\n",
            _sizes(results["sizes"]),
            "## One large document, in pieces\n",
            _large(results["large"]),
            "## Threads and processes: 100 MB of English in documents of 10 KB, with starting, MB/s\n",
            _processes(results["processes"]),
            "## Memory of long runs through the iterator\n",
            _memory(results["memory"]),
        ]
    )


def _sizes(rows: list[Row]) -> str:
    """Return a table for each language with MB/s of each engine, for new documents and for the same again."""
    parts = []
    engines = distinct(rows, "engine")
    for language in distinct(rows, "language"):
        of = {(row["size"], row["engine"]): row for row in rows if row["language"] == language}
        lines = [
            [size, *(f"{of[size, engine][when]:.1f}" for engine in engines for when in ("first", "again"))]
            for size in distinct(rows, "size")
        ]
        titles = [f"{engine}, {title}" for engine in engines for title in ("new documents", "again")]
        parts.append(f"{language}:\n\n{table(['size', *titles], lines)}")
    return "\n".join(parts)


def _processes(rows: list[Row]) -> str:
    lines = []
    for engine in distinct(rows, "engine"):
        for source, title in (("list", "list of str"), ("column", "Arrow column")):
            of = {row["processes"]: row["rate"] for row in rows if (row["engine"], row["input"]) == (engine, source)}
            lines.append([engine, title, f"{of[1]:.1f}", f"{of[2]:.1f}", f"{of[2] / of[1]:.2f}"])
    return table(["engine", "input", "one worker", "two workers", "ratio"], lines)


def _large(rows: list[Row]) -> str:
    english = {row["engine"]: row["rate"] for row in rows if row["document"] == "English"}
    columns: dict[str, Cell] = {
        "engine": "{engine}",
        "document": "{document}",
        "MB": "{mb:.0f}",
        "MB/s": "{rate:.1f}",
        "time per byte, times that of English": lambda row: f"{english[row['engine']] / row['rate']:.1f}",
        "memory before": "{before_mb:.0f} MB",
        "peak": "{peak_mb:.0f} MB",
    }
    return listing(rows, columns)


def _memory(rows: list[Row]) -> str:
    columns: dict[str, Cell] = {
        "engine": "{engine}",
        "workers": "{processes}",
        "documents": "{documents:,}",
        "GB": lambda row: f"{row['bytes'] / 1e9:.1f}",
        "seconds": "{seconds:.0f}",
        "peak, shared pages once": "{peak_pss:.0f} MB",
        "peak, added up": "{peak_rss:.0f} MB",
    }
    return listing(rows, columns)


# The implementations in all languages.


def implementations(results: Results) -> str:
    """Return the page of `benchmarks.implementations`."""
    machine = results["machine"]
    about = (
        f"One core of {machine['processor']} with {machine['cores']} cores, shared with other work. "
        f"Texts: {results['texts']}. MB/s are millions of bytes of UTF-8 per second: medians of {results['rounds']} "
        "rounds, in each of which all programs ran in turn. Ratios within a table are more reliable than MB/s. "
        "[The figures](implementations.json). To measure again: `python -m benchmarks.implementations`.\n"
    )
    return "\n".join(
        [
            "# Implementations: measurements\n",
            about,
            f"## English documents of 10 KB, MB/s\n\n{_schemes(results['english'])}",
            (
                f"## Other languages, documents of 10 KB, `sd64`, MB/s\n\n"
                f"{_by_file('Implementation', results['languages'])}"
            ),
            f"## Worst-case texts\n\n{_worst_texts(results['worst'], results['english'])}",
            (
                f"## Long texts of distinct tokens, `sd64`, MB/s\n\n"
                f"{_by_file('Random Han characters', results['long'], lambda size: f'{int(size) >> 10:,} KiB')}"
            ),
        ]
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
    """Return a row per program: the slowest texts, and how the time grows with the length."""
    small, large = results["sizes"]
    rows = []
    for name, files in results["speeds"].items():
        speeds = {number: files[f"{number}-{large}"]["sd64"] for number in results["names"]}
        growth = {
            number: large / speeds[number] / (small / files[f"{number}-{small}"]["sd64"]) for number in results["names"]
        }
        slowest = sorted(speeds, key=lambda number: speeds[number])[:3]
        steepest = max(growth, key=lambda number: growth[number])
        rows.append(
            [
                name,
                "; ".join(f"{results['names'][number]}: {speeds[number]:.1f}" for number in slowest),
                f"{english[name]['English']['sd64'] / speeds[slowest[0]]:.0f}",
                f"{sorted(growth.values())[len(growth) // 2]:.1f}",
                f"{growth[steepest]:.1f} ({results['names'][steepest]})",
            ]
        )
    head = [
        "Implementation",
        "slowest texts of 256 KiB, MB/s",
        "English is faster, times",
        "time of 256 KiB / 64 KiB, median",
        "and greatest",
    ]
    times = large // small
    return (
        f"The {len(results['names'])} texts of `benchmarks/worst_texts.py`, each as one document; the best of the "
        f"rounds. Time is linear if {times} times the text takes about {times} times as long.\n\n{table(head, rows)}"
    )


# Near-duplicate search.


def lookup(results: Results) -> str:
    """Return the page of `benchmarks.lookup`: the columns are the members of the rows."""
    titles = {
        "million": "One million fingerprints, distance 3",
        "growth": "Growth, 5 blocks, distance 3",
        "disk": "Growth on disk, distance 3, both cores",
        "segments": "An index in a directory of segments, 5 blocks, distance 3",
        "issl": "Indexed signature slice lists",
        "probing": "Beyond distance 3: probing the least certain bits",
        "wide": "All pairs of 256 bits, measured once; simhash-doc and hammingbird on two cores",
        "lanes": "Pairs of 256 bits that 64 of them find within k bits",
    }
    parts = []
    for name, title in titles.items():
        if name in results:
            machine = results["machines"][name]
            parts += [
                f"## {title}\n",
                (
                    f"{machine['processor']}, {machine['cores']} cores, "
                    f"AVX-512 {'yes' if machine['avx512'] else 'no'}, Python {machine['python']}, "
                    f"numpy {machine['numpy']}. Medians; one thread unless said otherwise.\n"
                ),
            ]
            rows = sorted(results[name], key=lambda row: row["task"]) if name == "million" else results[name]
            columns = dict.fromkeys(column for row in rows for column in row)
            head = [column.replace("_", " ") for column in columns]
            parts.append(table(head, ([_value(column, row.get(column)) for column in columns] for row in rows)))
    return "\n".join(parts)


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
    if value >= 0.1:
        return f"{value:.2f} s"
    return f"{value * 1e3:.2f} ms" if value >= 1e-3 else f"{value * 1e6:.1f} us"


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

    misses: dict[str, Cell] = {
        "distance": "{distance}",
        "pair": "{a}, {b}",
        "formats": "{formats}",
        "language": "{lang}",
    }
    of_pages = ("real_close", "real_loose", "synthetic_close", "synthetic_loose", "redesigned_mean", "redesigned_worst")
    return "\n".join(
        [
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
            "## Misses\n",
            "Every real pair over 6 bits.\n",
            listing(results["misses"], misses),
            "## Libraries for web pages\n",
            _PAGES,
            _libraries(results["web_pages"], of_pages),
            "## Labelled web pages\n",
            _LABELLED,
            *_labelled(results["labelled_pages"]),
        ]
    )


_PAGES = """The same pages, extracted by each library; the other document of each pair is as this project extracts it.
"Redesigned" is the distance between the eight designs of a page around each of the three articles of the tests.
"""
_LABELLED = """Web pages with the text that a person took from each: the sample of WCXB (Murrough Foley, 2026,
CC BY 4.0) that the corpus of this project holds. All decisions, and the training of the classifier, used the choosing
half; the confirming half was only measured. F1, precision and recall are of words, each as often as it occurs. The
shares are of pages whose fingerprint is near that of the label. Numbers of pages are in parentheses.
"""


def _labelled(halves: dict[str, list[Row]]) -> Iterable[str]:
    for half, rows in halves.items():
        types = rows[0]["types"]
        head = ["library", *(f"{kind} ({types[kind]['pages']})" for kind in types)]
        for name, column in (("Word F1", "f1"), ("Share within 6 bits", "loose"), ("Share within 3 bits", "close")):
            yield f"### {name}, {half} half\n"
            yield _shares(head, [[row["library"], *(row["types"][kind][column] for kind in types)] for row in rows])
        yield f"### Precision and recall of words over all types, {half} half\n"
        columns = ("precision", "recall")
        yield _shares(
            ["library", *columns, "ms per page, median"],
            [[row["library"], *(row["types"]["all"][column] for column in columns), row["median_ms"]] for row in rows],
        )


def _libraries(rows: list[Row], shown: tuple[str, ...]) -> str:
    return _shares(
        ["library", *(name.replace("_", ", ") for name in shown), "ms per document"],
        [
            [row["library"], *(row[name] for name in shown), round(1000 * row["seconds_per_document"], 1)]
            for row in rows
        ],
    )


def _shares(head: list[str], rows: list[list[Any]]) -> str:
    """Return a table with shares such as .755."""

    def shown(value: Any) -> str:
        if isinstance(value, float):
            return f"{value:.3f}".removeprefix("0") if value < 1 else f"{value:.2f}"
        return "-" if value is None else str(value).replace("|", "\\|")

    return table(head, ([shown(value) for value in row] for row in rows))


PAGES: dict[str, Callable[[Results], str]] = {
    make.__name__: make for make in (bulk, implementations, lookup, extraction)
}


def page(name: str, results: Results) -> str:
    """Return the page of a benchmark."""
    return f"<!-- Written by `python -m benchmarks.{name}`; do not edit. -->\n\n{PAGES[name](results)}"


def last_results(name: str) -> Results:
    """Return the results of the last measurements of a benchmark."""
    path = FOLDER / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def write(name: str, measured: Results | None = None) -> None:
    """Write the results of a benchmark, their page and plots; without results, the page of the last ones.

    Members of the last results that are not measured stay.
    """
    results = last_results(name)
    if measured is not None:
        results |= measured
        content = json.dumps(results, indent=1, ensure_ascii=name != "extraction") + "\n"
        (FOLDER / f"{name}.json").write_text(content, encoding="utf-8")
        plots.draw(name, results, FOLDER)
    (FOLDER / f"{name}-tables.md").write_text(page(name, results), encoding="utf-8")


if __name__ == "__main__":
    for chosen in sys.argv[1:] or PAGES:
        write(chosen)
