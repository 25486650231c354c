"""Extraction in the suite: reproducible documents, texts judged by distance, differences explained by words."""

from __future__ import annotations

import base64
import io
import json
import re
import zipfile
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from simhash_doc import fingerprint
from simhash_doc_conformance.adapters.adapter import FORMATS, Adapter
from simhash_doc_conformance.adapters.implementation import Implementation
from simhash_doc_conformance.adapters.package import PackageImplementation, has_extra
from simhash_doc_conformance.diagnosis.findings import conclude, explain
from simhash_doc_conformance.mutants import mutants
from simhash_doc_conformance.mutants.analysis import mutant_answer
from simhash_doc_conformance.protocol import Handshake
from simhash_doc_conformance.running.judge import Verdict, is_required, required_classes, undeclared
from simhash_doc_conformance.vectors.cases import load_cases, same_result
from simhash_doc_conformance.vectors.extraction import counted, differences, distances, fingerprint_of, truth_of
from tests.conformance.package import InProcess

ROOT = Path(__file__).parents[2]
VECTORS = ROOT / "conformance/vectors"
CASES = {case.id: case for case in load_cases() if case.op == "extract"}
PAGE = CASES["extract/tide-mill-page-1.html"]


# One document of each format, and the wrong ones; the slow tests read all.
SHORT = {case.format: case_id for case_id, case in CASES.items() if "result" in case.expected}.values()


@pytest.mark.parametrize(
    "case_id",
    [
        case_id if case_id in SHORT or "error" in case.expected else pytest.param(case_id, marks=pytest.mark.slow)
        for case_id, case in CASES.items()
    ],
)
def test_the_package_extracts_every_document(case_id: str) -> None:
    case = CASES[case_id]
    expected = case.expected
    for request in case.requests():
        given = Adapter(PackageImplementation()).answer({"id": 1, **request})
        if "error" in expected:
            assert given.get("error") == expected["error"]
            continue
        expected = expected or given
        assert same_result("extract", expected["result"], given["result"]), differences(request, given["result"])


def test_there_are_works_in_several_scripts_and_many_formats() -> None:
    assert {case.language for case in CASES.values()} >= {"en", "de", "fr", "zh", "hi", "ar"}
    assert {case.format for case in CASES.values()} == set(FORMATS)
    for language in ("en", "de", "fr", "zh", "hi", "ar"):
        formats = {case.format for case in CASES.values() if case.language == language}
        assert len(formats) >= 9, language


@pytest.mark.slow
def test_expected_fingerprints_are_those_of_the_works() -> None:
    for case in CASES.values():
        if "result" in case.expected:
            truth = truth_of(base64.b64decode(case.members["document"]))
            assert truth is not None
            assert case.expected["result"]["fingerprint"] == str(fingerprint(truth.text, "sd256"))
            assert sum(counted(truth.text).values()) >= 300


@pytest.mark.slow
def test_text_around_a_work_is_in_the_document() -> None:
    """The mutants keep and drop text that is in the documents."""
    for case in CASES.values():
        document = base64.b64decode(case.members["document"])
        truth = truth_of(document)
        if truth is None or case.format in ("pdf", "rtf"):
            continue
        if document.startswith(b"PK"):
            archive = zipfile.ZipFile(io.BytesIO(document))
            raw = "\n".join(archive.read(name).decode("utf-8") for name in archive.namelist())
        else:
            raw = document.decode(truth.encoding, "replace")
        there = counted(raw) | counted(re.sub(r"<[^>]*>", "", raw))  # runs cut words
        for part in (part for part in truth.parts if part.around):
            missing = counted(part.text) - there
            assert not missing, (case.id, part.role, missing)


@pytest.mark.parametrize(
    ("change", "right"),
    [
        (lambda text: text, True),
        (lambda text: text.replace("\n", "\n\n  ").upper(), True),
        (lambda text: " ".join(reversed(text.split())), True),
        (lambda text: text.replace("pegs", "nails"), True),
        (lambda text: text[: len(text) // 2], False),
        (lambda text: "", False),
        (lambda text: 7, False),
        (lambda text: None, False),
    ],
)
def test_texts_are_judged_by_distance(change: Any, right: bool) -> None:
    truth = truth_of(base64.b64decode(PAGE.members["document"]))
    assert truth is not None
    assert same_result("extract", PAGE.expected["result"], change(truth.text)) is right
    assert same_result("extract", truth.text, change(truth.text)) is right


def test_distances_are_those_of_both_schemes() -> None:
    a, b = "one two three four five six", "one two three four five seven"
    wanted = fingerprint_of(a)
    assert distances(wanted, b) == {
        scheme: fingerprint(a, scheme).distance(fingerprint(b, scheme)) for scheme in ("sd64", "sd256")
    }
    assert distances(wanted, "12") is None


EXPLAINED = {
    "extract-without-captions": ("extract/tide-mill-page-1.html", "missing: (nearly) all words of figure captions"),
    "extract-without-tables": ("extract/chaguan-article.docx", "missing: (nearly) all words of tables"),
    "extract-without-references": (
        "extract/tide-mill-article.epub",
        "missing: (nearly) all words of the reference list",
    ),
    "extract-whole-page": ("extract/bustan-page-1.html", "extra: (nearly) all words of the navigation"),
    "extract-running-heads": ("extract/phare-article.odt", "extra: (nearly) all words of the running head"),
}


@pytest.mark.parametrize("name", EXPLAINED)
def test_a_wrong_text_is_explained_by_its_words(name: str) -> None:
    case_id, expected = EXPLAINED[name]
    wrong = mutant_answer(mutants()[name], {"id": 1, "op": "extract", **CASES[case_id].members})
    first = explain(CASES[case_id], wrong, lambda request: {"unsupported": True})
    assert any(expected in line for line in first.lines), first.lines
    _, summary = conclude([Verdict(CASES[case_id], "failed", first=first)])
    assert any(f"[{name}]" in line for line in summary)


def _handshake(**members: Any) -> Handshake:
    return InProcess(**{"operations": ["extract"], "schemes": ["sd64"], **members}).handshake


def test_extraction_is_a_separate_class() -> None:
    extractor = _handshake(formats=["html", "text"])
    assert required_classes(extractor) == ("extract",)
    fingerprints = _handshake(operations=["fingerprint", "encode", "decode"])
    assert required_classes(fingerprints) == ("fingerprint",)
    assert required_classes(fingerprints, ["index", "steps"]) == ("fingerprint", "steps", "index")
    assert undeclared(PAGE, extractor) is None
    assert is_required(PAGE, ("extract",), extractor)


def test_undeclared_formats_are_unsupported_except_those_of_the_class() -> None:
    pdf = CASES["extract/phare-one-column.pdf"]
    without = _handshake(formats=["text"])
    assert undeclared(pdf, without) == "format pdf is not declared"
    assert not is_required(pdf, ("extract",), without)
    assert is_required(pdf, ("extract",), _handshake(formats=["pdf"]))
    assert is_required(PAGE, ("extract",), without), "html belongs to the class"
    assert not is_required(PAGE, ("fingerprint",), without)


def test_extraction_is_declared_if_its_libraries_are_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Adapter(PackageImplementation()).answer({"op": "hello"})["formats"] == list(FORMATS)
    assert Adapter(Implementation()).answer({"op": "hello"})["formats"] == []
    assert has_extra("no-such-extra"), "an extra without libraries lacks none"
    monkeypatch.setattr(metadata, "requires", lambda name: ["no-such-library>=1; extra == 'extract'", "click>=8"])
    assert not has_extra("extract")
    assert Adapter(PackageImplementation()).answer({"op": "hello"})["formats"] == []


def test_files_are_small_all_used_and_archives_have_one_date() -> None:
    rows = json.loads((VECTORS / "cases-extraction.json").read_text(encoding="utf-8"))["cases"]
    used = {row["input"]["file"] for row in rows}
    there = {path.relative_to(VECTORS).as_posix(): path.stat().st_size for path in (VECTORS / "extraction").iterdir()}
    assert used == set(there)
    assert max(there.values()) < 20_000
    for path in (VECTORS / "extraction").iterdir():
        if zipfile.is_zipfile(path):
            entries = zipfile.ZipFile(path).infolist()
            assert {(entry.date_time, entry.compress_type) for entry in entries} == {((2026, 1, 1, 0, 0, 0), 0)}
