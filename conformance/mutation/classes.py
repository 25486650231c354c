"""Classes of believable mistakes that people wrote without a look at the mutants, and where each class is closed."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

from simhash_doc_conformance.mutants import mutants
from simhash_doc_conformance.mutants.analysis import killers
from simhash_doc_conformance.vectors.cases import load_cases

# By class: the names of its mutants, and the ids of its cases.
CLASSES = {
    "12 pieces": (("carried-*", "cuts-*"), "carried/*"),
    "13 joined ids": (("pairs-joined-*", "pairs-numbers-*", "pairs-sum", "pairs-xor", "pairs-31", "pairs-33"),
    "pairs/joined-*"),
    "14 results kept": (("kept-*",), "kept/*"),
    "15 bytes sniffed": (("sniff-*", "units-*"), "sniffed/*"),
    "16 markup stripped": (("markup-*",), "markup/*"),
    "17 wide lanes": (("lane-*",), "lanes/*"),
    "18 text forms": (("digits-*", "name-low*", "colon-low*", "distance-bare*", "distance-custom"),
    "decode/low-* distance/kinds-*"),
    "19 typed ids": (("typed-*",), "*/ids-typed-*"),
    "20 equal tokens": (("equal-*", "key-*"), "spelling/*"),
    "21 batches and histories": (("query-batch*", "update-*", "hashes-most*"), "*/batch-* update/*"),
    "22 ends of links": (("end-*",), "trace/ends-*"),
    "24 parts of a text": (("cap-parts-*", "cap-tokens*", "cap-adjacent"), "parts/*"),
    "25 shapes of links": (("no-link-*", "*-tail[0-9]*", "mail-labels*", "mail-last*", "mail-two-dots"), "shapes/*"),
    "23 beyond a million": (("count-bits*", "links-most*", "sum-bfloat16"), "beyond/*"),
}  # fmt: skip


def class_table() -> Iterator[str]:
    """Yield a table of the classes: how many mutants each has, and which run kills them."""
    flags = {case.id: case.flags for case in load_cases()}
    yield "| Class | Cases | Mutants | Killed in a quick run | Killed in a complete run |"
    yield "|---|---|---:|---:|---:|"
    for title, (patterns, cases) in CLASSES.items():
        names = [name for name in mutants() if any(fnmatchcase(name, pattern) for pattern in patterns)]
        found = [killers()[name] for name in names]
        quick = sum(any(is_quick(flags[case]) for case in cases) for cases in found)
        shown = " ".join(f"`{pattern}`" for pattern in cases.split())
        yield f"| {title} | {shown} | {len(names)} | {quick} | {sum(map(bool, found))} |"


def is_quick(flags: tuple[str, ...]) -> bool:
    """Return True if `--quick` runs a case with these flags."""
    return "large" not in flags or "quick" in flags
