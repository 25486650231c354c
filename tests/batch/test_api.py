"""Fingerprints of many documents: as an array and as a stream."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_doc import (
    Fingerprint,
    Fingerprints,
    NoTokenError,
    UnknownSchemeError,
    fingerprint_batches,
    fingerprint_many,
    reference,
)
from simhash_doc.batch.batches import batches
from simhash_doc.engines.text_buffer import BATCH_BYTES
from simhash_doc.parallel import pool
from simhash_doc.schemes import SchemeId, get_scheme
from tests.engines.engines import needs_native, setting
from tests.strategies import any_text

SCHEMES: dict[SchemeId, int] = {"sd64": 1, "sd128": 2, "sd256": 4, "sd512": 8}


def expected(text: str | bytes | None, scheme: SchemeId = "sd64") -> list[int] | None:
    """Return the lanes of the reference's fingerprint; None if there is none."""
    if text is None:
        return None
    try:
        made = Fingerprint.parse(reference.fingerprint(text, scheme))
    except NoTokenError:
        return None
    return [int(lane) for lane in np.frombuffer(bytes(made), ">u8")]


def rows(fingerprints: Fingerprints) -> list[list[int] | None]:
    """Return the lanes of each fingerprint; None where it is missing."""
    return [None if one is None else list(one.lanes) for one in fingerprints]


@given(st.lists(st.one_of(st.none(), any_text, any_text.map(lambda text: text.encode("utf-8", "surrogatepass")))))
def test_equal_to_the_reference(texts: list[str | bytes | None]) -> None:
    assert rows(fingerprint_many(texts)) == [expected(text) for text in texts]


@pytest.mark.parametrize(("scheme", "lanes"), SCHEMES.items())
def test_widths_and_shapes(scheme: SchemeId, lanes: int) -> None:
    texts = ["alpha beta", "", None, b"gamma \xff delta", "alpha beta"]
    result = fingerprint_many(texts, scheme)
    present = result[~result.missing].values
    assert (present.dtype, result.scheme.id) == (np.dtype(np.uint64), scheme)
    assert present.shape == ((3,) if lanes == 1 else (3, lanes))
    assert rows(result) == [expected(text, scheme) for text in texts]


@pytest.mark.slow
@pytest.mark.parametrize("workers", [None, 1, 2])
def test_stream_is_the_array_in_pieces(workers: int | None) -> None:
    texts = [f"{word} number {'x' * (at % 7)}" * 20 for at in range(6000) for word in ("one", "two", "three", "")]
    complete = fingerprint_many(texts)
    pieces = list(fingerprint_batches(iter(texts), workers=workers))
    assert len(pieces) > 2
    assert [row for piece in pieces for row in rows(piece)] == rows(complete)


def test_worker_processes_give_the_same() -> None:
    texts = ["\ud800 lone", "a \udfff b", None, b"\xed\xa0\x80 bytes", "", "ﬁ", "각" * 5, "ordinary words"] * 200
    for scheme in SCHEMES:
        assert rows(fingerprint_many(texts, get_scheme(scheme), workers=2)) == rows(fingerprint_many(texts, scheme))


@needs_native
@pytest.mark.parametrize("scheme", ["sd64", "sd256"])
def test_compiled_code_runs_in_threads_of_this_process(scheme: SchemeId, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"{word} {'number ' * (at % 7)}{at}é漢字" * 200 for at in range(900) for word in ("one", "two")]
    monkeypatch.setattr(pool, "_ProcessPool", None)
    with setting("native"):
        several, one = (fingerprint_many([*texts, None, ""], scheme, workers=workers) for workers in (3, None))
    assert rows(several) == rows(one)


def test_no_text_gives_an_empty_array() -> None:
    assert fingerprint_many([]).values.shape == (0,)
    assert fingerprint_many([], "sd256").values.shape == (0, 4)
    assert list(fingerprint_batches([])) == []


def test_stream_is_read_no_further_than_needed() -> None:
    drawn = 0

    def endless() -> Iterator[str]:
        nonlocal drawn
        while True:
            drawn += 1
            yield "word " * 2000

    results = fingerprint_batches(endless(), workers=2)
    got = sum(len(part) for part in islice(results, 3))
    results.close()  # type: ignore[attr-defined]
    assert 0 < got <= drawn <= got + 9 * BATCH_BYTES // 10_000


@given(st.lists(st.one_of(st.none(), st.integers(0, 3 * BATCH_BYTES // 2)), max_size=12))
def test_batches_are_cut_by_bytes_and_keep_the_order(sizes: list[int | None]) -> None:
    texts = [None if size is None else "x" * size for size in sizes]
    made = list(batches(iter(texts)))
    assert [text for batch in made for text in batch.texts] == texts
    assert [batch.first for batch in made] == [sum(map(len, made[:at])) for at in range(len(made))]
    for batch in made:
        assert len(batch) == 1 or sum(len(text or "") for text in batch.texts) <= BATCH_BYTES


def test_many_empty_documents_are_more_than_one_batch() -> None:
    made = list(batches([""] * 100_000))
    assert len(made) > 5
    assert sum(map(len, made)) == 100_000


def test_iterable_that_fails_passes_its_error_on() -> None:
    def failing() -> Iterator[str]:
        yield "one"
        raise RuntimeError("the source is gone")

    for workers in (1, 2):
        with pytest.raises(RuntimeError, match="the source is gone"):
            fingerprint_many(failing(), workers=workers)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ("one text", "texts is one str"),
        (b"one text", "texts is one bytes"),
        (["a", 5], "text 1 is int"),
        (["a", None, bytearray(b"b")], "text 2 is bytearray"),
        ([float("nan")], "text 0 is float"),
    ],
)
def test_items_that_are_not_text_are_reported(texts: object, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        fingerprint_many(texts)  # type: ignore[arg-type]


def test_invalid_options_are_refused_before_anything_is_read() -> None:
    def unread() -> Iterator[str]:
        raise AssertionError("read")
        yield ""

    with pytest.raises(UnknownSchemeError):
        fingerprint_batches(unread(), "sd65")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="workers is 0"):
        fingerprint_batches(unread(), workers=0)
