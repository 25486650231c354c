"""Both engines give what the reference gives, at every seam of theirs."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simhash_doc import Accumulator, NoTokenError, accumulator, reference
from simhash_doc.bulk import engine as engine_module
from simhash_doc.bulk import plain_words
from simhash_doc.bulk.compiled import batch, counts
from simhash_doc.bulk.packed import PackedTexts
from simhash_doc.conformance.cases import load_cases
from simhash_doc.conformance.inputs import INPUT_FORMS, read_input
from simhash_doc.conformance.seams import SEAMS
from simhash_doc.counts import TokenCounts
from simhash_doc.tokens import prepare
from tests.bulk.engines import both_engines, engine, expected, made
from tests.bulk.texts import OWN_SEAMS, documents, texts, widths

CORPUS = os.environ.get("SIMHASH_DOC_CORPUS")


@both_engines
@settings(max_examples=400)
@given(batch=documents, words=widths)
def test_batches_are_the_reference_of_each_document(fast: bool, batch: list[str | bytes | None], words: int) -> None:
    with engine(fast=fast):
        assert made(batch, words) == [None if text is None else expected(text, words) for text in batch]


@both_engines
@settings(max_examples=300)
@given(few=st.lists(st.one_of(st.sampled_from(OWN_SEAMS), st.sampled_from(SEAMS), st.characters()), max_size=4))
def test_few_characters_in_much_ascii_are_those_of_the_reference(fast: bool, few: list[str]) -> None:
    text = "the same plain words stand around each of the few others that this text has, and touch ".join(
        ["", *(f"a{piece}b " for piece in few), *(f"c. {piece}" for piece in few), ""]
    )
    with engine(fast=fast):
        assert made([f"{text} and {text}" * 4], 1) == [expected(f"{text} and {text}" * 4, 1)]


@both_engines
@settings(max_examples=200)
@given(batch=documents, joined=st.integers(1, 60), large=st.integers(1, 60))
def test_batch_and_size_borders_do_not_matter(
    fast: bool, batch: list[str | bytes | None], joined: int, large: int
) -> None:
    with engine(fast=fast), pytest.MonkeyPatch.context() as patch:
        whole = made(batch, 1)
        patch.setattr(engine_module, "_JOINED", joined)
        assert made(batch, 1) == whole
        patch.setattr(engine_module, "LARGE_DOCUMENT", large)
        assert made(batch, 1) == whole


@both_engines
@given(batch=documents)
def test_documents_of_one_buffer_are_those_of_a_list(fast: bool, batch: list[str | bytes | None]) -> None:
    encoded = [text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text for text in batch]
    laid = [b"xy" if text is None else text for text in encoded]
    bounds = np.cumsum([3, *map(len, laid)])
    data = b"abc" + b"".join(laid) + b"def"
    packed = PackedTexts(data, bounds.astype(np.int64), np.array([text is None for text in encoded], bool))
    with engine(fast=fast):
        assert made(packed, 1) == made(batch, 1)


@both_engines
@given(text=texts, more=texts, words=st.sampled_from([1, 4]))
def test_accumulators_count_what_the_reference_counts(fast: bool, text: str, more: str, words: int) -> None:
    with engine(fast=fast), pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine_module, "_WORTH_TABLES", 0)
        made_of = Accumulator({1: "sd64", 4: "sd256"}[words])
        given_text = ""
        for part in (text, more):
            made_of.update(part)
            given_text += part
            tokens = reference.tokens(given_text)
            capped = reference.capped_counts(tokens)
            assert (made_of.counts().total, made_of.counts().distinct()) == (len(tokens), len(capped))
            if tokens:
                assert made_of.counts().bit_sums(words).tolist() == reference.bit_sums(capped, words)
        other = Accumulator(made_of.scheme.id)
        other.update("three words, three")
        other.counts()
        made_of.merge(other)
        capped = reference.capped_counts([*reference.tokens(given_text), "three", "words", "three"])
        assert made_of.buckets() == reference.to_buckets(reference.bit_sums(capped, words))


@settings(max_examples=300)
@given(parts=st.lists(texts, min_size=1, max_size=6), room=st.integers(1, 40))
def test_compiled_loops_give_the_same_in_little_memory(parts: list[str], room: int) -> None:
    """The folded text is cut as often as can be, and tables grow on the way."""
    text = " ".join(parts)
    with engine(fast=True), pytest.MonkeyPatch.context() as patch:
        patch.setattr(counts, "_SCRATCH", room)
        patch.setattr(batch, "_SCRATCH", room)
        made_of = Accumulator("sd128")
        for part in parts:
            made_of.update(part + " ")
        small = batch.BatchWorker()
        data = np.frombuffer(text.encode("utf-8", "surrogatepass") + bytes(1), np.uint8)
        fingerprints, missing = small.fingerprint(data, np.array([0, len(data) - 1], np.int64), 2)
        try:
            buckets = reference.to_buckets(reference.bit_sums(reference.capped_counts(reference.tokens(text)), 2))
        except NoTokenError:
            with pytest.raises(NoTokenError):
                made_of.buckets()
            assert missing[0]
        else:
            assert made_of.buckets() == buckets
            assert fingerprints[0].tolist() == expected(text, 2)
        counted = made_of.counts()
        assert isinstance(counted, counts.CompiledCounts)
        assert dict(counted.items()) == {
            token.encode(): count for token, count in reference.capped_counts(reference.tokens(text)).items()
        }


@settings(max_examples=300)
@given(text=texts, more=texts, block=st.sampled_from([1, 5, 40]), large=st.sampled_from([8, 1000]))
def test_pieces_of_a_large_text_are_counted_as_the_reference_counts(
    text: str, more: str, block: int, large: int
) -> None:
    with engine(fast=False), pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine_module, "_WORTH_TABLES", 0)
        patch.setattr(engine_module, "LARGE_PIECE", large)
        patch.setattr(accumulator, "_WORTH_ENGINE", 0)
        patch.setattr(accumulator, "_BLOCK", block)
        made_of = Accumulator()
        for part in (text, more, text):
            made_of.update(part)
        counted = made_of._all_counts()  # `counts` takes another way with a text that was never cut
        tokens = reference.tokens(text + more + text)
        assert isinstance(counted, TokenCounts)
        assert dict(counted.items()) == {
            token.encode(): count for token, count in reference.capped_counts(tokens).items()
        }
        assert counted.total == len(tokens)


@given(text=texts)
def test_folding_twice_changes_nothing(text: str) -> None:
    assert reference.fold(reference.fold(text)) == reference.fold(text)


@pytest.mark.parametrize("behind", ["d41d8cd98f00b204e9800998ecf8427e", "10.1234/x", "www.a.b", "a@b.c", "x://y"])
def test_what_is_right_behind_a_link_is_at_no_start_of_a_word(behind: str) -> None:
    for between in ("", " ", "-", "\u00e9", "\u6f22", "_"):
        text = f"some a@b.{'a' * 63}{between}{behind} words"
        with engine(fast=False):
            assert made([text, f"{text} \u0434\u0430"], 1) == [expected(text, 1), expected(f"{text} \u0434\u0430", 1)]
        assert prepare(text) == reference.remove_links(reference.fold(text))


@settings(max_examples=300)
@given(batch=documents, words=widths)
def test_words_with_one_key_are_counted_apart(batch: list[str | bytes | None], words: int) -> None:
    with engine(fast=False), pytest.MonkeyPatch.context() as patch:
        patch.setattr(plain_words, "_KEYS", (np.uint64(0), np.uint64(0)))
        assert made(batch, words) == [None if text is None else expected(text, words) for text in batch]


@both_engines
def test_every_vector(fast: bool) -> None:
    members = [case.members for case in load_cases() if any(form in case.members for form in INPUT_FORMS)]
    inputs = [read_input(each) for each in members]
    assert len(inputs) > 800
    with engine(fast=fast):
        for words in (1, 8):
            assert made(inputs, words) == [expected(text, words) for text in inputs]


@pytest.mark.skipif(not CORPUS, reason="SIMHASH_DOC_CORPUS names no folder of text files")
@both_engines
def test_corpus(fast: bool) -> None:
    paths = sorted(path for path in Path(CORPUS or "").rglob("*") if path.suffix == ".txt")
    assert paths
    with engine(fast=fast):
        for start in range(0, len(paths), 50):
            found = [path.read_bytes()[:40_000] for path in paths[start : start + 50]]
            assert made(found, 1) == [expected(text, 1) for text in found]
