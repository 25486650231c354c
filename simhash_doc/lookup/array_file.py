"""The file format of saved indexes: named arrays after a header with a checksum.

    offset  0  8 bytes   magic: 89 "SDIX" 0D 0A 0A (a transfer in text mode corrupts it)
            8  4 bytes   version of the format, unsigned, little-endian (1)
           12  4 bytes   length of the header h, unsigned, little-endian
           16  8 bytes   XXH3-64 of the header, unsigned, little-endian
           24  h bytes   header: JSON in UTF-8
    then the arrays, each at an offset that is a multiple of 64, padded with zeros

The header names the kind of the index, the byte order of the arrays ("little", always), the
parameters, the size of the file, and for each array its name, dtype, shape, offset and XXH3-64.
"""

from __future__ import annotations

import hashlib
import json
import math
import mmap
import os
import struct
import sys
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt
import xxhash

from simhash_doc.files import atomic_write
from simhash_doc.lookup.errors import CorruptIndexError

MAGIC = b"\x89SDIX\r\n\n"
FILE_VERSION = 1
_PREAMBLE = struct.Struct("<8sIIQ")
_ALIGNMENT = 64
_DTYPES = ("<u8", "<i8", "<u4", "<i4", "|u1")
_MOST_DIMENSIONS = 32  # that every version of NumPy can have

Array = npt.NDArray[Any]
PathName = str | os.PathLike[str]


@dataclass(frozen=True, slots=True)
class ArrayFile:
    """An opened file.

    Attributes:
        kind: of the index.
        parameters: of this kind.
        arrays: by name, read-only.
        digest: SHA-256 of the header, which has the checksums of all arrays: of two files with equal digests, the
            content is equal. In hexadecimal.
    """

    kind: str
    parameters: Mapping[str, Any]
    arrays: Mapping[str, Array]
    digest: str


def write_arrays(path: PathName, kind: str, parameters: Mapping[str, Any], arrays: Mapping[str, Array]) -> str:
    """Write a file atomically; return its digest."""
    shapes = {name: (array.dtype.newbyteorder("<").str, array.shape) for name, array in arrays.items()}
    return write_each(path, kind, parameters, shapes, arrays.values())


def write_each(
    path: PathName,
    kind: str,
    parameters: Mapping[str, Any],
    shapes: Mapping[str, tuple[str, tuple[int, ...]]],
    arrays: Iterable[Array],
    *,
    like: Path | None = None,
) -> str:
    """Write a file as `write_arrays` does, from arrays that are not in memory together.

    Args:
        shapes: the dtype, such as "<u8", and the shape of each array, by name.
        arrays: in the order of `shapes`; each may be made when it is written.
        like: a file whose permissions a new one gets.
    """
    sections: list[dict[str, Any]] = [
        {"name": name, "dtype": dtype, "shape": list(shape), "offset": 0, "xxh3": "0" * 16}
        for name, (dtype, shape) in shapes.items()
    ]
    fields = {"kind": kind, "byte_order": "little", "parameters": dict(parameters), "size": 0, "arrays": sections}
    # The header holds the offsets of what follows it, so there is room for the longest offsets.
    room = len(json.dumps(fields)) + 20 * (len(sections) + 1)
    end = _aligned(_PREAMBLE.size + room)
    with atomic_write(path, like=like) as file:
        for section, array in zip(sections, arrays, strict=True):
            content = _bytes(np.ascontiguousarray(array, section["dtype"]))
            section |= {"offset": _aligned(end), "xxh3": xxhash.xxh3_64_hexdigest(content)}
            file.seek(section["offset"])
            file.write(content)
            end = file.tell()
        file.truncate(end)
        file.seek(0)
        text = json.dumps(fields | {"size": end}).encode("utf-8").ljust(room)
        header = _PREAMBLE.pack(MAGIC, FILE_VERSION, len(text), xxhash.xxh3_64_intdigest(text)) + text
        file.write(header)
    return hashlib.sha256(header).hexdigest()


def _bytes(array: Array) -> memoryview | bytes:
    return array.data.cast("B") if array.size else b""


def read_arrays(
    path: PathName,
    *kinds: str,
    verify: bool | Container[str] = True,
    mapped: bool = True,
) -> ArrayFile:
    """Open a file; its arrays are mapped, so that only what is used takes memory.

    A mapped file must not be changed while it is in use. If another program truncates it, the system ends this process
    with the signal SIGBUS when it uses an array, also during this call: no exception can report it. `write_arrays`
    never does: it replaces the file, and the mapping keeps the earlier content.

    Args:
        kinds: the kinds of index expected.
        verify: compare the checksum of every array, which reads all of the file; or only of the arrays with these
            names. The header, the size and the bounds of the arrays are checked in any case.
        mapped: map the file. False reads all of it into memory, so that later changes of the file do no harm.

    Raises:
        OSError: the file cannot be read.
        CorruptIndexError: it is not a saved index, is of another kind or version, or differs from what was written.
    """
    path = Path(path)
    with path.open("rb") as file:
        actual = os.fstat(file.fileno()).st_size
        header, digest = _header(path, file, actual)
        end = file.tell()
        if header["size"] != actual:
            raise CorruptIndexError(
                f"{path}: has {actual} bytes, but {header['size']} were written: truncated or appended to"
            )
        if header["kind"] not in kinds:
            named = " or ".join(map(repr, kinds))
            raise CorruptIndexError(f"{path}: is a saved index of kind {header['kind']!r}, not {named}")
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if mapped else _copy(path, file, actual)
    arrays = {}
    for section in header["arrays"]:
        array = _array(path, content, section)
        if verify is True and any(content[end : section["offset"]]):
            raise CorruptIndexError(f"{path}: is corrupt before its array {section['name']!r}: the padding is not zero")
        end = section["offset"] + array.nbytes
        verified = verify if isinstance(verify, bool) else section["name"] in verify
        if verified and xxhash.xxh3_64_hexdigest(_bytes(array)) != section.get("xxh3"):
            raise CorruptIndexError(f"{path}: its array {section['name']!r} is corrupt: the checksum differs")
        arrays[section["name"]] = array if sys.byteorder == "little" else array.astype(array.dtype.newbyteorder("="))
    if verify is True and any(content[end:]):
        raise CorruptIndexError(f"{path}: is corrupt after its last array: the padding is not zero")
    return ArrayFile(header["kind"], header["parameters"], arrays, digest)


def _header(path: Path, file: BinaryIO, size: int) -> tuple[dict[str, Any], str]:
    """Return the fields of the header of a file of `size` bytes after checking it, and the digest."""
    preamble = file.read(_PREAMBLE.size)
    if preamble[: len(MAGIC)] != MAGIC:
        looks = "is empty" if not preamble else "does not begin with its magic number"
        raise CorruptIndexError(f"{path}: is not a saved index of simhash-doc: it {looks}")
    if len(preamble) < _PREAMBLE.size:
        raise CorruptIndexError(f"{path}: is truncated within its first {_PREAMBLE.size} bytes")
    _, version, length, checksum = _PREAMBLE.unpack(preamble)
    if version != FILE_VERSION:
        raise CorruptIndexError(f"{path}: is of format version {version}; this program reads version {FILE_VERSION}")
    header = file.read(min(length, size))  # a reader may allocate what it is asked for
    if xxhash.xxh3_64_intdigest(header) != checksum:
        raise CorruptIndexError(f"{path}: its header is corrupt: the checksum differs")
    try:
        fields = json.loads(header)
    except (ValueError, RecursionError):
        fields = None
    if not _is_header(fields):
        raise CorruptIndexError(f"{path}: its header does not describe arrays")
    return fields, hashlib.sha256(preamble + header).hexdigest()


def _is_header(fields: object) -> bool:
    """Return True for the fields that `write` stores, whatever their values."""
    if not isinstance(fields, dict):
        return False
    kinds = {"kind": str, "parameters": dict, "size": int, "arrays": list}
    return all(type(fields.get(name)) is kind for name, kind in kinds.items()) and all(
        isinstance(section, dict)
        and type(section.get("name")) is str
        and type(section.get("dtype")) is str
        and type(section.get("offset")) is int
        and isinstance(section.get("shape"), list)
        and all(type(length) is int and length >= 0 for length in section["shape"])
        for section in fields["arrays"]
    )


def _copy(path: Path, file: BinaryIO, size: int) -> bytes:
    file.seek(0)
    content = file.read(size)
    if len(content) != size:
        raise CorruptIndexError(f"{path}: was truncated from {size} to {len(content)} bytes while it was read")
    return content


def _array(path: Path, content: mmap.mmap | bytes, section: Mapping[str, Any]) -> Array:
    dtype, shape, offset = section["dtype"], tuple(section["shape"]), section["offset"]
    count = math.prod(shape)
    fits = len(shape) <= _MOST_DIMENSIONS and max(shape, default=0) <= len(content)
    if not fits or dtype not in _DTYPES or offset < 0 or offset + count * np.dtype(dtype).itemsize > len(content):
        raise CorruptIndexError(f"{path}: its array {section['name']!r} lies outside the file or has an unknown dtype")
    return np.frombuffer(content, dtype, count, offset).reshape(shape)


def _aligned(offset: int) -> int:
    return -(-offset // _ALIGNMENT) * _ALIGNMENT
