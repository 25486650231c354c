"""Changes of a store, against a plain dict; what is stored comes back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from itertools import count
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simhash_doc import Fingerprint
from simhash_doc.store import (
    BadDocumentError,
    CollectionError,
    Document,
    DuplicateIdError,
    FingerprintStore,
    StoreParameterError,
    WriteResult,
)
from tests.store.samples import documents

_collections = count()
_texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
_ids = st.sampled_from(["a", "b", "c", "d", "é'; DROP TABLE simhash_schema; --", "%s :x ?1", '"\\'])
# PostgreSQL keeps numbers in decimal: a large one, written with an exponent, may come back as an int.
_floats = st.floats(-1e15, 1e15)
_scalars = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | _floats | _texts
_metadata = st.dictionaries(_texts, st.recursive(_scalars, lambda inner: st.lists(inner, max_size=3)), max_size=3)
_changes = st.tuples(st.sampled_from(["add", "upsert", "remove"]), st.lists(_ids, max_size=4, unique=True), st.data())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes=st.lists(_changes, max_size=8))
def test_changes_have_the_effect_of_those_on_a_dict(store: FingerprintStore, changes: list[Any]) -> None:
    collection = f"collection {next(_collections)}"
    store.create_collection(collection)
    model: dict[str, Document] = {}
    for kind, ids, data in changes:
        given_documents = [
            Document(
                name,
                Fingerprint(data.draw(st.integers(0, 2**64 - 1))),
                data.draw(st.none() | _texts),
                collection,
                data.draw(_metadata),
                datetime(2026, 1, 1, tzinfo=UTC),
            )
            for name in ids
        ]
        if kind == "remove":
            assert store.remove(ids, collection=collection) == sum(name in model for name in ids)
            for name in ids:
                model.pop(name, None)
        elif kind == "upsert":
            new = sum(name not in model for name in ids)
            assert store.upsert_many(given_documents) == WriteResult(new, len(ids) - new)
            model |= {document.id: document for document in given_documents}
        elif twice := {name for name in ids if name in model}:
            with pytest.raises(DuplicateIdError) as caught:
                store.add_many(given_documents)
            assert {name for _, name in caught.value.keys} == twice
        else:
            store.add_many(given_documents)
            model |= {document.id: document for document in given_documents}
        assert {document.id: document for document in store.documents(collection)} == model
        for name in ids:
            assert store.get(name, collection=collection) == model.get(name)


def test_times_are_returned_in_utc(store: FingerprintStore) -> None:
    before = datetime.now(UTC)
    store.add(Document("now", Fingerprint(1)))
    store.add(Document("then", Fingerprint(1), time=datetime(2020, 1, 1, 2, 0, 0, 7, timezone(timedelta(hours=2)))))
    now, then = store.get("now"), store.get("then")
    assert now is not None
    assert now.time is not None
    assert before <= now.time <= datetime.now(UTC)
    assert then is not None
    assert then.time == datetime(2020, 1, 1, 0, 0, 0, 7, UTC)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(metadata=st.lists(_metadata, min_size=1, max_size=4), data=st.data())
def test_a_filter_is_equality_of_json(
    store: FingerprintStore, metadata: list[dict[str, Any]], data: st.DataObject
) -> None:
    collection = f"collection {next(_collections)}"
    store.add_many(
        Document(f"d{number}", Fingerprint(1), collection=collection, metadata=fields)
        for number, fields in enumerate(metadata)
    )
    key = data.draw(st.sampled_from([key for fields in metadata for key in fields] or [""]))
    value: Any = data.draw(_scalars | st.sampled_from([0, 1, 0.0, 1.0, True, False, None, "", "1", "true", "null"]))
    held = [fields[key] for fields in metadata if key in fields and not isinstance(fields[key], list)]
    if held:
        value = data.draw(st.sampled_from([value, *held]))
    right = [f"d{number}" for number, fields in enumerate(metadata) if key in fields and same_json(fields[key], value)]
    found = store.find(Fingerprint(1), distance=0, collection=collection, where={key: value})
    assert [match.document.id for match in found] == right


def same_json(stored: object, wanted: object) -> bool:
    if isinstance(stored, list) or isinstance(stored, bool) != isinstance(wanted, bool):
        return False
    return stored == wanted


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        (Document("", Fingerprint(1)), "a document's id '' has 0 bytes"),
        (Document("x" * 2049, Fingerprint(1)), "has 2,049 bytes; expected 1 to 2,048"),
        (Document("a\0b", Fingerprint(1)), "U+0000"),
        (Document("\udcff", Fingerprint(1)), "lone surrogate"),
        (Document("x", Fingerprint(1), "u" * ((1 << 20) + 1)), "has 1,048,577 bytes; expected 0 to 1,048,576"),
        (Document("x", Fingerprint(1), metadata={"a": "é" * (1 << 19)}), "1,048,584 bytes of JSON; expected at most"),
        (Document(7, Fingerprint(1)), "of type int; expected a str"),  # type: ignore[arg-type]
        (Document("x", 7), "not a Fingerprint"),  # type: ignore[arg-type]
        (Document("x", Fingerprint(1), uri="a\0"), "the URI of document 'x'"),
        (Document("x", Fingerprint(1), metadata={"a": {1}}), "not encodable as JSON"),
        (Document("x", Fingerprint(1), metadata={"a": float("nan")}), "not encodable as JSON"),
        (Document("x", Fingerprint(1), metadata={"a": ["b\0"]}), "U+0000"),
        (Document("x", Fingerprint(1), metadata={1: 2}), "keys of type str"),  # type: ignore[dict-item]
        (Document("x", Fingerprint(1), metadata={"a": "\ud800"}), "lone surrogate"),
        (Document("x", Fingerprint(1), time=datetime(2026, 1, 1)), "a datetime with a time zone"),
        (Document("x", Fingerprint(1), collection=""), "a collection's name"),
    ],
)
def test_an_invalid_document_is_rejected_with_its_batch(
    store: FingerprintStore, document: Document, reason: str
) -> None:
    good = documents(range(5), "sd64", "default")
    with pytest.raises(BadDocumentError) as caught:
        store.add_many([*good, document], batch=2)
    assert reason in str(caught.value)
    assert caught.value.stored == 4
    assert [kept.id for kept in store.documents("default")] == ["d0", "d1", "d2", "d3"]


def test_a_collection_has_one_scheme(store: FingerprintStore) -> None:
    store.add(Document("a", Fingerprint(1)))
    for wrong in (Fingerprint(1, "sd128"), Fingerprint(1, canonical=False)):
        with pytest.raises(CollectionError, match="collection 'default' holds sd64 fingerprints"):
            store.upsert(Document("b", wrong))
        with pytest.raises(CollectionError, match="another collection"):
            store.add_many([Document("b", Fingerprint(1)), Document("c", wrong)])
    with pytest.raises(CollectionError, match="cannot be compared"):
        store.find(Fingerprint(1, "sd128"), distance=3, collection="default")
    with pytest.raises(CollectionError, match="no collection holds sd128 fingerprints"):
        store.find(Fingerprint(1, "sd128"), distance=3)
    with pytest.raises(CollectionError, match="has 4 slices, not 5"):
        store.create_collection("default", scheme="sd64", slices=5)
    for name in ("", "\udcff", "a\0b"):
        with pytest.raises(CollectionError, match=r"unknown collection .*; the store has default"):
            list(store.documents(name))
    with pytest.raises(CollectionError, match="unknown collection 'other'; the store has default"):
        store.get("a", collection="other")
    assert [document.id for document in store.documents()] == ["a"]


def test_an_id_is_used_once_in_a_collection(store: FingerprintStore) -> None:
    store.add(Document("a", Fingerprint(1)))
    store.add(Document("a", Fingerprint(2), collection="other"))
    with pytest.raises(DuplicateIdError, match="ids are in use, or given twice: 'a' in collection 'default'"):
        store.add_many([Document("b", Fingerprint(1)), Document("a", Fingerprint(2))])
    with pytest.raises(DuplicateIdError, match="'c' in collection 'default'"):
        store.upsert_many([Document("c", Fingerprint(1)), Document("c", Fingerprint(2))])
    assert [(kept.collection, kept.id, kept.fingerprint.value) for kept in store.documents()] == [
        ("default", "a", 1),
        ("other", "a", 2),
    ]


def test_invalid_queries_are_rejected(store: FingerprintStore) -> None:
    assert store.find(Fingerprint(1)) == []
    store.add(Document("a", Fingerprint(1)))
    with pytest.raises(StoreParameterError, match="distance 8 needs a collection of at least 5 slices"):
        store.find(Fingerprint(1), distance=8)
    for arguments in ({"distance": -1}, {"limit": 0}, {"where": {"a": [1]}}, {"where": {"a": float("inf")}}):
        with pytest.raises(StoreParameterError):
            store.find(Fingerprint(1), **arguments)
    with pytest.raises(BadDocumentError):
        store.find(7)  # type: ignore[arg-type]
    for distance in (-1, 64):
        with pytest.raises(StoreParameterError):
            list(store.pairs(distance=distance))
    with pytest.raises(StoreParameterError):
        store.create_collection("x", scheme="sd64", slices=65)
