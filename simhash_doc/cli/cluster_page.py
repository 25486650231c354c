"""The report that `simhash-doc dedupe --html` shows: clusters, and the differences between their texts."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress

import numpy as np

from simhash_doc.cli.histograms import bars, bars_of_sizes, percentages
from simhash_doc.cli.text_differences import difference
from simhash_doc.console.messages import agreeing, counted
from simhash_doc.console.sizes import percent, shown_size
from simhash_doc.duplicates.compared import ComparedDocument
from simhash_doc.duplicates.document_clusters import Cluster, Kind, Member, removable
from simhash_doc.duplicates.documents import DocumentDuplicates
from simhash_doc.duplicates.policy import Policy
from simhash_doc.report.document import (
    Alike,
    Badge,
    Block,
    Facts,
    Group,
    Groups,
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
    Tone,
    path_text,
)
from simhash_doc.schemes import get_scheme

NOT_SEARCHED = (
    "candidates whose words differ are not listed: many documents have one frame, and a search for near fingerprints "
    "among them takes too long; all texts were compared"
)
STORED_CHARACTERS = 20_000  # of each text are compared on the page
_MOST_DIFFERENCES = 500
_FAILURES = 1000  # that are listed
_NAMES = 3  # of folded documents
_BADGES: dict[Kind, Badge] = {
    "representative": Badge("kept", "kept"),
    "exact": Badge("exact copy", "exact"),
    "near-duplicate": Badge("near-duplicate", "near"),
    "candidate": Badge("candidate", "candidate"),
}

_NUMBER_KINDS = {
    "by-numbers": "kept because of its numbers",
    "unconfirmed": "unconfirmed",
    "other-numbers": "with other numbers",
}
TextOf = Callable[[ComparedDocument], str | None]
"""Returns the beginning of the text of a document; None if it is not available."""


_KEPT = {"longest": "the text with the most numbers, of these the longest", "first": "the first document"}
_KEPT |= {"oldest": "the oldest file or capture", "newest": "the newest file or capture"}


def _details(policy: Policy) -> list[tuple[str, str]]:
    """Return how documents were compared, as names and values."""
    numbers = {"keep": "all of them are in the kept document", "ignore": "they do not count"}
    bits = f"{policy.scheme}: at most {policy.bits} of {get_scheme(policy.scheme).bits} bits differ"
    share = f"at least {policy.min_similarity:.0%} of all words and of all different words are common"
    kept = _KEPT[policy.keep]
    return [("Fingerprints", bits), ("Words", share), ("Numbers", numbers[policy.numbers]), ("Kept", kept)]


def document_duplicates_report(found: DocumentDuplicates, given: tuple[str, ...], command: str) -> Report:
    """Return the report.

    Args:
        found: the clusters, and what was compared.
        given: the files and directories that were given.
        command: the command line.
    """
    clusters, total, policy, text = found.clusters, found.total, found.policy, found.texts.text
    title = f"Duplicates in {_place(given)}"
    places: list[str | Run] = []
    for place in given:
        places += [Run(place, "code"), " "]
    numbers = ", which has all of its numbers" if policy.keeps_numbers else "; numbers do not count"
    blocks: list[Block] = [
        _kinds(clusters, total),
        Paragraph(
            [
                Run("Nothing has been deleted.", "strong"),
                " An ",
                Run("exact copy", "em"),
                " has the same bytes as another file. A ",
                Run("near-duplicate", "em"),
                f" shares nearly all words with the kept document{numbers}. A ",
                Run("candidate", "em"),
                " has a near fingerprint, but other words or numbers: it is kept.",
            ],
            note=True,
        ),
        Section("What was compared, and how", [Facts([("Compared", places), *_details(policy)])], folded=True),
    ]
    if not found.near:
        blocks.append(Paragraph(f"{NOT_SEARCHED[0].upper()}{NOT_SEARCHED[1:]}."))
    if clusters:
        histograms = list(_histograms(clusters, policy.bits))
        blocks += [
            Section("How alike the documents are", [Histograms(histograms)], folded=True),
            Section("Clusters", list(_groups(clusters, text))),
        ]
    return Report(
        title,
        f"You keep {total - count_kind(clusters, 'exact', 'near-duplicate'):,} of {counted(total, 'document')}"
        if clusters
        else "No two documents are alike",
        f"{title}: {counted(total, 'document')} compared, {policy.scheme} fingerprints within "
        f"{counted(policy.bits, 'bit')}, texts and numbers compared",
        tiles=list(_tiles(clusters, total, len(found.failures))),
        blocks=[*blocks, *_failures(found.failures)],
        origin=Origin(command),
    )


def count_kind(clusters: list[Cluster], *kinds: Kind) -> int:
    """Return the number of documents of some kinds."""
    return sum(member.kind in kinds for cluster in clusters for member in cluster)


def counted_unique(clusters: list[Cluster], total: int) -> str:
    """Return the number of documents without exact copies and near-duplicates, as people read it."""
    return counted(total - count_kind(clusters, "exact", "near-duplicate"), "unique document")


def counted_kinds(clusters: list[Cluster]) -> list[str]:
    """Return the numbers of duplicates of each kind, as people read them."""
    named = [
        counted(count_kind(clusters, "exact"), "exact copy", "exact copies"),
        counted(count_kind(clusters, "near-duplicate"), "near-duplicate"),
        counted(count_kind(clusters, "candidate"), "candidate"),
    ]
    return [one for one in named if not one.startswith("0 ")] or ["no duplicates"]


def _tiles(clusters: list[Cluster], total: int, failed: int) -> Iterator[Tile]:
    exact, near, candidates = (count_kind(clusters, kind) for kind in ("exact", "near-duplicate", "candidate"))
    files = [path for cluster in clusters for path in removable(cluster)]
    size = 0
    for path in files:
        with suppress(OSError):
            size += os.path.getsize(path)
    yield Tile(total, agreeing(total, "document"))
    yield Tile(len(clusters), agreeing(len(clusters), "cluster"))
    yield Tile(exact, agreeing(exact, "exact copy", "exact copies"), show="exact")
    yield Tile(near, agreeing(near, "near-duplicate"), show="near-duplicate")
    if files:
        yield Tile(shown_size(size), f"in {counted(len(files), 'removable file')}")
    yield Tile(candidates, f"{agreeing(candidates, 'candidate')} to look at", "other", "candidate")
    for kind, label in _NUMBER_KINDS.items():
        count = sum(kind in _number_kinds(member) for cluster in clusters for member in cluster)
        label = label if count == 1 else label.replace("its", "their")
        yield Tile(count, label, "" if kind == "by-numbers" else "other", kind)
    yield Tile(failed, "could not be read", "bad")


def _kinds(clusters: list[Cluster], total: int) -> Shares:
    parts: list[tuple[Kind, tuple[str, str], Tone]] = [
        ("candidate", ("candidate, which you also keep", "candidates, which you also keep"), "candidate"),
        ("near-duplicate", ("near-duplicate", "near-duplicates"), "near"),
        ("exact", ("exact copy", "exact copies"), "exact"),
    ]
    shares = [
        Share(count, agreeing(count, *labels), tone)
        for kind, labels, tone in parts
        if (count := count_kind(clusters, kind))
    ]
    return Shares([Share(total - sum(share.count for share in shares), "kept", "kept"), *shares])


def _histograms(clusters: list[Cluster], distance: int) -> Iterator[Histogram]:
    """Yield histograms of the distances and sizes, and first of the similarities if texts were compared."""
    members = [member for cluster in clusters for member in cluster[1:]]
    if found := [member.similarity for member in members if member.similarity is not None]:
        shares = percentages(found)
        about = "Share of common words of each duplicate and the kept document. Look at the least similar first."
        yield Histogram("Similarity", about, "Percent", bars(shares, int(shares.min()), 100))
    about = f"Differing bits of each duplicate and the kept document; at most {distance}."
    yield Histogram("Distance", about, "Bits", bars(np.array([one.distance for one in members]), 0, distance))
    sizes = np.array([len(cluster) for cluster in clusters])
    yield Histogram("Clusters", "Clusters by their number of documents.", "Documents", bars_of_sizes(sizes))


def _groups(clusters: list[Cluster], text: TextOf) -> Iterator[Block]:
    left = _MOST_DIFFERENCES
    groups = []
    for number, cluster in enumerate(clusters, 1):
        rows = list(_rows(cluster, text, left))
        left -= sum(bool(row.summary) for row in rows)
        groups.append(_group(number, cluster, rows, is_open=number == 1))
    kinds = {"exact": "With exact copies", "near-duplicate": "With near-duplicates", "candidate": "With candidates"}
    found = {kind for cluster in clusters for member in cluster for kind in _number_kinds(member)}
    kinds |= {kind: label.capitalize() for kind, label in _NUMBER_KINDS.items() if kind in found}
    yield Groups("cluster", "path", groups, kinds, ("Largest first", "Least similar first"), squares=True)
    if left <= 0:
        yield Paragraph(f"The page shows the differences of the first {_MOST_DIFFERENCES:,} documents.")


def _group(number: int, cluster: Cluster, rows: list[Row], *, is_open: bool) -> Group:
    kept, others = cluster[0].document, cluster[1:]
    bits = [member.distance for member in others]
    shares = [member.similarity for member in others if member.similarity is not None]
    about = [counted(len(cluster), "document"), _span(counted(min(bits), "bit"), counted(max(bits), "bit"))]
    if shares:
        about.append(_span(percent(min(shares)), percent(max(shares))))
    kinds = {str(member.kind) for member in others} | {kind for member in cluster for kind in _number_kinds(member)}
    return Group(
        os.path.basename(kept.path.rstrip("/")) or kept.path,
        " · ".join(about),
        [Rows(rows)],
        sorted(kinds),
        min(shares, default=1),
        open=is_open,
        id=f"cluster-{number}",
    )


def _rows(cluster: Cluster, text: TextOf, most: int) -> Iterator[Row]:
    """Yield the documents of a cluster, with the differences of at most so many from the one that is kept."""
    kept = cluster[0].document
    tokens = counted(kept.tokens, "token") if kept.tokens else ""
    yield Row(path_text(kept.path), _badges(cluster[0]), tokens)
    first = text(kept)
    no_change: Text = ()
    for member, *more in _alike(cluster[1:], text):
        summary, change = "", no_change
        if member.kind != "exact" and most > 0:
            summary, change = _difference(first, text(member.document))
            most -= 1
        yield Row(
            path_text(member.document.path),
            _badges(member),
            bits=member.distance,
            share=member.similarity,
            summary=summary,
            text=change,
            alike=_folded(more),
        )


def _number_kinds(member: Member) -> set[str]:
    """Return why a person should look at a document, of `_NUMBER_KINDS`."""
    found = {"by-numbers": member.kept_by_numbers, "unconfirmed": member.unconfirmed}
    found["other-numbers"] = member.numbers == "other"
    return {kind for kind, is_true in found.items() if is_true}


def _badges(member: Member) -> list[Badge]:
    """Return the kind of a document, and why a person should look at it."""
    more = [_NUMBER_KINDS[kind] for kind in sorted(_number_kinds(member))] + ["protected"] * member.protected
    return [_BADGES[member.kind], *(Badge(label, "candidate") for label in more)]


def _alike(members: list[Member], text: TextOf) -> list[list[Member]]:
    """Return members of one kind with equal texts together, in the order of the first of them."""
    groups: dict[object, list[Member]] = {}
    for member in members:
        found = text(member.document)
        whole = found is not None and len(found) < STORED_CHARACTERS
        same: object = hash(found) if whole else member.copy_of or member.document.path
        groups.setdefault((*_badges(member), member.distance, member.similarity, same), []).append(member)
    return list(groups.values())


def _folded(members: list[Member]) -> Alike | None:
    """Return documents with the text of the one before them; None if there are none."""
    if not members:
        return None
    names = ", ".join(os.path.basename(member.document.path) for member in members[:_NAMES])
    dots = " …" if len(members) > _NAMES else ""
    kind = members[0].kind
    what = ("exact copy", "exact copies") if kind == "exact" else (f"{kind} with", f"{kind}s with")
    text = "" if kind == "exact" else " the same text"
    summary = f"and {counted(len(members), f'more {what[0]}', f'more {what[1]}')}{text}: {names}{dots}"
    return Alike(summary, [path_text(member.document.path) for member in members])


def _difference(left: str | None, right: str | None) -> tuple[str, Text]:
    """Return how a text differs from the kept one: in words, and the differences."""
    if left is None or right is None:
        return "", ()
    cut = STORED_CHARACTERS in (len(left), len(right))
    beginnings = f"of the first {STORED_CHARACTERS:,} characters: " if cut else ""
    if left == right:
        equal = f"The first {STORED_CHARACTERS:,} characters are" if cut else "The text is"
        return f"{equal} equal to the kept one.", ()
    found = difference(left, right)
    return f"{beginnings}{found.summary}", found.text


def _failures(failures: list[tuple[str, str]]) -> Iterator[Block]:
    if failures:
        rows = [Row(path_text(path), notes=[reason]) for path, reason in failures[:_FAILURES]]
        more = len(failures) - _FAILURES
        rest = [Paragraph(f"{more:,} more are named on standard error.")] if more > 0 else []
        yield Section(f"Could not be read: {counted(len(failures), 'document')}", [Rows(rows), *rest], folded=True)


def _span(least: str, most: str) -> str:
    return most if least == most else f"{least.split(maxsplit=1)[0]} to {most}"


def _place(places: tuple[str, ...]) -> str:
    """Return what a page calls the files and directories that were given."""
    if len(places) > 1:
        return counted(len(places), "place")
    return places[0] if os.path.basename(places[0]).strip(".") else os.path.basename(os.path.abspath(places[0])) or "/"
