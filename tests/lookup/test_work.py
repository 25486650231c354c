"""What searches do, counted instead of timed: candidates that are compared, and bytes that are written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simhash_doc.lookup import Corpus, find_all, plan
from simhash_doc.lookup.tables import Found, Segment
from tests.lookup.distributions import Values, seeded


class Counted:
    """Counts the fingerprints whose differing bits are counted."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.compared = 0
        bitwise_count = np.bitwise_count

        def counting(values: Values, *arguments: Any, **options: Any) -> Any:
            self.compared += np.size(values)
            return bitwise_count(values, *arguments, **options)

        monkeypatch.setattr(np, "bitwise_count", counting)


@pytest.mark.parametrize("blocks", [4, 5, 6])
def test_a_query_is_compared_with_as_many_candidates_as_planned(blocks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    values = seeded("random", 100_000)
    corpus = Corpus(blocks)
    corpus.insert_bulk(values)
    queries = seeded("random", 2000, 7)
    candidates = 0
    search = Segment._candidates

    def counting(segment: Segment, *arguments: Any) -> Iterator[Found]:
        nonlocal candidates
        for at, difference in search(segment, *arguments):
            candidates += len(at)
            yield at, difference

    monkeypatch.setattr(Segment, "_candidates", counting)
    corpus.find_all_bulk(queries)
    assert candidates < 1.2 * plan(len(values), blocks=blocks).candidates * len(queries)


def test_all_pairs_of_random_fingerprints_take_a_few_comparisons_each(monkeypatch: pytest.MonkeyPatch) -> None:
    values = seeded("random", 100_000)
    counted = Counted(monkeypatch)
    find_all(values, 5)
    # Each of 10 tables compares a fingerprint with the neighbours that share its prefix.
    assert counted.compared < 3 * len(values)


@pytest.mark.parametrize("segments", [1, 3])
def test_a_directory_is_searched_with_the_comparisons_of_a_file(
    segments: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = seeded("random", 30_000)
    corpus = Corpus()
    corpus.insert_bulk(values)
    directory = Corpus.build(tmp_path / "index", values[: 30_000 // segments])
    for start in range(1, segments):
        directory.insert_bulk(values[start * 30_000 // segments : (start + 1) * 30_000 // segments])
    queries = values[:3000]
    counted = Counted(monkeypatch)
    corpus.find_all_bulk(queries)
    in_memory, counted.compared = counted.compared, 0
    directory.find_all_bulk(queries)
    assert counted.compared < (segments + 0.5) * in_memory
