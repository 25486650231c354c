"""Each word that a PDF shows is in its text, or a warning counts it; no word that it does not show is."""

from __future__ import annotations

import pytest

from simhash_doc_extraction import extract
from tests.extraction.pdf_places import COUNTED, NOT_SHOWN, SHOWN, compressed, member_of
from tests.extraction.warning_kinds import undocumented

WORD = "zebrawood"


@pytest.mark.parametrize("place", SHOWN)
def test_a_word_that_is_shown_is_in_the_text(place: str) -> None:
    found = extract(SHOWN[place](WORD))
    assert found.text.split().count(WORD) == 1
    assert "secret" not in found.text


@pytest.mark.parametrize("place", COUNTED)
def test_a_word_that_is_not_read_is_counted(place: str) -> None:
    build, warning = COUNTED[place]
    found = extract(build(WORD))
    assert WORD not in found.text
    assert any(warning in given for given in found.warnings)
    assert undocumented(found) == set()


@pytest.mark.parametrize("place", NOT_SHOWN)
def test_a_word_that_is_not_shown_is_not_in_the_text(place: str) -> None:
    found = extract(NOT_SHOWN[place](WORD))
    assert WORD not in found.text
    assert "page" in found.text or "other" in found.text


@pytest.mark.parametrize("place", [*SHOWN, *NOT_SHOWN])
def test_files_with_object_streams_are_read_alike(place: str) -> None:
    data = {**SHOWN, **NOT_SHOWN}[place](WORD)
    assert extract(compressed(data)).text == extract(data).text


def test_an_expression_that_refers_to_itself_many_times_is_read_once() -> None:
    found = extract(member_of(b"/VE[/Or" + b" 7 0 R" * 100 + b" 6 0 R]")(WORD))
    assert WORD in found.text
