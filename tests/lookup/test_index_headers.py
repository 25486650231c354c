"""Headers with a right checksum and wrong content: always `CorruptIndexError`, or an index that was not changed."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import xxhash

from simhash_doc.ingest.provenance import Provenance
from simhash_doc.lookup import Corpus, CorruptIndexError, IsslIndex
from simhash_doc.lookup.array_file import _PREAMBLE, MAGIC, VERSION
from simhash_doc.lookup.directory import MANIFEST, find_problems
from tests.damaged_json import damaged


def with_header(data: bytes, header: bytes) -> bytes:
    """Return an index with another header, of the same length if it fits."""
    length = _PREAMBLE.unpack(data[: _PREAMBLE.size])[2]
    header = header.ljust(length)
    preamble = _PREAMBLE.pack(MAGIC, VERSION, len(header), xxhash.xxh3_64_intdigest(header))
    return preamble + header + data[_PREAMBLE.size + length :]


def save_corpus(folder: Path, scheme: str) -> Path:
    corpus = Corpus(None, 3, scheme)
    provenances = (Provenance.of_package(scheme, extracted=True),)
    corpus.insert_bulk([1, 2, 3, 1 << 40], ["a", "b", "c", "d"], provenances=provenances)
    corpus.save(folder / "corpus.sdix")
    return folder / "corpus.sdix"


def use_corpus(path: Path) -> None:
    corpus = Corpus.open(path)
    for value in (1, 1 << 40):
        corpus.matches(value)
    corpus.find_all_bulk([1, 2])
    corpus.insert(77, "z")
    corpus.save(path.with_name("again"))


def save_slice_lists(folder: Path) -> Path:
    IsslIndex(np.arange(40, dtype=np.uint8).reshape(5, 8), 64).save(folder / "lists.sdix")
    return folder / "lists.sdix"


def use_slice_lists(path: Path) -> None:
    index = IsslIndex.open(path)
    index.search(index.signatures[:2], k=2)


def save_segments(folder: Path) -> Path:
    corpus = Corpus.build(folder / "index", [1, 2, 3, 1 << 40], ["a", "b", "c", "d"])
    corpus.remove_bulk([2])
    corpus.insert_bulk([5])
    return folder / "index" / MANIFEST


def use_segments(path: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "index"
        shutil.copytree(path.parent, copy)
        corpus = Corpus.open(copy)
        find_problems(copy)
        corpus.matches(1)
        corpus.find_all_bulk([1, 2])
        corpus.insert_bulk([77], ["z"])
        assert 77 in Corpus.open(copy)
        corpus.remove_bulk([1, 77])
        corpus.merge()
        assert 77 not in Corpus.open(copy)


KINDS: dict[str, tuple[Callable[[Path], Path], Callable[[Path], None]]] = {
    "sd64": (lambda folder: save_corpus(folder, "sd64"), use_corpus),
    "sd128": (lambda folder: save_corpus(folder, "sd128"), use_corpus),
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


@pytest.mark.parametrize(
    ("kind", "parameter", "value"),
    [
        ("sd64", "bucket_bits", [1 << 63] * 10),
        ("slice lists", "bits", float("inf")),
        ("slice lists", "bits", "64"),
    ],
)
def test_a_parameter_out_of_its_range_is_rejected(kind: str, parameter: str, value: object, tmp_path: Path) -> None:
    save, use = KINDS[kind]
    path = save(tmp_path)
    data = path.read_bytes()
    header = json.loads(data[_PREAMBLE.size : _PREAMBLE.size + _PREAMBLE.unpack(data[: _PREAMBLE.size])[2]])
    header["parameters"][parameter] = value
    path.write_bytes(with_header(data, json.dumps(header).encode()))
    with pytest.raises(CorruptIndexError):
        use(path)


def test_an_array_of_another_type_is_rejected(tmp_path: Path) -> None:
    path = save_corpus(tmp_path, "sd64")
    data = path.read_bytes()
    path.write_bytes(with_header(data, data[24 : 24 + _PREAMBLE.unpack(data[:24])[2]].replace(b"<u8", b"<i8")))
    with pytest.raises(CorruptIndexError, match="'values 0' is of type int64"):
        Corpus.open(path)


@pytest.mark.parametrize("header", [b"", b"{", b"[]", b"1", b"null", b"[" * 500, b"\xff", b'{"arrays": [[]]}'])
def test_a_header_may_be_anything(header: bytes, tmp_path: Path) -> None:
    path = save_corpus(tmp_path, "sd64")
    path.write_bytes(with_header(path.read_bytes(), header))
    with pytest.raises(CorruptIndexError):
        Corpus.open(path)
