"""The page that `simhash-doc dedupe --html` writes: clusters, and the differences between their texts."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from simhash_doc.cli.page import END, badge, facts, folded, head, made_by, measure, named, part, percent, safe, tiles
from simhash_doc.cli.text_differences import difference
from simhash_doc.console.messages import counted
from simhash_doc.console.sizes import shown_size
from simhash_doc.duplicates.clusters import Cluster, Kind, Member, removable
from simhash_doc.duplicates.compared import ComparedDocument

STORED_CHARACTERS = 20_000  # of each text are compared on the page
_MOST_DIFFERENCES = 500
_SHORT = 1500  # characters of HTML, up to which a difference is shown at once
_OPEN = 5  # clusters that are shown open
_PAGE = 50  # clusters that are shown at a time
_ROWS = 200  # of a cluster that are shown at a time
_FAILURES = 1000  # that are listed
_NAMES = 3  # of folded documents

Text = Callable[[ComparedDocument], str | None]
"""Returns the beginning of the text of a document; None if it is not available."""


@dataclass(frozen=True, slots=True)
class Compared:
    """What was compared for a page, and how.

    Attributes:
        places: the files and directories that were given.
        distance: most bits in which near fingerprints differ.
        method: how documents were compared, in a line.
        details: the same as names and values.
        near: what makes a document a near-duplicate, as the end of a sentence.
        failures: path and reason of each document that could not be read.
    """

    places: tuple[str, ...]
    distance: int
    method: str
    details: tuple[tuple[str, str], ...]
    near: str
    failures: list[tuple[str, str]]


def page_of(clusters: list[Cluster], total: int, text: Text, compared: Compared) -> Iterator[str]:
    """Yield the lines of the page.

    Args:
        clusters: the clusters.
        total: number of all documents.
        text: see `Text`.
        compared: what was compared, and how.
    """
    title = f"Duplicates in {_place(compared.places)}"
    yield from head(title)
    yield f"<h1>{safe(title)}</h1>"
    yield f'<p class="sub">{counted(total, "document")} compared: {compared.method}</p>'
    yield _tiles(clusters, total, len(compared.failures))
    yield '<p class="note"><strong>Nothing has been deleted.</strong> An <em>exact copy</em> has the same bytes as '
    yield f"another file. A <em>near-duplicate</em> {compared.near}. A <em>candidate</em> only has a fingerprint near "
    yield "the fingerprint of the kept document: look before you act.</p>"
    given = [("Compared", ", ".join(f"<code>{safe(one)}</code>" for one in compared.places))]
    yield folded("What was compared, and how", facts([*given, *compared.details, *made_by()]))
    if clusters:
        yield _controls()
        yield f'<div class="list" data-page="{_PAGE}">'
        shown = 0
        later = _Later()
        for number, cluster in enumerate(clusters, 1):
            if number == _PAGE + 1:
                yield "</div>"
            start = f'<script type="text/html" {_data(number, cluster)}>' if number > _PAGE else ""
            html, differences = _cluster(number, cluster, text, _MOST_DIFFERENCES - shown, later)
            shown += differences
            yield f"{start}{html}{'</script>' if start else ''}"
        yield "</div>" if len(clusters) <= _PAGE else ""
        yield from later.scripts
        if later.scripts or len(clusters) > _PAGE:
            yield "<noscript><p>Without scripts, the page only shows the first clusters, and the first documents of "
            yield "each. <code>--format json</code> reports all.</p></noscript>"
        yield '<nav class="bar" aria-label="Pages of clusters" hidden><button type="button">Previous</button>'
        yield '<button type="button">Next</button></nav>'
        if shown >= _MOST_DIFFERENCES:
            yield f'<p class="mute">The page shows the differences of the first {shown:,} documents.</p>'
    else:
        yield "<p>No two documents are alike.</p>"
    yield from _failures(compared.failures)
    if clusters:
        yield f"<script>{part('page.js')}</script>"
    yield END


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


def _tiles(clusters: list[Cluster], total: int, failed: int) -> str:
    exact, near, candidates = (count_kind(clusters, kind) for kind in ("exact", "near-duplicate", "candidate"))
    files = [path for cluster in clusters for path in removable(cluster)]
    size = 0
    for path in files:
        with suppress(OSError):
            size += os.path.getsize(path)
    removed = f"in {counted(len(files), 'removable file')}"
    numbers = [
        (f"{total:,}", "document" if total == 1 else "documents", ""),
        (f"{len(clusters):,}", "cluster" if len(clusters) == 1 else "clusters", ""),
        (f"{exact:,}", "exact copy" if exact == 1 else "exact copies", ""),
        (f"{near:,}", "near-duplicate" if near == 1 else "near-duplicates", ""),
        (shown_size(size), removed, ""),
        (f"{candidates:,}", "candidates to look at", "other" if candidates else ""),
        (f"{failed:,}", "could not be read", "bad" if failed else ""),
    ]
    return tiles(numbers)


def _controls() -> str:
    """Return what filters and sorts the clusters; the script shows it."""
    kinds = {"": "All clusters", "exact": "With exact copies", "near-duplicate": "With near-duplicates"}
    kinds |= {"candidate": "With candidates"}
    orders = {"size": "Largest first", "least": "Least similar first"}
    choices = []
    for label, options in (("Show", kinds), ("Order", orders)):
        shown = "".join(f'<option value="{value}">{name}</option>' for value, name in options.items())
        choices.append(f'<select aria-label="{label}">{shown}</select>')
    return (
        '<div class="bar" hidden><input type="search" placeholder="Filter by path" aria-label="Filter by path">'
        f'{"".join(choices)}<button type="button">Open all</button><button type="button">Close all</button></div>'
        '<p class="mute" role="status"></p>'
    )


class _Later:
    """The rows of long lists that the script of the page shows later.

    Attributes:
        scripts: elements with these rows.
    """

    def __init__(self) -> None:
        self.scripts: list[str] = []
        self._lists = 0

    def first(self, rows: list[str], card: int) -> str:
        """Return the first rows of a list of a card, and a button for the others."""
        shown = "".join(rows[:_ROWS])
        if len(rows) > _ROWS:
            self._lists += 1
            shown += f'<li><button type="button" data-more="{self._lists}">Show more</button> '
            shown += f'<span class="mute">of {len(rows):,}</span></li>'
        for start in range(_ROWS, len(rows), _ROWS):
            part = "".join(rows[start : start + _ROWS])
            self.scripts.append(
                f'<script type="text/html" data-rows="{self._lists}" data-card="{card}">{part}</script>'
            )
        return shown


def _data(number: int, cluster: Cluster) -> str:
    """Return attributes by which the script of the page filters and sorts."""
    kinds = " ".join(sorted({member.kind for member in cluster[1:]}))
    least = min((member.similarity for member in cluster[1:] if member.similarity is not None), default=1)
    return f'data-number="{number}" data-kinds="{kinds}" data-least="{least:.4f}"'


def _cluster(number: int, cluster: Cluster, text: Text, most: int, later: _Later) -> tuple[str, int]:
    """Return a cluster in HTML, and how many differences it shows, of at most `most`."""
    kept, others = cluster[0].document, cluster[1:]
    bits = [member.distance for member in others]
    shares = [member.similarity for member in others if member.similarity is not None]
    about = [counted(len(cluster), "document"), _span(counted(min(bits), "bit"), counted(max(bits), "bit"))]
    if shares:
        about.append(_span(percent(min(shares)), percent(max(shares))))
    words = f' <span class="dir">· {counted(kept.tokens, "token")}</span>' if kept.tokens else ""
    rows = [f'<li><div class="row">{badge("kept")}<span class="path">{named(kept.path)}{words}</span></div></li>']
    shown = 0
    first = text(kept)
    for member, *more in _alike(others, text):
        change = ""
        if member.kind != "exact" and shown < most:
            change = _difference(first, text(member.document))
            shown += 1
        rows.append(
            f'<li><div class="row">{badge(member.kind)}<span class="path">{named(member.document.path)}</span>'
            f"{measure(member.distance, member.similarity)}</div>{change}</li>"
        )
        rows += _same(more, number, later)
    name = safe(os.path.basename(kept.path.rstrip("/")) or kept.path)
    html = (
        f'<details class="card" id="cluster-{number}" {_data(number, cluster)}{" open" if number <= _OPEN else ""}>'
        f'<summary><span class="name">{name}</span><span class="count">{" · ".join(about)}</span></summary>'
        f'<ul class="rows">{later.first(rows, number)}</ul></details>'
    )
    return html, shown


def _alike(members: list[Member], text: Text) -> list[list[Member]]:
    """Return members of one kind with equal texts together, in the order of the first of them."""
    groups: dict[object, list[Member]] = {}
    for member in members:
        found = text(member.document)
        whole = found is not None and len(found) < STORED_CHARACTERS
        same: object = hash(found) if whole else member.copy_of or member.document.path
        groups.setdefault((member.kind, member.distance, member.similarity, same), []).append(member)
    return list(groups.values())


def _same(members: list[Member], card: int, later: _Later) -> list[str]:
    """Return documents with the text of the one before them, folded into a row; no row if there are none."""
    if not members:
        return []
    names = ", ".join(safe(os.path.basename(member.document.path)) for member in members[:_NAMES])
    dots = " …" if len(members) > _NAMES else ""
    kind = members[0].kind
    what = ("exact copy", "exact copies") if kind == "exact" else (f"{kind} with", f"{kind}s with")
    text = "" if kind == "exact" else " the same text"
    summary = f"and {counted(len(members), f'more {what[0]}', f'more {what[1]}')}{text}: {names}{dots}"
    listed = later.first([f'<li class="path">{named(member.document.path)}</li>' for member in members], card)
    return [f'<li><details class="diff"><summary>{summary}</summary><ul class="names">{listed}</ul></details></li>']


def _difference(left: str | None, right: str | None) -> str:
    """Return how a text differs from the kept one."""
    if left is None or right is None:
        return ""
    cut = STORED_CHARACTERS in (len(left), len(right))
    beginnings = f"of the first {STORED_CHARACTERS:,} characters: " if cut else ""
    if left == right:
        equal = f"The first {STORED_CHARACTERS:,} characters are" if cut else "The text is"
        return f'<p class="diff skip">{equal} equal to the kept one.</p>'
    found = difference(left, right)
    if not found.html:
        return f'<p class="diff skip">{beginnings}{found.summary}.</p>'
    opened = " open" if len(found.html) <= _SHORT else ""
    return (
        f'<details class="diff"{opened}><summary>{beginnings}{found.summary}</summary>'
        f'<p class="text" dir="auto">{found.html}</p></details>'
    )


def _failures(failures: list[tuple[str, str]]) -> Iterator[str]:
    if not failures:
        return
    yield '<details class="card" id="failures"><summary><span class="name">Could not be read</span>'
    yield f'<span class="count">{counted(len(failures), "document")}</span></summary><ul class="rows">'
    for path, reason in failures[:_FAILURES]:
        yield f'<li><span class="path">{named(path)}</span><br><span class="mute">{safe(reason)}</span></li>'
    if more := len(failures) - _FAILURES:
        yield f"<li>{more:,} more are named on standard error.</li>" if more > 0 else ""
    yield "</ul></details>"


def _span(least: str, most: str) -> str:
    return most if least == most else f"{least.split(maxsplit=1)[0]} to {most}"


def _place(places: tuple[str, ...]) -> str:
    """Return what a page calls the files and directories that were given."""
    if len(places) > 1:
        return counted(len(places), "place")
    return places[0] if os.path.basename(places[0]).strip(".") else os.path.basename(os.path.abspath(places[0])) or "/"
