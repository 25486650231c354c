"""The largest recommended distances, by the size of the collection and the length of the texts.

How often unrelated texts are near was measured on passages of 25 to 1,000 tokens in 26 languages, and the tail of the
distribution was extrapolated by a line (`python -m benchmarks.calibration.rates`, docs/benchmarks/rates.json). A
distance is recommended if a query meets at most 0.01 unrelated texts on average by this estimate, and at most the loose
threshold of the scheme. Estimates of under one hit in 10^8 pairs are extrapolated, and uncertain by a factor of ten or
more; the JSON has their intervals.

The estimate is for unrelated documents in the language of the query, of about its length, from different sources.
Pages from one template are near for a different reason, and no threshold rules them out.

Beyond 10^7 documents, these distances find little. There, spec/search.md recommends candidates instead: pairs within 3
bits of sd64 and 20 of sd256 (`sd64_distance` of `simhash_doc.lookup.find_all`), which the texts confirm.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from simhash_doc.errors import SimhashDocError
from simhash_doc.schemes import AnyScheme, Scheme, get_scheme, or_close

# A maximum distance in bits; auto for the one recommended; None for the default, the close threshold of the scheme.
Distance = int | Literal["auto"] | None


LENGTHS = (25, 50, 100, 200, 500, 1000)  # tokens
COLLECTIONS = (10**4, 10**5, 10**6, 10**7, 10**8, 10**9, 10**10)  # documents
SHORTEST = LENGTHS[0]  # tokens: texts of fewer should be compared themselves (search.md, section 3)
LEAST_SUPPORT = 15.0  # effective tokens: pairs of texts with less may be unrelated (docs/benchmarks/support.json)
MOST_DOCUMENTS = 10**7  # documents: beyond, no distance alone is recommended
CONFIRMATIONS = (26, 20)  # distances of sd256, as in the registry

# A row for each of LENGTHS, a column for each of COLLECTIONS; -1 if every distance gives more hits.
# "sd64/26" is sd64 if each hit is confirmed by a distance of sd256 of at most 26.
# Copied from `distances` in docs/benchmarks/rates.json.
_DISTANCES: dict[str, tuple[tuple[int, ...], ...]] = {
    "sd64": (
        (6, 3, 2, 0, -1, -1, -1),
        (5, 3, 2, 1, 0, -1, -1),
        (6, 4, 3, 2, 1, 0, 0),
        (5, 4, 3, 2, 1, 0, -1),
        (5, 3, 2, 1, 0, -1, -1),
        (4, 3, 2, 1, 0, -1, -1),
    ),
    "sd64/26": (
        (6, 6, 3, 0, -1, -1, -1),
        (6, 6, 6, 2, 0, -1, -1),
        (6, 6, 6, 6, 6, 6, 5),
        (6, 6, 6, 6, 2, 0, -1),
        (6, 6, 6, 3, 0, -1, -1),
        (6, 6, 6, 5, 2, 0, -1),
    ),
    "sd64/20": (
        (6, 6, 6, 1, -1, -1, -1),
        (6, 6, 6, 3, 0, -1, -1),
        (6, 6, 6, 6, 6, 6, 6),
        (6, 6, 6, 6, 5, 1, -1),
        (6, 6, 6, 5, 0, -1, -1),
        (6, 6, 6, 6, 3, 1, -1),
    ),
    "sd128": (
        (16, 12, 8, 4, -1, -1, -1),
        (16, 13, 10, 6, 3, 0, -1),
        (16, 16, 15, 13, 11, 9, 8),
        (16, 16, 13, 10, 7, 4, 1),
        (16, 15, 11, 7, 3, 0, -1),
        (16, 14, 11, 9, 6, 4, 1),
    ),
    "sd256": (
        (36, 29, 20, 11, 0, -1, -1),
        (36, 32, 25, 17, 9, 2, -1),
        (36, 36, 36, 36, 33, 28, 24),
        (36, 36, 34, 26, 19, 11, 4),
        (36, 36, 28, 19, 10, 1, -1),
        (36, 36, 30, 24, 18, 12, 6),
    ),
    "sd512": (
        (76, 63, 44, 24, 3, -1, -1),
        (76, 71, 54, 38, 22, 5, -1),
        (76, 76, 76, 76, 76, 66, 56),
        (76, 76, 74, 58, 42, 26, 10),
        (76, 76, 60, 41, 23, 4, -1),
        (76, 76, 66, 54, 41, 28, 15),
    ),
}


class ThresholdParameterError(SimhashDocError, ValueError):
    """There is no threshold for this length, size or confirmation."""

    code = "threshold-parameter"
    is_usage = True


def threshold_for(scheme: AnyScheme, *, tokens: int, collection: int, confirmed: int | None = None) -> int:
    """Return the largest distance at which a query finds at most 0.01 unrelated texts on average.

    >>> threshold_for("sd256", tokens=300, collection=1_000_000)
    28
    >>> threshold_for("sd64", tokens=300, collection=10_000_000, confirmed=20)
    5

    Args:
        scheme: short id, such as ``sd64``.
        tokens: length of the texts in tokens; for different lengths, the smallest. The result is the smallest distance
            of the measured lengths within a factor of two. Over 1,000 tokens count as 1,000.
        collection: number of documents that a query is compared with. It is rounded up to a power of ten.
        confirmed: None; or, for ``sd64``, the distance of ``sd256`` (26 or 20) that confirms each hit.

    Returns:
        The distance in bits, at most the loose threshold of the scheme.

    Raises:
        UnknownSchemeError: the scheme is not in the registry.
        ThresholdParameterError: a number is not positive, or `confirmed` is not a value named above. Or every distance
            of the scheme finds more unrelated texts. Or the texts have under 25 tokens or the collection over 10^10
            documents, which we did not measure. Then confirm hits by a wider scheme, or by the texts.
    """
    distance = largest_distance(scheme, tokens=tokens, collection=collection, confirmed=confirmed)
    if distance is None:
        raise _no_distance(scheme, tokens, collection)
    return distance


def largest_distance(scheme: AnyScheme, *, tokens: int, collection: int, confirmed: int | None = None) -> int | None:
    """Return what `threshold_for` returns; None if it finds no distance."""
    name: str = get_scheme(scheme).id
    for what, number in (("tokens", tokens), ("collection", collection)):
        if isinstance(number, bool) or not hasattr(number, "__index__"):
            raise TypeError(f"{what} is {number!r}, of type {type(number).__name__}; expected an int")
    if tokens < 1 or collection < 1:
        raise ThresholdParameterError(
            f"{tokens} tokens in a collection of {collection} documents: expected positive integers"
        )
    if confirmed is not None:
        if name != "sd64" or confirmed not in CONFIRMATIONS:
            raise ThresholdParameterError(
                f"{name} confirmed by a distance of {confirmed}: expected sd64, confirmed by a distance of sd256 of "
                f"{' or '.join(map(str, CONFIRMATIONS))}, or no confirmation"
            )
        name = f"{name}/{confirmed}"
    if tokens < LENGTHS[0] or collection > COLLECTIONS[-1]:
        return None
    column = next(at for at, size in enumerate(COLLECTIONS) if collection <= size)
    compared = min(tokens, LENGTHS[-1])
    similar = [row for row, length in enumerate(LENGTHS) if compared <= 2 * length and length <= 2 * compared]
    distance = min(_DISTANCES[name][row][column] for row in similar)
    return None if distance < 0 else distance


def recommended(scheme: AnyScheme, collection: int, *, tokens: int = SHORTEST, confirmed: int | None = None) -> int:
    """Return what `threshold_for` returns, where spec/search.md recommends a distance, and not candidates.

    Raises:
        ThresholdParameterError: there are over 10^7 documents, or `threshold_for` raises it.
    """
    distance = threshold_for(scheme, tokens=tokens, collection=max(1, collection), confirmed=confirmed)
    if collection > MOST_DOCUMENTS:
        raise _no_distance(scheme, tokens, collection)
    return distance


def _no_distance(scheme: AnyScheme, tokens: int, collection: int) -> ThresholdParameterError:
    close, wide = get_scheme("sd64").close, min(CONFIRMATIONS)
    return ThresholdParameterError(
        f"no distance of {scheme} alone is recommended among {collection:,} texts of {tokens} tokens or more; of "
        f"sd256, search the first 64 bits within {close} and all within {wide}, and compare the texts"
    )


class ResolvedDistance(NamedTuple):
    """What a `Distance` means for a collection.

    Attributes:
        chosen: the maximum distance in bits.
        recommended: what is recommended for the collection, in bits; None if no distance is.
    """

    chosen: int
    recommended: int | None


def resolve_distance(
    distance: Distance, scheme: Scheme, collection: int, *, tokens: int = SHORTEST, confirmed: int | None = None
) -> ResolvedDistance:
    """Return what a distance means for a collection, and what is recommended.

    >>> resolve_distance("auto", get_scheme("sd64"), 10**6), resolve_distance(None, get_scheme("sd64"), 10**8)
    (ResolvedDistance(chosen=2, recommended=2), ResolvedDistance(chosen=3, recommended=None))

    Args:
        distance: in bits, which is returned as it is; auto; or None.
        scheme: the scheme of the fingerprints.
        collection, tokens, confirmed: see `threshold_for`; a collection may be empty.

    Raises:
        ThresholdParameterError: auto, and no distance is recommended.
    """
    try:
        best = recommended(scheme.id, collection, tokens=tokens, confirmed=confirmed)
    except ThresholdParameterError:
        if distance == "auto":
            raise
        return ResolvedDistance(or_close(scheme, distance), None)
    return ResolvedDistance(best if distance == "auto" else or_close(scheme, distance), best)
