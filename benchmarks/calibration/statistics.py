"""Confidence intervals of shares: binomial, and by bootstrap over document families for pairs that share documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.calibration.pairs import Negatives

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
    reach = listed[0].bits // 4
    rng = np.random.default_rng(seed)
    at_distance = np.zeros((replicates, reach + 2))  # the last column has all larger distances
    for one in listed:
        number = int(one.families.max()) + 1
        drawn = rng.multinomial(number, np.full(number, 1 / number), replicates).astype(np.float64)
        step = max(1, _AT_ONCE // replicates)
        for start in range(0, one.pairs, step):
            part = slice(start, start + step)
            weights = drawn[:, one.first[part]] * drawn[:, one.second[part]]
            distances = np.minimum(one.distances[part], reach + 1)
            for distance in np.unique(distances):
                at_distance[:, distance] += weights[:, distances == distance].sum(axis=1)
    within = np.cumsum(at_distance, axis=1)
    return np.asarray(within[:, :-1] / within[:, -1:], np.float64)


def percentiles(samples: npt.ArrayLike) -> tuple[float, float]:
    """Return the 2.5th and the 97.5th percentile."""
    low, high = np.percentile(np.asarray(samples, np.float64), [100 * (1 - CONFIDENCE) / 2, 50 * (1 + CONFIDENCE)])
    return float(low), float(high)


SEARCH_RADIUS = 3
# The line is fitted from 10 pairs to a share of 1 in 200, where curves are smooth and still steep.
FEWEST_PAIRS, LARGEST_SHARE = 10, 0.005


@dataclass(frozen=True, slots=True)
class Tail:
    """A fitted line: log10 of the expected share of unrelated pairs within d bits is `at_zero` + `slope` d."""

    at_zero: float
    slope: float

    def share(self, distance: float) -> float:
        """Return the expected share of unrelated pairs within a distance."""
        return float(10 ** (self.at_zero + self.slope * distance))

    def distance(self, share: float) -> float:
        """Return the distance with an expected share of unrelated pairs."""
        return float((np.log10(share) - self.at_zero) / self.slope)


def fitted_range(within: npt.NDArray[np.int64], pairs: int) -> tuple[int, int]:
    """Return the first and last distance of the well measured part of a cumulative histogram.

    Raises:
        ValueError: the part has fewer than three distances, because the corpus is too small.
    """
    measured = np.flatnonzero((within >= FEWEST_PAIRS) & (within <= LARGEST_SHARE * pairs))
    if len(measured) < 3:
        raise ValueError(
            f"{pairs} unrelated pairs are too few to extrapolate the curve of false positives: use a larger corpus"
        )
    return int(measured[0]), int(measured[-1])


def fit(shares: Floats, fitted: tuple[int, int]) -> Tail:
    """Fit the line by least squares to the shares at the distances of a range. Shares of 0 are ignored."""
    distances = np.arange(fitted[0], fitted[1] + 1)
    seen = shares[distances] > 0
    slope, at_zero = np.polyfit(distances[seen], np.log10(shares[distances][seen]), 1)
    return Tail(float(at_zero), float(slope))


def largest_unseen(within: npt.NDArray[np.int64]) -> int:
    """Return the largest distance without an observed unrelated pair, or -1 if a pair has distance 0."""
    return int(np.argmax(within > 0)) - 1 if within.any() else len(within) - 1


def recommend(width: int, tails: dict[int, Tail], resampled: dict[int, list[Tail]], loose_64: int) -> dict[str, Any]:
    """Return the distances with the same expected shares of unrelated pairs as 64 bits at 3 and at `loose_64`.

    Args:
        width: the width in bits.
        tails: the fitted line of each width.
        resampled: the lines fitted to each bootstrap replicate, the same replicates for each width.
        loose_64: the loose threshold of 64 bits.

    Returns:
        The distances `close` and `loose`, and their 95 % bootstrap intervals.
    """
    found: dict[str, Any] = {}
    for name, distance in (("close", SEARCH_RADIUS), ("loose", loose_64)):
        found[name] = tails[width].distance(tails[64].share(distance))
        found[f"{name}_interval"] = percentiles(
            [
                wide.distance(narrow.share(distance))
                for narrow, wide in zip(resampled[64], resampled[width], strict=True)
            ]
        )
    return found
