"""Write results as tables in Markdown, and the pages of the benchmarks; the calibration has a module of its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from benchmarks.measuring import Results, Row

RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def table(rows: Iterable[Mapping[str, object]]) -> str:
    """Return a table in Markdown, with a line end after each row, from rows of cells by the titles of their columns.

    Cells are not escaped.
    """
    listed = list(rows)
    head = list(listed[0])
    lines = [f"| {' | '.join(head)} |", f"|{'|'.join(['---'] * len(head))}|"]
    lines += [f"| {' | '.join(str(row[title]) for title in head)} |" for row in listed]
    return "\n".join(lines) + "\n"


def listing(rows: Iterable[Row], columns: Mapping[str, str]) -> str:
    """Return a table of rows of results, with a format of the cell for the title of each column."""
    return table({title: cell.format_map(row) for title, cell in columns.items()} for row in rows)


def page(command: str, *parts: str) -> str:
    """Return the page that a command writes."""
    return "\n".join([f"<!-- Written by `python -m benchmarks.{command}`; do not edit. -->\n", *parts])


def share(value: float, decimals: int = 2) -> str:
    """Return a share such as `0.93`."""
    return f"{value:.{decimals}f}"


def power(value: float) -> str:
    """Return a number such as `1.2·10⁻⁹`."""
    digits, _, exponent = f"{value:.1e}".partition("e")
    return f"{digits}·{ten_to(int(exponent))}"


def ten_to(exponent: int) -> str:
    return f"10{str(exponent).translate(RAISED)}"


def bulk(results: Results) -> str:
    """Return the page of `benchmarks.bulk`."""
    machine = results["machine"]
    sizes = {"Engine": "{engine}", "Bytes": "{utf8_size:,}", "MB/s": "{first_mb_per_second:.1f}"}
    workers = {"Engine": "{engine}", "Workers": "{processes}", "Input": "{input}", "MB/s": "{mb_per_second:.1f}"}
    memory = {
        "Engine": "{engine}",
        "Workers": "{processes}",
        "Bytes": "{bytes:,}",
        "Documents": "{documents:,}",
        "Seconds": "{seconds:.0f}",
        "Peak memory, MB": "{rss_peak_mb:.0f}",
    }
    return page(
        "bulk",
        f"{machine['processor']}, {machine['cores']} cores, Python {machine['python']}, numpy {machine['numpy']}, "
        f"{', '.join(f'{name} {release}' for name, release in results['versions'].items())}. "
        "Texts: a corpus of real documents. MB are millions of bytes of UTF-8 or of memory. "
        "Times are CPU time of one thread, except for workers and long runs.\n",
        "## Sizes of documents\n",
        listing(results["sizes"], sizes),
        "## Threads and processes: 100 MB of English in 10 KB documents, including start-up\n",
        listing(results["processes"], workers),
        "## Memory of long runs through the iterator\n",
        listing(results["memory"], memory),
        "## Other packages: documents of 10 KB one by one, one thread, MB/s\n",
        table(
            {"Language": row["language"]} | {name: f"{rate:.1f}" for name, rate in row["mb_per_second"].items()}
            for row in results["peers"]
        ),
        "## Tokens that simhash-doc and gaoya hash in the same documents\n",
        table(
            {"Language": row["language"]} | {name: f"{number:,}" for name, number in row["tokens"].items()}
            for row in results["peers"]
        ),
    )


def implementations(results: Results) -> str:
    """Return the page of `benchmarks.implementations`."""
    machine = results["machine"]
    about = (
        f"We installed the artefacts of a release, and used one core of a {machine['cores']}-core "
        f"{machine['processor']}. Other programs ran at the same time; during this measurement, the load was "
        f"{results['load']}. The texts are a corpus of real documents. 1 MB/s is a million bytes of UTF-8 per second. "
        f"The figures are medians of {results['rounds']} rounds; in each round, all programs ran in turn. Ratios "
        "within a table are more reliable than MB/s. [All figures](implementations.json) are from "
        "`python -m benchmarks.implementations`.\n"
    )
    english = {program: files["English"] for program, files in results["english"].items()}
    first, best = next(iter(english.items()))
    schemes = (
        {"Implementation": program}
        | {f"`{scheme}`": f"{rate:.1f}" for scheme, rate in rates.items()}
        | {f"`sd64`, ratio to {first}": f"{rates['sd64'] / best['sd64']:.2f}"}
        for program, rates in english.items()
    )
    languages = (
        {"Implementation": program} | {language: f"{rates['sd64']:.1f}" for language, rates in files.items()}
        for program, files in results["languages"].items()
    )
    long = (
        {"Random Han characters": program}
        | {f"{int(size) >> 10:,} KiB": f"{rates['sd64']:.1f}" for size, rates in files.items()}
        for program, files in results["long"].items()
    )
    worst = []
    for program, files in results["worst"].items():
        slowest = min(files, key=lambda name: files[name]["sd64"])
        rate = files[slowest]["sd64"]
        times = f"{english[program]['sd64'] / rate:.0f} times"
        row = {"Implementation": program, "Slowest text, MB/s": f"{slowest}: {rate:.1f}"}
        worst.append(row | {"English is faster by": times})
    return page(
        "implementations",
        "# Implementations: measurements\n",
        about,
        f"## English documents of 10 KB, MB/s\n\n{table(schemes)}",
        f"## Other languages, documents of 10 KB, `sd64`, MB/s\n\n{table(languages)}",
        f"## Worst-case texts\n\nWe measured the {len(files)} texts of `benchmarks/worst_texts.py`, each as a document "
        f"of 256 KiB, and show the best round.\n\n{table(worst)}",
        f"## Long texts of distinct tokens, `sd64`, MB/s\n\n{table(long)}",
    )
