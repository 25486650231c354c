"""Limits: values that no system supports are rejected where they are given, and documents need little memory."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from simhash_doc_extraction import LimitExceededError, Limits, extract, parts
from simhash_doc_extraction.base import MOST_TAGS, LimitValueError
from simhash_doc_extraction.parts import elements
from tests.commands import run
from tests.extraction.samples import archive, docx_parts, epub_parts

NAMES = ("input_bytes", "expanded_bytes", "pages", "seconds", "memory_bytes")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", [0, -1, 10**16, 10**30, float("nan"), float("inf")])
def test_limits_are_checked(name: str, value: Any) -> None:
    with pytest.raises(LimitValueError, match=f"^{name} is "):
        Limits(**{name: value})


OVER = ("seconds=3000000", "seconds=1e300", "seconds=inf", "input-size=9999999999G", "memory=9999999999G")
LARGEST = ("seconds=1000000", "input-size=1048576G", "expanded-size=1048576G", "memory=1048576G", "pages=1000000000")


@pytest.mark.parametrize("option", OVER + LARGEST)
def test_the_largest_values_work_and_those_over_them_are_usage_errors(option: str, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<html><p>some words")
    done = run("fingerprint", f"--max-{option}", tmp_path / "a.html")
    assert (done.returncode, "Invalid value" in done.stderr) == ((2, True) if option in OVER else (0, False))


@pytest.mark.slow
def test_elements_are_forgotten_as_they_are_read() -> None:
    data = b"<a>" + b"<i x='1'/>" * 300_000 + b"</a>"
    tracemalloc.start()
    try:
        count = sum(1 for _ in elements(data, "p"))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert count == 300_001
    assert peak < 20_000_000  # a list of them takes over 100 MB


def test_an_error_after_the_package_is_named() -> None:
    parts = epub_parts()
    good = parts["META-INF/container.xml"]
    broken = extract(archive({**parts, "META-INF/container.xml": good.rstrip()[:-3]}))
    assert broken.text == extract(archive(parts)).text
    assert "not well-formed" in broken.warnings[0]


@pytest.mark.parametrize("root", ["TEI", "html xmlns='http://www.w3.org/1999/xhtml'"])
def test_lack_of_memory_is_not_called_damage(root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_memory(*_: object, **__: object) -> None:
        raise etree.XMLSyntaxError("Memory allocation failed", etree.ErrorTypes.ERR_NO_MEMORY, 1, 1)

    monkeypatch.setattr("simhash_doc_extraction.xml.etree.fromstring", no_memory)
    with pytest.raises(LimitExceededError, match="more memory"):
        extract(f"<?xml version='1.0'?><{root}><p>some words</p></{root.split(maxsplit=1)[0]}>".encode())


def nested_archive() -> bytes:
    parts = (b'Content-Type: multipart/related; boundary="b%d"\n\n--b%d\n' % (at, at) for at in range(3000))
    return b"".join(parts) + b"Content-Type: text/html\nContent-Location: http://example.org/\n\n<p>words"


def nested_page() -> bytes:
    return b"<p>" + b"<b>x</b>" * (MOST_TAGS // 2 + 1)


@pytest.mark.parametrize(
    ("build", "message"), [(nested_archive, "nested too deeply"), (nested_page, "tags, over the limit")]
)
def test_a_limit_has_a_sentence(build: Callable[[], bytes], message: str) -> None:
    with pytest.raises(LimitExceededError, match=message):
        extract(build())


def test_the_tags_of_a_part_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "MOST_PART_TAGS", 100)
    with pytest.raises(LimitExceededError, match=r"document.xml' has .* tags, over the limit of 100"):
        extract(archive(docx_parts("<w:p><w:r><w:t>word</w:t></w:r></w:p>" * 50)))
