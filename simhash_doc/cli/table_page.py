"""The page that `simhash-doc table dedupe --html` writes: how similar the rows are that are left out, and for which."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simhash_doc.cli.page import END, badge, facts, folded, head, made_by, measure, percent, safe, tiles
from simhash_doc.cli.text_differences import difference
from simhash_doc.console.messages import counted
from simhash_doc.duplicates.definition import Positions
from simhash_doc.duplicates.rows import EXACT, NEAR, DuplicateRows

_BARS = 20  # of a histogram, at most
_SAMPLES = 10  # rows near the threshold
_MEMBERS = 20  # of the largest cluster
_BEGINNING = 300  # characters of a text in a list
_FAILURES = 1000  # rows that cannot be read

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


@dataclass(frozen=True, slots=True)
class ComparedRows:
    """What was compared for a page, and how.

    Attributes:
        files: the tables, then those of earlier rows.
        earlier: number of earlier rows, which come first and are all kept.
        output: where the rows that are kept are.
        scheme: short id of the scheme.
        distance: most bits in which near fingerprints differ.
        min_similarity: least share of common words, in percent.
        problems: rows that could not be read, and why.
    """

    files: tuple[str, ...]
    earlier: int
    output: str
    scheme: str
    distance: int
    min_similarity: int
    problems: list[str]


def page_of(
    found: DuplicateRows, compared: ComparedRows, name: Callable[[int], str], texts: dict[int, str]
) -> Iterator[str]:
    """Yield the lines of the page.

    Args:
        found: the decision about each row.
        compared: what was compared, and how.
        name: returns what a row is called.
        texts: the beginnings of the texts of `shown_rows` and of the rows that are kept for them.
    """
    left_out = ~found.kept
    samples, largest = shown_rows(found)
    files = compared.files
    title = f"Duplicate rows in {os.path.basename(files[0]) if len(files) == 1 else counted(len(files), 'file')}"
    yield from head(title)
    kept = found.kept[compared.earlier :]
    rows = f"{counted(len(kept), 'row')}, {counted(int(kept.sum()), 'row')} kept"
    rows += f", compared also with {counted(compared.earlier, 'earlier row')}" if compared.earlier else ""
    yield f'<h1>{safe(title)}</h1><p class="sub">{rows}: {compared.scheme} fingerprints within '
    yield f"{counted(compared.distance, 'bit')}, at least {compared.min_similarity} % of the words in common</p>"
    yield _tiles(found, compared.earlier, len(compared.problems))
    yield '<p class="note"><strong>Nothing has been deleted.</strong> The tables are as they were. The rows that are '
    yield f"kept are in <code>{safe(compared.output)}</code>. An <em>exact copy</em> has the same text as the row that "
    yield "is kept for it. A <em>near-duplicate</em> has a near fingerprint and a similar text.</p>"
    given = [("Compared", ", ".join(f"<code>{safe(one)}</code>" for one in files))]
    yield folded("What was compared, and how", facts([*given, *made_by()]))
    shares = _percent(found.similarities[left_out])
    yield '<div class="columns">'
    yield from _histogram(
        "Similarity",
        "Share of common words of each row that is left out and the row that is kept; at least "
        f"{compared.min_similarity} %.",
        "Percent",
        _bars(shares, compared.min_similarity, 100),
    )
    yield from _histogram(
        "Distance",
        f"Differing bits of each row that is left out and the row that is kept; at most {compared.distance}.",
        "Bits",
        _bars(found.distances[left_out], 0, compared.distance),
    )
    sizes = np.bincount(found.clusters[found.clusters >= 0])
    yield from _histogram("Clusters", "Clusters by their number of rows.", "Rows", _bars_of_sizes(sizes))
    yield "</div>"
    if samples:
        yield f"<h2>Near the threshold</h2><p>The {len(samples)} least similar pairs: look at these first. Words only "
        yield "in the kept row are <del>struck out</del>, words only in the other are <ins>marked</ins>.</p>"
        for row in samples:
            first = int(found.representatives[row])
            yield f'<section class="card"><div class="pair"><h3>{safe(name(first))} and {safe(name(row))}</h3>'
            yield f"{_measure(found, row)}</div>"
            change = difference(texts[first], texts[row])
            yield f'<div class="inside"><p class="skip">{change.summary}</p>'
            yield f'<p class="text" dir="auto">{change.html}</p></div></section>'
    if largest:
        yield from _largest(found, largest, int(sizes.max()), name, texts)
    yield from _problems(compared.problems)
    yield END


def _tiles(found: DuplicateRows, earlier: int, problems: int) -> str:
    kept = found.kept[earlier:]
    left_out = int((~kept).sum())
    share = f"rows left out ({percent(left_out / len(kept))})" if left_out else "rows left out"
    templates = int(((found.templates[earlier:] >= 0) & kept).sum())
    numbers = [
        (len(kept), "rows", ""),
        (int(kept.sum()), "rows kept", ""),
        (left_out, share, ""),
        (int((found.reasons == EXACT).sum()), "exact copies", ""),
        (int((found.reasons == NEAR).sum()), "near-duplicates", ""),
        (templates, "rows of templates kept", "other" if templates else ""),
        (problems, "could not be read", "bad" if problems else ""),
    ]
    return tiles((f"{number:,}", label, colour) for number, label, colour in numbers)


def _largest(
    found: DuplicateRows, rows: list[int], size: int, name: Callable[[int], str], texts: dict[int, str]
) -> Iterator[str]:
    """Yield the largest cluster; rows with one text are one entry."""
    shown = "" if len(rows) == size else f" The kept row and the {len(rows) - 1} least similar to it:"
    yield f"<h2>The largest cluster</h2><p>It has {counted(size, 'row')}.{shown}</p>"
    yield '<div class="card"><ul class="rows">'
    groups: dict[str, list[int]] = {}
    for row in rows:
        groups.setdefault(texts[row], []).append(row)
    for text, alike in groups.items():
        row, *more = alike
        kind = "kept" if found.kept[row] else "exact" if found.reasons[row] == EXACT else "near-duplicate"
        same = f" and {counted(len(more), 'row')} with the same text" if more else ""
        yield f'<li><div class="row">{badge(kind)}<span class="path">{safe(name(row))}{same}</span>'
        yield f"{'' if kind == 'kept' else _measure(found, row)}</div>"
        yield f'<p class="text" dir="auto">{safe(text[:_BEGINNING])}{"…" if len(text) > _BEGINNING else ""}</p></li>'
    yield "</ul></div>"


def _problems(problems: list[str]) -> Iterator[str]:
    if problems:
        yield '<details class="card"><summary><span class="name">Could not be read</span>'
        yield f'<span class="count">{counted(len(problems), "row")}</span></summary><ul class="rows">'
        yield from (f"<li>{safe(problem)}</li>" for problem in problems[:_FAILURES])
        yield "</ul></details>"


def _measure(found: DuplicateRows, row: int) -> str:
    return measure(int(found.distances[row]), int(_percent(found.similarities[row])) / 100)


def _percent(similarities: npt.NDArray[np.float64]) -> Positions:
    """Return similarities in percent, rounded down: those of rows that are left out reach the least one."""
    found: Positions = np.floor(100 * similarities + 1e-9).astype(np.int64)
    return found


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
    yield f"<section><h2>{title}</h2><p>{about}</p><table class='histogram'><thead><tr>"
    yield f"<th scope='col' class='number'>{unit}</th><th scope='col' class='number'>Number</th><td></td></tr></thead>"
    yield "<tbody>"
    for label, count in bars:
        bar = f"<div style='width:{100 * count / highest:.1f}%'></div>" if count else ""
        yield f"<tr><th scope='row' class='number'>{label}</th><td class='number'>{count:,}</td><td>{bar}</td></tr>"
    yield "</tbody></table></section>"
