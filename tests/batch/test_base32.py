"""The text form of many fingerprints at once equals that of the reference."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_doc import reference
from simhash_doc.tabular.rows import encode_base32


@given(st.data())
@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
def test_base32_of_an_array_is_that_of_the_reference(lanes: int, data: st.DataObject) -> None:
    row = st.lists(st.integers(0, 2**64 - 1), min_size=lanes, max_size=lanes)
    values = np.array(data.draw(st.lists(row, min_size=1)), np.uint64)
    expected = [reference.encode(value.astype(">u8").tobytes()) for value in values]
    assert [text.decode() for text in encode_base32(values).tolist()] == expected


def test_no_fingerprints_give_no_texts() -> None:
    assert encode_base32(np.empty((0, 1), np.uint64)).shape == (0,)
