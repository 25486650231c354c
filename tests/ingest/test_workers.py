"""How many worker processes a run has."""

from __future__ import annotations

from pathlib import Path

import pytest

from simhash_doc.batch.process_pool import ordered_map
from simhash_doc.ingest import fingerprint_documents, workers
from tests.extract.samples import file_name, sample


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of worker processes that were asked for."""
    numbers: list[int] = []

    def counting(*arguments: object, **options: object) -> object:
        numbers.append(arguments[2])  # type: ignore[arg-type]
        return ordered_map(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(workers, "ordered_map", counting)
    return numbers


@pytest.mark.parametrize(
    ("formats", "count"),
    [
        ([], []),
        (["text"], []),
        (["text", "text"], []),
        (["html"], [1]),
        (["text", "html", "text"], [3]),
        (["warc"], [8]),
        (["text", "warc"], [8]),
    ],
)
def test_plain_text_needs_no_process_and_a_crawl_all_of_them(
    tmp_path: Path, formats: list[str], count: list[int], started: list[int]
) -> None:
    paths = []
    for at, name in enumerate(formats):
        paths.append(tmp_path / f"{at}-{file_name(name)}")
        paths[-1].write_bytes(sample(name))
    results = list(fingerprint_documents(paths, jobs=8))
    assert [result.fingerprint is not None for result in results] == [True] * len(paths)
    assert started == count


def test_much_plain_text_is_read_by_several_processes(tmp_path: Path, started: list[int]) -> None:
    paths = []
    for at in range(3):
        paths.append(tmp_path / f"{at}.txt")
        paths[-1].write_bytes(b"many words " * 200_000)
    assert len({result.fingerprint for result in fingerprint_documents(paths, jobs=8)}) == 1
    assert started == [3]
    list(fingerprint_documents(paths[:1], jobs=8))
    assert started == [3]
