"""A text in pieces has the fingerprint of the complete text."""

from __future__ import annotations

import copy
import itertools
import pickle
from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_doc import Accumulator, NoTokenError, accumulator, fingerprint, reference
from simhash_doc.engines import select, token_counts
from simhash_doc.engines.token_counts import TokenCounts
from simhash_doc.schemes import SchemeId
from tests.engines.engines import ENGINES
from tests.strategies import any_text

cuts = st.lists(st.integers(0, 200), max_size=8)


@pytest.fixture(params=[(1, 0), (7, 20), (1 << 17, 1 << 23)])
def _block(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the blocks small, so that short texts are cut too, and keep little of the text."""
    block, kept = request.param
    monkeypatch.setattr(token_counts, "BLOCK", block)
    monkeypatch.setattr(accumulator, "LARGE_DOCUMENT", kept)


@pytest.fixture(params=ENGINES)
def _engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(select, "_setting", request.param)


def state(accumulated: Accumulator) -> tuple[int, list[int] | None]:
    try:
        return accumulated.measure().tokens, accumulated.buckets()
    except NoTokenError:
        return 0, None


def expected(text: str | bytes) -> tuple[int, list[int] | None]:
    """Return the state of the reference for a text."""
    tokens = reference.tokens(reference.decode_utf8(text) if isinstance(text, bytes) else text)
    counted = reference.capped_counts(tokens)
    return len(tokens), reference.to_buckets(reference.bit_sums(counted)) if counted else None


def pieces(text: str | bytes, places: list[int]) -> list[str | bytes]:
    edges = [0, *sorted(min(place, len(text)) for place in places), len(text)]
    return [text[a:b] for a, b in itertools.pairwise(edges)]


@pytest.mark.usefixtures("_block", "_engine")
@given(
    text=st.one_of(any_text, st.binary(), any_text.map(lambda text: text.encode("utf-8", "surrogatepass"))), places=cuts
)
def test_any_chunking_gives_what_the_reference_gives(text: str | bytes, places: list[int]) -> None:
    pieced = Accumulator()
    for piece in pieces(text, places):
        pieced.update(piece)
        pieced.measure()  # asking in between changes nothing
    assert state(pieced) == expected(text)


@pytest.mark.usefixtures("_engine")
@given(parts=st.lists(any_text, max_size=5), scheme=st.sampled_from(["sd64", "sd128"]))
def test_merged_parts_are_the_text_that_they_split(parts: list[str], scheme: SchemeId) -> None:
    complete, merged = Accumulator(scheme), Accumulator(scheme)
    complete.update("\n".join(parts))
    for part in parts:
        other = Accumulator(scheme)
        other.update(part)
        merged.merge(other)
    assert state(merged) == state(complete)


def test_merging_does_not_change_the_other() -> None:
    a, b = Accumulator(), Accumulator()
    a.update("one two")
    b.update("two three")
    before = b.fingerprint()
    a.merge(b)
    assert b.fingerprint() == before
    assert a.fingerprint() == fingerprint("one two two three")
    a.update("fold")
    b.update("fold")
    assert a.fingerprint() == fingerprint("one twofold two three")
    assert b.fingerprint() == fingerprint("two threefold")


@pytest.mark.usefixtures("_block", "_engine")
def test_copy_is_independent() -> None:
    first = Accumulator("sd128")
    first.update("one tw")
    first.measure()
    second = first.copy()
    first.update("o three")
    second.update("elve")
    third = second.copy()
    assert str(first.fingerprint()) == str(fingerprint("one two three", "sd128"))
    assert second.fingerprint() == third.fingerprint() == fingerprint("one twelve", "sd128")


COPIES: dict[str, Callable[[Accumulator], Accumulator]] = {
    "method": Accumulator.copy,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda original: pickle.loads(pickle.dumps(original)),
}
# Where they end, the next characters decide on what was before: a word, a link, a sequence of marks, a bigram, a
# syllable of Hangul, a character of UTF-8.
OPEN_ENDS = [
    "The quick brown f", "see http://a.example/pa", "see mail@exa", "the digest " + "0123456789abcdef" * 2,
    "e\u0301\u0323", "x" + "\u0301" * 30, "東京タ", "\u1100\u1161", "snake_", "été".encode()[:-1], "漢字".encode()[:-2],
]  # fmt: skip
CONTINUATIONS = ["x and more", " and more", "\u0323\u0302 mark", "ワー 京", "\u11a8", "/a?b=c d", "0123 f", "é"]
any_bytes = any_text.map(lambda text: text.encode("utf-8", "surrogatepass"))
continuations = st.lists(st.sampled_from([text.encode() for text in CONTINUATIONS]) | any_bytes, min_size=1, max_size=3)


@pytest.mark.usefixtures("_block", "_engine")
@given(
    begun=st.sampled_from([text.encode() if isinstance(text, str) else text for text in OPEN_ENDS]) | any_bytes,
    continued=st.tuples(continuations, continuations),
    duplicate=st.sampled_from(list(COPIES)).map(COPIES.__getitem__),
    is_measured=st.booleans(),
)
def test_copies_and_their_original_go_on_independently(
    begun: bytes,
    continued: tuple[list[bytes], list[bytes]],
    duplicate: Callable[[Accumulator], Accumulator],
    is_measured: bool,
) -> None:
    original = Accumulator()
    for piece in (begun[:5], begun[5:]):
        original.update(piece)
    if is_measured:
        original.measure()
    twin = duplicate(original)
    for pieces_in_turn in itertools.zip_longest(*continued, fillvalue=b""):
        for one, piece in zip((original, twin), pieces_in_turn, strict=True):
            one.update(piece)
    texts = [begun + b"".join(pieces) for pieces in continued]
    assert [state(original), state(twin)] == [expected(text) for text in texts]
    merged = duplicate(twin)
    merged.merge(original)
    assert state(merged) == expected(texts[1] + b"\n" + texts[0])
    assert state(twin) == expected(texts[1])


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, Accumulator.copy])
def test_copy_of_a_subclass_has_its_attributes(duplicate: Callable[[Accumulator], Accumulator]) -> None:
    class Named(Accumulator):
        def __init__(self, name: str) -> None:
            super().__init__("sd128")
            self.name = name

    twin = duplicate(Named("first"))
    assert isinstance(twin, Named)
    assert twin.name == "first"


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, Accumulator.copy])
def test_copies_share_the_tokenizer_and_can_be_merged(duplicate: Callable[[Accumulator], Accumulator]) -> None:
    class Tokenizer:
        def __call__(self, text: str) -> list[str]:
            return text.split()

    original = Accumulator(tokenizer=Tokenizer())
    original.update("one two")
    twin = duplicate(original)
    twin.update(" three")
    original.merge(twin)
    assert state(original) == expected("one two one two three")


def test_copy_of_a_custom_accumulator_is_custom() -> None:
    for original in (Accumulator(stop_tokens={"the"}), Accumulator(tokenizer=str.split)):
        original.update("the fox")
        assert original.copy().fingerprint() == original.fingerprint()
        assert not original.copy().fingerprint().canonical


def test_accumulators_of_different_kinds_do_not_merge() -> None:
    for other in (Accumulator("sd128"), Accumulator(stop_tokens={"the"}), Accumulator(tokenizer=str.split)):
        with pytest.raises(ValueError, match="same scheme"):
            Accumulator().merge(other)


def test_text_and_bytes_do_not_mix() -> None:
    accumulated = Accumulator()
    accumulated.update(b"one")
    with pytest.raises(TypeError, match="text after bytes"):
        accumulated.update("two")
    accumulated = Accumulator()
    accumulated.update("one")
    with pytest.raises(TypeError, match="bytes after text"):
        accumulated.update(b"two")
    with pytest.raises(TypeError, match="the chunk is int"):
        accumulated.update(3)  # type: ignore[arg-type]


def test_tokenizer_and_stop_list_of_the_caller_give_custom_fingerprints() -> None:
    spaced = fingerprint("One-two the THREE", tokenizer=str.split)
    assert not spaced.canonical
    assert str(spaced).startswith("sd64+custom:")
    assert fingerprint("one two three", stop_tokens=["two"]).value == fingerprint("one three").value
    assert fingerprint("one two", stop_tokens=["two"]).canonical is False
    with pytest.raises(NoTokenError):
        fingerprint("the", stop_tokens={"the"})


@pytest.mark.parametrize(
    ("token", "expected"),
    [("The", "write 'the'"), ("don't", "write 'don', 't'"), ("the fox", "write 'the', 'fox'"), ("12", "no text"),
     ("", "no text"), ("\ud800", "no text")],
)  # fmt: skip
def test_a_stop_token_that_leaves_out_nothing_is_an_error(token: str, expected: str) -> None:
    with pytest.raises(ValueError, match=f"is not a token: {expected}"):
        fingerprint("The fox", stop_tokens=["fox", token])
    assert fingerprint("The fox", tokenizer=str.split, stop_tokens=[token]).scheme.id == "sd64"


occurrences = st.dictionaries(st.text("abcé", min_size=1, max_size=40), st.integers(1, 12), max_size=9)


@given(batches=st.lists(occurrences, max_size=12), pending=occurrences, piece=st.integers(1, 9))
def test_counts_are_those_of_all_batches_without_what_was_removed(
    batches: list[dict[str, int]], pending: dict[str, int], piece: int
) -> None:
    counts, other = TokenCounts(), TokenCounts()
    simple: Counter[bytes] = Counter()
    for i, batch in enumerate(batches):
        encoded = {token.encode(): count for token, count in batch.items()}
        (counts if i % 2 else other).add(encoded)
        simple.update(encoded)
    unfinished = {token.encode(): count for token, count in pending.items()}
    counts.add(unfinished)
    counts.merge(other)
    counts.remove(unfinished)
    capped = {token: min(count, 8) for token, count in simple.items()}
    assert dict(counts.items()) == capped
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(token_counts, "_SLICE", piece)
        measured = counts.measure(2)
    listed = {token.decode(): count for token, count in capped.items()}
    assert measured.sums == (tuple(reference.bit_sums(listed, 2)) if listed else (0,) * 128)
    assert (measured.tokens, measured.distinct_tokens) == (simple.total(), len(simple))
