"""Blocks and permutations: how many tables, and that they only move bits."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_doc.lookup import LookupParameterError
from simhash_doc.lookup.blocks import cut, permutations
from tests.lookup.distributions import ANY_VALUE, LARGEST, parameters


@pytest.mark.parametrize("blocks", range(1, 65))
def test_blocks_cover_every_bit_once_in_nearly_equal_widths(blocks: int) -> None:
    parts = cut(blocks)
    assert sum(part.mask for part in parts) == LARGEST
    assert sum(part.width for part in parts) == 64
    assert max(part.width for part in parts) - min(part.width for part in parts) <= 1


@pytest.mark.parametrize(("blocks", "distance"), parameters())
def test_one_table_for_each_choice_of_blocks(blocks: int, distance: int) -> None:
    orders = permutations(blocks, distance)
    assert len(orders) == comb(blocks, distance) == len({order.prefix_mask for order in orders})
    assert all(order.prefix_mask.bit_count() == order.prefix_bits for order in orders)


def test_the_specification_s_prefixes() -> None:
    widths = {blocks: {order.prefix_bits for order in permutations(blocks, 3)} for blocks in (4, 5, 6)}
    assert widths == {4: {16}, 5: {25, 26}, 6: {31, 32, 33}}


@given(shape=st.sampled_from([(4, 3), (5, 3), (6, 2), (7, 0), (64, 1)]), value=ANY_VALUE, bits=st.integers(1, 64))
def test_a_permutation_moves_the_prefix_to_the_top_and_back(shape: tuple[int, int], value: int, bits: int) -> None:
    for order in permutations(*shape):
        permuted = order.apply(np.array([value], np.uint64))
        assert order.undo(permuted).tolist() == [value]
        assert int(permuted[0]).bit_count() == value.bit_count()
        only_prefix = order.apply(np.array([order.prefix_mask], np.uint64))
        assert int(only_prefix[0]) == (LARGEST << (64 - order.prefix_bits)) & LARGEST
        leading = sum((value & mask) << 64 >> 64 - shift for mask, shift in order.leading(bits))
        assert leading == int(permuted[0]) >> (64 - bits)


def test_more_tables_than_any_memory_holds_are_refused() -> None:
    with pytest.raises(LookupParameterError, match=r"make 1,832,624,140,942,590,534 tables, over 50,000"):
        permutations(64, 32)
