"""No figure of extraction/gate.json falls, and every format has its figures there."""

from __future__ import annotations

import io
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from benchmarks.extraction.places import FORMATS as WITH_PLACES
from benchmarks.extraction.places import counts, ours
from simhash_doc_extraction import CONTAINERS, READERS, ExtractedText, extract_each
from tests.extraction.samples import PARAGRAPHS, TITLE, file_name, sample

GATE: dict[str, Any] = json.loads((Path(__file__).parents[2] / "extraction/gate.json").read_bytes())


def shares(document_format: str) -> tuple[float, float]:
    """Return the recall and the precision of the words of the sample document in a format."""
    found = list(extract_each(io.BytesIO(sample(document_format)), name=file_name(document_format)))
    text = "\n".join(one.text for one in found if isinstance(one, ExtractedText))
    expected, words = Counter(" ".join((TITLE, *PARAGRAPHS)).split()), Counter(text.split())
    shared = (expected & words).total()
    return shared / expected.total(), shared / max(words.total(), 1)


def test_every_format_is_in_the_gate() -> None:
    assert set(GATE["documents"]) == {*READERS, *CONTAINERS}
    assert set(GATE["places"]) == set(WITH_PLACES)


@pytest.mark.parametrize("document_format", GATE["documents"])
def test_the_texts_of_documents_are_not_worse(document_format: str) -> None:
    floor = GATE["documents"][document_format]
    recall, precision = shares(document_format)
    assert recall >= floor["recall"]
    assert precision >= floor["precision"]


@pytest.mark.slow
@pytest.mark.parametrize("document_format", GATE["places"])
def test_the_places_of_formats_are_not_fewer(document_format: str) -> None:
    floor, found = GATE["places"][document_format], counts(document_format, ours(document_format))
    assert found["shown"] >= floor["shown"]
    assert found["read"] / found["shown"] >= floor["recall"]
    assert found["not shown"] >= floor["not shown"]
    assert 1 - found["read all the same"] / found["not shown"] >= floor["precision"]
