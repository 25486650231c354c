"""Confidence intervals of shares: binomial, and by bootstrap over document families for pairs that share documents."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np
import numpy.typing as npt

from benchmarks.calibration.distances import Negatives

CONFIDENCE = 0.95
_Z = 1.959963984540054  # the 0.975 quantile of the normal distribution
REPLICATES = 1000
_AT_ONCE = 1 << 24  # products of weights in memory at once

Floats = npt.NDArray[np.float64]


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """Return the 95 % score interval of a binomial share (Wilson 1927): the p with |k/n - p| <= z sqrt(p(1-p)/n)."""
    if not 0 <= successes <= trials or not trials:
        raise ValueError(f"{successes} of {trials} is not a share")
    share = successes / trials
    centre = (share + _Z**2 / (2 * trials)) / (1 + _Z**2 / trials)
    half = _Z / (1 + _Z**2 / trials) * sqrt(share * (1 - share) / trials + _Z**2 / (4 * trials**2))
    # Exactly 0 and 1 at the ends, without rounding errors.
    low = 0.0 if successes == 0 else centre - half
    high = 1.0 if successes == trials else centre + half
    return low, high


def upper_bound_of_none(trials: int) -> float:
    """Return the share at which `trials` independent trials show at least one event with probability 0.95.

    This is the one-sided bound of Clopper and Pearson for 0 successes, about 3 / n.
    """
    return float(1 - (1 - CONFIDENCE) ** (1 / trials))


def disjoint_pairs(listed: Sequence[Negatives]) -> int:
    """Return the largest number of pairs of which no two share a family. Such pairs are independent."""
    return sum((int(one.families.max()) + 1) // 2 for one in listed)


def bootstrap(listed: Sequence[Negatives], replicates: int = REPLICATES, seed: int = 1) -> Floats:
    """Return resampled shares of unrelated pairs within each distance up to a quarter of the bits.

    Document families are drawn with replacement within each language. The weight of a pair is the product of the
    numbers of times that its families were drawn. A family drawn twice does not form a pair with itself.

    Returns:
        Array of shape (replicates, bits / 4 + 1).
    """
    reach = listed[0].bits // 4 + 1
    rng = np.random.default_rng(seed)
    within = np.zeros((replicates, reach))
    pairs = np.zeros(replicates)
    for one in listed:
        members = np.bincount(one.families)
        drawn = rng.multinomial(len(members), np.full(len(members), 1 / len(members)), replicates).astype(np.float64)
        documents = drawn * members
        pairs += (documents.sum(axis=1) ** 2 - (documents**2).sum(axis=1)) / 2
        for a, b in one.excluded:
            pairs -= drawn[:, one.families[a]] * drawn[:, one.families[b]]
        step = max(1, _AT_ONCE // replicates)
        for start in range(0, len(one.tail), step):
            part = slice(start, start + step)
            weights = drawn[:, one.families[one.first[part]]] * drawn[:, one.families[one.second[part]]]
            for distance in np.unique(one.tail[part]):
                within[:, distance] += weights[:, one.tail[part] == distance].sum(axis=1)
    return np.asarray(np.cumsum(within, axis=1) / pairs[:, None], np.float64)


def percentiles(samples: npt.ArrayLike) -> tuple[float, float]:
    """Return the 2.5th and the 97.5th percentile."""
    low, high = np.percentile(np.asarray(samples, np.float64), [100 * (1 - CONFIDENCE) / 2, 50 * (1 + CONFIDENCE)])
    return float(low), float(high)
