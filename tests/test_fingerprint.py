"""Fingerprints as values."""

from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_doc import (
    Fingerprint,
    SchemeMismatchError,
    SpecError,
    UnknownSchemeError,
    fingerprint,
    get_schemes,
    reference,
)
from simhash_doc.errors import (
    BadCharacterError,
    BadLengthError,
    MalformedFingerprintError,
    PaddingError,
    SpareBitsError,
)
from simhash_doc.schemes import SchemeId

BITS = {known.id: known.bits for known in get_schemes().values()}
fingerprints = st.sampled_from(sorted(BITS)).flatmap(
    lambda scheme: st.builds(
        Fingerprint, st.integers(0, 2 ** BITS[scheme] - 1), st.just(scheme), canonical=st.booleans()
    )
)


@given(fingerprints)
def test_base32_form_is_that_of_the_reference(found: Fingerprint) -> None:
    assert found.base32 == reference.encode(bytes(found))
    assert len(found.base32) == found.scheme.characters


@given(fingerprints)
def test_parsing_the_text_form_gives_an_equal_fingerprint(found: Fingerprint) -> None:
    assert Fingerprint.parse(str(found)) == found
    assert Fingerprint.parse(str(found).upper()) == found
    assert Fingerprint.parse(found.base32).value == Fingerprint.parse(found.base32, found.scheme.id).value == int(found)
    assert Fingerprint.from_bytes(bytes(found), found.scheme.id, canonical=found.canonical) == found
    assert int(found.hex, 16) == found.value


@given(st.text(max_size=30))
def test_every_string_parses_or_raises_a_documented_error(text: str) -> None:
    try:
        found = Fingerprint.parse(text)
    except (UnknownSchemeError, PaddingError, BadCharacterError, BadLengthError, SpareBitsError):
        return
    assert found.base32 == text.rpartition(":")[2].lower()


def test_scheme_of_the_text_must_be_the_requested_one() -> None:
    with pytest.raises(SchemeMismatchError):
        Fingerprint.parse("sd64:raeidodvqipge", "sd128")


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))
def test_distance_counts_differing_bits(a: int, b: int) -> None:
    left, right = Fingerprint(a), Fingerprint(b)
    assert left.distance(right) == bin(a ^ b).count("1")
    assert left.similarity(right) == 1 - left.distance(right) / 64


@pytest.mark.parametrize(("bits", "verdict"), [(0, "close"), (3, "close"), (4, "loose"), (6, "loose"), (7, "distinct")])
def test_verdict_follows_the_thresholds(bits: int, verdict: str) -> None:
    assert Fingerprint(0).verdict(Fingerprint(2**bits - 1)) == verdict


def test_different_schemes_have_no_distance_and_no_order() -> None:
    with pytest.raises(SchemeMismatchError):
        Fingerprint(0).distance(Fingerprint(0, "sd128"))
    with pytest.raises(TypeError):
        assert Fingerprint(0) < Fingerprint(0, "sd128")


def test_fingerprints_are_values() -> None:
    found = Fingerprint(5)
    assert found == Fingerprint(5)
    assert found != Fingerprint(5, canonical=False)
    assert found != Fingerprint(5, "sd128")
    assert len({found, Fingerprint(5), Fingerprint(6)}) == 2
    assert sorted([Fingerprint(9), found, Fingerprint(7)])[0] == found
    assert pickle.loads(pickle.dumps(found)) == found
    with pytest.raises(AttributeError):
        found.value = 6  # type: ignore[misc]


@given(fingerprints, st.sampled_from(sorted(BITS)))
def test_narrow_takes_the_first_lanes(found: Fingerprint, scheme: SchemeId) -> None:
    if BITS[scheme] > BITS[found.scheme.id]:
        with pytest.raises(ValueError, match="wider"):
            found.narrow(scheme)
        return
    narrow = found.narrow(scheme)
    assert bytes(narrow) == bytes(found)[: BITS[scheme] // 8]
    assert (narrow.scheme.id, narrow.canonical) == (scheme, found.canonical)


@pytest.mark.parametrize("scheme", sorted(BITS))
def test_narrow_is_the_fingerprint_of_the_text_in_the_narrower_scheme(scheme: SchemeId) -> None:
    assert fingerprint("The quick brown fox", "sd512").narrow(scheme) == fingerprint("The quick brown fox", scheme)
    custom = fingerprint("The quick brown fox", "sd512", stop_tokens={"the"})
    assert str(custom.narrow(scheme)).startswith(f"{scheme}+custom:")
    with pytest.raises(UnknownSchemeError):
        custom.narrow("sd32")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        *((value, ValueError, "64 bits") for value in (-1, 2**64, 1 << 10**5)),
        *((value, TypeError, "expected an integer") for value in (1.5, "1", None, 1j, [1])),
    ],
    ids=lambda value: str(type(value)),
)
def test_what_is_not_a_value_of_the_scheme_is_refused(value: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        Fingerprint(value)
    assert len(str(caught.value)) < 300


def test_unknown_scheme_is_refused_by_name() -> None:
    with pytest.raises(UnknownSchemeError, match="sd65"):
        Fingerprint(0, "sd65")  # type: ignore[arg-type]


@pytest.mark.parametrize("text", [None, 5, b"sd64:larqgiqsckcca", ["x"]])
def test_text_form_of_another_type_is_a_type_error(text: object) -> None:
    with pytest.raises(TypeError, match="expected str"):
        Fingerprint.parse(text)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [np.uint64(2**63), np.int32(7), np.array(3)])
def test_integers_of_other_types_are_converted(value: Any) -> None:
    converted = Fingerprint(value)
    assert type(converted.value) is int
    assert (converted, str(converted)) == (Fingerprint(int(value)), str(Fingerprint(int(value))))


@pytest.mark.parametrize("shape", ["{b}", "sd64:{b}", "{b}=", "{b}!", "{b}:a", "sd64:{é}"])
def test_long_texts_are_rejected_with_a_short_message(shape: str) -> None:
    with pytest.raises(SpecError) as caught:
        Fingerprint.parse(shape.format(b="b" * 10**5, é="é" * 10**5))
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("prefix", ["", "sd128:"])
@given(st.text("ab2=é1", max_size=3), st.text("ab2=é1", max_size=3))
def test_far_too_many_digits_have_the_error_of_the_reference(prefix: str, start: str, end: str) -> None:
    """They are not read one by one: a file without line ends would take minutes, and 20 times its size."""
    text = f"{start}{'a' * 2000}{end}"
    with pytest.raises(MalformedFingerprintError) as ours:
        Fingerprint.parse(prefix + text)
    with pytest.raises(MalformedFingerprintError) as expected:
        reference.decode(text, "sd128")
    lengths = (str(one).partition("; ")[0] for one in (ours.value, expected.value))
    assert (type(ours.value), next(lengths)) == (type(expected.value), next(lengths))


@given(fingerprints)
def test_a_declared_fingerprint_is_its_text_form_in_json_and_equals_no_text(found: Fingerprint) -> None:
    pydantic = pytest.importorskip("pydantic")
    declared = pydantic.TypeAdapter(dict[str, Fingerprint])
    written = declared.dump_json({"page": found})
    assert json.loads(written) == {"page": str(found)}
    assert declared.validate_json(written) == {"page": found}
    assert declared.json_schema(mode="serialization")["additionalProperties"] == {"type": "string"}
    assert found != str(found)
