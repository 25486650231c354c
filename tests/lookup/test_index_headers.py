"""Headers with a right checksum and wrong content: always `CorruptIndexError`, or an index that was not changed."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import xxhash
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simhash_doc.lookup import Corpus, CorruptIndexError
from simhash_doc.lookup.array_file import _PREAMBLE, MAGIC, VERSION

VALUES: list[Any] = [None, True, 0, -1, 1, 65, 10**30, 1.5, "", "x", "<u8", [], [1], [-1], [10**30] * 3, {}, {"a": 1}]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of each value in JSON."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*path, key))


def replaced(value: Any, path: tuple[Any, ...], new: Any, *, remove: bool) -> Any:
    if not path:
        return new
    changed = copy.deepcopy(value)
    at = changed
    for key in path[:-1]:
        at = at[key]
    if remove:
        del at[path[-1]]
    else:
        at[path[-1]] = new
    return changed


def with_header(data: bytes, header: bytes) -> bytes:
    """Return an index with another header of the same length."""
    length = _PREAMBLE.unpack(data[: _PREAMBLE.size])[2]
    header = header.ljust(length)
    preamble = _PREAMBLE.pack(MAGIC, VERSION, len(header), xxhash.xxh3_64_intdigest(header))
    return preamble + header + data[_PREAMBLE.size + length :]


def saved(folder: Path, scheme: str) -> bytes:
    corpus = Corpus(None, 3, scheme)
    corpus.insert_bulk([1, 2, 3, 1 << 40], ["a", "b", "c", "d"])
    corpus.save(folder / "i.sdix")
    return (folder / "i.sdix").read_bytes()


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(choice=st.data())
@pytest.mark.parametrize("scheme", ["sd64", "sd128"])
def test_any_value_in_a_header_may_be_wrong(scheme: str, choice: st.DataObject, tmp_path: Path) -> None:
    data = saved(tmp_path, scheme)
    length = _PREAMBLE.unpack(data[: _PREAMBLE.size])[2]
    header = json.loads(data[_PREAMBLE.size : _PREAMBLE.size + length])
    path = choice.draw(st.sampled_from(list(places(header))))
    new, remove = choice.draw(st.sampled_from(VALUES)), choice.draw(st.booleans())
    changed = json.dumps(replaced(header, path, new, remove=remove)).encode()
    (tmp_path / "i.sdix").write_bytes(with_header(data, changed))
    try:
        opened = Corpus.open(tmp_path / "i.sdix")
    except CorruptIndexError:
        return
    opened.find_all(1)


@pytest.mark.parametrize("header", [b"", b"{", b"[]", b"1", b"null", b"[" * 500, b"\xff", b'{"arrays": [[]]}'])
def test_a_header_may_be_anything(header: bytes, tmp_path: Path) -> None:
    data = saved(tmp_path, "sd64")
    (tmp_path / "i.sdix").write_bytes(with_header(data, header))
    with pytest.raises(CorruptIndexError):
        Corpus.open(tmp_path / "i.sdix")
