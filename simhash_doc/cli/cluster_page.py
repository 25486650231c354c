"""The page that `simhash-doc dedupe --html` writes: clusters, and the differences between their texts."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator
from html import escape

from simhash_doc.cli.messages import counted
from simhash_doc.duplicates.clusters import Cluster, Kind, Member
from simhash_doc.duplicates.compared import ComparedDocument
from simhash_doc.own_outputs import GENERATOR

STORED_CHARACTERS = 20_000  # of each text are compared on the page
_MOST_DIFFERENCES = 500
_CONTEXT = 12  # words
_WORD = re.compile(r"\S+\s*")
_STYLE = """
:root { color-scheme: light dark; --text: #1a1a1a; --back: #fff; --line: #c8c8c8; --soft: #f3f3f3;
  --gone: #fbd9d6; --new: #d3f0da; }
@media (prefers-color-scheme: dark) { :root { --text: #e8e8e8; --back: #161616; --line: #4a4a4a; --soft: #242424;
  --gone: #5a211d; --new: #1d4a2a; } }
body { font: 1rem/1.5 system-ui, sans-serif; color: var(--text); background: var(--back); margin: 2rem auto;
  max-width: 80rem; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid var(--line); }
p, summary, td.path { overflow-wrap: anywhere; }
.sides { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; }
.sides div { background: var(--soft); padding: .6rem; white-space: pre-wrap; overflow-wrap: anywhere; }
del { background: var(--gone); text-decoration: none; } ins { background: var(--new); text-decoration: none; }
section { border-top: 2px solid var(--line); margin-top: 1.5rem; }
@media (max-width: 45rem) { .sides { grid-template-columns: 1fr; } }
"""


def page_of(clusters: list[Cluster], total: int, text: Callable[[ComparedDocument], str | None]) -> Iterator[str]:
    """Yield the lines of the page.

    Args:
        clusters: the clusters.
        total: number of all documents.
        text: returns the beginning of the text of a document; None if it is not available.
    """
    facts = [
        counted(total, "document"),
        counted(len(clusters), "cluster"),
        *counted_kinds(clusters),
        counted_unique(clusters, total),
    ]
    yield from beginning("Duplicate documents", facts)
    differences = 0
    for number, cluster in enumerate(clusters, 1):
        yield f'<section id="cluster-{number}"><h2>Cluster {number}: {len(cluster)} documents</h2>'
        yield from _table(cluster)
        for member in cluster[1:]:
            if member.kind != "exact" and differences < _MOST_DIFFERENCES:
                differences += 1
                yield from _difference(cluster[0].document, member, text)
        yield "</section>"
    yield "</main></body></html>"


def beginning(title: str, facts: list[str], style: str = "") -> Iterator[str]:
    """Yield the lines of a page up to its first section; `style` is added to the style sheet."""
    yield "<!doctype html>"
    yield '<html lang="en"><head><meta charset="utf-8">'
    yield GENERATOR
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{title}</title><style>{_STYLE}{style}</style></head>"
    yield f"<body><main><h1>{title}</h1><p>{', '.join(facts)}</p>"


def percent(similarity: float | None) -> str:
    """Return a similarity as people read it; only equal token counts are 100 %."""
    if similarity is None:
        return ""
    return "100 %" if similarity == 1 else f"{min(99, int(100 * similarity + 0.5))} %"


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


def _table(cluster: Cluster) -> Iterator[str]:
    yield "<table><thead><tr><th>Document</th><th>Kind</th><th>Bits</th><th>Similarity</th></tr></thead><tbody>"
    for member in cluster:
        kind = "kept" if member.kind == "representative" else member.kind
        yield (
            f'<tr><td class="path">{safe(member.document.path)}</td><td>{kind}</td><td>{member.distance}</td>'
            f"<td>{percent(member.similarity)}</td></tr>"
        )
    yield "</tbody></table>"


def _difference(
    first: ComparedDocument, member: Member, text: Callable[[ComparedDocument], str | None]
) -> Iterator[str]:
    left, right = text(first), text(member.document)
    if left is None or right is None:
        return
    cut = STORED_CHARACTERS in (len(left), len(right))
    if left == right:
        equal = f"The first {STORED_CHARACTERS:,} characters of the texts" if cut else "The texts"
        yield f"<p>{equal} of {safe(first.path)} and {safe(member.document.path)} are equal.</p>"
        return
    yield f"<details><summary>Differences from {safe(member.document.path)}</summary>"
    if cut:
        yield f"<p>Only the first {STORED_CHARACTERS:,} characters of each text are compared.</p>"
    yield f"{beside(left, right)}</details>"


def beside(left: str, right: str) -> str:
    """Return two texts side by side, with their differences marked."""
    sides = _sides(_WORD.findall(left), _WORD.findall(right))
    return '<div class="sides">' + "".join(f"<div>{side}</div>" for side in sides) + "</div>"


def _sides(left: list[str], right: list[str]) -> tuple[str, str]:
    """Return two texts with their differences marked; long equal stretches are shortened."""
    sides: tuple[list[str], list[str]] = ([], [])
    equal: list[str] = []
    a = b = 0
    for at, other in [*_equal_words(left, right), (len(left), len(right))]:
        if (a, b) != (at, other) or at == len(left):
            for side, words, mark in ((0, left[a:at], "del"), (1, right[b:other], "ins")):
                changed = f"<{mark}>{safe(''.join(words))}</{mark}>" if words else ""
                sides[side].append(safe("".join(_shortened(equal))) + changed)
            equal = []
        equal += left[at : at + 1]
        a, b = at + 1, other + 1
    return "".join(sides[0]), "".join(sides[1])


def _equal_words(left: list[str], right: list[str], depth: int = 8) -> Iterator[tuple[int, int]]:
    """Yield the positions in both texts of words that both have in this order.

    Words that each text has once are compared (patience diff), then those that each part between two of them has once,
    and so on: the time grows with the lengths, whatever the texts are.
    """
    end = min(len(left), len(right))
    start = next((at for at in range(end) if left[at] != right[at]), end)
    yield from ((at, at) for at in range(start))
    tail = next((at for at in range(end - start) if left[~at] != right[~at]), end - start)
    inner, other_inner = left[start : len(left) - tail], right[start : len(right) - tail]
    counts, other_counts = Counter(inner), Counter(other_inner)
    places = {word: at for at, word in enumerate(other_inner) if other_counts[word] == 1}
    unique = [(at, places[word]) for at, word in enumerate(inner) if counts[word] == 1 and word in places]
    a = b = 0
    for at, other in [*_ascending(unique), (len(inner), len(other_inner))] if depth and unique else ():
        for x, y in _equal_words(inner[a:at], other_inner[b:other], depth - 1):
            yield start + a + x, start + b + y
        if at < len(inner):
            yield start + at, start + other
        a, b = at + 1, other + 1
    yield from ((len(left) - at, len(right) - at) for at in range(tail, 0, -1))


def _ascending(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the most of pairs, which ascend by the first number, that ascend by the second, too."""
    ends: list[int] = []  # by length, the least number with which such a part ends
    last: list[int] = []  # its pair
    before: list[int] = []
    for at, (_, other) in enumerate(pairs):
        place = bisect_left(ends, other)
        ends[place : place + 1] = [other]
        last[place : place + 1] = [at]
        before.append(last[place - 1] if place else -1)
    found = []
    at = last[-1] if last else -1
    while at >= 0:
        found.append(pairs[at])
        at = before[at]
    return found[::-1]


def _shortened(words: list[str]) -> list[str]:
    if len(words) <= 2 * _CONTEXT + 1:
        return words
    return [*words[:_CONTEXT], f"\n[… {len(words) - 2 * _CONTEXT:,} equal words …]\n", *words[-_CONTEXT:]]


def safe(text: str) -> str:
    """Return text for the page: invisible characters are escaped, and what UTF-8 cannot hold is replaced."""
    visible = "".join(one if one.isprintable() or one in " \n\t" else repr(one)[1:-1] for one in text)
    return escape(visible.encode("utf-8", "backslashreplace").decode())
