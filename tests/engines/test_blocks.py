"""Links and words at every place of a block: the compiled loops read folded text 64 bytes at a time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_doc.engines.select import get_engine
from tests.engines.engines import needs_numba

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


@needs_numba
@pytest.mark.parametrize("link", LINKS)
def test_a_link_is_found_at_every_place_of_a_block(link: str) -> None:
    for edge in EDGES:
        assert_equal(" ".join(("ab " * BLOCK)[:place] + edge.format(link) for place in range(BLOCK + 1)))


@needs_numba
@given(st.lists(st.sampled_from(PIECES), max_size=60))
def test_pieces_of_links_are_cut_as_the_other_engines_cut_them(pieces: list[str]) -> None:
    assert_equal("".join(pieces))
