"""The files of an index: what is restored, and what is rejected."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import xxhash
from hypothesis import given, settings
from hypothesis import strategies as st

from simhash_doc import get_scheme
from simhash_doc.arrays import lanes_from_ints
from simhash_doc.lookup import Corpus, CorruptIndexError, IsslIndex, array_file
from simhash_doc.lookup.array_file import _PREAMBLE, FILE_VERSION, MAGIC
from simhash_doc.lookup.blocks import Blocking
from simhash_doc.lookup.directory import MANIFEST, find_problems
from simhash_doc.lookup.segments import Snapshot, check_segment, load_segment
from simhash_doc.schemes import SchemeId
from tests.damaged_json import damaged
from tests.lookup.distributions import FINGERPRINTS, LARGEST, seeded

SEGMENT = "segment-00000001.sdix"
IDS = st.one_of(st.text(max_size=5), st.integers(-5, 2**70), st.just("caf\udce9.txt"))


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """Return the file of a segment of 64 bits, with ids."""
    values = seeded("clustered", 500)
    Corpus.build(tmp_path / "index", values, ids=[f"document {number}" for number in range(len(values))])
    return tmp_path / "index" / SEGMENT


@settings(max_examples=25, deadline=None)
@given(
    listed=FINGERPRINTS,
    shape=st.sampled_from([(4, 3, "sd64"), (8, 2, "sd64"), (1, 0, "sd64"), (5, 3, "sd128"), (5, 3, "sd512")]),
    data=st.data(),
)
def test_a_saved_corpus_gives_the_same_answers(
    listed: list[int], shape: tuple[int, int, str], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("saved") / "corpus"
    corpus = Corpus(blocks=shape[0], distance=shape[1], scheme=get_scheme(shape[2]))
    ids = data.draw(st.none() | st.lists(IDS, min_size=len(listed), max_size=len(listed)))
    corpus.add_many(listed, ids=ids)
    corpus.save(path)
    assert find_problems(path) == []
    opened = Corpus.open(path)
    assert (opened.blocks, opened.distance, opened.scheme.id, len(opened)) == (*shape, len(corpus))
    for query in [*listed, 0, LARGEST]:
        assert opened.find(query) == corpus.find(query)


def test_the_tables_are_mapped_not_read(saved: Path) -> None:
    opened = array_file.read_arrays(saved, "permuted-tables", verify=False)
    array = opened.arrays["values 0"]
    assert not array.flags.owndata
    assert not array.flags.writeable


def test_a_copied_index_outlives_its_file(saved: Path) -> None:
    corpus = Corpus.open(saved.parent, mapped=False)
    expected = Corpus.open(saved.parent).values().copy()
    os.truncate(saved, 0)  # which would end a process that maps the file
    assert np.array_equal(corpus.values(), expected)
    for value in expected[:20].tolist():
        assert value in corpus.find_all(value)
        assert corpus.ids_of(value)


def test_a_file_that_is_truncated_while_it_is_copied_is_rejected(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fstat = os.fstat

    def truncate_next(descriptor: int) -> os.stat_result:
        found = fstat(descriptor)
        os.truncate(saved, 10_000)
        return found

    monkeypatch.setattr("simhash_doc.lookup.array_file.os.fstat", truncate_next)
    with pytest.raises(CorruptIndexError, match=r"was truncated from \d+ to 10000 bytes while it was read"):
        load_segment(saved, mapped=False)


def test_any_changed_byte_is_noticed(saved: Path) -> None:
    valid = saved.read_bytes()
    rng = np.random.default_rng(5)
    header = json.loads(valid[24 : 24 + int.from_bytes(valid[12:16], "little")])
    padding = header["arrays"][0]["offset"] - 1
    for at in [0, 8, 12, 16, 24, padding, *rng.choice(len(valid), 200).tolist()]:
        corrupted = bytearray(valid)
        corrupted[at] ^= 1 << int(rng.integers(8))
        saved.write_bytes(corrupted)
        for mapped in (True, False):
            with pytest.raises(CorruptIndexError, match=str(saved)):
                load_segment(saved, mapped=mapped)


def test_any_changed_byte_after_the_last_array_is_noticed(saved: Path) -> None:
    for path in saved.parent.iterdir():
        valid = path.read_bytes()
        for at in range(len(valid) - 64, len(valid)):
            corrupted = bytearray(valid)
            corrupted[at] ^= 1
            path.write_bytes(corrupted)
            with pytest.raises(CorruptIndexError, match=path.name):
                Corpus.open(saved.parent)
        path.write_bytes(valid)
    Corpus.open(saved.parent)


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda data: b"", "it is empty"),
        (lambda data: data[:20], "truncated within its first 24 bytes"),
        (lambda data: data[:100], "header is corrupt"),
        (lambda data: data[:-1], "truncated or appended to"),
        (lambda data: data[1:], "does not begin with its magic number"),
        (lambda data: data.replace(b"\r\n", b"\n"), "does not begin with its magic number"),  # sent in text mode
        (lambda data: data[:8] + b"\2" + data[9:], "version 2; this program reads version 1"),
        (lambda data: b"larqgiqsckcca\n" * 100, "is not a saved index of simhash-doc"),
    ],
)
def test_a_file_that_was_changed_is_rejected_with_the_reason(
    saved: Path, damage: Callable[[bytes], bytes], reason: str
) -> None:
    saved.write_bytes(damage(saved.read_bytes()))
    for verify in (True, False):
        with pytest.raises(CorruptIndexError, match=reason):
            load_segment(saved, verify=verify)


def test_a_length_beyond_the_file_allocates_nothing(saved: Path) -> None:
    data = bytearray(saved.read_bytes())
    data[12:16] = b"\xff" * 4
    saved.write_bytes(data)
    tracemalloc.start()
    try:
        with pytest.raises(CorruptIndexError, match="header is corrupt"):
            load_segment(saved)
        assert tracemalloc.get_traced_memory()[1] < 10 * len(data)
    finally:
        tracemalloc.stop()


def test_foreign_files_are_rejected_with_the_reason(tmp_path: Path) -> None:
    foreign = tmp_path / "foreign"
    array_file.write_arrays(foreign, "another kind", {}, {})
    with pytest.raises(CorruptIndexError, match="of kind 'another kind', not 'permuted-tables' or 'wide-"):
        load_segment(foreign)
    array_file.write_arrays(foreign, "permuted-tables", {"blocks": 5}, {})
    with pytest.raises(CorruptIndexError, match="does not describe a corpus"):
        load_segment(foreign)


@pytest.mark.parametrize(("scheme", "rows"), [("sd64", "values"), ("sd128", "rows")])
def test_tables_with_valid_checksums_that_are_wrong_are_rejected(scheme: SchemeId, rows: str, tmp_path: Path) -> None:
    lanes = get_scheme(scheme).lanes
    values = np.random.default_rng(1).integers(0, 2**64, (715, lanes), np.uint64)
    Corpus.build(tmp_path / "right", values, blocks=4, distance=3, scheme=scheme)
    right = array_file.read_arrays(tmp_path / "right" / SEGMENT, "permuted-tables", "wide-permuted-tables")
    own, starts = right.arrays[f"{rows} 2"], right.arrays["starts 2"].copy()
    repeated, shared = own.copy(), int(np.argmax(np.diff(starts) > 1))
    repeated[starts[shared] + 1] = repeated[starts[shared]]
    starts[3] += 1
    wrong: dict[str, dict[str, np.ndarray]] = {
        f"'{rows} 2' is of .* for 715 fingerprints": {f"{rows} 2": own[1:]},
        "'values( 0)?' is of": {
            name: right.arrays[name][:, None] for name in ("values", "values 0") if name in right.arrays
        },
        "table 2 is not sorted": {f"{rows} 2": own[::-1]},
        "starts of table 2 do not match its buckets": {"starts 2": starts},
        "table 2 holds other fingerprints": {f"{rows} 2": repeated},
        **({"table 2 has rows beyond the 715": {"rows 2": np.where(own == 9, 715, own)}} if rows == "rows" else {}),
    }
    for reason, arrays in wrong.items():
        array_file.write_arrays(tmp_path / "wrong", right.kind, right.parameters, {**right.arrays, **arrays})
        with pytest.raises(CorruptIndexError, match=reason):
            check_segment("wrong", load_segment(tmp_path / "wrong"), Blocking(64 * lanes, 4, 3))
    array_file.write_arrays(tmp_path / "wrong", right.kind, {**right.parameters, "blocks": 2}, right.arrays)
    with pytest.raises(CorruptIndexError, match="does not describe a corpus"):
        load_segment(tmp_path / "wrong")


def forged(index: Path, name: str, change: Callable[[dict[str, np.ndarray], dict[str, object]], None]) -> list[str]:
    """Return the problems of a copy of an index in which a file was changed, with new checksums and digests."""
    copy = index.with_name("forged")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(index, copy)
    kinds = ("permuted-tables", "wide-permuted-tables", "segmented-index")
    found = array_file.read_arrays(copy / name, *kinds)
    arrays, parameters = {key: array.copy() for key, array in found.arrays.items()}, dict(found.parameters)
    change(arrays, parameters)
    digest = array_file.write_arrays(copy / name, found.kind, parameters, arrays)
    if name != MANIFEST:
        manifest = array_file.read_arrays(copy / MANIFEST, *kinds)
        parts = [[part, digest if part == name else old] for part, old in manifest.parameters["parts"]]
        array_file.write_arrays(copy / MANIFEST, manifest.kind, {**manifest.parameters, "parts": parts}, {})
    return find_problems(copy)


@pytest.mark.parametrize("scheme", ["sd64", "sd256"])
def test_ids_removals_and_numbers_that_contradict_each_other_are_found(scheme: SchemeId, tmp_path: Path) -> None:
    index, lanes = tmp_path / "index", get_scheme(scheme).lanes
    values = np.sort(np.random.default_rng(2).integers(0, 2**63, (40, lanes), np.uint64), axis=0)
    Corpus.build(index, values[:30], ids=[*range(10), *(f"id {number}" for number in range(20))], scheme=scheme)
    Corpus.open(index).remove_many(values[:2])
    Corpus.open(index).add_many(values[30:], ids=[None, *range(9)])
    first, second, _ = sorted(path.name for path in index.iterdir() if path.name.startswith("segment"))
    assert find_problems(index) == []

    def put(name: str, at: int, value: object) -> Callable[[dict[str, np.ndarray], dict[str, object]], None]:
        def change(arrays: dict[str, np.ndarray], parameters: dict[str, object]) -> None:
            arrays[name].reshape(-1)[at] = value

        return change

    for at, value in ((0, 1), (0, -1), (-1, 10**6), (5, 2**62), (5, -(2**62)), (5, 0)):
        assert "do not divide" in forged(index, first, put("id starts", at, value))[0]
    assert "neither a text nor an integer" in forged(index, first, put("id text", 0, ord("x")))[0]
    assert "neither a text nor an integer" in forged(index, first, put("id text", 1, ord("x")))[0]
    assert "neither a text nor an integer" in forged(index, first, put("id text", 1, 0xFF))[0]
    assert "not ascending" in forged(index, first, put("id values", 0, 2**63))[0]
    assert "is that of no fingerprint" in forged(index, first, put("id values", -1, 2**64 - 1))[0]
    assert "removes a fingerprint that no earlier one has" in forged(index, second, put("removed", -1, 2**64 - 1))[0]
    assert "not ascending" in forged(index, second, put("removed", 0, 2**63))[0]
    assert (
        "states 1 fingerprints; the segments have 38"
        in forged(index, MANIFEST, lambda _, own: own.update(fingerprints=1))[0]
    )
    assert "states 1 ids; the segments have 37" in forged(index, MANIFEST, lambda _, own: own.update(ids=1))[0]
    assert "for another index" in forged(index, MANIFEST, lambda _, own: own.update(distance=2))[0]

    def twice(_: object, own: dict[str, object]) -> None:
        own["parts"] = [*own["parts"], own["parts"][-1]]  # type: ignore[misc, index]

    assert "a fingerprint of segment 4 is also in an earlier one" in forged(index, MANIFEST, twice)[0]


def with_header(data: bytes, header: bytes) -> bytes:
    """Return an index with another header, of the same length if it fits."""
    length = _PREAMBLE.unpack(data[: _PREAMBLE.size])[2]
    header = header.ljust(length)
    preamble = _PREAMBLE.pack(MAGIC, FILE_VERSION, len(header), xxhash.xxh3_64_intdigest(header))
    return preamble + header + data[_PREAMBLE.size + length :]


def save_corpus(folder: Path, scheme: SchemeId) -> Path:
    corpus = Corpus(blocks=None, distance=3, scheme=scheme)
    corpus.add_many([1, 2, 3, 1 << 40], ids=["a", "b", "c", "d"])
    corpus.save(folder / scheme)
    return folder / scheme / SEGMENT


def use_segment(path: Path) -> None:
    segment = load_segment(path)
    assert isinstance(segment.permuted.blocking, Blocking)
    ids = len(segment.ids) if segment.ids else 0
    snapshot = Snapshot(segment.permuted.blocking, (segment,), len(segment.values), ids)
    for value in (1, 1 << 40):
        list(snapshot.near(value))
        snapshot.ids_of(value)
    snapshot.search(lanes_from_ints([1, 2], segment.permuted.blocking.lanes))
    snapshot.content()


def save_slice_lists(folder: Path) -> Path:
    IsslIndex(np.arange(40, dtype=np.uint8).reshape(5, 8), 64).save(folder / "lists.sdix")
    return folder / "lists.sdix"


def use_slice_lists(path: Path) -> None:
    index = IsslIndex.open(path)
    index.search(index.signatures[:2], k=2)


def save_segments(folder: Path) -> Path:
    corpus = Corpus.build(folder / "index", [1, 2, 3, 1 << 40], ids=["a", "b", "c", "d"])
    corpus.remove_many([2])
    corpus.add_many([5])
    return folder / "index" / MANIFEST


def use_segments(path: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "index"
        shutil.copytree(path.parent, copy)
        corpus = Corpus.open(copy)
        find_problems(copy)
        corpus.find(1)
        corpus.find_many([1, 2])
        corpus.add_many([77], ids=["z"])
        assert 77 in Corpus.open(copy)
        corpus.remove_many([1, 77])
        corpus.merge()
        assert 77 not in Corpus.open(copy)


KINDS: dict[str, tuple[Callable[[Path], Path], Callable[[Path], None]]] = {
    "sd64": (lambda folder: save_corpus(folder, "sd64"), use_segment),
    "sd128": (lambda folder: save_corpus(folder, "sd128"), use_segment),
    "slice lists": (save_slice_lists, use_slice_lists),
    "segments": (save_segments, use_segments),
}


@pytest.mark.parametrize("step", [59, pytest.param(23, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", KINDS)
def test_any_value_in_a_header_may_be_wrong(kind: str, step: int, tmp_path: Path) -> None:
    save, use = KINDS[kind]
    path = save(tmp_path)
    data = path.read_bytes()
    length = _PREAMBLE.unpack(data[: _PREAMBLE.size])[2]
    header = json.loads(data[_PREAMBLE.size : _PREAMBLE.size + length])
    texts = list(damaged({**header, "arrays": header["arrays"][:4]})) if step > 23 else list(damaged(header))
    rejected = 0
    for what, text in texts[::step]:
        path.write_bytes(with_header(data, text.encode()))
        try:
            use(path)
        except CorruptIndexError:
            rejected += 1
        except Exception as error:
            raise AssertionError(what) from error
    assert rejected > 5


@pytest.mark.parametrize("shape", [[0, 2**70], [1] * 70, [0] * 70, [2**63], [1, 1, 4]])
def test_a_shape_that_no_array_has_is_rejected(shape: list[int], tmp_path: Path) -> None:
    path = save_corpus(tmp_path, "sd64")
    data = path.read_bytes()
    header = json.loads(data[24 : 24 + _PREAMBLE.unpack(data[:24])[2]])
    header["arrays"][0]["shape"] = shape
    path.write_bytes(with_header(data, json.dumps(header).encode()))
    with pytest.raises(CorruptIndexError):
        load_segment(path)


def test_an_array_of_another_type_is_rejected(tmp_path: Path) -> None:
    path = save_corpus(tmp_path, "sd64")
    data = path.read_bytes()
    path.write_bytes(with_header(data, data[24 : 24 + _PREAMBLE.unpack(data[:24])[2]].replace(b"<u8", b"<i8")))
    with pytest.raises(CorruptIndexError, match="'values 0' is of type int64"):
        load_segment(path)


@pytest.mark.parametrize(
    ("kind", "header"),
    [
        *[("sd64", text) for text in (b"", b"{", b"[]", b"1", b"null", b"[" * 500, b"\xff", b'{"arrays": [[]]}')],
        ("sd64", {"fingerprints": 1 << 63}),
        ("slice lists", {"bits": float("inf")}),
        ("slice lists", {"bits": "64"}),
        ("segments", {"bits": 2**62}),
        ("segments", {"bits": 192}),
    ],
)
def test_a_header_and_its_parameters_may_be_anything(
    kind: str, header: bytes | dict[str, object], tmp_path: Path
) -> None:
    save, use = KINDS[kind]
    path = save(tmp_path)
    data = path.read_bytes()
    if isinstance(header, dict):
        fields = json.loads(data[_PREAMBLE.size : _PREAMBLE.size + _PREAMBLE.unpack(data[: _PREAMBLE.size])[2]])
        header = json.dumps(fields | {"parameters": fields["parameters"] | header}).encode()
    path.write_bytes(with_header(data, header))
    with pytest.raises(CorruptIndexError):
        use(path)


def test_the_format_of_files_does_not_change(tmp_path: Path) -> None:
    published = Path(__file__).parent / "data/sd64.sdix"
    rng = np.random.default_rng(5)
    values = rng.integers(0, 2**64, 40, np.uint64)
    values[20:] = values[:20] ^ np.uint64(5)
    ids = [f"document {number}" if number % 2 else number for number in range(40)]
    opened = load_segment(published)
    assert opened.ids is not None
    assert (opened.permuted.blocking, len(opened.values)) == (Blocking(64, 4, 2), 40)
    assert [opened.ids.of(value) for value in values.tolist()] == [[name] for name in ids]
    Corpus.build(tmp_path / "again", values, ids=ids, blocks=4, distance=2)
    assert (tmp_path / "again" / SEGMENT).read_bytes() == published.read_bytes()
