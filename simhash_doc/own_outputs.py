"""How the outputs of our own commands begin, so that a search for documents leaves them out.

The commands that write them take their columns from here, with the Arrow type of each, and their first lines.
"""

from __future__ import annotations

import re

from simhash_doc.errors import SpecError
from simhash_doc.fingerprint import Fingerprint

# Columns of ids have the type of the ids.
PAIR_COLUMNS = {"a": "string", "b": "string", "distance": "uint16"}
MATCH_COLUMNS = {"query": "string", "match": "string", "distance": "uint16", "fingerprint": "string"}
CLUSTER_COLUMNS = {"cluster": "int64", "size": "int64", "representative": "string"}
ROW_CLUSTER_COLUMNS = {
    "id": "string",
    "cluster": "int64",
    "representative": "string",
    "distance": "int64",
    "similarity": "float64",
    "numbers": "string",
    "reason": "string",
}
# The first line of clusters as text, and the line about all, which is the first one if there are no clusters.
CLUSTER_LINE = "cluster {number}: {documents} ({kinds})"
TOTAL_LINE = "{documents}, {members} of them in {clusters}"
GENERATOR = '<meta name="generator" content="simhash-doc">'

OWN_OUTPUT = "output of simhash-doc"
OWN_OUTPUT_ERROR = (
    "is an output of simhash-doc, not a document: `simhash-doc find-clusters` and `find-all` read fingerprints; "
    "--type text reads it as text"
)
_SAMPLE = 1 << 12  # bytes that show whether a file is an output of a command
_BESIDE_FINGERPRINT = ("scheme", "path", "id", "matches")  # one of them is in each row with a fingerprint
_OWN_COLUMNS = (
    PAIR_COLUMNS.keys(),
    MATCH_COLUMNS.keys(),
    CLUSTER_COLUMNS.keys(),
    ROW_CLUSTER_COLUMNS.keys(),
    *({"fingerprint", other} for other in _BESIDE_FINGERPRINT),
)
_MEMBER = re.compile(r'"(\w+)": ?')
_FIRST_LINES = (
    CLUSTER_LINE.format(number=1, documents="DOCUMENTS", kinds="KINDS"),
    TOTAL_LINE.format(documents="DOCUMENTS", members=0, clusters="0 clusters"),
)
_REPORT = re.compile(
    "|".join(map(re.escape, _FIRST_LINES)).replace("DOCUMENTS", "[0-9,]+ documents?").replace("KINDS", "[^)]+")
)


def is_own_output(head: bytes) -> bool:
    """Return True if a file begins as what commands write: fingerprints, pairs or clusters.

    They may be text, CSV, JSON lines or a page; Parquet is never read as a document.
    """
    lines = head[:_SAMPLE].decode("utf-8", "replace").removeprefix("\ufeff").split("\n")
    if len(head) > _SAMPLE and len(lines) > 1:
        del lines[-1]  # which may be cut
    first = lines[0].rstrip("\r")
    if first.startswith("{"):
        columns = {*_MEMBER.findall(first)}
    elif _REPORT.match(first) or GENERATOR.encode() in head[:_SAMPLE]:
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
