"""Writes the results of the extraction benchmark as Markdown tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.markdown import table

_WAYS = {"stored": "stored text", "dumped": "plain dump", "extracted": "extracted"}


def write(results: dict[str, Any], folder: Path) -> None:
    """Write `extraction-tables.md` and `extraction-web-pages.svg`."""
    parts = ["<!-- Written by `python -m benchmarks.extraction`; do not edit. -->\n", _introduction(results["machine"])]
    parts += ["## Recall\n", _totals(results["recall"])]
    parts += ["## Real pairs by the number of originals, loose\n", _recalls("originals", results["by_originals"])]
    parts += ["## Real pairs by formats, loose\n", _recalls("formats", results["by_formats"])]
    parts += ["## Misses\n", _MISSES, _misses(results["misses"])]
    parts += ["## Libraries for web pages\n", _PAGES, _pages(results["web_pages"])]
    parts += _labelled(results["labelled_pages"])
    draw(results["labelled_pages"]["confirming"], folder / "extraction-web-pages.svg")
    parts += ["## Libraries for PDF\n", _pdfs(results["pdfs"])]
    parts += ["## Detectors of encodings\n", _ENCODINGS, _encodings(results["encodings"])]
    (folder / "extraction-tables.md").write_text("\n".join(parts), encoding="utf-8")


def _introduction(machine: dict[str, Any]) -> str:
    return (
        f"{machine['processor']}, {machine['cores']} cores, Python {machine['python']}. Recall is the share of pairs "
        "within 3 (close) or 6 (loose) of 64 bits. A star marks a document with its original in the corpus; without "
        "an original, every column uses the text file.\n"
    )


_MISSES = """Every real pair over 6 bits. Shares are of tokens, capped at 8, that occur in one text only.
"""
_PAGES = """The same pages, extracted by each library; the other document of each pair is as this project extracts it.
"Redesigned" is the distance between the eight designs of a page around each of the three articles of the tests.
"""
_LABELLED = """Web pages with the text that a person took from each: the sample of WCXB (Murrough Foley, 2026,
CC BY 4.0) that the corpus of this project holds. All decisions, and the training of the classifier, used the choosing
half; the confirming half was only measured. F1, precision and recall are of words, each as often as it occurs. The
shares are of pages whose fingerprint is near that of the label. Numbers of pages are in parentheses.
"""
_ENCODINGS = """Texts encoded in old encodings of their languages, complete and cut to 1,500 characters, read
without a declaration: the share with a fingerprint within 3 bits of the fingerprint of the original.
"""


def _totals(recall: dict[str, Any]) -> str:
    columns = [(way, radius) for way in _WAYS for radius in ("close", "loose")]
    return _table(
        ["pairs", "number", *(f"{_WAYS[way]}, {radius}" for way, radius in columns)],
        [
            [name, rows["extracted"]["pairs"], *(rows[way][radius] for way, radius in columns)]
            for name, rows in recall.items()
        ],
    )


def _recalls(first: str, rows: list[dict[str, Any]]) -> str:
    return _table(
        [first, "pairs", *_WAYS.values(), "over 8 bits"],
        [[row[first], row["pairs"], *(row[way] for way in _WAYS), row["missed"]] for row in rows],
    )


def _misses(rows: list[dict[str, Any]]) -> str:
    return _table(
        ["distance", "pair", "formats", "language", "cause", "only in one"],
        [
            [
                row["distance"],
                f"{row['a']}, {row['b']}",
                row["formats"],
                row["lang"],
                row["cause"],
                f"{row['only_a']:.2f} / {row['only_b']:.2f}",
            ]
            for row in rows
        ],
    )


def _pages(rows: list[dict[str, Any]]) -> str:
    shown = ("real_close", "real_loose", "synthetic_close", "synthetic_loose", "redesigned_mean", "redesigned_worst")
    return _library_table(rows, shown)


def _labelled(halves: dict[str, list[dict[str, Any]]]) -> list[str]:
    parts = ["## Labelled web pages\n", _LABELLED]
    for half, rows in halves.items():
        for name, column in (("Word F1", "f1"), ("Share within 6 bits", "loose"), ("Share within 3 bits", "close")):
            parts += [f"### {name}, {half} half\n", _by_type(rows, column)]
        parts += [f"### Precision and recall of words over all types, {half} half\n", _precision(rows)]
    return parts


def _by_type(rows: list[dict[str, Any]], column: str) -> str:
    types = rows[0]["types"]
    return _table(
        ["library", *(f"{kind} ({types[kind]['pages']})" for kind in types)],
        [[row["library"], *(row["types"][kind][column] for kind in types)] for row in rows],
    )


def _precision(rows: list[dict[str, Any]]) -> str:
    columns = ("precision", "recall")
    return _table(
        ["library", *columns, "ms per page, median"],
        [[row["library"], *(row["types"]["all"][column] for column in columns), row["median_ms"]] for row in rows],
    )


def draw(rows: list[dict[str, Any]], path: Path) -> None:
    """Draw for each library the share of pages within 6 bits, by type of page."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams.update({"svg.hashsalt": "web-pages", "svg.fonttype": "none", "font.size": 9})
    from matplotlib import pyplot

    shown = [row for row in rows if row["library"] != "the complete page"]
    types = list(shown[0]["types"])
    figure, axis = pyplot.subplots(figsize=(9, 4.5))
    width = 0.8 / len(shown)
    for number, row in enumerate(shown):
        places = [place + (number - len(shown) / 2) * width for place in range(len(types))]
        axis.bar(places, [row["types"][kind]["loose"] for kind in types], width, label=row["library"])
    axis.set_xticks(range(len(types)), types)
    axis.set_ylabel("share of pages within 6 of 64 bits")
    axis.legend(fontsize=7, ncols=2)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def _pdfs(rows: list[dict[str, Any]]) -> str:
    return _library_table(rows, ("real_pairs", "real_loose", "synthetic_pairs", "synthetic_close", "synthetic_loose"))


def _encodings(rows: list[dict[str, Any]]) -> str:
    return _table(list(rows[0]), [list(row.values()) for row in rows])


def _library_table(rows: list[dict[str, Any]], shown: tuple[str, ...]) -> str:
    return _table(
        ["library", *(name.replace("_", ", ") for name in shown), "ms per document"],
        [
            [row["library"], *(row[name] for name in shown), round(1000 * row["seconds_per_document"], 1)]
            for row in rows
        ],
    )


def _table(head: list[str], rows: list[list[Any]]) -> str:
    return table(head, ([_cell(value) for value in row] for row in rows))


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.3f}".removeprefix("0") if value < 1 else f"{value:.2f}"
    return "-" if value is None else str(value).replace("|", "\\|")
