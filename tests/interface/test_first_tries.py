"""What a new user tries first: it works, or the error leads to what does."""

from __future__ import annotations

import dataclasses
import io
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import simhash_doc
import simhash_doc_extraction
from simhash_doc import Fingerprint, Fingerprints, engine_info, find_duplicates, fingerprint, fingerprint_many
from simhash_doc.ingest import ReadOptions, extract_documents, fingerprint_documents
from simhash_doc.lookup import Corpus, find_all, find_clusters
from simhash_doc.store import BadDocumentError, Document, FingerprintStore

TEXT = "the tide mill ground flour for the parish"
ONE = fingerprint(TEXT)


def test_public_modules_are_attributes_of_the_package() -> None:
    assert simhash_doc.lookup.find_all is find_all
    assert simhash_doc.store.Document is Document
    assert simhash_doc.ingest.fingerprint_documents is fingerprint_documents
    for name in ("find_all", "Corpus", "compare", "distance", "fingerprint_file"):
        with pytest.raises(AttributeError, match=rf"no attribute '{name}': see also simhash_doc\.lookup"):
            getattr(simhash_doc, name)


def test_a_fingerprint_stays_one_value_in_a_dataclass() -> None:
    @dataclasses.dataclass
    class Page:
        fingerprint: Fingerprint

    assert dataclasses.asdict(Page(ONE)) == {"fingerprint": ONE}
    assert not dataclasses.is_dataclass(Fingerprint)  # FastAPI reads a dataclass from the body, not from a query
    for name in ("value", "scheme", "canonical", "other"):
        with pytest.raises(AttributeError):
            setattr(ONE, name, 1)


def test_fingerprints_are_compared_by_their_values() -> None:
    found = fingerprint_many([TEXT, None, "12"])
    assert found == fingerprint_many([TEXT, "", None]) == pickle.loads(pickle.dumps(found))
    assert found != fingerprint_many([TEXT, None])
    assert found != fingerprint_many([TEXT, None, "12"], "sd128")
    assert found[:1] != found[1:2]
    assert found != [*found]
    assert fingerprint_many([]) == Fingerprints(fingerprint_many([TEXT])[:0].measurements)


class Opened(io.StringIO):
    """A file of text, whose items are lines."""


@pytest.mark.parametrize("read", [fingerprint, lambda value: fingerprint_many([value]), lambda v: find_duplicates([v])])
def test_a_path_or_a_file_for_a_text_is_read_first(read: Callable[[Any], object]) -> None:
    with pytest.raises(TypeError, match=r"read_text\(\)"):
        read(Path("a.txt"))
    with pytest.raises(TypeError, match=r"give its read\(\)"):
        read(Opened("a"))


@pytest.mark.parametrize("read", [fingerprint_documents, extract_documents])
def test_an_open_file_is_no_collection_of_paths(read: Callable[[Any], object], tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("b.txt\n")
    with (tmp_path / "a.txt").open() as file, pytest.raises(TypeError, match="paths is an open file"):
        read(file)


@pytest.mark.parametrize(
    "search",
    [
        lambda texts: find_all(texts),
        lambda texts: find_clusters(texts),
        lambda texts: Corpus().add_many(texts),
        lambda texts: Corpus().find(texts[0]),
        lambda texts: ONE.distance(texts[0]),
    ],
)
def test_texts_for_fingerprints_are_fingerprinted_first(search: Callable[[Any], object]) -> None:
    with pytest.raises(ValueError, match=r"fingerprint\(\) returns the fingerprint of a text"):
        search([TEXT, TEXT])


@pytest.mark.parametrize("many", [[ONE], fingerprint_many([TEXT]), (ONE,)])
def test_several_fingerprints_for_one_are_refused(many: Any) -> None:
    for search in (Corpus().find, Corpus().nearest, Corpus().find_all, Corpus().insert):
        with pytest.raises(ValueError, match="expected one Fingerprint, text form, bytes or int"):
            search(many)


def test_a_store_takes_text_forms_as_queries(tmp_path: Path) -> None:
    with FingerprintStore(tmp_path / "near.sqlite") as store:
        store.add(Document("a", ONE))
        assert store.find(str(ONE)) == store.find(ONE) != []
        assert [*store.find_many([str(ONE), None, ONE])] == [store.find(ONE), [], store.find(ONE)]
        assert [*store.find_many(fingerprint_many([TEXT, ""]))] == [store.find(ONE), []]
        for wrong, message in ((TEXT, r"fingerprint\(\)"), (5, "text form"), ([ONE], "text form"), ("sd65:a", "sd65")):
            with pytest.raises(BadDocumentError, match=message):
                store.find(wrong)  # type: ignore[arg-type]
        for one in (str(ONE), ONE):
            with pytest.raises(TypeError, match="expected a collection"):
                next(store.find_many(one))  # type: ignore[arg-type]


@pytest.mark.parametrize("one", [str(ONE), ONE.base32, str(ONE).upper(), str(Fingerprint(5, canonical=False)), ONE])
def test_one_text_form_is_no_path(one: Any, tmp_path: Path) -> None:
    for arguments in ({"values": one}, {"values": [ONE], "against": one}):
        with pytest.raises(TypeError, match=r"(values|against) is .*; expected a collection of fingerprints"):
            find_all(**arguments)
    with pytest.raises(FileNotFoundError):
        find_all(str(tmp_path / "sd64.npy"))


@pytest.mark.parametrize("one", [7, None, b"7", ["7"]])
def test_the_id_of_a_document_is_a_str(one: Any, tmp_path: Path) -> None:
    with FingerprintStore(tmp_path / "near.sqlite") as store:
        store.add(Document("7", ONE))
        with pytest.raises(TypeError, match=r"^id is .*; expected a str$"):
            store.get(one)
        assert store.get("7")


@pytest.mark.parametrize("format_name", ["htm", "HTML", "", "auto", "json"])
def test_the_format_of_documents_is_one_that_is_read(format_name: str) -> None:
    with pytest.raises(ValueError, match=f"format is '{format_name}'; expected one of asciidoc, .*html"):
        ReadOptions(format=format_name)


def test_pairs_become_frames() -> None:
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    pairs = find_all([ONE, None, ONE, ONE.value ^ 1])
    assert list(pairs.to_pandas().itertuples(index=False, name=None)) == list(pairs) == pairs.to_polars().rows()
    assert list(pairs.to_pandas()) == pairs.to_polars().columns == ["first", "second", "distance"]
    assert isinstance(find_all([]).to_pandas(), pd.DataFrame)
    assert isinstance(find_all([]).to_polars(), pl.DataFrame)


@pytest.mark.parametrize("least", ["a", None, True, float("nan"), [1], -1])
def test_the_least_support_is_a_number_also_without_supports(least: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="min_support is"):
        find_clusters([ONE], min_support=least)


@pytest.mark.parametrize("given", [5, None, ["sd64:larqgiqsckcca"], TEXT])
def test_what_holds_fingerprints_is_made_by_an_engine(given: Any) -> None:
    with pytest.raises(TypeError, match=r"measurements is .*fingerprint_many"):
        Fingerprints(given)


@pytest.mark.parametrize("size", ["a", None, 2.5, True, -1])
def test_the_size_of_a_text_is_a_number(size: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="size is"):
        engine_info(size)


def test_what_is_no_array_file_is_said_without_advice_to_unpickle_it(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT)
    with pytest.raises(ValueError, match=r"is not a \.npy file") as caught:
        find_all(tmp_path / "a.txt")
    assert "pickle" not in str(caught.value)


@pytest.mark.parametrize(
    ("data", "package"), [(b"WARC/1.0\r\n", "warcio"), (b"<html><p>text</p></html>", "selectolax")]
)
def test_a_missing_package_is_raised_and_not_one_of_the_documents(
    data: bytes, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> object:
        raise ModuleNotFoundError(f"No module named {package!r}", name=package)

    monkeypatch.setattr(simhash_doc_extraction, "import_module", missing)
    with pytest.raises(simhash_doc_extraction.MissingExtraError, match=f"{package}: pip install"):
        next(simhash_doc_extraction.extract_each(io.BytesIO(data)))
