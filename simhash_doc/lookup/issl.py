"""Indexed Signature Slice Lists: the nearest of many wide signatures, approximately; and the exact search.

T. Chappell, S. Geva, A. Nguyen, G. Zuccon, Efficient top-k retrieval with signatures, ADCS 2013;
T. Chappell, S. Geva, G. Zuccon, Approximate nearest-neighbour search with inverted signature
slice lists, ECIR 2015. A signature is cut into slices of 16 bits. For each slice position and
value there is a list of the signatures that have it. A query reads the lists of all values near its own
slices; signatures that it meets often, and with few errors, are compared in full.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from math import comb
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from simhash_doc.arguments import Many, collection, integer
from simhash_doc.arrays import bytes_from_lanes
from simhash_doc.errors import shown
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.fingerprints import Fingerprints
from simhash_doc.lookup import array_file
from simhash_doc.lookup.errors import BadValueError, CorruptIndexError, LookupParameterError
from simhash_doc.lookup.inputs import Marks, mark, one_mark
from simhash_doc.lookup.nearest import (
    NONE,
    Nearest,
    Signatures,
    TopK,
    answer_in_threads,
    answers_of_core,
    filled_up,
    find_nearest,
    is_compiled,
    nearest_to_one,
)
from simhash_doc.lookup.positions import Positions, ranges_from

AnySignatures: TypeAlias = Many[Fingerprint | bytes] | Fingerprints | Signatures

MOST_BITS = 4096
_KIND = "slice-lists"
_WIDTH = 16  # bits of a slice
# Up to this many list entries are sorted to add up scores; more are added in a table of all signatures.
_SORTED = 1 << 18
_CREDIT_BITS = 4
_TASK = 1 << 10  # queries


def _as_signatures(
    signatures: AnySignatures, bits: int, name: str = "signatures", marks: Marks | None = None
) -> Signatures:
    """Return signatures as an array of shape (n, bits / 8), uint8, most significant byte first.

    `marks` is as for `as_lanes`.

    Raises:
        BadValueError: a signature has another width, or the array has another shape or dtype.
    """
    if isinstance(signatures, np.ndarray):
        if signatures.dtype != np.uint8 or signatures.ndim != 2 or signatures.shape[1] * 8 != bits:
            raise BadValueError(
                f"the array has shape {signatures.shape} and dtype {signatures.dtype}; "
                f"signatures of {bits} bits are (n, {bits // 8}) of uint8"
            )
        return np.ascontiguousarray(signatures)
    if isinstance(signatures, Fingerprints):
        if signatures.missing.any():
            at = int(np.flatnonzero(signatures.missing)[0])
            raise BadValueError(f"position {at}: this document has no fingerprint; leave it out")
        if len(signatures):
            mark(True, marks)
        return _as_signatures(_bytes_of(signatures), bits)
    rows: list[bytes] = []
    listed: Iterable[object] = collection(signatures, name, "Fingerprints or bytes")
    for at, signature in enumerate(listed):
        if not isinstance(signature, Fingerprint | bytes):
            raise BadValueError(f"position {at}: {shown(signature)} is no Fingerprint and no bytes")
        if isinstance(signature, Fingerprint):
            mark(signature.canonical, marks)
        rows.append(bytes(signature))
        if len(rows[-1]) * 8 != bits:
            raise BadValueError(f"position {at}: the signature has {len(rows[-1]) * 8} bits, not {bits}")
    return np.frombuffer(b"".join(rows), np.uint8).reshape(len(rows), bits // 8)


def _bytes_of(fingerprints: Fingerprints) -> Signatures:
    rows = fingerprints.measurements.values
    return np.frombuffer(bytes_from_lanes(rows), np.uint8).reshape(len(rows), 8 * rows.shape[1])


def merge_topk(parts: Sequence[TopK], *, offsets: Sequence[int], k: int) -> TopK:
    """Merge the results that the same queries gave in different parts of a collection.

    Args:
        parts: one result per part, of the same number of queries q.
        offsets: position in the collection of each part's first signature.
        k: number of answers to keep; the result is exact if each part has as many.

    Returns:
        The result of a search in the complete collection, with positions in it.

    Raises:
        TypeError: a part is not a `TopK`, or a number is not an integer.
        LookupParameterError: there is no part, the number of offsets differs from the number of parts, or k is under 1.

    >>> from simhash_doc import Fingerprint
    >>> first, second = [Fingerprint(0), Fingerprint(255)], [Fingerprint(7), Fingerprint(1)]
    >>> parts = [IsslIndex(one, bits=64).search([Fingerprint(3)], k=2) for one in (first, second)]
    >>> merge_topk(parts, offsets=[0, 2], k=2).positions.tolist()
    [[2, 3]]
    """
    parts, k = [*collection(parts, "parts", "TopK")], integer(k, "k", 1, error=LookupParameterError)
    given: Iterable[int] = collection(offsets, "offsets", "ints")
    offsets = [integer(one, "an offset", 0, error=LookupParameterError) for one in given]
    if not parts:
        raise LookupParameterError("parts is empty; expected the results of at least one part")
    for part in parts:
        if not isinstance(part, TopK):
            raise TypeError(f"parts has an item of type {type(part).__name__}; expected TopK")
    if len(parts) != len(offsets):
        raise LookupParameterError(f"{len(parts)} parts and {len(offsets)} offsets: each part needs one offset")
    counted = [
        np.where(part.positions == NONE, NONE, part.positions + offset)
        for part, offset in zip(parts, offsets, strict=True)
    ]
    positions = np.concatenate(counted, axis=1)
    distances = np.concatenate([part.distances for part in parts], axis=1)
    last = np.where(positions == NONE, np.iinfo(np.int64).max, distances)
    order = np.lexsort((positions, last), axis=1)[:, :k]
    return TopK(np.take_along_axis(positions, order, 1), np.take_along_axis(distances, order, 1))


def recall(found: TopK, *, exact: TopK) -> float:
    """Return the share of the exact answers that a search found. A signature as near as the k-th answer also counts.

    With k = 10 this is recall@10.

    Raises:
        TypeError: an argument is not a `TopK`.

    >>> from simhash_doc import Fingerprint
    >>> values = [Fingerprint(0), Fingerprint(7), Fingerprint(255)]
    >>> index = IsslIndex(values, bits=64)
    >>> float(recall(index.search(values, k=2), exact=index.exhaustive(values, k=2)))
    1.0
    """
    for name, one in (("found", found), ("exact", exact)):
        if not isinstance(one, TopK):
            raise TypeError(f"{name} is {type(one).__name__}; expected a TopK")
    wanted = (exact.distances != NONE).sum(axis=1)
    farthest = exact.distances.max(axis=1, keepdims=True)
    hits = ((found.distances != NONE) & (found.distances <= farthest)).sum(axis=1)
    return float(np.minimum(hits, wanted).sum() / max(1, wanted.sum()))


def lists_checked(max_error: int) -> int:
    """Return the number of lists checked per slice: the values within `max_error` bits of one.

    >>> [lists_checked(errors) for errors in range(5)]
    [1, 17, 137, 697, 2517]
    """
    return sum(comb(_WIDTH, errors) for errors in range(max_error + 1))


class IsslIndex:
    """Slice lists over a fixed collection of signatures.

    Args:
        signatures: shape (n, bits / 8), uint8, most significant byte first; or `Fingerprints`; or a collection of
            `Fingerprint`s or bytes. A signature is identified by its position.
        bits: width, a multiple of 16 up to 4096.

    Warns:
        ProvenanceWarning: some `Fingerprint`s are customised, and others canonical. `search` also warns.

    Raises:
        TypeError: the signatures are not a collection, or the width is not an integer.
        BadValueError: a signature is of another width, or no `Fingerprint` and no bytes.
        LookupParameterError: the width is not supported.

    >>> index = IsslIndex([bytes(8), b"\\xff" * 8, bytes(7) + b"\\x03"], bits=64)
    >>> index.search([bytes(7) + b"\\x01"], k=2).positions.tolist()
    [[0, 2]]
    """

    def __init__(self, signatures: AnySignatures, bits: int) -> None:
        bits = _checked_bits(bits)
        self._marks: Marks = set()
        self.bits, self.signatures = bits, _as_signatures(signatures, bits, marks=self._marks)
        values = _slices(self.signatures)
        self._starts = np.zeros((bits // _WIDTH, 2**_WIDTH + 1), np.uint32)
        self._members = np.empty((bits // _WIDTH, len(values)), np.uint32)
        for starts, members, column in zip(self._starts, self._members, values.T, strict=True):
            column = np.ascontiguousarray(column)
            members[:] = np.argsort(column, kind="stable")  # by radix
            np.cumsum(np.bincount(column, minlength=2**_WIDTH), out=starts[1:])

    def __len__(self) -> int:
        return len(self.signatures)

    def __repr__(self) -> str:
        return f"<IsslIndex: {len(self):,} signatures of {self.bits} bits>"

    @property
    def canonical(self) -> bool:
        """False if `Fingerprint`s of the index are customised (``+custom``); saved with them."""
        return False not in self._marks

    @property
    def nbytes(self) -> int:
        """Bytes of the lists without the signatures: the formula of the paper, and one more offset for each slice."""
        return self._starts.nbytes + self._members.nbytes

    def search(
        self, queries: AnySignatures, *, k: int = 10, max_error: int = 2, candidates: int = 1000, workers: int = 1
    ) -> TopK:
        """Return about the k nearest signatures of each query.

        If the lists contain fewer than k signatures for a query, the search compares all signatures. So each query has
        k answers, or as many as there are signatures.

        Args:
            queries: as the signatures.
            k: number of answers.
            max_error: maximum number of bits by which the slice of a checked list may differ, 0 to 7. A larger number
                finds more signatures, but each step takes several times as long.
            candidates: how many of the best scores are compared in full, at least k.
            workers: number of threads that share the queries.

        Raises:
            TypeError: the queries are not a collection, or a number is not an integer.
            BadValueError: a query is of another width.
            LookupParameterError: a number is out of range.
            CorruptIndexError: a list is corrupt, and the index was opened without verification.

        >>> from simhash_doc import Fingerprint
        >>> values = [Fingerprint(0), Fingerprint(7), Fingerprint(255)]
        >>> index = IsslIndex(values, bits=64)
        >>> index.search([Fingerprint(3)], k=2).distances.tolist()
        [[1, 2]]
        """
        max_error = integer(max_error, "max_error", 0, _WIDTH // 2 - 1, LookupParameterError)
        candidates = integer(candidates, "candidates", 1, error=LookupParameterError)
        k = integer(k, "k", 1, candidates, LookupParameterError)
        workers = integer(workers, "workers", 1, error=LookupParameterError)
        asked, k = _as_signatures(queries, self.bits, "queries", {*self._marks}), min(k, len(self))
        search = self._search_compiled if is_compiled() else self._search
        try:
            found = answer_in_threads(lambda share: search(share, k, max_error, candidates), asked, _TASK, workers)
        except (ValueError, IndexError) as error:  # of an index that was opened without `verify`
            raise CorruptIndexError(f"the slice lists are corrupt: {error}") from error
        few = np.flatnonzero((found.positions == NONE).any(axis=1))
        if len(few):
            complete = find_nearest(self.signatures, asked[few], k, threads=workers)
            found.positions[few], found.distances[few] = complete.positions, complete.distances
        return found

    def exhaustive(self, queries: AnySignatures, *, k: int = 10, workers: int = 1) -> TopK:
        """Return exactly the k nearest signatures of each query, by comparing all; arguments are those of `search`.

        >>> from simhash_doc import Fingerprint
        >>> values = [Fingerprint(0), Fingerprint(7), Fingerprint(255)]
        >>> index = IsslIndex(values, bits=64)
        >>> index.exhaustive([Fingerprint(3)], k=2).positions.tolist()
        [[1, 0]]
        """
        k = integer(k, "k", 1, error=LookupParameterError)
        workers = integer(workers, "workers", 1, error=LookupParameterError)
        asked = _as_signatures(queries, self.bits, "queries", {*self._marks})
        return find_nearest(self.signatures, asked, k, threads=workers)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save to one file, atomically.

        Raises:
            OSError: the file cannot be written.
            BadValueError: the index has customised and canonical fingerprints.

        >>> import tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> from simhash_doc import Fingerprint
        >>> values = [Fingerprint(0), Fingerprint(7), Fingerprint(255)]
        >>> IsslIndex(values, bits=64).save(f"{folder.name}/signatures.issl")
        >>> len(IsslIndex.open(f"{folder.name}/signatures.issl"))
        3
        """
        parameters = {"bits": self.bits, "slice_width": _WIDTH, "signatures": len(self)}
        if self._marks:
            parameters["canonical"] = bool(one_mark(self._marks, path))
        arrays = {"signatures": self.signatures, "starts": self._starts, "members": self._members}
        array_file.write_arrays(path, _KIND, parameters, arrays)

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, verify: bool = True, mapped: bool = True) -> IsslIndex:
        """Open a saved index; `verify` and `mapped` as for `Corpus.open`.

        Raises:
            OSError: the file cannot be read.
            CorruptIndexError: it is not a saved ISSL index, or differs from what was written.

        >>> import tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> from simhash_doc import Fingerprint
        >>> values = [Fingerprint(0), Fingerprint(7), Fingerprint(255)]
        >>> IsslIndex(values, bits=64).save(f"{folder.name}/signatures.issl")
        >>> IsslIndex.open(f"{folder.name}/signatures.issl").search([Fingerprint(3)], k=1).positions.tolist()
        [[1]]
        """
        opened = array_file.read_arrays(path, _KIND, verify=verify, mapped=mapped)
        index = cls.__new__(cls)
        try:
            n, index.bits = opened.parameters["signatures"], opened.parameters["bits"]
            if opened.parameters["slice_width"] != _WIDTH:
                raise ValueError(f"slices are not of {_WIDTH} bits")
            _checked_bits(index.bits)
            index._marks = {opened.parameters["canonical"]} if "canonical" in opened.parameters else set()
            if index._marks - {True, False}:
                raise ValueError("its mark is not a bool")
            index.signatures, index._starts, index._members = (
                opened.arrays[name] for name in ("signatures", "starts", "members")
            )
        except (KeyError, TypeError, ValueError) as error:
            raise CorruptIndexError(f"{path}: its header does not describe slice lists ({error})") from error
        slices = index.bits // _WIDTH
        shapes = [(n, index.bits // 8), (slices, 2**_WIDTH + 1), (slices, n)]
        if [array.shape for array in (index.signatures, index._starts, index._members)] != shapes:
            raise CorruptIndexError(f"{path}: its arrays do not fit {n} signatures of {index.bits} bits")
        return index

    def _search_compiled(self, queries: Signatures, k: int, max_error: int, candidates: int) -> TopK:
        from simhash_doc_native import search_slice_lists

        lists = self.signatures, self._starts, self._members
        found = search_slice_lists(*lists, queries, k, max_error, candidates)
        return answers_of_core(found, len(queries), k)

    def _search(self, queries: Signatures, k: int, max_error: int, candidates: int) -> TopK:
        return filled_up(self._nearest(queries, k, max_error, candidates), len(queries), k)

    def _nearest(self, queries: Signatures, k: int, max_error: int, candidates: int) -> Iterator[Nearest]:
        table = np.zeros(len(self), np.int16)
        for query, values in zip(queries, _slices(queries), strict=True):
            met, scores = self._scores(values, max_error, table)
            yield nearest_to_one(self.signatures, query, k, _best(met, scores, candidates))

    def _scores(
        self, values: npt.NDArray[np.unsignedinteger], max_error: int, table: npt.NDArray[np.int16]
    ) -> tuple[Positions, npt.NDArray[np.int64]]:
        """Return the positions met, ascending, and their scores: for each slice met, half its width minus its errors.

        On average, a slice of an unrelated signature differs by half its width. So the score orders
        signatures by an estimate of their distance, in which slices that were not met count as unrelated.
        `table` holds zeros, shape (n,), before and after the call.
        """
        flips, credit = _flips(max_error)
        lists = values[:, None].astype(np.int64) ^ flips  # (slices, lists checked)
        slices = np.arange(len(values))[:, None]
        first = self._starts[slices, lists].astype(np.int64)
        length = self._starts[slices, lists + 1] - first
        if int(length.sum()) <= _SORTED:
            at = ranges_from((first + slices * len(self)).ravel(), length.ravel())
            credited = np.repeat(np.tile(credit, len(values)), length.ravel())
            # Position and credit in one integer, sorted: a signature met in several slices forms a run.
            keys = np.sort(self._members.reshape(-1)[at].astype(np.int64) << _CREDIT_BITS | credited)
            positions = keys >> _CREDIT_BITS
            edges = np.flatnonzero(np.diff(positions, prepend=-1))
            scores = np.add.reduceat(keys & (1 << _CREDIT_BITS) - 1, edges) if len(edges) else keys
            return positions[edges], scores
        for number, members in enumerate(self._members):
            # Within a slice each signature is in one list only, so += has no repeated positions.
            table[members[ranges_from(first[number], length[number])]] += np.repeat(credit, length[number])
        met = np.flatnonzero(table)
        scores = table[met].astype(np.int64)
        table.fill(0)
        return met, scores


@cache
def _flips(max_error: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int16]]:
    """Return the XOR masks of up to `max_error` bits, fewest first, and the credit for a list at each."""
    masks = np.arange(2**_WIDTH)
    errors = np.bitwise_count(masks)
    chosen = np.argsort(errors, kind="stable")[: lists_checked(max_error)]
    return masks[chosen], (_WIDTH // 2 - errors[chosen].astype(np.int16)).astype(np.int16)


def _best(met: npt.NDArray[np.int64], scores: npt.NDArray[np.int64], candidates: int) -> npt.NDArray[np.int64]:
    """Return the positions with the highest scores, ascending, at most `candidates`; the first of equals."""
    if len(met) <= candidates:
        return met
    least = np.partition(scores, len(scores) - candidates)[len(scores) - candidates]
    above = met[scores > least]
    level = met[scores == least][: candidates - len(above)]
    return np.sort(np.concatenate((above, level)))


def _slices(signatures: Signatures) -> npt.NDArray[np.uint16]:
    """Return the slices of signatures as integers, shape (n, slices), first slice first."""
    return signatures.view(">u2").astype(np.uint16)


def _checked_bits(bits: int) -> int:
    bits = integer(bits, "bits", 0, error=LookupParameterError)
    if bits % _WIDTH or not _WIDTH <= bits <= MOST_BITS:
        raise LookupParameterError(f"bits is {bits}; signatures have a multiple of 16 bits, from 16 to {MOST_BITS}")
    return bits
