"""Ids of every kind, in both databases, and in PostgreSQL with rules of languages for texts: equality and order."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

import pytest
import sqlalchemy as sa

from simhash_doc import Fingerprint
from simhash_doc.store import Document, FingerprintStore
from tests.store.server import engine_of

# Equal or in another order by the rules of languages, by upper case, by UTF-16, or without what cannot be seen.
IDS = [
    *(
        "a",
        "A",
        "b",
        "B",
        "é",
        "e\u0301",
        "É",
        "ß",
        "ss",
        "ẞ",
        "ı",
        "I",
        "i",
        "İ",
        "æ",
        "ae",
        "Ǆ",
        "ǆ",
        "\u00c5",
        "\u212b",
    ),
    *("1", "9", "10", "010", "１", "²", "2", " ", "  ", "a ", " a", "a\t", "a\n", "a\u00a0", "a\u200b", "a\u00ad"),
    *(
        "\ufffd",
        "\uffff",
        "\U00010000",
        "\U0010ffff",
        "😀",
        "東京",
        "東亰",
        "שלום",
        "سلام",
        "नमस्ते",
        "ｶ",
        "カ",
        "か",
        "ガ",
        "が",
    ),
    *("\u0001", "\u007f", "\u0080", "\u2028", "\u202e", "%", "_", "\\", "'", '"', ";--", "NULL", "None", "true", "{}"),
    *("http://x/a", "http://x/A", "http://x/a/", "http://x/%61", "-1", "+1", "1e0", "1.0", "x" * 2048, "é" * 1024),
]


@pytest.fixture(
    params=["sqlite", *(pytest.param(name, marks=pytest.mark.slow) for name in ("C", "icu", "icu level 1"))]
)
def any_order(request: pytest.FixtureRequest, tmp_path: object) -> str:
    """An empty database, by the rules for its texts."""
    if request.param == "sqlite":
        return f"{tmp_path}/s.sqlite"
    server_url = request.getfixturevalue("postgresql")
    name = f"order_{request.param.replace(' ', '_').lower()}"
    kinds = {
        "C": "LOCALE 'C'",
        "icu": "LOCALE_PROVIDER icu ICU_LOCALE 'sv' LOCALE 'C.UTF-8'",
        "icu level 1": "LOCALE_PROVIDER icu ICU_LOCALE 'en-u-ks-level1-kn-true-ka-shifted' LOCALE 'C.UTF-8'",
    }
    engine = engine_of(server_url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        if connection.dialect.server_version_info < (15,) and request.param != "C":  # type: ignore[operator]
            pytest.skip("needs PostgreSQL 15")
        connection.exec_driver_sql(f"DROP DATABASE IF EXISTS {name}")
        connection.exec_driver_sql(f"CREATE DATABASE {name} {kinds[request.param]} ENCODING 'UTF8' TEMPLATE template0")
    engine.dispose()
    return sa.make_url(server_url).set(database=name).render_as_string(hide_password=False)


@pytest.fixture
def store(any_order: str) -> Iterator[FingerprintStore]:
    with FingerprintStore(any_order) as made:
        yield made


def test_ids_are_equal_if_their_characters_are_and_ordered_by_code_points(store: FingerprintStore) -> None:
    assert len({unicodedata.normalize("NFKC", one).casefold() for one in IDS}) < len(set(IDS)) == len(IDS)
    documents = [Document(one, Fingerprint(at % 7), collection="c") for at, one in enumerate(IDS)]
    store.add_many(reversed(documents))
    store.upsert_many(documents)
    ordered = sorted(IDS)
    assert sorted(document.id for document in store.documents("c")) == ordered
    assert [store.get(one, collection="c").id for one in IDS] == IDS  # type: ignore[union-attr]
    (found,) = store.find_many([Fingerprint(0)], distance=3, collection="c")
    expected = sorted((Fingerprint(at % 7).value.bit_count(), one) for at, one in enumerate(IDS))
    assert [(match.distance, match.document.id) for match in found] == expected
    assert store.verify().valid
    removed = IDS[::2]
    assert store.remove(removed, collection="c") == len(removed)
    assert {document.id for document in store.documents("c")} == set(IDS[1::2])


def test_names_of_collections_are_equal_if_their_characters_are(store: FingerprintStore) -> None:
    names = ["a", "A", "é", "e\u0301", "ß", "ss", "1", "01", "a ", "カ", "か"]
    for name in names:
        store.create_collection(name)
        store.add(Document("x", Fingerprint(1), collection=name))
    assert sorted(one.name for one in store.collections()) == sorted(names)
    (found,) = store.find_many([Fingerprint(1)], distance=0)
    assert sorted(match.document.collection for match in found) == sorted(names)
