"""Computes every kind of fingerprint of every document, in worker processes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import xxhash

from benchmarks.calibration.corpus import CROSS_MEDIA, Corpus, Document
from benchmarks.calibration.variants import CAPS, DECISIONS, LITERAL, SCHEME, tokens
from simhash_doc.reference import BUCKET_LIMIT

MINHASH_LANES = 4
SATURATING, SATURATING_SWAPPED = "saturating", "saturating, halves exchanged"
MINHASH = "1-bit MinHash"

Table = npt.NDArray[np.uint64]  # shape (documents, lanes); all zeros for a document without a token


def fingerprint_text(text: str) -> dict[str, Lanes]:
    """Return every kind of fingerprint of a text by name, or nothing for a text without a token."""
    found = tokens(text)
    if not found:
        return {}
    document = hash_tokens(found)
    counted = {name: variant.cap for name, variant in CAPS.items() if variant is not LITERAL}
    kinds = dict(zip(counted, simhashes(document, list(counted.values())), strict=True))
    in_order = in_document_order(document, SCHEME.cap)
    middle = len(in_order) // 2
    kinds[SATURATING] = saturated(document, in_order)
    kinds[SATURATING_SWAPPED] = saturated(document, np.roll(in_order, -middle))
    kinds[MINHASH] = minhashes(document, MINHASH_LANES)
    changed = {name: variant for name, variant in {**DECISIONS, **CAPS}.items() if name not in kinds}
    for name, variant in changed.items():
        if variant == SCHEME:
            kinds[name] = kinds["at most 8"][:1]
        elif listed := tokens(text, variant):
            kinds[name] = simhashes(hash_tokens(listed, 1), [variant.cap])[0]
        else:
            kinds[name] = np.zeros(1, np.uint64)
    return kinds


def fingerprint_files(paths: Iterable[Path], workers: int) -> list[dict[str, Lanes]]:
    """Return the fingerprints of each file of UTF-8 text, in order, computed in worker processes."""
    with ProcessPoolExecutor(workers) as pool:
        return list(pool.map(_of_file, paths, chunksize=16))


def _of_file(path: Path) -> dict[str, Lanes]:
    return fingerprint_text(path.read_bytes().decode("utf-8", errors="replace"))


def to_tables(kinds: list[dict[str, Lanes]]) -> dict[str, Table]:
    """Return a table per kind of fingerprint, with a row per document."""
    names = {name: len(lanes) for one in kinds for name, lanes in one.items()}
    return {
        name: np.array([one.get(name, np.zeros(lanes, np.uint64)) for one in kinds]) for name, lanes in names.items()
    }


LANES = 8  # of the widest scheme; a narrower scheme has the first of them
_SLICE = 1 << 15

Lanes = npt.NDArray[np.uint64]  # shape (lanes,)
Bits = npt.NDArray[np.uint8]  # shape (tokens, 64 x lanes), bit i of lane j at 64 j + i


@dataclass(frozen=True, slots=True)
class HashedTokens:
    """The hashed tokens of a document.

    Attributes:
        hashes: array of shape (distinct tokens, lanes): the hash of each distinct token in each lane.
        counts: array of shape (distinct tokens,): the number of occurrences of each.
        order: array of shape (occurrences,): the index of the distinct token of each occurrence, in document order.
    """

    hashes: npt.NDArray[np.uint64]
    counts: npt.NDArray[np.int64]
    order: npt.NDArray[np.int64]


def hash_tokens(tokens: Sequence[str], lanes: int = LANES) -> HashedTokens:
    """Hash the distinct tokens, with seed j for lane j (SD-HASH-1, SD-WIDE-2)."""
    index = {token: at for at, token in enumerate(dict.fromkeys(tokens))}
    counted = Counter(tokens)
    hashes = np.empty((len(index), lanes), np.uint64)
    encoded = [token.encode("utf-8") for token in index]
    for lane in range(lanes):
        hashes[:, lane] = [xxhash.xxh64_intdigest(token, lane) for token in encoded]
    counts = np.array([counted[token] for token in index], np.int64)
    return HashedTokens(hashes, counts, np.array([index[token] for token in tokens], np.int64))


def bits_of(hashes: npt.NDArray[np.uint64]) -> Bits:
    """Return the bits of each row, least significant first."""
    return np.unpackbits(np.ascontiguousarray(hashes, "<u8").view(np.uint8), axis=1, bitorder="little")


def signs(sums: npt.NDArray[np.int64]) -> Lanes:
    """Return the lanes of sums: bit i is set if sum i is positive (SD-SIGN-1). Clamping does not change a sign."""
    return np.packbits(sums > 0, bitorder="little").view("<u8").astype(np.uint64)


def simhashes(document: HashedTokens, caps: Sequence[int | None]) -> list[Lanes]:
    """Return the fingerprint for each cap on the occurrences of a token. None means no cap."""
    weights = np.array([document.counts if cap is None else np.minimum(document.counts, cap) for cap in caps])
    sums = np.zeros((len(caps), 64 * document.hashes.shape[1]), np.int64)
    for start in range(0, len(document.counts), _SLICE):
        part = slice(start, start + _SLICE)
        # float64 is exact up to 2^53 occurrences.
        chosen = weights[:, part].astype(np.float64)
        ones = chosen @ bits_of(document.hashes[part]).astype(np.float64)
        sums += (2 * ones - chosen.sum(axis=1, keepdims=True)).astype(np.int64)
    return [signs(row) for row in sums]


def in_document_order(document: HashedTokens, cap: int | None) -> npt.NDArray[np.int64]:
    """Return the indexes of the tokens in document order, with at most `cap` occurrences of each, the first ones."""
    if cap is None:
        return document.order
    # A stable sort gives the rank of each occurrence among those of its token.
    by_token = np.argsort(document.order, kind="stable")
    starts = np.concatenate(([0], np.cumsum(document.counts)[:-1]))
    ranks = np.empty(len(document.order), np.int64)
    ranks[by_token] = np.arange(len(document.order)) - np.repeat(starts, document.counts)
    return document.order[ranks < cap]


def saturated(document: HashedTokens, occurrences: npt.NDArray[np.int64]) -> Lanes:
    """Return lane 0 of 8-bit counters that saturate at every addition, in the given order."""
    steps = 2 * bits_of(document.hashes[:, :1]).astype(np.int64) - 1
    total = np.zeros(64, np.int64)
    for token in occurrences.tolist():
        total += steps[token]
        np.minimum(total, BUCKET_LIMIT, out=total)
        np.maximum(total, -BUCKET_LIMIT, out=total)
    return signs(total)


def minhashes(document: HashedTokens, lanes: int) -> Lanes:
    """Return 64 x `lanes` one-bit minwise hashes of the set of tokens.

    Hash function i mixes the XXH64 of a token with its own constant (the finalizer of SplitMix64). Each bit is the
    lowest bit of the smallest hash (Li and König, b-bit minwise hashing, 2010).
    """
    functions = 64 * lanes
    smallest = np.full(functions, np.iinfo(np.uint64).max, np.uint64)
    offsets = np.arange(1, functions + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    for start in range(0, len(document.hashes), _SLICE // 8):
        mixed = document.hashes[start : start + _SLICE // 8, :1] + offsets
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            mixed ^= mixed >> np.uint64(shift)
            mixed *= np.uint64(factor)
        mixed ^= mixed >> np.uint64(31)
        np.minimum(smallest, mixed.min(axis=0), out=smallest)
    return np.packbits((smallest & np.uint64(1)).astype(bool), bitorder="little").view("<u8").astype(np.uint64)


def extracted_table(corpus: Corpus, stored: Table, workers: int) -> Table:
    """Return the table of stored texts, with documents of cross-media pairs replaced by texts from their originals.

    A document without an original keeps its row. A document whose original gives no text has a row of zeros.

    Raises:
        ModuleNotFoundError: the extra `extract` is not installed.
    """
    import benchmarks.extraction.sources  # noqa: F401

    table = stored.copy()
    names = {one for pair in corpus.pairs if pair.relation == CROSS_MEDIA for one in (pair.a, pair.b)}
    wanted: Sequence[Document] = [corpus.documents[one] for one in sorted(names) if corpus.documents[one].orig]
    with ProcessPoolExecutor(workers) as pool:
        for document, lanes in zip(wanted, pool.map(_of_original, wanted, chunksize=4), strict=True):
            table[document.row] = lanes
    return table


def _of_original(document: Document) -> Lanes:
    from benchmarks.extraction.sources import extracted

    found = tokens(extracted(document).text)
    return simhashes(hash_tokens(found), [SCHEME.cap])[0] if found else np.zeros(LANES, np.uint64)
