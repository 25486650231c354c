"""The compiled loops: their hash table, little memory, and blocks of 64 bytes of folded text.

The hash table compares tokens by their bytes, and chosen tokens cannot make it slow.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import xxhash
from hypothesis import given
from hypothesis import strategies as st

from simhash_doc import reference
from simhash_doc.engines.select import get_engine
from tests.engines.engines import expected, value_of
from tests.strategies import texts

pytest.importorskip("numba", reason="numba is not installed: pip install -e '.[dev]'")

from simhash_doc.engines.numba import engine as numba_engine
from simhash_doc.engines.numba import hash_table
from simhash_doc.engines.numba.engine import NumbaTokenCounter

pytestmark = pytest.mark.slow

NEVER = 1 << 40
# Found by solving for the second half: each step of XXH64 over 16 bytes can be undone.
COLLIDING = ["yjncyvqgouoneeiw", "vvhf29ut60arjuoo", "wqxx88b1qb6cowng"]


def test_the_colliding_tokens_have_one_hash() -> None:
    assert len({xxhash.xxh64_intdigest(token.encode()) for token in COLLIDING}) == 1


@contextmanager
def tables(*, limit: int = 256, keyed: bool = True) -> Iterator[None]:
    """Let tables treat a search as long after `limit` steps. Without a key, all tokens have one place and one tag."""
    original = hash_table.Table.__init__

    def changed(self: hash_table.Table, entries: int, arena: int) -> None:
        original(self, entries, arena)
        self.state[hash_table.PROBE_LIMIT] = limit
        self.key *= keyed

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hash_table.Table, "__init__", changed)
        yield


def counted(text: str) -> NumbaTokenCounter:
    """Return the tokens of a text as the compiled loops count them."""
    counter = NumbaTokenCounter()
    counter.feed(text.encode())
    return counter.tokens()


def capped_counts(text: str) -> dict[bytes, int]:
    return {token.encode(): count for token, count in reference.capped_counts(reference.tokens(text)).items()}


@pytest.mark.parametrize("limit", [0, 1, 256])
def test_tokens_with_the_same_hash_are_counted_apart(limit: int) -> None:
    text = " ".join(word for word in COLLIDING for _ in range(9)) + " other words of the text " * 3
    with tables(limit=limit):
        found = counted(text)
    assert dict(found.items()) == capped_counts(text)
    assert bool(found._table.state[hash_table.CAREFUL]) == (limit < 2)


@pytest.mark.parametrize("limit", [5, NEVER])
def test_tokens_with_the_same_place_and_tag_are_counted_apart(limit: int) -> None:
    words = ["a" * i + "b" + "a" * (length - i - 1) for length in range(1, 26) for i in range(length)]
    text = " ".join([*words, *words[::2], "漢字仮名漢字", *words[::3]])
    with tables(limit=limit, keyed=False):
        assert dict(counted(text).items()) == capped_counts(text)


def test_other_searches_are_correct_after_the_table_became_careful() -> None:
    text = " ".join(COLLIDING) + " " + " ".join(f"word{i % 700}" for i in range(3000))
    with tables(limit=1):
        sums = tuple(reference.bit_sums(reference.capped_counts(reference.tokens(text)), 8))
        assert counted(text).measure(8).sums == sums


@pytest.mark.parametrize("limit", [1, 256])
def test_tables_that_grow_while_tokens_are_queued_lose_none(limit: int) -> None:
    text = " ".join(f"word{i * i % 4999} {i % 71}a" for i in range(6000)) + "漢字仮名東京" * 20
    with tables(limit=limit):
        assert dict(counted(text).items()) == capped_counts(text)


def test_keys_of_tables_differ() -> None:
    assert len({hash_table.Table(8, 8).key.tobytes() for _ in range(20)}) == 20


@given(parts=st.lists(texts, min_size=1, max_size=6), room=st.integers(1, 40))
def test_compiled_loops_give_the_same_in_little_memory(parts: list[str], room: int) -> None:
    """The folded text is cut as often as possible, and tables grow."""
    text = " ".join(parts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(numba_engine, "_SCRATCH", room)
        counter = numba_engine.NumbaTokenCounter()
        for part in parts:
            counter.feed(f"{part} ".encode("utf-8", "surrogatepass"))
        worker = numba_engine.BatchWorker()
    data = text.encode("utf-8", "surrogatepass")
    assert worker.fingerprint_one(data, 2) == value_of(expected(text, 2))
    capped = reference.capped_counts(reference.tokens(text))
    assert dict(counter.tokens().items()) == {token.encode(): count for token, count in capped.items()}
    if capped:
        sums = tuple(reference.bit_sums(capped, 2))
        assert counter.measure(2).sums == worker.measure_one(data, 2).sums == sums


BLOCK = 64
DIGEST, UUID = "d41d8cd98f00b204e9800998ecf8427e", "123e4567-e89b-12d3-a456-426614174000"
LINKS = [
    "http://a.example/x", "git+ssh://host", "s" * 32 + "://x", "s" * 33 + "://x", "doi:x", "urn:x", "hdl:x", "arxiv:x",
    "mailto:" + "m" * 63 + "@b.c", "m" * 64 + "@b.c", "m" * 65 + "@b.c", "a.b@c.d_e", "www.example.org", "www.",
    "wwww.a.b", "10.1234/x", "10.123/x", "110.1234/x", DIGEST, DIGEST[1:], DIGEST * 4, DIGEST * 4 + "0", UUID,
    UUID[1:], UUID + "_", "a" * 63, "a" * 64, "a" * 65, "_a_", "a_b", "\u203fa", "\u00e9" * 32, "\u6f22",
    "m.mmmmmm" * 8 + "@b.c", "a@b." + "c" * 63 + "www.x.y", "\u6f22\u5b57", "a\u6f22b", "1", "\U0001d49c\U0001d4b7",
]  # fmt: skip
EDGES = ["{}", " {} ", "\u00e9{}", "{}\u00e9", "\u6f22{}", "\u00e9" * 6 + "{}.", "{}_"]
PIECES = [*LINKS, ":", "//", "://", "@", ".", "-", "_", " ", "www", "10", "dead", "word", "\u00e9", "\u0301", "\u3002"]


def assert_equal(text: str) -> None:
    assert get_engine("numba").measure(text, 1) == get_engine("python").measure(text, 1)


@pytest.mark.parametrize("link", LINKS)
def test_a_link_is_found_at_every_place_of_a_block(link: str) -> None:
    for edge in EDGES:
        assert_equal(" ".join(("ab " * BLOCK)[:place] + edge.format(link) for place in range(BLOCK + 1)))


@given(st.lists(st.sampled_from(PIECES), max_size=60))
def test_pieces_of_links_are_cut_as_the_other_engines_cut_them(pieces: list[str]) -> None:
    assert_equal("".join(pieces))
