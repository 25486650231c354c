"""What a duplicate is, against comparisons of all documents, and the same for files, rows, streams and stores."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from simhash_doc import fingerprint
from simhash_doc.arrays import lanes_from_ints
from simhash_doc.batch.api import measure_many
from simhash_doc.duplicates import definition
from simhash_doc.duplicates.clusters import Cluster, Keep, Rule, make_clusters
from simhash_doc.duplicates.compared import ComparedDocument, documents_of_store
from simhash_doc.duplicates.definition import Representatives, assign
from simhash_doc.duplicates.packed import PackedTexts
from simhash_doc.duplicates.rows import find_duplicate_rows
from simhash_doc.duplicates.texts import DocumentTexts
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.integrations.seen import SeenTexts
from simhash_doc.lookup import find_clusters
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


class Texts(DocumentTexts):
    """Texts of which some are similar."""

    def __init__(self, confirms: Confirms) -> None:
        super().__init__()
        self._confirms = confirms

    def are_similar(self, a: ComparedDocument, b: ComparedDocument, least: float) -> bool:
        return self._confirms(int(a.content), int(b.content))

    def similarity(self, a: ComparedDocument, b: ComparedDocument) -> float:
        return 1.0 if self.are_similar(a, b, 0) else 0.0


@st.composite
def documents(draw: st.DrawFn) -> list[ComparedDocument]:
    """Files of which some have equal content."""
    contents = draw(integers(1, max_size=12))
    tokens = draw(st.lists(st.integers(1, 4), min_size=len(contents), max_size=len(contents)))
    chosen = draw(st.lists(st.integers(0, len(contents) - 1), max_size=20)) if contents else []
    return [
        ComparedDocument(
            f"{at:02}.txt",
            f"{at:02}.txt",
            str(content),
            Fingerprint(contents[content]),
            tokens=tokens[content],
            modified=draw(st.sampled_from([None, 1, 2, 3])),
        )
        for at, content in enumerate(chosen)
    ]


def clustered(given_: list[ComparedDocument], rule: Rule, texts: Texts) -> list[Cluster]:
    groups = find_clusters([document.fingerprint for document in given_], distance=rule.distance, scheme="sd64")
    return make_clusters(([given_[at] for at in group.tolist()] for group in groups), rule, texts)


@given(
    given_=documents(),
    distance=st.integers(0, 12),
    keep=st.sampled_from(["longest", "oldest", "first"]),
    share=st.sampled_from([0, 0.5, 1]),
    seed=st.integers(0, 99),
)
def test_clusters_of_documents_are_stars(
    given_: list[ComparedDocument], distance: int, keep: Keep, share: float, seed: int
) -> None:
    rule, confirms = Rule(distance, keep, "text", 0.5), some_pairs(seed, share)
    texts = Texts(confirms)
    clusters = clustered(given_, rule, texts)
    ordered = sorted(given_, key=rule.preference)
    contents = list(dict.fromkeys(int(document.content) for document in ordered))
    value_of = {int(document.content): int(document.fingerprint) for document in given_}
    found = by_comparing_all(
        [value_of[content] for content in contents], distance, lambda a, b: confirms(contents[a], contents[b])
    )
    kept_for = {content: contents[first] for content, first in zip(contents, found, strict=True)}
    paths = [member.document.path for cluster in clusters for member in cluster]
    assert len(paths) == len(set(paths))
    first_of = {int(document.content): document.path for document in reversed(ordered)}
    removed, candidates = {}, {}
    for first, *others in clusters:
        assert first.kind == "representative"
        assert others
        for member in others:
            assert member.distance == first.document.fingerprint.distance(member.document.fingerprint) <= distance
            content = int(member.document.content)
            if member.kind == "exact":
                assert member.copy_of == first_of[content] != member.document.path
                removed[member.document.path] = kept_for[content]
            elif member.kind == "near-duplicate":
                assert confirms(int(first.document.content), content)
                removed[member.document.path] = int(first.document.content)
            else:
                candidates[member.document.path] = content
    assert removed == {
        document.path: kept_for[int(document.content)]
        for document in given_
        if document.path != first_of[kept_for[int(document.content)]]
    }
    assert all(kept_for[content] == content for content in candidates.values())
    if keep != "first":
        shuffled = random.Random(seed).sample(given_, len(given_))
        assert clustered(shuffled, rule, texts) == clusters


WORDS = [f"{first}{second}" for first in "bdfgklmnprst" for second in ("ari", "emi", "iru", "ona", "uke")]


def edited_texts(seed: int, count: int) -> list[str]:
    """Return texts of which many differ in some words from another, which may differ from a third, and equal ones."""
    choose = random.Random(seed)
    texts: list[str] = []
    for _ in range(count):
        words = choose.choice(texts).split() if texts and choose.random() < 0.8 else choose.sample(WORDS, 45)
        for _ in range(choose.randrange(12)):
            words[choose.randrange(len(words))] = choose.choice(WORDS)
        texts.append(" ".join(words))
    return texts


class KnownTexts(DocumentTexts):
    """Texts by path."""

    def __init__(self, texts: dict[str, str]) -> None:
        super().__init__()
        self._packed = PackedTexts([self._taken(path, text, 0) for path, text in texts.items()])


class ComparedTexts(KnownTexts):
    """Texts that are compared in pairs, as if one of the others were not available."""

    def packed(self, documents: Iterable[ComparedDocument]) -> None:
        return None


@given(seed=st.integers(0, 2**32), least=st.sampled_from([0.5, 0.7, 0.83]), keep=st.sampled_from(["longest", "first"]))
def test_texts_in_an_index_give_the_clusters_of_compared_pairs(seed: int, least: float, keep: Keep) -> None:
    texts = {f"{at:02}": text for at, text in enumerate(edited_texts(seed, 40))}
    given_ = [
        ComparedDocument(name, name, name, fingerprint(text), tokens=len(text.split())) for name, text in texts.items()
    ]
    rule = Rule(12, keep, "text", least, templates="drop")
    groups = find_clusters([document.fingerprint for document in given_], distance=12, scheme="sd64")
    components = [[given_[at] for at in group.tolist()] for group in groups]
    expected = make_clusters(components, rule, ComparedTexts(texts))
    assert make_clusters(components, rule, KnownTexts(texts)) == expected


def kept_for(clusters: list[Cluster], count: int) -> list[int]:
    """Return the position of the representative of each document, whose path is its position."""
    found = list(range(count))
    for first, *others in clusters:
        for member in others:
            found[int(member.document.path)] = int(first.document.path)
    return found


@settings(max_examples=10)
@given(seed=st.integers(0, 2**32), scheme=st.sampled_from(["sd64", "sd256"]))
def test_files_rows_streams_and_stores_keep_the_same(seed: int, scheme: str) -> None:
    texts = edited_texts(seed, 40)
    names = [str(at) for at in range(len(texts))]
    prints = [fingerprint(text, scheme) for text in texts]
    distance = 10 if scheme == "sd64" else 45
    rule = Rule(distance, "first", "none", 0)
    assert measure_many(texts, scheme).support.min() >= LEAST_SUPPORT

    groups = find_clusters(prints, distance=distance, scheme=scheme)
    files = [
        [ComparedDocument(names[at], names[at], str(texts.index(texts[at])), prints[at]) for at in group.tolist()]
        for group in groups
    ]
    expected = kept_for(make_clusters(files, rule), len(texts))

    lanes = lanes_from_ints([int(one) for one in prints], prints[0].scheme.lanes)
    assert assign(lanes, distance).tolist() == expected
    rows = find_duplicate_rows(texts, keep="first", scheme=scheme, distance=distance, min_similarity=0.001)
    assert rows.representatives.tolist() == expected
    stream = SeenTexts(scheme, distance).add(texts, names)
    assert [at if near is None else int(str(near.id)) for at, near in enumerate(stream)] == expected
    with TemporaryDirectory() as folder, FingerprintStore(Path(folder, "near.sqlite")) as store:
        store.add_many(Document(name, one) for name, one in zip(names, prints, strict=True))
        stored = [[(member.id, member.fingerprint) for member in group] for group in store.clusters(distance)]
        assert kept_for(make_clusters(documents_of_store(stored)[0], rule), len(texts)) == expected


def test_a_candidate_is_kept_and_keeps_what_only_it_has() -> None:
    names = ["longest.txt", "candidate.txt", "copy of the candidate.txt"]
    given_ = [
        ComparedDocument(name, name, str(at), Fingerprint(at), tokens=9 - at) for at, name in enumerate(names)
    ]  # fmt: skip
    texts = Texts(lambda a, b: {a, b} == {1, 2})
    (cluster,) = clustered(given_, Rule(3, "longest", "text", 0.5), texts)
    kinds = {member.document.path: member.kind for member in cluster}
    assert kinds == dict(zip(names, ["candidate", "representative", "near-duplicate"], strict=True))
    (cluster,) = clustered(given_[:2], Rule(3, "longest", "text", 0.5), texts)
    assert [member.kind for member in cluster] == ["representative", "candidate"]
