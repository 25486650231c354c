"""The collections of which it is known what may be left out, and how programs are judged by them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks import known_duplicates
from benchmarks.deduplication import simhash_doc
from benchmarks.known_duplicates import Collection, bills, copyright_files, forms, letters, surveys
from benchmarks.left_out import judged
from simhash_doc import Policy


def test_texts_that_are_left_out_are_counted_as_wrong_or_found() -> None:
    collection = Collection(["a", "b", "a"], lambda left, kept: (left, kept) != (2, 0), planted=1)
    assert judged([None, None, 0], collection) == {"left_out": 1, "wrong": 0, "found": 1}
    assert judged([None, 0, 0], collection) == {"left_out": 2, "wrong": 1, "found": 1}


@pytest.mark.parametrize("made", [bills, forms, surveys, letters])
def test_as_many_records_come_twice_as_is_said(made: Callable[[], Collection]) -> None:
    collection, again = made(), made()
    assert collection.texts == again.texts
    rows = range(len(collection.texts))
    twins = sum(not collection.wrong(left, kept) for left in rows for kept in range(left))
    assert twins == collection.planted


@pytest.mark.parametrize("made", [pytest.param(bills, marks=pytest.mark.slow), forms, surveys])
def test_no_number_of_a_record_is_lost(made: Callable[[], Collection]) -> None:
    texts = made().texts
    left = [(row, kept) for row, kept in enumerate(simhash_doc(texts)) if kept is not None]
    assert left
    for row, kept in left:
        assert not Counter(re.findall("[0-9]+", texts[row])) - Counter(re.findall("[0-9]+", texts[kept]))


def test_95_percent_keep_short_letters_with_other_names() -> None:
    """The page "What is left out" says so."""
    collection = letters()
    found = judged(simhash_doc(collection.texts, Policy(min_similarity=0.95)), collection)
    assert found == {"left_out": collection.planted, "wrong": 0, "found": collection.planted}


def test_a_copyright_file_loses_nothing_if_the_kept_one_has_its_notices(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "a": "Files: *\nCopyright: 2001 A. Miller\n           2002-2004 B. Smith\nLicense: MIT\n",
        "b": "FILES: *\nCopyright: 2001, A. Miller\nLicense: MIT\n",
        "c": "Copyright: 2001 A. Miller\nLicense: Zlib\n",
        "d": "Copyright: 2002 A. Miller\nLicense: MIT\n",
    }
    for name, text in files.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "copyright").write_text(text, encoding="utf-8")
    monkeypatch.setattr(known_duplicates, "DEBIAN", tmp_path)
    monkeypatch.setattr(known_duplicates, "DEBIAN_VERSION", tmp_path / "a/copyright")
    collection = copyright_files()
    right = [(left, kept) for left in range(4) for kept in range(4) if not collection.wrong(left, kept)]
    assert right == [(0, 0), (1, 0), (1, 1), (2, 2), (3, 3)]
    assert list(collection.about["packages"]) == list(files)  # type: ignore[call-overload]
