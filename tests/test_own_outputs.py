"""The outputs of commands are recognised by how they begin."""

from __future__ import annotations

import json

import pytest

from simhash_doc.own_outputs import CLUSTER_LINE, ROW_CLUSTER_COLUMNS, TOTAL_LINE, is_own_output

TOTAL = TOTAL_LINE.format(documents="12,345 documents", members=0, clusters="0 clusters")
CLUSTER = CLUSTER_LINE.format(number=1, documents="3 documents", kinds="1 near-duplicate, 1 exact copy")


@pytest.mark.parametrize("text", [",".join(ROW_CLUSTER_COLUMNS), json.dumps(dict.fromkeys(ROW_CLUSTER_COLUMNS))])
def test_the_clusters_of_rows_are_an_output(text: str) -> None:
    assert is_own_output(f"{text}\n".encode())


@pytest.mark.parametrize(("text", "own"), [(CLUSTER, True), (TOTAL, True), ("id,cluster,reason", False), (" ", False)])
def test_the_first_line_of_clusters_as_text_is_an_output(text: str, own: bool) -> None:
    assert is_own_output(f"{text}\n".encode()) == own


def test_the_lines_are_what_users_read() -> None:
    assert (CLUSTER, TOTAL) == (
        "cluster 1: 3 documents (1 near-duplicate, 1 exact copy)",
        "12,345 documents, 0 of them in 0 clusters",
    )
