"""The report that `simhash-doc table dedupe --html` shows: which rows are left out, and how similar they are."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from simhash_doc.cli.histograms import bars, bars_of_sizes, percentages
from simhash_doc.cli.text_differences import difference
from simhash_doc.console.messages import agreeing, counted
from simhash_doc.console.sizes import percent
from simhash_doc.duplicates.differences import differing
from simhash_doc.duplicates.policy import Policy
from simhash_doc.duplicates.rows import EXACT, NEAR, DuplicateRows
from simhash_doc.report.document import (
    Badge,
    Block,
    Facts,
    Histogram,
    Histograms,
    Origin,
    Paragraph,
    Report,
    Row,
    Rows,
    Run,
    Section,
    Share,
    Shares,
    Text,
    Tile,
)

_SAMPLES = 10  # rows near the threshold
_GROUPS = 10  # clusters, the largest first
_MEMBERS = 20  # of each of them
_BEGINNING = 300  # characters of a text in a list
_FAILURES = 1000  # rows that cannot be read

NameOf = Callable[[int], str]
"""Returns what a row is called."""


def shown_rows(found: DuplicateRows) -> tuple[list[int], list[int], list[list[int]]]:
    """Return the rows whose texts the page shows.

    Returns:
        those near the threshold, those kept because of their numbers, and those of each of the largest clusters.
    """
    near = np.flatnonzero(found.reasons == NEAR)
    samples = near[np.argsort(found.similarities[near], kind="stable")][:_SAMPLES]
    sizes = np.bincount(found.labels[found.labels >= 0])
    largest = np.argsort(-sizes, kind="stable")[:_GROUPS]
    by_numbers = np.flatnonzero(found.resembles >= 0)[:_SAMPLES]
    return samples.tolist(), by_numbers.tolist(), [_members(found, cluster) for cluster in largest.tolist()]


def _members(found: DuplicateRows, cluster: int) -> list[int]:
    """Return the row of a cluster that is kept, and the rows that are the least similar to it."""
    members = np.flatnonzero(found.labels == cluster)
    others = members[~found.kept[members]]
    others = others[np.argsort(found.similarities[others], kind="stable")][: _MEMBERS - 1]
    return [int(members[found.kept[members]][0]), *others.tolist()]


@dataclass(frozen=True, slots=True)
class ComparedRows:
    """What was compared for a page, and how.

    Attributes:
        files: the tables, then those of earlier rows.
        earlier: number of earlier rows, which come first and are all kept.
        output: where the rows that are kept are.
        policy: what is left out.
        problems: rows that could not be read, and why.
    """

    files: tuple[str, ...]
    earlier: int
    output: str
    policy: Policy
    problems: list[str]


def row_duplicates_report(
    found: DuplicateRows, compared: ComparedRows, name: NameOf, texts: dict[int, str], command: str
) -> Report:
    """Return the report.

    Args:
        found: the decision about each row.
        compared: what was compared, and how.
        name: see `NameOf`.
        texts: the beginnings of the texts of `shown_rows`, and of those that are kept for them or that they resemble.
        command: the command line.
    """
    samples, by_numbers, largest = shown_rows(found)
    files, policy = compared.files, compared.policy
    title = f"Duplicate rows in {os.path.basename(files[0]) if len(files) == 1 else counted(len(files), 'file')}"
    kept = found.kept[compared.earlier :]
    earlier = f", compared also with {counted(compared.earlier, 'earlier row')}" if compared.earlier else ""
    given: list[str | Run] = []
    for file in files:
        given += [Run(file, "code"), " "]
    numbers = "which has all of its numbers" if policy.keeps_numbers else "whatever its numbers are"
    note: Text = [
        Run("Nothing has been deleted.", "strong"),
        " The tables are as they were. The rows that are kept are in ",
        Run(compared.output, "code"),
        ". An ",
        Run("exact copy", "em"),
        " has the same text as the row that is kept for it. A ",
        Run("near-duplicate", "em"),
        f" shares nearly all words with the row, {numbers}.",
    ]
    return Report(
        title,
        f"You keep {int(kept.sum()):,} of {counted(len(kept), 'row')}",
        f"{title}{earlier}: {policy.scheme} fingerprints within {counted(policy.bits, 'bit')}, "
        f"at least {_percent(policy)} % of the words in common",
        tiles=_tiles(found, compared.earlier, len(compared.problems)),
        blocks=[
            _kinds(found, compared.earlier),
            Paragraph(note, note=True),
            Section("What was compared, and how", [Facts([("Compared", given)])], folded=True),
            *_alike(found, compared),
            *_near(found, samples, name, texts),
            *_by_numbers(found, by_numbers, name, texts),
            *_largest(found, largest, name, texts),
            *_problems(compared.problems),
        ],
        origin=Origin(command),
    )


def _tiles(found: DuplicateRows, earlier: int, problems: int) -> list[Tile]:
    kept = found.kept[earlier:]
    left_out = int((~kept).sum())
    share = f" ({percent(left_out / len(kept))})" if left_out else ""
    exact, near = (int((found.reasons == reason).sum()) for reason in (EXACT, NEAR))
    by_numbers = int((found.resembles[earlier:] >= 0).sum())
    others = int((found.numbers[earlier:] == "other").sum())
    return [
        Tile(len(kept), agreeing(len(kept), "row")),
        Tile(int(kept.sum()), f"{agreeing(int(kept.sum()), 'row')} kept"),
        Tile(left_out, f"left out{share}"),
        Tile(exact, agreeing(exact, "exact copy", "exact copies")),
        Tile(near, agreeing(near, "near-duplicate")),
        Tile(by_numbers, f"kept because of {agreeing(by_numbers, 'its', 'their')} numbers"),
        Tile(others, "left out with other numbers", "other"),
        Tile(problems, "could not be read", "bad"),
    ]


def _kinds(found: DuplicateRows, earlier: int) -> Shares:
    near, exact = (int((found.reasons == reason).sum()) for reason in (NEAR, EXACT))
    parts = [
        Share(int(found.kept[earlier:].sum()), "kept", "kept"),
        Share(near, agreeing(near, "near-duplicate"), "near"),
        Share(exact, agreeing(exact, "exact copy", "exact copies"), "exact"),
    ]
    return Shares([part for part in parts if part.count])


def _alike(found: DuplicateRows, compared: ComparedRows) -> Iterator[Block]:
    """Yield histograms of the rows that are left out, if there are any."""
    left_out = ~found.kept
    if not left_out.any():
        return
    shares, sizes = percentages(found.similarities[left_out]), np.bincount(found.labels[found.labels >= 0])
    histograms = [
        Histogram(
            "Similarity",
            "Share of common words of each row that is left out and the row that is kept; at least "
            f"{_percent(compared.policy)} %.",
            "Percent",
            bars(shares, _percent(compared.policy), 100),
        ),
        Histogram(
            "Distance",
            f"Differing bits of each row that is left out and the row that is kept; at most {compared.policy.bits}.",
            "Bits",
            bars(found.distances[left_out], 0, compared.policy.bits),
        ),
        Histogram("Clusters", "Clusters by their number of rows.", "Rows", bars_of_sizes(sizes)),
    ]
    yield Section("How alike the rows are", [Histograms(histograms)])


def _near(found: DuplicateRows, rows: list[int], name: NameOf, texts: dict[int, str]) -> Iterator[Block]:
    """Yield the pairs near the threshold, with their differences."""
    if not rows:
        return
    shown = []
    for row in rows:
        first = int(found.representatives[row])
        change = difference(texts[first], texts[row])
        bits, share = _measure(found, row)
        pair = f"{name(first)} and {name(row)}"
        shown.append(Row(pair, bits=bits, share=share, summary=change.summary, text=change.text))
    about: Text = [
        f"The {len(rows)} least similar pairs: look at these first. Words only in the kept row are ",
        Run("struck out", "del"),
        ", words only in the other are ",
        Run("marked", "ins"),
        ".",
    ]
    yield Section("Near the threshold", [Paragraph(about), Rows(shown)])


def _by_numbers(found: DuplicateRows, rows: list[int], name: NameOf, texts: dict[int, str]) -> Iterator[Block]:
    """Yield rows that are kept because of their numbers, each with its differences from the row that it resembles."""
    shown = []
    for row in rows:
        other = int(found.resembles[row])
        differs, notes = _differs(texts[other], texts[row])
        shown.append(Row(f"{name(other)} and {name(row)}", notes=notes, differs=differs))
    if shown:
        first = f"The first {len(shown)}" if len(shown) == _SAMPLES else "All"
        about = f"{first}, each after the row that it resembles. Both rows of a pair are kept."
        yield Section("Kept because of their numbers", [Paragraph(about), Rows(shown)])


def _largest(found: DuplicateRows, groups: list[list[int]], name: NameOf, texts: dict[int, str]) -> Iterator[Block]:
    """Yield the largest clusters, each row with the words and numbers that differ."""
    blocks: list[Block] = []
    for rows in groups:
        size = int((found.labels == found.labels[rows[0]]).sum())
        shown = "" if len(rows) == size else f" The kept row and the {len(rows) - 1} least similar to it:"
        blocks += [Paragraph(f"{counted(size, 'row')}.{shown}"), Rows(_members_of(found, rows, name, texts))]
    if blocks:
        yield Section("The largest clusters", blocks)


def _members_of(found: DuplicateRows, rows: list[int], name: NameOf, texts: dict[int, str]) -> list[Row]:
    """Return the rows of a cluster; those with one text are one entry."""
    alike: dict[str, list[int]] = {}
    for row in rows:
        alike.setdefault(texts[row], []).append(row)
    return [_member(found, same, name, text, texts[rows[0]]) for text, same in alike.items()]


def _member(found: DuplicateRows, rows: list[int], name: NameOf, text: str, kept: str) -> Row:
    """Return rows with one text as an entry, beside the text of the row that is kept."""
    row, *more = rows
    same = f" and {counted(len(more), 'row')} with the same text" if more else ""
    beginning = f"{text[:_BEGINNING]}{'…' if len(text) > _BEGINNING else ''}"
    if found.kept[row]:
        return Row(f"{name(row)}{same}", [Badge("kept", "kept")], text=beginning)
    badge = Badge("exact copy", "exact") if found.reasons[row] == EXACT else Badge("near-duplicate", "near")
    bits, share = _measure(found, row)
    differs, notes = _differs(kept, text)
    return Row(f"{name(row)}{same}", [badge], bits=bits, share=share, notes=notes, differs=differs, text=beginning)


def _differs(kept: str, left_out: str) -> tuple[list[tuple[str, str]], list[str]]:
    """Return the words and numbers that only one of two texts has, and what is to be said of them."""
    found = differing(kept, left_out)
    if not (found.kept or found.left_out):
        return [], [found.line() or "the same text, except for capitals and white space"]
    more = [f"{found.more:,} more words and numbers differ"] * bool(found.more)
    return [(" ".join(found.kept) or "–", " ".join(found.left_out) or "–")], more


def _problems(problems: list[str]) -> Iterator[Block]:
    if problems:
        rows = [Row(problem) for problem in problems[:_FAILURES]]
        yield Section(f"Could not be read: {counted(len(problems), 'row')}", [Rows(rows)], folded=True)


def _measure(found: DuplicateRows, row: int) -> tuple[int, float]:
    return int(found.distances[row]), int(percentages(found.similarities[row])) / 100


def _percent(policy: Policy) -> int:
    return round(100 * policy.min_similarity)
