"""The decision about texts that near fingerprints connect: the same for files, rows, stores and Spark."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simhash_doc.arrays import Lanes
from simhash_doc.duplicates.confirmation import Conditions, Confirmed, assign_similar
from simhash_doc.duplicates.numbers import contains
from simhash_doc.duplicates.packed import Integers, Mask, PackedTexts, Similarities
from simhash_doc.duplicates.policy import LONGEST, Policy
from simhash_doc.lookup.positions import Positions

NUMBERS = ("equal", "more", "other")
"""What a kept text has of the numbers of one that is left out for it: the same; these and more; not all of them."""


@dataclass(frozen=True, slots=True, eq=False)
class Decided:
    """What becomes of texts, by position. Arrays of shape (n,).

    Attributes:
        representatives: position of the text that each is left out for: its own if it is kept.
        similarities: share of common tokens of each and its representative.
        numbers: what the representative has of the numbers of each, by position in `NUMBERS`.
        resembles: of each text that is kept because of its numbers alone, the text that it would be left out for; -1
            for all others.
        order: the texts in the order of preference.
    """

    representatives: Positions
    similarities: Similarities
    numbers: npt.NDArray[np.int8]
    resembles: Positions
    order: Positions


def decide(
    texts: PackedTexts,
    fingerprints: Lanes,
    policy: Policy,
    protected: Mask,
    place: Positions | None = None,
    parts: Positions | None = None,
) -> Decided:
    """Assign each text to the first kept text, in the order of preference, that the policy allows.

    Args:
        texts: in the order given: with the policy ``first``, ``oldest`` or ``column:``, that of preference.
        fingerprints: shape (n, lanes).
        policy: what is left out.
        protected: which texts are never left out, and come first, shape (n,).
        place: a lower one is preferred before all that the policy says; None for equal ones.
        parts: the number of the part of each text, of which none is near one of another part; None for one part.
    """
    n = len(texts)
    parts = np.zeros(n, np.int64) if parts is None else parts
    order = _order(texts, policy, protected, np.zeros(n, np.int64) if place is None else place)
    done = Decided(np.arange(n), np.ones(n), np.zeros(n, np.int8), np.full(n, -1), order)
    order = order[texts.tokens.sizes[order] >= max(policy.min_tokens, 1)]
    conditions = Conditions(policy.bits, policy.min_similarity, policy.keeps_numbers)

    def assigned(chosen: Positions, conditions: Conditions) -> Confirmed:
        found = assign_similar(texts.some(chosen), fingerprints[chosen], conditions, protected[chosen], parts[chosen])
        return Confirmed(chosen[found.representatives], found.similarities)

    found = assigned(order, conditions)
    done.representatives[order], done.similarities[order] = found
    for text in np.flatnonzero(done.representatives != np.arange(n)).tolist():
        done.numbers[text] = _compared(texts.numbers[int(done.representatives[text])], texts.numbers[text])
    if policy.keeps_numbers:
        having = order[np.isin(parts[order], parts[order][texts.numbers.sizes[order] > 0])]
        without = assigned(having, conditions._replace(numbers=False)).representatives
        only = (done.representatives[having] == having) & (without != having)
        done.resembles[having[only]] = without[only]
    return done


def _compared(kept: Integers, left: Integers) -> int:
    if np.array_equal(kept, left):
        return 0
    return 1 if contains(kept.tolist(), left.tolist()) else 2


def _order(texts: PackedTexts, policy: Policy, protected: Mask, place: Positions) -> Positions:
    """Return the texts in the order of preference, of which `lexsort` takes the last key first."""
    keys = [place, ~protected]
    if policy.keep == LONGEST:
        keys = [-texts.lengths, *([-texts.numbers.sizes] if policy.keeps_numbers else []), *keys]
    order: Positions = np.lexsort(keys)
    return order
