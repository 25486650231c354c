"""Put the pictures of the documentation into its pages, where `<!-- picture: NAME -->` stands.

    python docs/_hooks/pictures.py      # write the pictures of the README

The figures are the committed results in `docs/benchmarks`, and the examples of the specification. Each picture has a
title, a description, and below it the table of its figures. A figure that is missing ends the build.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from itertools import accumulate
from pathlib import Path
from typing import Any

import charts
import drawings
from charts import NARROW, WIDE, Axis, Bars, Canvas, Dots, Lines, Series
from click.testing import CliRunner
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

from simhash_doc import fingerprint
from simhash_doc.cli import cli
from simhash_doc.schemes import get_schemes

ROOT = Path(__file__).parents[2]
OF_THE_README = ("texts", "clusters", "recall", "expected-hits")
"""The pictures that are also files in `docs/assets/charts`."""

RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_MARK = re.compile(r"<!-- picture: ([a-z-]+) -->")


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture, and the table of its figures.

    Attributes:
        title: what it shows.
        description: its main figures, for those who do not see it.
        parts: the drawings, each for a width in pixels.
        head: the heads of the columns of the table.
        rows: the rows of the table.
        source: the path in `docs` of the results, if it shows any.
    """

    title: str
    description: str
    parts: Sequence[Callable[[float], Canvas]]
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    source: str = ""


@cache
def results(name: str) -> Any:
    return json.loads((ROOT / f"docs/benchmarks/{name}.json").read_text(encoding="utf-8"))


def percent(value: float) -> str:
    return f"{100 * value:.0f} %" if value >= 0.1 or value == 0 else f"{100 * value:.1f} %"


def power(value: float) -> str:
    """Return a positive number with two digits: plain from 0.001 to 999,999, otherwise in powers of ten."""
    if 1e-3 <= value < 1e6:
        return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"
    mantissa, exponent = f"{value:.1e}".split("e")
    raised = str(int(exponent)).translate(RAISED)
    return f"10{raised}" if mantissa == "1.0" else f"{mantissa.removesuffix('.0')} · 10{raised}"


def powers(low: int, high: int, step: int = 1, *, raised: bool = False) -> dict[float, str]:
    return {
        10.0**exponent: f"10{str(exponent).translate(RAISED)}" if raised else power(10.0**exponent)
        for exponent in range(low, high + 1, step)
    }


def recall() -> Picture:
    replaced, distance = results("rates")["replaced"], get_schemes()["sd256"].close
    lengths = ("25", "50", "100", "500")
    found = {at: {row["words"] / int(at): row["sd256"][distance] for row in replaced[at].values()} for at in lengths}
    x = Axis("words replaced", 0, 0.3, {at / 100: f"{at} %" for at in range(0, 31, 5)})
    y = Axis(f"edited texts found by sd256 within {distance} bits", 0, 1, quarters())
    series = [Series((f"{at} words",), list(points.items())) for at, points in found.items()]
    said = "; ".join(
        f"{at} words: {', '.join(f'{percent(value)} with {percent(share)} replaced' for share, value in row.items())}"
        for at, row in found.items()
    )
    return Picture(
        "How much may change before a text is no longer found",
        f"The share of texts found falls as more words are replaced, sooner for short texts. {said}.",
        (Lines(x, y, series).draw,),
        ("Length in words", "Words replaced", "Share replaced", "Found"),
        [
            (at, f"{share * int(at):.0f}", percent(share), percent(value))
            for at, row in found.items()
            for share, value in row.items()
        ],
        "benchmarks/rates.json",
    )


def quarters() -> dict[float, str]:
    return {at / 4: f"{25 * at} %" for at in range(5)}


HITS = {
    "sd64 <= 3": ("sd64", "within 3"),
    "sd256 <= 26": ("sd256", "within 26"),
    "sd64 <= 3, sd256 <= 20": ("sd64 within 3", "and sd256", "within 20"),
}
HITS_LENGTH = "200"


def expected_hits() -> Picture:
    measured, sizes = results("rates")["lengths"][HITS_LENGTH]["rates"], [10.0**power for power in range(5, 10)]
    series, rows = [], []
    for rule, name in HITS.items():
        rate, (low, high) = measured[rule]["rate"], measured[rule]["interval"]
        band = [(size, low * size, high * size) for size in sizes]
        series.append(Series(name, [(size, rate * size) for size in sizes], band, marked=False))
        cells = (f"{power(rate * size)} ({power(low * size)} to {power(high * size)})" for size in (10**6, 10**9))
        rows.append((" ".join(name), *cells))
    y = Axis("unrelated documents in the answer to one query", 1e-6, 100, powers(-6, 2, 2), log=True)
    x = Axis("documents in the collection", 1e5, 1e9, powers(5, 9, raised=True), log=True)
    return Picture(
        f"How many unrelated documents of {HITS_LENGTH} words a query finds",
        f"Expected hits grow in proportion to the collection. For texts of {HITS_LENGTH} words, among 10⁹ documents: "
        + "; ".join(f"{row[0]}: {row[2]}" for row in rows)
        + ".",
        (Lines(x, y, series, rules={0.01: "one in 100 queries"}).draw,),
        ("Within", "Expected among 10⁶ (95 % interval)", "Among 10⁹"),
        rows,
        "benchmarks/rates.json",
    )


DISTANCES = {
    "medium": ("3 to 10 %", "edited"),
    "large": ("10 to 30 %", "edited"),
    "cross-media": ("another", "format"),
    "unrelated": ("unrelated",),
}
SHOWN_TO = 128


def distances() -> Picture:
    counts, scheme = results("calibration")["histograms"]["256"], get_schemes()["sd256"]
    within = {name: [total / sum(counts[name]) for total in accumulate(counts[name])] for name in DISTANCES}
    series = [
        Series(name, list(enumerate(within[kind][: SHOWN_TO + 1])), marked=False) for kind, name in DISTANCES.items()
    ]
    x = Axis("bits of 256 that differ", 0, SHOWN_TO, {at: str(at) for at in range(0, SHOWN_TO + 1, 32)})
    limits: dict[float, str] = {
        scheme.loose: f"loose: {scheme.loose} bits",
        scheme.close: f"close: {scheme.close} bits",
    }
    at_loose = "; ".join(f"{' '.join(name)} {percent(within[kind][scheme.loose])}" for kind, name in DISTANCES.items())
    table = [
        (str(at), *(percent(within[kind][at]) for kind in DISTANCES))
        for at in (0, 8, 16, scheme.close, scheme.loose, 48, 64, 80, 96, 112, 128)
    ]
    return Picture(
        "Versions of a document are near, unrelated documents are not",
        f"The share of pairs within each distance of sd256. Within {scheme.loose} bits: {at_loose}.",
        (Lines(x, Axis("pairs within this distance", 0, 1, quarters()), series, limits=limits, named_above=True).draw,),
        ("Bits", *(" ".join(name) for name in DISTANCES.values())),
        table,
        "benchmarks/calibration.json",
    )


def throughput() -> Picture:
    ours = {name: rows["English"]["sd64"] for name, rows in results("implementations")["english"].items()}
    (peers,) = [row["mb_per_second"] for row in results("bulk")["peers"] if row["language"] == "English"]
    names = {
        "simhash-doc": "simhash-doc, native",
        "rensa": "rensa, MinHash",
        "gaoya": "gaoya, simhash",
        "gaoya, str.lower": "gaoya, after str.lower",
        "simhash": "simhash",
    }
    groups = {
        "Implementations of this project, sd64": dict(sorted(ours.items(), key=lambda one: -one[1])),
        "Packages for Python, in another run": {
            names[name]: value for name, value in sorted(peers.items(), key=lambda one: -one[1])
        },
    }
    rows = [(group, name, f"{value:.1f}") for group, one in groups.items() for name, value in one.items()]
    return Picture(
        "Text of English documents per second, one thread",
        "Megabytes of text per second. " + "; ".join(f"{name}: {value}" for _, name, value in rows) + ".",
        (Bars("MB/s", groups).draw,),
        ("Run", "Program", "MB/s"),
        rows,
        "benchmarks/implementations.json",
    )


METHODS = {
    "sd64 within 3": "sd64 within 3",
    "sd256 within 32": "sd256 within 32",
    "find_duplicates: sd256, texts compared": "sd256 and texts",
    "rensa MinHash LSH": "MinHash, rensa",
    "datasketch MinHash LSH": "MinHash, datasketch",
}


def methods() -> Picture:
    found = {(row["method"], row["texts"]): row for row in results("methods")["rows"]}
    texts = list(dict.fromkeys(kind for _, kind in found))
    rows, table = {}, []
    for method, name in METHODS.items():
        measured = [found[method, kind] for kind in texts]
        (size,) = {row["bytes"] for row in measured}
        shares = [row["right"] / row["true"] for row in measured]
        rows[f"{size:,} bytes: {name}"] = shares
        for row, found_share in zip(measured, shares, strict=True):
            right = percent(row["right"] / row["found"])
            seconds, unrelated = f"{row['cpu_seconds']} s", str(row["unrelated"])
            table.append((row["texts"], name, f"{size:,}", percent(found_share), right, unrelated, seconds))
    said = (f"{name}: {' and '.join(map(percent, shares))}" for name, shares in rows.items())
    return Picture(
        "MinHash finds more, and takes more space",
        f"The share of near-duplicates found, by bytes per text and method. {'; '.join(said)}. "
        f"The first figure is of {texts[0]}, the second of {texts[1]}.",
        (Dots(Axis("near-duplicates found", 0, 1, quarters()), texts, rows).draw,),
        ("Texts", "Method", "Bytes", "Recall", "Precision", "Unrelated pairs", "Processor time"),
        sorted(table, key=lambda row: texts.index(row[0])),
        "benchmarks/methods.json",
    )


REPLACED = {"5 %": "5 % replaced", "10 %": "10 %", "20 %": "20 %", "30 %": "30 %"}
OTHER_EDITS = {"capitals": "Capitals", "moved": "Moved", "framed": "Framed", "half": "Cut"}


def edits() -> Picture:
    measured = sorted(results("compare")["rows"], key=lambda row: -sum(row["found"][edit] for edit in REPLACED))
    shares = [{edit: count / row["passages"] for edit, count in row["found"].items()} for row in measured]
    names = [f"{row['method']}: {row['bytes']} bytes" for row in measured]
    rows = {name: [found[edit] for edit in REPLACED] for name, found in zip(names, shares, strict=True)}
    said = (f"{name}: {', '.join(map(percent, found))}" for name, found in rows.items())
    return Picture(
        "Edited passages found, with equally few unrelated matches",
        f"The share found with {', '.join(REPLACED)} of the words replaced, by hash. {'; '.join(said)}.",
        (Dots(Axis("edited passages found", 0, 1, quarters()), list(REPLACED.values()), rows).draw,),
        ("Hash", "Bytes", *REPLACED.values(), *OTHER_EDITS.values(), "Unrelated pairs"),
        [
            (
                row["method"],
                str(row["bytes"]),
                *(percent(found[edit]) for edit in (*REPLACED, *OTHER_EDITS)),
                f"{row['unrelated'][0]:,} of {row['unrelated'][1]:,}",
            )
            for row, found in zip(measured, shares, strict=True)
        ],
        "benchmarks/compare.json",
    )


def hash_speed() -> Picture:
    measured = {row["method"]: row["mb_per_second"] for row in results("compare")["rows"] if row["mb_per_second"]}
    ordered = dict(sorted(measured.items(), key=lambda one: -one[1]))
    rows = [(name, f"{value:.1f}") for name, value in ordered.items()]
    return Picture(
        "Text per second, one thread, called from Python",
        "Megabytes of text per second. " + "; ".join(f"{name}: {value}" for name, value in rows) + ".",
        (Bars("MB/s", {"Passages of 300 words": ordered}).draw,),
        ("Hash", "MB/s"),
        rows,
        "benchmarks/compare.json",
    )


KINDS = {
    "news": "news",
    "article": "articles",
    "documentation": "documentation",
    "service": "services",
    "forum": "forums",
    "collection": "collections",
    "listing": "lists",
    "product": "products",
}
EXTRACTORS = {
    "simhash_doc": "simhash-doc",
    "trafilatura 2.3.1, default": "trafilatura",
    "resiliparse 2.0.1, main content": "resiliparse",
    "the complete page": "the complete page",
}


def extraction() -> Picture:
    measured = results("extraction-validation")
    rows = {name: [measured[one][kind]["f1"] for one in EXTRACTORS] for kind, name in KINDS.items()}
    x = Axis("F1 of the words of the main text", 0.4, 1, {at / 10: f"{at / 10:.1f}" for at in range(4, 11)})
    said = "; ".join(f"{name}: {', '.join(f'{value:.2f}' for value in values)}" for name, values in rows.items())
    return Picture(
        "Main text of web pages, by kind of page",
        f"F1 of {', '.join(EXTRACTORS.values())}, in this order. {said}.",
        (Dots(x, list(EXTRACTORS.values()), rows).draw,),
        ("Pages", *EXTRACTORS.values()),
        [(name, *(f"{value:.3f}" for value in values)) for name, values in rows.items()],
        "benchmarks/extraction-validation.json",
    )


def search() -> Picture:
    found = results("lookup")
    biased = "all pairs of biased fingerprints"
    runs = {
        ("sd64 within 3", "(random)"): [row for row in found["disk"] if row["task"] == "all pairs, out of core"],
        ("sd256", "within 26"): [row for row in found["wide"] if (row["task"], row["distance"]) == (biased, 26)],
        ("sd64 within 3", "and sd256", "within 20"): [
            row for row in found["first_lane"] if (row["task"], row["sd64_distance"]) == (biased, 3)
        ],
    }
    x = Axis("fingerprints", 1e5, 1e9, powers(5, 9, raised=True), log=True)
    axes = {
        "processor_seconds": Axis("processor time in seconds, both cores", 0.1, 1000, powers(-1, 3), log=True),
        "peak_mb": Axis("peak memory in MB", 10, 10_000, powers(1, 4), log=True),
    }
    last = {name: {row["fingerprints"]: row for row in rows} for name, rows in runs.items()}  # the largest limit
    parts = []
    for key, y in axes.items():
        series = [Series(name, [(at, row[key]) for at, row in one.items()]) for name, one in last.items()]
        parts.append(Lines(x, y, series, named_above=True).draw)
    table = [
        (" ".join(name), power(at), f"{row['processor_seconds']:,.1f}", f"{row['peak_mb']:,}")
        for name, one in last.items()
        for at, row in one.items()
    ]
    return Picture(
        "All near pairs of a collection: time and memory",
        "; ".join(f"{name}, {at} fingerprints: {seconds} s, {memory} MB" for name, at, seconds, memory in table) + ".",
        parts,
        ("Search", "Fingerprints", "Processor seconds", "Peak MB"),
        table,
        "benchmarks/lookup.json",
    )


def trace() -> dict[str, Any]:
    """Return the example of the specification that shows one text through all steps."""
    specification = (ROOT / "spec/simhash-doc.md").read_text(encoding="utf-8")
    found = re.search(r'```json\n(\{"example": "trace",.*?)```', specification, re.DOTALL)
    if found is None:
        raise ValueError("spec/simhash-doc.md has no example of the kind trace")
    return dict(json.loads(found[1]))


def pipeline() -> Picture:
    example = trace()
    steps = drawings.steps(example)
    return Picture(
        "One sentence through six steps",
        f"{example['input']} becomes {example['fingerprint']}: fold, remove links, cut into tokens, hash each, add up "
        "their bits, keep the signs.",
        (lambda width: drawings.pipeline(example, width),),
        ("Step", "Result"),
        steps,
    )


TEXTS = (
    "The library lends books, maps and old films to everyone in town, and keeps rare prints for visitors who ask.",
    "THE LIBRARY lends books, maps and old films to everyone in town – and keeps rare prints for visitors who ask!",
    "The library lends books, maps and old records to everyone in town, and keeps rare prints for visitors who ask.",
    "Rain is expected in the valley on Tuesday, with strong winds from the west and some snow above the tree line.",
)


def texts() -> Picture:
    found = [(text, fingerprint(text)) for text in TEXTS]
    first = found[0][1]
    rows = [(text, str(one), str(first.distance(one)), first.verdict(one)) for text, one in found]
    return Picture(
        "Similar texts have similar fingerprints",
        " ".join(f"{text} {one}, {distance} bits from the first." for text, one, distance, _ in rows),
        (lambda width: drawings.strips(found, width),),
        ("Text", "Fingerprint", "Distance from the first", "Verdict"),
        rows,
    )


def clusters() -> Picture:
    """Show what the command of the README finds in the articles of the test vectors."""
    listed = sorted(map(str, (ROOT / "conformance/vectors/extraction").glob("*-article.*")))
    result = CliRunner().invoke(cli, ["dedupe", "--json", *listed])
    found = {}
    for line in result.stdout.splitlines():
        names = [Path(one["path"]) for one in json.loads(line)["documents"]]
        found[names[0].stem.removesuffix("-article")] = [one.suffix[1:] for one in names]
    return Picture(
        "What dedupe finds in 45 files",
        f"{sum(map(len, found.values()))} files are {len(found)} documents. The command keeps one file of each: "
        + "; ".join(f"{name}: {formats[0]}" for name, formats in found.items())
        + ".",
        (lambda width: drawings.clusters(found, width),),
        ("Document", "Kept", "Near-duplicates"),
        [(name, formats[0], " ".join(formats[1:])) for name, formats in found.items()],
    )


PICTURES: dict[str, Callable[[], Picture]] = {
    "texts": texts,
    "clusters": clusters,
    "pipeline": pipeline,
    "recall": recall,
    "expected-hits": expected_hits,
    "distances": distances,
    "throughput": throughput,
    "methods": methods,
    "edits": edits,
    "hash-speed": hash_speed,
    "extraction": extraction,
    "search": search,
}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    style = "".join(
        f'[data-md-color-scheme="{scheme}"] {{ {charts.colours(name)} }}\n'
        for scheme, name in (("default", "light"), ("slate", "dark"))
    )
    files.append(File.generated(config, "assets/charts/charts.css", content=style + charts.STYLE))
    return files


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    return with_pictures(html, page.url)


def with_pictures(html: str, url: str) -> str:
    """Return a page with the pictures that it names.

    Raises:
        KeyError: a mark names no picture, or results lack a figure.
    """
    return _MARK.sub(lambda mark: figure(mark[1], PICTURES[mark[1]](), url), html)


def figure(name: str, picture: Picture, url: str) -> str:
    """Return a picture for a page with this address: drawn for wide and for narrow screens, and its table."""
    drawn = "".join(
        draw(width).svg(f"picture-{name}{at or ''}-{css}", picture.title, picture.description, css)
        for at, draw in enumerate(picture.parts)
        for css, width in (("wide", WIDE), ("narrow", NARROW))
    )
    heads = "".join(f"<th>{escape(cell)}</th>" for cell in picture.head)
    rows = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in picture.rows)
    source = f' <a href="{get_relative_url(picture.source, url)}">All figures</a>.' if picture.source else ""
    return (
        f'<figure class="picture" id="picture-{name}" data-search-exclude><figcaption>{escape(picture.title)}'
        f"</figcaption>{drawn}<details><summary>As a table</summary><table><thead><tr>{heads}</tr></thead>"
        f"<tbody>{rows}</tbody></table>{source}</details></figure>"
    )


def files_of_the_readme() -> dict[Path, str]:
    """Return the content of each picture of the README by its path."""
    found = {}
    for name in OF_THE_README:
        picture = PICTURES[name]()
        (draw,) = picture.parts
        found[ROOT / f"docs/assets/charts/{name}.svg"] = charts.in_file(
            draw(WIDE), name, picture.title, picture.description
        )
    return found


if __name__ == "__main__":
    for path, content in files_of_the_readme().items():
        path.write_text(content, encoding="utf-8")
