"""How many worker processes a run has."""

from __future__ import annotations

from pathlib import Path

import pytest

from simhash_doc.cli.batch import worker_count
from simhash_doc.cli.reading import Reading
from tests.extract.samples import file_name, sample


@pytest.mark.parametrize(
    ("media", "count"),
    [([], 0), (["text"], 0), (["text", "text"], 0), (["html"], 1), (["text", "html", "text"], 3), (["warc"], 8)],
)
def test_plain_text_needs_no_process_and_a_crawl_all_of_them(tmp_path: Path, media: list[str], count: int) -> None:
    paths = []
    for at, medium in enumerate(media):
        paths.append(str(tmp_path / f"{at}-{file_name(medium)}"))
        Path(paths[-1]).write_bytes(sample(medium))
    assert worker_count(paths, Reading(), 8) == count


def test_much_plain_text_is_read_by_several_processes(tmp_path: Path) -> None:
    paths = []
    for at in range(3):
        paths.append(str(tmp_path / f"{at}.txt"))
        Path(paths[-1]).write_bytes(b"many words " * 200_000)
    assert (worker_count(paths, Reading(), 8), worker_count(paths[:1], Reading(), 8)) == (3, 0)
