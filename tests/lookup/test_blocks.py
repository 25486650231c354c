"""Blocks and the orders of tables: how many tables, and that they only move bits."""

from __future__ import annotations

from collections import Counter
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_doc.lookup import LookupParameterError
from simhash_doc.lookup.blocks import Blocking, cut_blocks, orders_of, prefix_widths
from tests.lookup.distributions import ANY_VALUE, LARGEST, parameters

SHAPES = st.sampled_from([64, 128, 256, 512]).flatmap(lambda bits: st.tuples(st.just(bits), st.integers(1, bits)))


@given(SHAPES)
def test_blocks_cover_every_bit_once_in_nearly_equal_widths(shape: tuple[int, int]) -> None:
    bits, blocks = shape
    parts = cut_blocks(bits, blocks)
    assert sum(part.mask for part in parts) == (1 << bits) - 1
    assert sum(part.width for part in parts) == bits
    assert max(part.width for part in parts) - min(part.width for part in parts) <= 1


@given(SHAPES, st.integers(0, 3))
def test_the_widths_of_all_keys_are_counted_without_building_them(shape: tuple[int, int], distance: int) -> None:
    bits, blocks = shape
    if distance >= blocks or comb(blocks, distance) > 5000:
        return
    blocking = Blocking(bits, blocks, distance)
    assert prefix_widths(bits, blocks, distance) == Counter(mask.bit_count() for mask in blocking.masks)
    assert len(blocking) == len(set(blocking.masks))


@pytest.mark.parametrize(("blocks", "distance"), parameters())
def test_one_table_for_each_choice_of_blocks(blocks: int, distance: int) -> None:
    blocking = Blocking(64, blocks, distance)
    orders = orders_of(blocking)
    assert len(orders) == comb(blocks, distance) == len(set(blocking.masks))
    assert [mask.bit_count() for mask in blocking.masks] == [order.prefix_bits for order in orders]


def test_prefixes_are_those_of_the_specification() -> None:
    widths = {blocks: {order.prefix_bits for order in orders_of(Blocking(64, blocks, 3))} for blocks in (4, 5, 6)}
    assert widths == {4: {16}, 5: {25, 26}, 6: {31, 32, 33}}


@given(shape=st.sampled_from([(4, 3), (5, 3), (6, 2), (7, 0), (64, 1)]), value=ANY_VALUE, bits=st.integers(1, 63))
def test_a_permutation_moves_the_prefix_to_the_top_and_back(shape: tuple[int, int], value: int, bits: int) -> None:
    blocking = Blocking(64, *shape)
    for order, mask in zip(orders_of(blocking), blocking.masks, strict=True):
        permuted = order.apply(np.array([value], np.uint64))
        assert order.undo(permuted).tolist() == [value]
        assert int(permuted[0]).bit_count() == value.bit_count()
        only_prefix = order.apply(np.array([mask], np.uint64))
        assert int(only_prefix[0]) == (LARGEST << (64 - order.prefix_bits)) & LARGEST
        leading = sum((value & part) << 64 >> 64 - shift for part, shift in order.leading(bits))
        assert leading == int(permuted[0]) >> (64 - bits)
        assert order.buckets(np.array([[value]], np.uint64), bits).tolist() == [leading]


def test_too_many_tables_are_rejected() -> None:
    with pytest.raises(LookupParameterError, match=r"make 1,832,624,140,942,590,534 tables, over 50,000"):
        Blocking(64, 64, 32)
