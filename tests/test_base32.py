"""Base32 of single fingerprints and of arrays: the reference says what the digits and the values are."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_doc import MalformedFingerprintError, get_schemes, reference
from simhash_doc.base32 import decode, decode_array, encode, encode_array
from simhash_doc.schemes import Scheme

SCHEMES = list(get_schemes().values())
of_every_scheme = pytest.mark.parametrize("scheme", SCHEMES, ids=lambda scheme: scheme.id)


def expected_value(digits: str, scheme: Scheme) -> int | None:
    try:
        return int.from_bytes(reference.decode(digits, scheme.id), "big")
    except MalformedFingerprintError:
        return None


def as_array(fingerprints: list[bytes], scheme: Scheme) -> npt.NDArray[np.uint64]:
    return np.frombuffer(b"".join(fingerprints), ">u8").reshape(-1, scheme.lanes).astype(np.uint64)


def decoded_together(texts: list[str], scheme: Scheme) -> list[int | None]:
    """Return what `decode_array` makes of texts that have the right number of ASCII characters."""
    characters = np.frombuffer("".join(texts).encode("ascii"), np.uint8).reshape(-1, scheme.characters)
    values, valid = decode_array(characters)
    assert values.shape == (len(texts), scheme.lanes)
    rows = [int.from_bytes(row.astype(">u8").tobytes(), "big") for row in values]
    return [value if well_formed else None for value, well_formed in zip(rows, valid.tolist(), strict=True)]


@of_every_scheme
@given(data=st.data())
def test_digits_and_values_are_those_of_the_reference(scheme: Scheme, data: st.DataObject) -> None:
    size = scheme.bits // 8
    fingerprints = data.draw(st.lists(st.binary(min_size=size, max_size=size)))
    digits = [reference.encode(one) for one in fingerprints]
    assert [encode(one) for one in fingerprints] == digits
    assert [one.decode() for one in encode_array(as_array(fingerprints, scheme)).tolist()] == digits
    values = [int.from_bytes(one, "big") for one in fingerprints]
    for written in (digits, [one.upper() for one in digits]):
        assert [decode(one, scheme) for one in written] == values
        assert decoded_together(written, scheme) == values


@of_every_scheme
def test_each_bit_is_in_its_place(scheme: Scheme) -> None:
    fingerprints = [(1 << bit).to_bytes(scheme.bits // 8, "big") for bit in range(scheme.bits)]
    digits = [reference.encode(one) for one in fingerprints]
    assert [one.decode() for one in encode_array(as_array(fingerprints, scheme)).tolist()] == digits
    assert decoded_together(digits, scheme) == [1 << bit for bit in range(scheme.bits)]


@of_every_scheme
def test_every_ascii_character_at_every_place_is_judged_like_the_reference(scheme: Scheme) -> None:
    digits = reference.encode(bytes(range(1, scheme.bits // 8 + 1)))
    texts = [
        digits[:at] + chr(code) + digits[at + 1 :] for at in range(scheme.characters) for code in range(128)
    ]  # bad characters, padding and spare bits
    expected = [expected_value(text, scheme) for text in texts]
    assert None in expected
    assert [decode(text, scheme) for text in texts] == expected
    assert decoded_together(texts, scheme) == expected


@of_every_scheme
@given(data=st.data())
def test_texts_of_any_length_and_characters_are_judged_like_the_reference(scheme: Scheme, data: st.DataObject) -> None:
    character = st.characters() | st.sampled_from("abcdefghijklmnopqrstuvwxyz234567=A7ıK０_ ")
    size = data.draw(st.integers(0, scheme.characters + 3) | st.just(scheme.characters))
    text = data.draw(st.text(character, min_size=size, max_size=size))
    assert decode(text, scheme) == expected_value(text, scheme)
