"""Each word that Markdown or AsciiDoc shows is in the text; no word that it does not show is."""

from __future__ import annotations

import pytest

import simhash_doc_extraction
from simhash_doc_extraction import extract
from simhash_doc_extraction import markdown as reader
from tests.extraction.light_places import ASCIIDOC, COUNTED, MARKDOWN, Build

WORD = "zebrawood"
NAMES = {"a.md": MARKDOWN, "a.adoc": ASCIIDOC}


def places(kind: int) -> list[object]:
    return [
        pytest.param(name, build, id=f"{name}: {place}")
        for name, both in NAMES.items()
        for place, build in both[kind].items()
    ]


@pytest.mark.parametrize(("name", "build"), places(0))
def test_a_word_that_is_shown_is_in_the_text(name: str, build: Build) -> None:
    for data in (build(WORD), build(WORD).replace(b"\n", b"\r\n")):
        found = extract(data, name=name)
        assert WORD in found.text
        assert "page" in found.text


@pytest.mark.parametrize(("name", "build"), places(1))
def test_a_word_that_is_not_shown_is_not_in_the_text(name: str, build: Build) -> None:
    found = extract(build(WORD), name=name)
    assert WORD not in found.text
    assert "page" in found.text
    assert found.warnings == ()


@pytest.mark.parametrize(("build", "warning"), COUNTED.values(), ids=COUNTED)
def test_a_file_that_is_not_read_is_counted(build: Build, warning: str) -> None:
    found = extract(build(WORD), name="a.adoc")
    assert WORD not in found.text
    assert any(given.startswith(warning) for given in found.warnings)


@pytest.mark.parametrize("subs", ['"attributes+"', '"verbatim,attributes"', "+attributes", "'normal'"])
def test_a_listing_shows_the_values_of_attributes_if_it_says_so(subs: str) -> None:
    listing = ":version: 1.2\n\n[source,subs={}]\n----\n{{version}}\n----\n\n----\n{{version}}\n----\n"
    assert extract(listing.format(subs).encode(), name="a.adoc").text.split() == ["1.2", "{version}"]
    assert extract(listing.format("-attributes").encode(), name="a.adoc").text.split() == ["{version}", "{version}"]


def test_signs_of_a_shift_are_no_reference() -> None:
    assert extract(b"a << 2 and b >> 3", name="a.adoc").text == "a << 2 and b >> 3"


def test_marks_within_a_word_do_not_separate_it() -> None:
    assert extract(b"un**bold**ed", name="a.md").text == "unbolded"
    assert extract(b"un**bold**ed H~2~O m^2^ ``a``b", name="a.adoc").text == "unbolded H2O m2 ab"


def test_a_long_document_is_read_in_parts_with_the_same_text(monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = [f"Paragraph {n} with [a link][late] and a note[^n{n}].\n\n[^n{n}]: Note {n}.\n" for n in range(20)]
    blocks += [
        "```\n" + "code <b>\n\n" * 60 + "```\n",
        "> quoted\n> lines\n",
        "- item\n\n      code\n",
        "[late]: http://a.b\n",
    ]
    whole = "\n".join(blocks).encode()
    expected = extract(whole, name="a.md").text
    monkeypatch.setattr(reader, "_PIECE", 200)
    assert extract(whole, name="a.md").text == expected
    words = [f"w{n}" for n in range(300)]
    for separator in (" ", "\n", "\n- ", "\n> ", "\n1. ", "\n| ", "\n\n"):
        text = extract(separator.join(["", *words]).encode(), name="a.md").text
        assert [word for word in words if word not in text.split()] == []


def test_the_formats_have_readers() -> None:
    assert {"markdown", "asciidoc"} <= set(simhash_doc_extraction.READERS)
