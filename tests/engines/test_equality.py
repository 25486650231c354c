"""Every engine gives the results of the reference, also at the limits where it changes its method.

The step `engines` runs the vectors with each.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_doc import reference
from simhash_doc.engines import python as python_engine
from simhash_doc.engines import token_counts
from simhash_doc.engines.numpy import engine as numpy_engine
from simhash_doc.engines.numpy import words as numpy_words
from simhash_doc.engines.select import get_engine
from simhash_doc.engines.strings import link_free_text
from simhash_doc.engines.text_buffer import TextBuffer
from simhash_doc_conformance.generated.texts import FRAGMENTS
from tests.engines.engines import (
    all_engines,
    computed,
    expected,
    has_native,
    large_document,
    statistics,
    value_of,
)
from tests.strategies import OWN_SEAMS, documents, texts, widths


@all_engines
@given(batch=documents, lanes=widths)
def test_batches_are_the_reference_of_each_document(name: str, batch: list[str | bytes | None], lanes: int) -> None:
    assert computed(name, batch, lanes) == [None if text is None else expected(text, lanes) for text in batch]


@all_engines
@given(text=st.one_of(texts, texts.map(lambda text: text.encode("utf-8", "surrogatepass")), st.binary()), lanes=widths)
def test_one_document_is_the_reference(name: str, text: str | bytes, lanes: int) -> None:
    engine = get_engine(name)
    assert engine.fingerprint(text, lanes) == value_of(expected(text, lanes))
    tokens = reference.tokens(reference.decode_utf8(text) if isinstance(text, bytes) else text)
    capped = reference.capped_counts(tokens)
    sums = tuple(reference.bit_sums(capped, lanes)) if capped else (0,) * 64 * lanes
    value = value_of(expected(text, lanes)) or 0
    assert engine.measure(text, lanes) == (value, len(tokens), *statistics(text), sums)


@pytest.mark.slow
@all_engines
@given(few=st.lists(st.one_of(st.sampled_from(OWN_SEAMS), st.sampled_from(FRAGMENTS), st.characters()), max_size=4))
def test_few_characters_in_much_ascii_are_those_of_the_reference(name: str, few: list[str]) -> None:
    text = "the same plain words stand around each of the few others that this text has, and touch ".join(
        ["", *(f"a{piece}b " for piece in few), *(f"c. {piece}" for piece in few), ""]
    )
    assert computed(name, [f"{text} and {text}" * 4], 1) == [expected(f"{text} and {text}" * 4, 1)]


@pytest.mark.slow
@all_engines
@given(batch=documents, group=st.integers(1, 60), large=st.integers(1, 60))
def test_sizes_of_groups_and_of_large_documents_do_not_matter(
    name: str, batch: list[str | bytes | None], group: int, large: int
) -> None:
    undivided = computed(name, batch, 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(numpy_engine, "GROUP_BYTES", group)
        assert computed(name, batch, 1) == undivided
        with large_document(large):
            assert computed(name, batch, 1) == undivided
            one_by_one = [None if text is None else get_engine(name).fingerprint(text, 1) for text in batch]
            assert one_by_one == [value_of(lanes) for lanes in undivided]


@all_engines
@given(batch=documents)
def test_documents_of_one_buffer_are_those_of_a_list(name: str, batch: list[str | bytes | None]) -> None:
    encoded = [text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text for text in batch]
    laid = [b"xy" if text is None else text for text in encoded]
    bounds = np.cumsum([3, *map(len, laid)])
    data = b"abc" + b"".join(laid) + b"def"
    buffer = TextBuffer(data, bounds.astype(np.int64), np.array([text is None for text in encoded], bool))
    assert computed(name, buffer, 1) == computed(name, batch, 1)


@pytest.mark.slow
@all_engines
@pytest.mark.parametrize("bounds", [[0, 5, 3], [-1, 2, 3], [0, 2, 11]])
def test_bounds_outside_of_the_buffer_read_no_other_memory(name: str, bounds: list[int]) -> None:
    buffer = TextBuffer(b"ten bytes.", np.array(bounds, np.int64), np.zeros(2, bool))
    if name == "native":
        with pytest.raises(ValueError, match="bounds"):
            computed(name, buffer, 1)
    else:
        assert len(computed(name, buffer, 1)) == 2


@all_engines
@pytest.mark.parametrize("document", [5, bytearray(b"x"), 1.5])
def test_documents_of_other_types_are_refused(name: str, document: object) -> None:
    with pytest.raises(TypeError, match=f"document 1 is {type(document).__name__}"):
        computed(name, ["a", document], 1)  # type: ignore[list-item]


OTHERS = ("python", "native" if has_native() else "numpy")


@pytest.mark.slow
@all_engines
@given(
    parts=st.lists(texts, max_size=4),
    others=st.lists(texts, max_size=2),
    cut=st.integers(0, 9),
    block=st.sampled_from([1, 5, 40, token_counts.BLOCK]),
    large=st.sampled_from([8, 1000]),
)
def test_counters_count_what_the_reference_counts(
    name: str, parts: list[str], others: list[str], cut: int, block: int, large: int
) -> None:
    """Fed in pieces that end inside characters, measured in between, copied and merged with counters of all engines."""
    data = "".join(parts).encode("utf-8", "surrogatepass")
    tokens = reference.tokens(reference.decode_utf8(data)) if data else []
    with large_document(large), pytest.MonkeyPatch.context() as patch:
        patch.setattr(token_counts, "BLOCK", block)
        counter = get_engine(name).token_counter()
        for start in range(0, len(data), cut + 1):
            counter.feed(data[start : start + cut + 1])
            if start % 3 == 0:
                counter.measure(1)
        copied = counter.copy()
        copied.feed(b" copied only")
        for i, text in enumerate(others):
            other = get_engine(OTHERS[i]).token_counter()
            other.feed(text.encode("utf-8", "replace"))
            counter.merge(other)
            tokens += reference.tokens(text.encode("utf-8", "replace").decode())
        capped = reference.capped_counts(tokens)
        sums = tuple(reference.bit_sums(capped, 2)) if capped else (0,) * 128
        counts = capped.values()
        counted = (len(counts), sum(counts), sum(count**2 for count in counts))
        assert counter.measure(2)[1:] == (len(tokens), *counted, sums)
        assert dict(counter.tokens().items()) == {token.encode(): count for token, count in capped.items()}


@given(text=texts, most=st.integers(0, 3))
def test_characters_are_mapped_one_by_one_or_all_at_once(text: str, most: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(python_engine, "_MAX_REPLACED", most)
        assert python_engine.count_tokens(text) == {
            token.encode(): count for token, count in Counter(reference.tokens(text)).items()
        }


@given(text=texts)
def test_folding_twice_changes_nothing(text: str) -> None:
    assert reference.fold(reference.fold(text)) == reference.fold(text)


@all_engines
@pytest.mark.parametrize("following", ["d41d8cd98f00b204e9800998ecf8427e", "10.1234/x", "www.a.b", "a@b.c", "x://y"])
def test_text_directly_after_a_link_is_not_at_the_start_of_a_word(name: str, following: str) -> None:
    for between in ("", " ", "-", "\u00e9", "\u6f22", "_"):
        text = f"some a@b.{'a' * 63}{between}{following} words"
        assert computed(name, [text, f"{text} \u0434\u0430"], 1) == [
            expected(text, 1),
            expected(f"{text} \u0434\u0430", 1),
        ]
        assert link_free_text(text) == reference.remove_links(reference.fold(text))


@pytest.mark.slow
@given(batch=documents, lanes=widths)
def test_words_with_the_same_key_are_counted_apart(batch: list[str | bytes | None], lanes: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(numpy_words, "_KEY", np.uint64(0))
        assert computed("numpy", batch, lanes) == [None if text is None else expected(text, lanes) for text in batch]
