"""How the outputs of our own commands begin, so that a search for documents leaves them out."""

from __future__ import annotations

import re

from simhash_doc.errors import SpecError
from simhash_doc.fingerprint import Fingerprint

_SAMPLE = 1 << 12  # bytes that show whether a file is an output of a command
OWN_OUTPUT = "output of simhash-doc"
OWN_OUTPUT_ERROR = (
    "is an output of simhash-doc, not a document: `simhash-doc find-clusters` and `find-all` read fingerprints; "
    "--type text reads it as text"
)
_OWN_COLUMNS = (
    {"fingerprint", "scheme"}, {"fingerprint", "path"}, {"fingerprint", "id"}, {"fingerprint", "matches"},
    {"query", "match", "distance"}, {"cluster", "size", "representative"}, {"a", "b", "distance"},
)  # fmt: skip
_MEMBER = re.compile(r'"(\w+)": ?')
_OWN_REPORT = re.compile(r"cluster 1: [0-9,]+ documents \(|[0-9,]+ documents?, 0 of them in 0 clusters")
_OWN_PAGE = b'<meta name="generator" content="simhash-doc">'


def is_own_output(head: bytes) -> bool:
    """Return True if a file begins as what commands write: fingerprints, pairs or clusters in any of their formats."""
    lines = head[:_SAMPLE].decode("utf-8-sig", "replace").split("\n")
    if len(head) > _SAMPLE and len(lines) > 1:
        del lines[-1]  # which may be cut
    first = lines[0].rstrip("\r")
    if first.startswith("{"):
        columns = {*_MEMBER.findall(first)}
    elif _OWN_REPORT.match(first) or _OWN_PAGE in head[:_SAMPLE]:
        return True
    elif "," in first:
        columns = {name.strip('"') for name in first.split(",")}
    else:
        found = [line.split("  ") for line in lines if line.strip()]
        return bool(found) and all(len(parts) > 1 and _is_fingerprint(parts[0]) for parts in found)
    return any(own <= columns for own in _OWN_COLUMNS)


def _is_fingerprint(text: str) -> bool:
    try:
        Fingerprint.parse(text)
    except SpecError:
        return False
    return True
