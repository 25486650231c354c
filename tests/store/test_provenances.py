"""Where the fingerprints of a collection come from, in both database systems."""

from __future__ import annotations

import threading

import pytest

from simhash_doc import Fingerprint
from simhash_doc.errors import SchemeMismatchError
from simhash_doc.ingest import EXTRACTOR
from simhash_doc.provenance import Provenance, Software
from simhash_doc.store import CollectionError, Document, FingerprintStore
from simhash_doc.store.schema import MOST_PROVENANCES

OWN = Provenance.of_package("sd64", extractor=EXTRACTOR)


def by(name: str) -> Provenance:
    return Provenance("sd64", "1.0.0", Software("other", "1"), Software(name, "1"))


def test_each_collection_keeps_the_different_ones_in_their_order(url: str) -> None:
    with FingerprintStore(url) as store:
        store.add(Document("a", Fingerprint(1)))
        store.create_collection("wide", scheme="sd128")
        assert store.provenances() == ()
        store.add_provenances([OWN, by("x"), OWN])
        store.add_provenances([by("x"), by("y")])
        assert store.provenances() == (OWN, by("x"), by("y"))
        assert store.provenances("wide") == ()
        assert [figures.provenances for figures in store.stats()] == [(OWN, by("x"), by("y")), ()]
        with pytest.raises(SchemeMismatchError, match="of scheme sd64, collection 'wide' of sd128"):
            store.add_provenances([OWN], collection="wide")
        with pytest.raises(CollectionError):
            store.provenances("other")
        assert store.verify().valid


def test_their_number_is_bounded(url: str) -> None:
    with FingerprintStore(url) as store:
        store.create_collection("default")
        store.add_provenances(by(f"x{number}") for number in range(MOST_PROVENANCES + 10))
        store.add_provenances([OWN])
        assert store.provenances() == tuple(by(f"x{number}") for number in range(MOST_PROVENANCES))


def test_writers_at_once_record_each_provenance_once(url: str) -> None:
    with FingerprintStore(url) as store:
        store.create_collection("default")

    def write() -> None:
        with FingerprintStore(url) as store:
            store.add_provenances([OWN, by("x")])

    writers = [threading.Thread(target=write) for _ in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    with FingerprintStore(url) as store:
        assert store.provenances() == (OWN, by("x"))
