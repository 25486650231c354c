"""The package as an implementation: what its users call gives the answers, in each index, and nothing else does."""

from __future__ import annotations

import pytest

from simhash_doc.fingerprint import Fingerprint
from simhash_doc.lookup import Clusters, find_clusters
from simhash_doc_conformance.adapters.adapter import Adapter
from simhash_doc_conformance.adapters.indexes import open_with
from simhash_doc_conformance.adapters.package import PackageImplementation
from simhash_doc_conformance.errors import InputError
from tests.conformance.package import CASES, assert_fails_without, sabotages, shortest
from tests.engines.engines import NATIVE_MARKS, setting

# Operation, index, and a function that must give the answers.
ROOMS = [
    ("fingerprint", "memory", "simhash_doc:fingerprint"),
    ("buckets", "memory", "simhash_doc.accumulator:Accumulator.buckets"),
    ("trace", "memory", "simhash_doc:trace"),
    ("fold", "memory", "simhash_doc.engines.strings:fold"),
    ("tokens", "memory", "simhash_doc.engines.python:count_tokens"),
    ("hash_tokens", "memory", "simhash_doc.accumulator:Accumulator.fingerprint"),
    ("encode", "memory", "simhash_doc.fingerprint:Fingerprint.from_bytes"),
    ("encode", "memory", "simhash_doc.fingerprint:Fingerprint.base32"),
    ("decode", "memory", "simhash_doc.fingerprint:Fingerprint.parse"),
    ("distance", "memory", "simhash_doc.fingerprint:Fingerprint.distance"),
    ("distance", "memory", "simhash_doc.fingerprint:Fingerprint.similarity"),
    ("narrow", "memory", "simhash_doc.fingerprint:Fingerprint.narrow"),
    ("extract", "memory", "simhash_doc_extraction:extract_each"),
    ("query", "memory", "simhash_doc.lookup.corpus:Corpus.find"),
    ("query", "memory", "simhash_doc.lookup.corpus:Corpus.add_many"),
    ("find_all", "memory", "simhash_doc.lookup:find_all"),
    ("find_all", "memory", "simhash_doc.lookup.pairs:compare_all"),
    ("query", "directory", "simhash_doc.lookup.directory:IndexDirectory.open"),
    ("find_all", "directory", "simhash_doc.lookup.pairs:pairs_on_disk"),
    ("find_all", "clusters", "simhash_doc.lookup:find_clusters"),
    ("query", "sqlite", "simhash_doc.store.store:FingerprintStore.find_many"),
    ("find_all", "sqlite", "simhash_doc.store.store:FingerprintStore.pairs"),
]


LANES = "pairs/size-16401-sd256"  # numpy joins by lanes only among so many entries
# Operation or case, scheme, engine, and a function of it.
ENGINES = [
    ("fingerprint", "sd64", "numpy", "simhash_doc.engines.numpy.engine:NumpyEngine.fingerprint"),
    ("buckets", "sd64", "numpy", "simhash_doc.engines.numpy.engine:NumpyEngine.measure"),
    ("pairs/size-10001", "sd64", "numpy", "simhash_doc.lookup.pairs:sorted_join"),
    (LANES, "sd256", "numpy", "simhash_doc.lookup.joins:_lane_join"),
    ("fingerprint", "sd64", "native", "simhash_doc.engines.native:NativeEngine.fingerprint"),
    ("buckets", "sd64", "native", "simhash_doc.engines.native:NativeEngine.measure"),
    ("pairs/size-10001", "sd64", "native", "simhash_doc.lookup.bucket_join:bucket_pairs"),
    ("find_all", "sd256", "native", "simhash_doc.lookup.bucket_join:bucket_pairs"),
]


@sabotages
@pytest.mark.parametrize(
    ("op", "index", "function"),
    [pytest.param(*room, marks=[pytest.mark.slow] if room[1] in ("directory", "sqlite") else []) for room in ROOMS],
)
def test_the_report_fails_without_any_of_the_functions(
    op: str, index: str, function: str, raises: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert_fails_without(function, shortest(op, 3 if op == "extract" else 24), index, monkeypatch, raises=raises)


@sabotages
@pytest.mark.parametrize(
    ("tested", "scheme", "engine", "function"),
    [
        pytest.param(*row, marks=NATIVE_MARKS if row[2] == "native" else [pytest.mark.slow] if row[0] == LANES else [])
        for row in ENGINES
    ],
)
def test_the_report_of_an_engine_fails_without_it(
    tested: str, scheme: str, engine: str, function: str, raises: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases = [case for case in CASES if case.id == tested] or shortest(tested, 8, scheme)
    with setting(engine):
        assert_fails_without(function, cases, "memory", monkeypatch, raises=raises)


def test_a_cluster_must_be_connected_by_its_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = [(str(value), Fingerprint(value)) for value in (0, 1, 2**40 - 1, 2**40 - 2)]
    with open_with("clusters")[1]("sd64", 3) as index:
        assert index.pairs(entries) == [("0", "1"), (str(2**40 - 1), str(2**40 - 2))]

    def together(*given: object, **named: object) -> Clusters:
        found = find_clusters(*given, **named)  # type: ignore[arg-type]
        return Clusters(found.members, found.starts[[0, -1]])

    monkeypatch.setattr("simhash_doc.lookup.find_clusters", together)
    with open_with("clusters")[1]("sd64", 3) as index, pytest.raises(AssertionError, match="not connected"):
        index.pairs(entries)


def test_an_unknown_index_is_refused() -> None:
    with pytest.raises(
        InputError, match="'memry' is not an index; expected memory, directory, clusters, spark, sqlite"
    ):
        open_with("memry")


def test_a_request_without_tokens_has_a_scheme_that_is_checked() -> None:
    answer = Adapter(PackageImplementation()).answer({"id": 1, "op": "hash_tokens", "tokens": [], "scheme": "sd65"})
    assert answer == {"id": 1, "error": "unknown-scheme"}
