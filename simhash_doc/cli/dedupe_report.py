"""The report of `simhash-doc dedupe`: as text, JSON lines, rows, or one page; and the list of files to remove."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from difflib import SequenceMatcher
from html import escape
from typing import Any

from simhash_doc.cli.output import counted, escape_path, print_error, text_form, writing
from simhash_doc.duplicates import DocumentEntry, DuplicateCluster, Findings, Kind, Member

MEMBER_COLUMNS = {
    "cluster": "int64",
    "size": "int64",
    "representative": "string",
    "path": "string",
    "kind": "string",
    "fingerprint": "string",
    "distance": "uint16",
    "similarity": "float64",
}
_SHOWN_KINDS: dict[Kind, str] = {"representative": "keep", "exact": "exact copy"}
KEPT_CHARACTERS = 20_000
"""Characters of each text that are compared on the page."""
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
td.path, pre { overflow-wrap: anywhere; }
input { font: inherit; width: 100%; max-width: 30rem; padding: .3rem; }
.sides { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; }
.sides div { background: var(--soft); padding: .6rem; white-space: pre-wrap; overflow-wrap: anywhere; }
del { background: var(--gone); text-decoration: none; } ins { background: var(--new); text-decoration: none; }
section { border-top: 2px solid var(--line); margin-top: 1.5rem; }
"""
_SCRIPT = """
const search = document.getElementById("search"), shown = document.getElementById("shown");
const sections = [...document.querySelectorAll("section")];
const texts = sections.map(section => section.textContent.toLowerCase());
search.addEventListener("input", () => {
  const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
  let count = 0;
  sections.forEach((section, at) => {
    section.hidden = !words.every(word => texts[at].includes(word));
    count += section.hidden ? 0 : 1;
  });
  shown.textContent = `${count} of ${sections.length} clusters`;
});
"""

Text = Callable[[DocumentEntry], str | None]


def text_report(found: Findings, *, bare: bool) -> Iterator[str]:
    """Yield the lines of the report for people."""
    for number, cluster in enumerate(found.clusters, 1):
        yield f"cluster {number}: {len(cluster)} documents ({', '.join(_parts(cluster.count))})"
        for member in cluster.members:
            yield f"  {_text_row(member, bare=bare)}"
        yield ""
    clusters = counted(len(found.clusters), "cluster")
    yield f"{counted(found.total, 'document')}, {sum(map(len, found.clusters)):,} of them in {clusters}"
    yield f"{', '.join(_parts(found.count))}: {counted(found.unique, 'unique document')}"


def json_report(found: Findings, *, bare: bool) -> Iterator[str]:
    """Yield one JSON object per cluster."""
    for number, cluster in enumerate(found.clusters, 1):
        fields = {
            "cluster": number,
            "size": len(cluster),
            "representative": cluster.representative.path,
            "documents": [_member_fields(member, bare=bare) for member in cluster.members],
        }
        yield json.dumps(fields)


def member_rows(found: Findings, *, bare: bool) -> Iterator[tuple[Any, ...]]:
    """Yield one row per member, in the order of `MEMBER_COLUMNS`."""
    for number, cluster in enumerate(found.clusters, 1):
        for member in cluster.members:
            document = member.document
            fingerprint = text_form(document.fingerprint, bare=bare)
            place = (number, len(cluster), cluster.representative.path, document.path, member.kind)
            yield (*place, fingerprint, member.distance, member.similarity)


def _percent(similarity: float | None) -> str:
    """Return a similarity as people read it; only equal token counts are 100 %."""
    if similarity is None:
        return ""
    return "100 %" if similarity == 1 else f"{min(99, int(100 * similarity + 0.5))} %"


def write_remove_list(found: Findings, path: str, *, null_separated: bool) -> None:
    """Write the paths of the files that can be deleted, one per line, or each followed by NUL.

    Raises:
        click.ClickException: the file cannot be written.
    """
    paths = [path for cluster in found.clusters for path in cluster.removable()]
    unlisted = [] if null_separated else [path for path in paths if "\n" in path]
    listed = [path for path in paths if path not in set(unlisted)]
    end = b"\0" if null_separated else b"\n"
    with writing(path) as file:
        file.write(b"".join(path.encode("utf-8", "surrogateescape") + end for path in listed))
    if unlisted:
        print_error(f"simhash-doc: {path} leaves out {counted(len(unlisted), 'name')} with line ends: use -0")
    inside = found.count("exact") + found.count("near-duplicate") - len(paths)
    if inside:
        print_error(f"simhash-doc: {path} leaves out {counted(inside, 'duplicate')} inside other files")


def _parts(count: Callable[[Kind], int]) -> list[str]:
    """Return the numbers of duplicates of each kind, as people read them."""
    named = [
        counted(count("exact"), "exact copy", "exact copies"),
        counted(count("near-duplicate"), "near-duplicate"),
        counted(count("candidate"), "candidate"),
    ]
    return [one for one in named if not one.startswith("0 ")] or ["no duplicates"]


def _text_row(member: Member, *, bare: bool) -> str:
    document = member.document
    kind = _SHOWN_KINDS.get(member.kind, member.kind)
    fingerprint = text_form(document.fingerprint, bare=bare)
    similarity = _percent(member.similarity)
    return f"{kind:<14}  {fingerprint}  {member.distance:2}  {similarity:>5}  {escape_path(document.path)}"


def _member_fields(member: Member, *, bare: bool) -> dict[str, Any]:
    document = member.document
    fields: dict[str, Any] = {
        "path": document.path,
        "kind": member.kind,
        "fingerprint": text_form(document.fingerprint, bare=bare),
        "distance": member.distance,
        "sd256_distance": member.wide_distance,
        "similarity": member.similarity,
    }
    if member.copy_of is not None:
        fields["copy_of"] = member.copy_of
    if document.provenance:
        fields["provenance"] = document.provenance.to_dict()
    return fields


def html_report(found: Findings, text: Text) -> Iterator[str]:
    """Yield the lines of the page.

    Args:
        found: the clusters.
        text: returns the beginning of the text of a document; None if it is not available.
    """
    facts = [
        counted(found.total, "document"),
        *_parts(found.count),
        counted(found.unique, "unique document"),
    ]
    yield "<!doctype html>"
    yield '<html lang="en"><head><meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>Duplicate documents</title><style>{_STYLE}</style></head>"
    yield f"<body><main><h1>Duplicate documents</h1><p>{', '.join(facts)}</p>"
    yield '<p><label>Search paths and texts: <input id="search" type="search"></label>'
    yield f'<span id="shown" role="status">{counted(len(found.clusters), "cluster")}</span></p>'
    differences = 0
    for number, cluster in enumerate(found.clusters, 1):
        yield f'<section id="cluster-{number}"><h2>Cluster {number}: {len(cluster)} documents</h2>'
        yield from _table(cluster)
        for member in cluster.members[1:]:
            if member.kind != "exact" and differences < _MOST_DIFFERENCES:
                differences += 1
                yield from _difference(cluster.representative, member, text)
        yield "</section>"
    yield f"</main><script>{_SCRIPT}</script></body></html>"


def _table(cluster: DuplicateCluster) -> Iterator[str]:
    yield "<table><thead><tr><th>Document</th><th>Kind</th><th>Bits</th><th>Similarity</th></tr></thead><tbody>"
    for member in cluster.members:
        kind = "kept" if member.kind == "representative" else member.kind
        yield (
            f'<tr><td class="path">{_safe(member.document.path)}</td><td>{kind}</td><td>{member.distance}</td>'
            f"<td>{_percent(member.similarity)}</td></tr>"
        )
    yield "</tbody></table>"


def _difference(first: DocumentEntry, member: Member, text: Text) -> Iterator[str]:
    left, right = text(first), text(member.document)
    if left is None or right is None:
        return
    cut = KEPT_CHARACTERS in (len(left), len(right))
    yield f"<details><summary>Differences from {_safe(member.document.path)}</summary>"
    if cut:
        yield f"<p>Only the first {KEPT_CHARACTERS:,} characters of each text are compared.</p>"
    sides = _sides(_WORD.findall(left), _WORD.findall(right))
    yield '<div class="sides">' + "".join(f"<div>{side}</div>" for side in sides) + "</div></details>"


def _sides(left: list[str], right: list[str]) -> tuple[str, str]:
    """Return two texts with their differences marked; long equal stretches are shortened."""
    sides: tuple[list[str], list[str]] = ([], [])
    for kind, a, b, c, d in SequenceMatcher(None, left, right).get_opcodes():
        for side, words, mark in ((0, left[a:b], "del"), (1, right[c:d], "ins")):
            if kind == "equal":
                sides[side].append(_safe("".join(_shortened(words))))
            elif words:
                sides[side].append(f"<{mark}>{_safe(''.join(words))}</{mark}>")
    return "".join(sides[0]), "".join(sides[1])


def _shortened(words: list[str]) -> list[str]:
    if len(words) <= 2 * _CONTEXT + 1:
        return words
    return [*words[:_CONTEXT], f"\n[… {len(words) - 2 * _CONTEXT:,} equal words …]\n", *words[-_CONTEXT:]]


def _safe(text: str) -> str:
    """Return text for the page: invisible characters are escaped, and what UTF-8 cannot hold is replaced."""
    visible = "".join(one if one.isprintable() or one in " \n\t" else repr(one)[1:-1] for one in text)
    return escape(visible.encode("utf-8", "backslashreplace").decode())
