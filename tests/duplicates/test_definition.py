"""What a duplicate is, against comparisons of all documents, and the same for files, rows and stores."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from simhash_doc import Policy, find_duplicates, fingerprint, fingerprint_many
from simhash_doc.arrays import lanes_from_ints
from simhash_doc.duplicates import definition
from simhash_doc.duplicates.compared import ComparedDocument, documents_of_store
from simhash_doc.duplicates.definition import Representatives, assign
from simhash_doc.duplicates.document_clusters import Cluster, make_clusters, removable
from simhash_doc.duplicates.document_texts import DocumentTexts
from simhash_doc.duplicates.packed import PackedTexts
from simhash_doc.duplicates.policy import Numbers
from simhash_doc.lookup import find_clusters
from simhash_doc.schemes import get_scheme
from simhash_doc.store import Document, FingerprintStore
from simhash_doc.thresholds import LEAST_SUPPORT
from tests.lookup.distributions import integers

Confirms = Callable[[int, int], bool]


def some_pairs(seed: int, share: float) -> Confirms:
    """Return a symmetric relation that holds for a share of the pairs."""
    return lambda a, b: random.Random(f"{seed} {min(a, b)} {max(a, b)}").random() < share


def by_comparing_all(values: list[int], distance: int, confirms: Confirms) -> list[int]:
    """Return the representative of each document, as the definition says it."""
    found: list[int] = []
    for at, value in enumerate(values):
        duplicates_of = [
            first
            for first in range(at)
            if found[first] == first and (value ^ values[first]).bit_count() <= distance and confirms(first, at)
        ]
        found.append(min(duplicates_of, default=at))
    return found


@given(
    lanes=st.sampled_from([1, 4]),
    distance=st.integers(0, 15),
    share=st.sampled_from([0, 0.5, 1]),
    seed=st.integers(0, 99),
    data=st.data(),
)
def test_each_document_belongs_to_the_first_representative_of_which_it_is_a_duplicate(
    lanes: int, distance: int, share: float, seed: int, data: st.DataObject
) -> None:
    values, confirms = data.draw(integers(lanes)), some_pairs(seed, share)
    found = assign(lanes_from_ints(values, lanes), distance, confirms).tolist()
    assert found == by_comparing_all(values, distance, confirms)
    representatives = [at for at, first in enumerate(found) if at == first]
    for at, first in enumerate(found):
        if at != first:
            assert first in representatives
            assert (values[at] ^ values[first]).bit_count() <= distance
            assert confirms(first, at)
    for at in representatives:
        for first in representatives:
            assert first >= at or (values[at] ^ values[first]).bit_count() > distance or not confirms(first, at)


def test_a_chain_is_no_duplicate_of_its_first() -> None:
    chain = [(1 << length) - 1 for length in range(0, 60, 3)]
    assert assign(lanes_from_ints(chain, 1), 3).tolist() == [at // 2 * 2 for at in range(20)]
    assert [len(group) for group in find_clusters(chain, distance=3)] == [20]


def test_many_representatives_are_compared_in_pieces() -> None:
    values = np.random.default_rng(1).integers(0, 2**64, (definition._CHUNK + 100, 1), np.uint64)
    representatives = Representatives(1, 3)
    assert [representatives.add(value) for value in values] == list(range(len(values)))
    for at in (0, definition._CHUNK - 1, definition._CHUNK, len(values) - 1):
        assert list(representatives.near(values[at] ^ np.uint64(1))) == [(at, 1)]


def test_one_template_takes_one_comparison_for_each_document() -> None:
    compared: list[tuple[int, int]] = []

    def confirms(first: int, other: int) -> bool:
        compared.append((first, other))
        return True

    assert not assign(np.zeros((12_000, 1), np.uint64), 3, confirms).any()
    assert compared == [(0, other) for other in range(1, 12_000)]


WORDS = [f"{first}{second}" for first in "bdfgklmnprst" for second in ("ari", "emi", "iru", "ona", "uke")]


def edited_texts(seed: int, count: int) -> list[str]:
    """Return texts of which many differ in some words from another, which may differ from a third, and equal ones."""
    choose = random.Random(seed)
    texts: list[str] = []
    for _ in range(count):
        words = choose.choice(texts).split() if texts and choose.random() < 0.8 else choose.sample(WORDS, 45)
        for _ in range(choose.randrange(12)):
            words[choose.randrange(len(words))] = choose.choice([*WORDS, "7", "8"])
        texts.append(" ".join(words))
    return texts


class KnownTexts(DocumentTexts):
    """Texts by path."""

    def __init__(self, texts: dict[str, str]) -> None:
        super().__init__()
        self._packed = PackedTexts([self._taken(path, text) for path, text in texts.items()])


def compared_files(texts: dict[str, str], content: dict[str, str] | None = None) -> list[ComparedDocument]:
    """Return files with texts, of which those with one content are copies."""
    same = content or {}
    return [
        ComparedDocument(name, name, same.get(name, name), fingerprint(text, "sd256"), modified=len(text) % 5)
        for name, text in texts.items()
    ]


def clustered(given_: list[ComparedDocument], policy: Policy, texts: DocumentTexts | None) -> list[Cluster]:
    groups = find_clusters([one.fingerprint for one in given_], distance=policy.bits, scheme=get_scheme(policy.scheme))
    return make_clusters(([given_[at] for at in group.tolist()] for group in groups), policy, texts)


def kept_for(clusters: list[Cluster], names: list[str]) -> list[int]:
    """Return the position of the document that is kept for each."""
    found = list(range(len(names)))
    for first, *others in clusters:
        for member in others:
            if member.kind in ("exact", "near-duplicate") and not member.protected:
                found[names.index(member.document.path)] = names.index(first.document.path)
    return found


@given(
    seed=st.integers(0, 2**32),
    least=st.sampled_from([0.5, 0.7, 0.9]),
    keep=st.sampled_from(["longest", "oldest", "first"]),
    numbers=st.sampled_from(["keep", "ignore"]),
)
def test_clusters_of_files_are_the_stars_of_rows(seed: int, least: float, keep: str, numbers: Numbers) -> None:
    listed = edited_texts(seed, 40)
    texts = {f"{at:02}.txt": text for at, text in enumerate(listed)}
    content = {name: f"{listed.index(text):02}.txt" for name, text in texts.items()}
    given_ = compared_files(texts, content)
    policy = Policy(min_similarity=least, keep=keep, numbers=numbers, distance=60)
    clusters = clustered(given_, policy, KnownTexts(texts))
    preferred = [len(text) % 5 for text in listed] if keep == "oldest" else None
    rows = find_duplicates(listed, policy=policy, preferred=preferred)
    assert kept_for(clusters, [*texts]) == rows.representatives.tolist()
    assert {one.document.path for cluster in clusters for one in cluster if one.kept_by_numbers} <= {
        name for name, alike in zip(texts, rows.resembles.tolist(), strict=True) if alike >= 0
    }
    for first, *others in clusters:
        assert first.kind == "representative"
        assert others
        for member in others:
            assert member.distance == first.document.fingerprint.distance(member.document.fingerprint) <= 60
            assert (member.kind == "exact") == (member.document.content == first.document.content)
            assert (member.copy_of is None) == (member.document.path == member.document.content)
            assert (member.numbers is not None) == (member.kind == "near-duplicate")
    if keep != "first":
        shuffled = random.Random(seed).sample(given_, len(given_))
        assert clustered(shuffled, policy, KnownTexts(texts)) == clusters


def test_documents_without_texts_are_candidates_and_exact_copies_are_not() -> None:
    text = edited_texts(1, 1)[0]
    names = ["a", "b", "c", "copy of a"]
    given_ = compared_files(dict.fromkeys(names, text), {"copy of a": "a"})
    for texts in (None, DocumentTexts(), KnownTexts({"a": text})):
        (cluster,) = clustered(given_, Policy(), texts)
        kinds = {member.document.path: member.kind for member in cluster}
        assert kinds == {"a": "representative", "b": "candidate", "c": "candidate", "copy of a": "exact"}
        assert [one.document.path for one in cluster if one.unconfirmed] == ["b", "c"]
        assert removable(cluster) == ["copy of a"]
    clusters = clustered(given_, Policy(), KnownTexts({"b": text, "c": text}))
    assert sorted(removable(cluster) for cluster in clusters) == [["c"], ["copy of a"]]


def test_a_candidate_is_kept_and_keeps_what_only_it_has() -> None:
    words = WORDS[:40]
    texts = {
        "longest.txt": " ".join([*words, "one more"]),
        "candidate.txt": " ".join([*words[:34], *WORDS[-7:]]),
        "copy.txt": " ".join([*words[:34], *WORDS[-6:]]),
    }
    (cluster,) = clustered(compared_files(texts), Policy(distance=90), KnownTexts(texts))
    kinds = {member.document.path: member.kind for member in cluster}
    assert kinds == {"longest.txt": "candidate", "candidate.txt": "representative", "copy.txt": "near-duplicate"}
    assert not any(member.kept_by_numbers or member.unconfirmed for member in cluster)
    texts = {"a.txt": " ".join([*words, "no 7"]), "b.txt": " ".join([*words, "no 8"])}
    (cluster,) = clustered(compared_files(texts), Policy(), KnownTexts(texts))
    assert [(one.kind, one.kept_by_numbers) for one in cluster] == [("representative", False), ("candidate", True)]


@settings(max_examples=10)
@given(seed=st.integers(0, 2**32), scheme=st.sampled_from(["sd64", "sd256"]))
def test_near_fingerprints_have_the_same_stars_in_streams_and_stores(seed: int, scheme: str) -> None:
    texts = edited_texts(seed, 40)
    names = [str(at) for at in range(len(texts))]
    prints = [fingerprint(text, get_scheme(scheme)) for text in texts]
    distance = 10 if scheme == "sd64" else 45
    assert fingerprint_many(texts, get_scheme(scheme)).support.min() >= LEAST_SUPPORT
    lanes = lanes_from_ints([int(one) for one in prints], prints[0].scheme.lanes)
    expected = assign(lanes, distance).tolist()
    rows = find_duplicates(texts, policy=Policy(scheme, distance, min_similarity=0.001, numbers="ignore", keep="first"))
    assert rows.representatives.tolist() == expected
    with TemporaryDirectory() as folder, FingerprintStore(Path(folder, "near.sqlite")) as store:
        store.add_many(Document(name, one) for name, one in zip(names, prints, strict=True))
        stored = [[(member.id, member.fingerprint) for member in group] for group in store.clusters(distance=distance)]
        near, _ = documents_of_store(stored)
        clusters = make_clusters(near, Policy(scheme, distance, keep="first"))
        assert all(member.kind in ("representative", "candidate") for cluster in clusters for member in cluster)
        found = {one.document.path: cluster[0].document.path for cluster in clusters for one in cluster}
        assert [int(found.get(name, name)) for name in names] == expected
