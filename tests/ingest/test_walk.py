"""Which sources a walk of paths finds, and what it skips."""

from __future__ import annotations

from pathlib import Path

import pytest

from simhash_doc.ingest.walk import SkippedFile, Source, walk


def test_sources_are_in_order_and_say_whether_they_were_named(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for name in ("in/b.txt", "in/a.txt", "in/c.png"):
        (tmp_path / name).write_text("words")
    image, missing = str(tmp_path / "in/c.png"), str(tmp_path / "missing")
    walked = walk([image, "-", missing, tmp_path / "in", Source("in", found=True)])
    assert walked.sources == [
        Source(image),
        Source("-"),
        Source(missing),
        Source(str(tmp_path / "in/a.txt"), found=True),
        Source(str(tmp_path / "in/b.txt"), found=True),
        Source("in", found=True),
    ]
    assert walked.skipped == [SkippedFile(image, "image, not a document", format="image")]
    assert (walked.skipped_formats, walked.incomplete) == ({"image": 1}, False)


def test_a_directory_that_cannot_be_read_makes_a_walk_incomplete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(path: str) -> None:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr("os.scandir", fail)
    walked = walk([tmp_path])
    assert walked.skipped == [SkippedFile(str(tmp_path), "cannot be read: Permission denied", failed=True)]
    assert (walked.sources, walked.incomplete) == ([], True)
