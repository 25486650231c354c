"""The page that `simhash-doc table dedupe --html` writes: how similar the rows are that are left out, and for which."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from simhash_doc.cli.cluster_page import beginning, beside, percent, safe
from simhash_doc.cli.messages import counted
from simhash_doc.duplicates.definition import Positions
from simhash_doc.duplicates.rows import EXACT, NEAR, DuplicateRows

_BARS = 20  # of a histogram, at most
_SAMPLES = 10  # rows near the threshold
_MEMBERS = 20  # of the largest cluster
_BEGINNING = 300  # characters of a text in a table
_STYLE = """
:root { --bar: #1f6fb2; } @media (prefers-color-scheme: dark) { :root { --bar: #6bb5f0; } }
.histogram { width: auto; min-width: min(100%, 40rem); } .histogram th, .histogram td { white-space: nowrap; }
.histogram td.number, .histogram th.number { text-align: right; } .histogram td.bar { width: 100%; }
.histogram td.bar div { background: var(--bar); height: .9rem; min-width: 1px; }
tbody th { font-weight: normal; } td.text { overflow-wrap: anywhere; }
"""

Bars = list[tuple[str, int]]
"""What each bar of a histogram is, and its number."""


def shown_rows(found: DuplicateRows) -> tuple[list[int], list[int]]:
    """Return the rows whose texts the page shows: those near the threshold, and of the largest cluster."""
    near = np.flatnonzero(found.reasons == NEAR)
    samples = near[np.argsort(found.similarities[near], kind="stable")][:_SAMPLES]
    if found.kept.all():
        return [], []
    members = np.flatnonzero(found.clusters == np.bincount(found.clusters[found.clusters >= 0]).argmax())
    others = members[~found.kept[members]]
    others = others[np.argsort(found.similarities[others], kind="stable")][: _MEMBERS - 1]
    return samples.tolist(), [int(found.representatives[others[0]]), *others.tolist()]


def page_of(
    found: DuplicateRows, distance: int, min_similarity: int, name: Callable[[int], str], texts: dict[int, str]
) -> Iterator[str]:
    """Yield the lines of the page.

    Args:
        found: the decision about each row.
        distance, min_similarity: the thresholds, in bits and percent.
        name: returns what a row is called.
        texts: the beginnings of the texts of `shown_rows` and of the rows that are kept for them.
    """
    left_out = ~found.kept
    samples, largest = shown_rows(found)
    facts = [
        counted(len(found.kept), "row"),
        counted(int(found.kept.sum()), "row") + " kept",
        counted(int((found.reasons == EXACT).sum()), "exact copy", "exact copies"),
        counted(int((found.reasons == NEAR).sum()), "near-duplicate"),
        counted(int((found.templates >= 0).sum()), "row of templates", "rows of templates") + " kept",
    ]
    yield from beginning("Duplicate rows", facts, _STYLE)
    shares = np.floor(100 * found.similarities[left_out] + 1e-9).astype(np.int64)
    yield from _histogram(
        "Similarity",
        f"Share of common words of each row that is left out and the row that is kept; at least {min_similarity} %.",
        "Percent",
        _bars(shares, min_similarity, 100),
    )
    yield from _histogram(
        "Distance",
        f"Differing bits of each row that is left out and the row that is kept; at most {distance}.",
        "Bits",
        _bars(found.distances[left_out], 0, distance),
    )
    sizes = np.bincount(found.clusters[found.clusters >= 0])
    yield from _histogram("Clusters", "Clusters by their number of rows.", "Rows", _bars_of_sizes(sizes))
    if samples:
        yield f"<section><h2>Near the threshold</h2><p>The {len(samples)} least similar pairs, the kept row first.</p>"
        for row in samples:
            kept = int(found.representatives[row])
            yield f"<h3>{safe(name(kept))} and {safe(name(row))}: {_pair(found, row)}</h3>"
            yield beside(texts[kept], texts[row])
        yield "</section>"
    if largest:
        shown = "" if len(largest) == sizes.max() else f" The kept row and the {len(largest) - 1} least similar to it:"
        yield f"<section><h2>The largest cluster</h2><p>It has {counted(int(sizes.max()), 'row')}.{shown}</p>"
        yield "<table><thead><tr><th>Row</th><th>Bits</th><th>Similarity</th><th>Text</th></tr></thead><tbody>"
        for row in largest:
            bits, share = ("", "kept") if found.kept[row] else (found.distances[row], percent(found.similarities[row]))
            text = texts[row][:_BEGINNING] + ("…" if len(texts[row]) > _BEGINNING else "")
            yield f'<tr><td class="path">{safe(name(row))}</td><td>{bits}</td><td>{share}</td>'
            yield f'<td class="text">{safe(text)}</td></tr>'
        yield "</tbody></table></section>"
    yield "</main></body></html>"


def _pair(found: DuplicateRows, row: int) -> str:
    return f"{percent(float(found.similarities[row]))} of the words, {counted(int(found.distances[row]), 'bit')}"


def _bars(values: Positions, least: int, most: int) -> Bars:
    """Return bars of equal width for integers from `least` to `most`; those beyond these are in the outer ones."""
    width = -(-(most - least + 1) // _BARS)
    counts = np.bincount((np.clip(values, least, most) - least) // width, minlength=(most - least) // width + 1)
    starts = range(least, most + 1, width)
    return [
        (f"{start}" if width == 1 or start == most else f"{start} to {min(start + width - 1, most)}", count)
        for start, count in zip(starts, counts.tolist(), strict=True)
    ]


def _bars_of_sizes(sizes: npt.NDArray[np.int64]) -> Bars:
    """Return bars of sizes from 2 on: 2, 3 to 4, 5 to 8, ..."""
    exponents = np.ceil(np.log2(np.maximum(sizes, 1))).astype(np.int64)
    counts = np.bincount(exponents, minlength=1).tolist()[1:]
    return [
        (f"{2**number + 1} to {2 ** (number + 1)}" if number else "2", count) for number, count in enumerate(counts)
    ]


def _histogram(title: str, about: str, unit: str, bars: Bars) -> Iterator[str]:
    highest = max([1, *(count for _, count in bars)])
    yield f"<section><h2>{title}</h2><p>{about}</p><table class='histogram'>"
    yield f"<thead><tr><th class='number'>{unit}</th><th class='number'>Number</th><td></td></tr></thead><tbody>"
    for label, count in bars:
        bar = f"<div style='width:{100 * count / highest:.1f}%'></div>" if count else ""
        yield f"<tr><th class='number'>{label}</th><td class='number'>{count:,}</td><td class='bar'>{bar}</td></tr>"
    yield "</tbody></table></section>"
