"""The figures of bulk fingerprints as Markdown tables and plots."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.measuring import version

Row = dict[str, Any]


def write_report(results: dict[str, Any], folder: Path) -> None:
    """Write `bulk-tables.md` and, if matplotlib is installed, `bulk-languages.svg` and `bulk-sizes.svg`."""
    machine = results["machine"]
    head = (
        f"{machine['processor']}, {machine['cores']} cores, Python {machine['python']}, numpy {machine['numpy']}, "
        f"numba {results['numba'] or 'not installed'}. "
        f"Texts: {results['texts']}. MB/s are millions of bytes of UTF-8 per second; medians. "
        "CPU time of one thread, except for processes and long runs.\n"
    )
    parts = ["<!-- Written by `python -m benchmarks.bulk`; do not edit. -->\n", head]
    for name, (title, table) in TABLES.items():
        if results.get(name):
            plot = f"![{PLOTS[name]}](bulk-{name}.svg)\n\n" if name in PLOTS and version("matplotlib") else ""
            parts.append(f"## {title}\n\n{plot}{table(results[name])}")
    (folder / "bulk-tables.md").write_text("\n".join(parts), encoding="utf-8")
    if version("matplotlib"):
        _plots(results, folder)


def _markdown(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def _engines(rows: list[Row]) -> list[str]:
    return list(dict.fromkeys(row["engine"] for row in rows))


def _per(name: str, rows: list[Row]) -> str:
    """Return a table with a row per value of a column, and MB/s of each engine, new and again."""
    engines = _engines(rows)
    header = [name, *(f"{engine}, {when}" for engine in engines for when in ("new documents", "again"))]
    lines = []
    for value in dict.fromkeys(row[name] for row in rows):
        made = {row["engine"]: row for row in rows if row[name] == value}
        lines.append([str(value), *(f"{made[engine][when]:.1f}" for engine in engines for when in ("first", "again"))])
    return _markdown(header, lines)


def _sizes(rows: list[Row]) -> str:
    return "\n".join(
        f"{language}:\n\n{_per('size', [row for row in rows if row['language'] == language])}"
        for language in dict.fromkeys(row["language"] for row in rows)
    )


def _peers(rows: list[Row]) -> str:
    languages = list(dict.fromkeys(row["language"] for row in rows))
    lines = []
    for library in dict.fromkeys(row["library"] for row in rows):
        made = {row["language"]: row for row in rows if row["library"] == library}
        lines.append([library, *(_rate_or_reason(made.get(language, {})) for language in languages)])
    return _markdown(["library", *languages], lines)


def _rate_or_reason(row: Row) -> str:
    return f"left out: {row['skipped']}" if "skipped" in row else f"{row['rate']:.1f}" if row else ""


def _stages(rows: list[Row]) -> str:
    """Return a column per language: the stages, their sum, the tokens, and what cannot be left out."""
    languages = list(dict.fromkeys(row["language"] for row in rows))
    of = {(row["language"], row["stage"]): row for row in rows}
    stages = list(dict.fromkeys(row["stage"] for row in rows))
    own = [stage for stage in stages if "tokens_per_kb" in of[languages[0], stage]]
    lines = [[stage, *(f"{of[name, stage]['nanoseconds']:.2f}" for name in languages)] for stage in stages]
    totals = [sum(of[name, stage]["nanoseconds"] for stage in own) for name in languages]
    lines.insert(len(own), ["all stages", *(f"{total:.2f} ({1000 / total:.0f} MB/s)" for total in totals)])
    tokens = [f"{of[name, own[-1]]['tokens_per_kb']:.0f}" for name in languages]
    lines.insert(len(own) + 1, ["tokens in 1,000 bytes", *tokens])
    return _markdown(["stage", *languages], lines)


def _processes(rows: list[Row]) -> str:
    lines = []
    for engine in _engines(rows):
        for source in dict.fromkeys(row["input"] for row in rows):
            one, two = (
                next(
                    row["rate"]
                    for row in rows
                    if (row["engine"], row["input"], row["processes"]) == (engine, source, n)
                )
                for n in (1, 2)
            )
            lines.append([engine, INPUTS[source], f"{one:.1f}", f"{two:.1f}", f"{two / one:.2f}"])
    return _markdown(["engine", "input", "one worker", "two workers", "ratio"], lines)


def _starting(rows: list[Row]) -> str:
    return _markdown(["start", "seconds"], [[row["start"], f"{row['seconds']:.2f}"] for row in rows])


def _memory(rows: list[Row]) -> str:
    header = ["engine", "workers", "documents", "GB", "seconds", "peak, shared pages once", "peak, added up"]
    return _markdown(
        header,
        [
            [
                row["engine"], str(row["processes"]), f"{row['documents']:,}", f"{row['bytes'] / 1e9:.1f}",
                f"{row['seconds']:.0f}", f"{row['peak_pss']:.0f} MB", f"{row['peak_rss']:.0f} MB",
            ]
            for row in rows
        ],
    )  # fmt: skip


def _worst(rows: list[Row]) -> str:
    """Return the texts with the greatest ratios of each engine."""
    lines = []
    for engine in _engines(rows):
        chosen = [row for row in rows if row["engine"] == engine]
        shown = [*chosen[:_WORST_SHOWN], next(row for row in chosen if row["text"] == "ordinary text")]
        lines += [[engine, row["text"], f"{row['rate']:.1f}", f"{row['ratio']:.1f}"] for row in shown]
    return _markdown(["engine", "text", "MB/s", "time per byte, times that of ordinary text"], lines)


def _large(rows: list[Row]) -> str:
    english = {row["engine"]: row["rate"] for row in rows if row["document"] == "English"}
    header = ["engine", "document", "MB", "MB/s", "time per byte, times that of English", "memory before", "peak"]
    return _markdown(
        header,
        [
            [
                row["engine"], row["document"], f"{row['mb']:.0f}", f"{row['rate']:.1f}",
                f"{english[row['engine']] / row['rate']:.1f}", f"{row['before_mb']:.0f} MB", f"{row['peak_mb']:.0f} MB",
            ]
            for row in rows
        ],
    )  # fmt: skip


_WORST_SHOWN = 8
PLOTS = {"languages": "MB/s of each engine in nine languages", "sizes": "MB/s against the size of the documents"}
INPUTS = {
    "list": "list of str",
    "column": "Arrow column",
    "parquet": "Parquet file, command line",
    "jsonl": "JSON-lines file, command line",
}
TABLES: dict[str, tuple[str, Callable[[list[Row]], str]]] = {
    "languages": ("Languages: documents of 10 KB, MB/s", lambda rows: _per("language", rows)),
    "sizes": ("Sizes of documents, MB/s", _sizes),
    "widths": ("Widths: English documents of 10 KB, MB/s", lambda rows: _per("scheme", rows)),
    "stages": ("Stages of the engine numba, nanoseconds per byte", _stages),
    "peers": ("Other libraries: documents of 10 KB, one thread, MB/s", _peers),
    "worst": ("Worst-case texts: the slowest of them, CPU time, 1 MB each", _worst),
    "large": ("One large document, in pieces", _large),
    "processes": ("Threads and processes: 100 MB of English in documents of 10 KB, with starting, MB/s", _processes),
    "starting": ("Starting, in CPU seconds over `python -c pass`", _starting),
    "memory": ("Memory of long runs through the iterator", _memory),
}


def _plots(results: dict[str, Any], folder: Path) -> None:
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "bulk"  # so that the same figures give the same file
    from matplotlib import pyplot

    if rows := results.get("languages"):
        figure, axes = pyplot.subplots(figsize=(10, 4))
        names = list(dict.fromkeys(row["language"] for row in rows))
        series = [(engine, when) for engine in _engines(rows) for when in ("first", "again")]
        for number, (engine, when) in enumerate(series):
            heights = [row[when] for row in rows if row["engine"] == engine]
            places = [at + (number - (len(series) - 1) / 2) * 0.8 / len(series) for at in range(len(names))]
            label = f"{engine}, {'new documents' if when == 'first' else 'the same documents again'}"
            axes.bar(places, heights, 0.8 / len(series), label=label)
        axes.set_xticks(range(len(names)), names)
        axes.set(ylabel="MB/s")
        _finish(figure, axes, folder / "bulk-languages.svg")
    if rows := results.get("sizes"):
        figure, axes = pyplot.subplots(figsize=(10, 4))
        for language in dict.fromkeys(row["language"] for row in rows):
            for engine in _engines(rows):
                chosen = [row for row in rows if (row["language"], row["engine"]) == (language, engine)]
                sizes = [row["bytes"] for row in chosen]
                axes.plot(sizes, [row["first"] for row in chosen], marker="o", label=f"{language}, {engine}")
        axes.set(xscale="log", xlabel="bytes of a document", ylabel="MB/s, new documents", ylim=(0, None))
        _finish(figure, axes, folder / "bulk-sizes.svg")


def _finish(figure: Any, axes: Any, path: Path) -> None:
    axes.grid(visible=True, alpha=0.3)
    axes.legend(fontsize="small", ncols=4, loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
