"""Both engines give what the reference gives, at every seam of theirs."""

from __future__ import annotations

import os
from collections import Counter
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
from simhash_doc.bulk.plain_cuts import last_cut
from simhash_doc.conformance.cases import load_cases
from simhash_doc.conformance.inputs import INPUT_FORMS, read_input
from simhash_doc.conformance.seams import SEAMS
from simhash_doc.counts import TokenCounts
from tests.bulk.engines import both_engines, engine, expected, made
from tests.strategies import any_text

CORPUS = os.environ.get("SIMHASH_DOC_CORPUS")
widths = st.sampled_from([1, 2, 4, 8])
# What the engines treat in ways of their own: marks that stay, slip in, compose or are blocked; links and
# what is nearly one beside characters that are not ASCII; rows of scripts without spaces.
OWN_SEAMS = [
    "e\u0301", "\u1ea1\u0302", "\u0928\u093c", "\u0bc6\u0bbe", "\u09c7\u0334\u09be", "\u0653\u0627\u0653",
    "\u064e\u0651", "\u0651\u064e", "\u1112\u1161\u11ab", "\uac00\u11a8", "\u1100\u0301\u1161", "<\u0338",
    "=\u0338", "\u0344\u0f73\u0f77", "\ufdfa", "\u00a8", "\u2026", "\u2019s", "\u00a0", "\u00bd", "\u2473",
    "\ufb03", "\u212a", "\u017f", "\uff1a//", "\uff20", "h\u00adttp://x", "ww\u200dw.", "\u1e9e", "\u0130",
    "\u0345", "\u0300" * 29, "\u00e1" + "\u0301" * 28, "\u01d7" + "\u0316" * 29, "a@b.c", "mailto:", "://", "//",
    "\u00e9http://a", "\u6f22a@b.example\u6f22", "10.1234/", "-426614174000", "426614174000\u00e9",
    "_426614174000", "abcdef012345", "d41d8cd98f00b204e9800998ecf8427e\u00e9",
    "_d41d8cd98f00b204e9800998ecf8427e", "__", "_x_", "\u203fx\u203f", "\u0e48", "\U00020000\U0002a6d6", "\u3007",
    "\n", "\x1f", "\x85", "\ud800", "\udfff\ud801",
]  # fmt: skip
pieces = st.lists(st.one_of(st.sampled_from(OWN_SEAMS), st.sampled_from(SEAMS), st.characters()), max_size=30)
texts = st.one_of(any_text, pieces.map("".join))
documents = st.lists(st.one_of(st.none(), texts, texts.map(lambda t: t.encode("utf-8", "surrogatepass")), st.binary()))


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
@given(text=texts, more=texts, block=st.sampled_from([1, 5, 40]))
def test_pieces_of_a_large_text_are_counted_as_the_reference_counts(text: str, more: str, block: int) -> None:
    with engine(fast=False), pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine_module, "_WORTH_TABLES", 0)
        patch.setattr(accumulator, "_WORTH_ENGINE", 0)
        patch.setattr(accumulator, "_FIRST_CUT", block)
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


@settings(max_examples=500)
@given(text=texts)
def test_a_text_is_cut_where_its_pieces_have_its_tokens(text: str) -> None:
    for upto in range(len(text) + 1):
        end, start = last_cut(text[:upto])
        assert 0 <= end - start <= 1
        if end:
            assert start
            assert Counter(reference.tokens(text[:end])) + Counter(reference.tokens(text[start:])) == Counter(
                reference.tokens(text)
            )


def test_texts_without_a_space_can_be_cut() -> None:
    for stretch in ("\u6f22\u5b57", "\u0e01\u0e2a", "a\ufffd", "a\u0378", "\u300cx\u300d", "\u2014y", "<z"):
        text = stretch * 200_000
        end, start = last_cut(text)
        assert 0 <= end - start <= 1
        assert start > len(text) - 10
    assert last_cut("a" * 200_000) == (0, 0)
    assert last_cut("http://a.example/" * 10_000) == (0, 0)


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
