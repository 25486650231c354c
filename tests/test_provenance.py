"""Provenance: its JSON form against the schema, and which provenances can be combined."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from simhash_doc import SPEC_VERSION, SchemeMismatchError, get_schemes
from simhash_doc.ingest import EXTRACTOR, fingerprint_documents
from simhash_doc.provenance import (
    InvalidProvenanceError,
    Provenance,
    ProvenanceCheck,
    Software,
    check_comparable,
)
from tests.extraction.samples import FORMATS, file_name, sample
from tests.provenance import extracted, provenance

SCHEMA = json.loads((Path(__file__).parents[1] / "spec/schemas/provenance.schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)
LABELS = st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=200)
SOFTWARE = st.builds(Software, LABELS, LABELS)
VERSIONS = st.builds("{}.{}.{}{}".format, *[st.integers(0, 99)] * 3, st.sampled_from(["", "-rc.1", "+build.5"]))
PROVENANCES = st.builds(
    Provenance,
    st.sampled_from([*get_schemes()]),
    VERSIONS,
    SOFTWARE,
    st.none() | SOFTWARE,
    st.none() | LABELS,
)
OLD = extracted("simhash-doc", "0.0.9")
NEW = extracted()
CUSTOM = provenance(customization={"description": "MeCab"})


def parsed(*values: object) -> list[Provenance]:
    return [Provenance.from_dict(value) for value in values]


@given(PROVENANCES)
def test_json_is_valid_and_can_be_read(value: Provenance) -> None:
    VALIDATOR.validate(value.to_dict())
    assert Provenance.from_json(value.to_json()) == value
    assert Provenance.from_json(value.to_json().encode("ascii")) == value


@pytest.mark.parametrize("is_extracted", [False, True])
def test_fingerprints_of_this_package_name_it(is_extracted: bool) -> None:
    value = Provenance.of_package("sd256", extractor=EXTRACTOR if is_extracted else None, customization="a stop list")
    custom = {"description": "a stop list"}
    expected = (extracted if is_extracted else provenance)(scheme="sd256", customization=custom)
    assert value.to_dict() == expected
    assert value.specification == SPEC_VERSION


def test_unknown_members_are_ignored() -> None:
    more: dict[str, Any] = {"later": [1, {"a": None}]}
    software = {"name": "a", "version": "1", **more}
    value = provenance(extractor=software, customization={"description": "b", **more}, **more)
    VALIDATOR.validate(value)
    assert Provenance.from_dict(value).to_dict() == extracted("a", "1", customization={"description": "b"})


INVALID: list[tuple[object, str]] = [
    ([], "'provenance' is [], not an object"),
    ("sd64", "'provenance' is 'sd64', not an object"),
    *[({name: value for name, value in provenance().items() if name != missing}, missing) for missing in provenance()],
    (provenance("sd64+custom"), "'scheme' of the provenance is 'sd64+custom'; expected the short id of a scheme"),
    (provenance("SD64"), "'scheme' of the provenance is 'SD64'"),
    (provenance(specification="1.0"), "'specification' of the provenance is '1.0'; expected a version"),
    (provenance(specification=1), "'specification' of the provenance is 1"),
    (provenance(specification="01.0.0"), "'specification'"),
    (provenance(specification="9" * 5000 + ".0.0"), "'specification'"),
    (provenance(generator=None), "'generator' is None, not an object"),
    (provenance(generator={"name": "a"}), "'generator.version' of the provenance is missing"),
    (provenance(extractor=False), "'extractor' is False, not an object"),
    (extracted(""), "'extractor.name' of the provenance is ''; expected 1 to 200 characters"),
    (extracted("a" * 201), "'extractor.name'"),
    (extracted("a\x1b[2J"), "'extractor.name'"),
    (provenance(customization="MeCab"), "'customization' is 'MeCab', not an object"),
    (provenance(customization={}), "'customization.description' of the provenance is missing"),
]


@pytest.mark.parametrize(("value", "fault"), INVALID)
def test_what_the_schema_rejects_is_invalid_and_named(value: object, fault: str) -> None:
    assert not VALIDATOR.is_valid(value)
    with pytest.raises(InvalidProvenanceError) as caught:
        Provenance.from_dict(value)
    assert fault in str(caught.value)
    assert len(str(caught.value)) < 250
    with pytest.raises(InvalidProvenanceError):
        Provenance.from_json(json.dumps(value))


@pytest.mark.parametrize("text", ["", "{", b"\xff", "[" * 100_000, "1" * 10_000])
def test_what_is_not_json_is_invalid(text: str | bytes) -> None:
    with pytest.raises(InvalidProvenanceError):
        Provenance.from_json(text)
    assert InvalidProvenanceError.code == "invalid-provenance"


@given(PROVENANCES, PROVENANCES)
def test_the_scheme_alone_decides_whether_distances_exist(one: Provenance, other: Provenance) -> None:
    outcomes = set()
    for pair in ((one, other), (other, one)):
        try:
            outcomes.add(len(check_comparable(*pair)))
        except SchemeMismatchError:
            outcomes.add(-1)
    assert len(outcomes) == 1
    assert (outcomes != {-1}) == (one.scheme == other.scheme)


@pytest.mark.parametrize(
    ("later", "earlier", "expected"),
    [
        (NEW, NEW, []),
        (NEW, provenance(), []),
        (provenance(), NEW, []),
        (NEW, extracted(generator={"name": "other", "version": "7"}), []),
        (NEW, extracted(specification="2.4.2"), []),
        (NEW, OLD, ["extracted by {extractor}, earlier entries by simhash-doc 0.0.9: "]),
        (CUSTOM, provenance(), ["customized (MeCab), earlier entries not customized: "]),
        (provenance(), CUSTOM, ["not customized, earlier entries customized (MeCab): "]),
        (CUSTOM, provenance(customization={"description": "MeCab", "dictionary": "UniDic"}), []),
    ],
)
def test_differences_that_make_distances_less_reliable(later: Any, earlier: Any, expected: list[str]) -> None:
    first, second = parsed(later, earlier)
    reliable = "distances between them are less reliable"
    assert check_comparable(first, second) == [start.format(extractor=first.extractor) + reliable for start in expected]


def test_a_check_warns_once_and_keeps_what_differs() -> None:
    text, new, old, custom = parsed(provenance(), NEW, OLD, CUSTOM)
    check = ProvenanceCheck()
    answers = [check.add(value) for value in (None, text, new, None, new, old, custom, old)]
    assert [number for number, warning in enumerate(answers) if warning] == [5]
    assert check.known == [text, new, old, custom]
    # A text that was given as text does not hide the extractor before it.
    assert ProvenanceCheck([new, text]).add(old)


def test_a_mismatch_is_not_kept() -> None:
    check = ProvenanceCheck(parsed(NEW))
    with pytest.raises(SchemeMismatchError):
        check.add(*parsed(provenance("sd128")))
    assert check.known == parsed(NEW)
    assert check.add(*parsed(OLD))


def test_many_different_provenances_take_bounded_memory() -> None:
    check = ProvenanceCheck()
    for number in range(1000):
        value = provenance(generator={"name": "a", "version": str(number)})
        assert check.add(check.parse(value, "sd64", canonical=True)) is None
    assert len(check.known) == 100


@pytest.mark.parametrize(
    ("value", "canonical", "error"),
    [
        (None, True, None),
        (None, False, None),
        (provenance(), True, None),
        (CUSTOM, False, None),
        (provenance("sd128"), True, SchemeMismatchError),
        (provenance(), False, InvalidProvenanceError),
        (CUSTOM, True, InvalidProvenanceError),
    ],
)
def test_a_provenance_agrees_with_its_fingerprint(
    value: object, canonical: bool, error: type[Exception] | None
) -> None:
    check = ProvenanceCheck()
    for _ in range(2):  # the second time it is one that was parsed before
        if error:
            with pytest.raises(error):
                check.parse(value, "sd64", canonical=canonical)
        else:
            assert check.parse(value, "sd64", canonical=canonical) == (value and Provenance.from_dict(value))


def test_only_text_that_is_read_as_it_is_has_no_extractor(tmp_path: Path) -> None:
    paths = []
    for name in FORMATS:
        path = tmp_path / f"{name}-{file_name(name)}"
        path.write_bytes(sample(name))
        paths.append(path)
    latin = tmp_path / "latin.txt"
    latin.write_bytes("Das Café öffnet früh, und die Gäste kommen später.".encode("latin-1"))
    plain = tmp_path / "plain.txt"
    plain.write_text("one two three", encoding="utf-8")
    for result in fingerprint_documents([*paths, latin, plain], "sd128", workers=2):
        text = Path(result.path).name in ("plain.txt", f"text-{file_name('text')}")
        assert result.provenance.to_dict() == (provenance if text else extracted)(scheme="sd128"), result.path
