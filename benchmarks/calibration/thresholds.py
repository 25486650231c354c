"""Computes the recommended thresholds.

1. sd64, close: 3, a radius that is cheap to search, checked for false positives.
2. sd64, loose: the largest distance without an observed unrelated pair.
3. Wide schemes: the distance with the same expected share of unrelated pairs as sd64 at close and at loose. These
   shares are too small to observe, so each curve is extrapolated by a straight line in the logarithm, fitted to its
   well measured part.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from benchmarks.calibration.statistics import Floats, percentiles

SEARCH_RADIUS = 3
# The line is fitted from 10 pairs to a share of 1 in 200, where curves are smooth and still steep.
FEWEST_PAIRS, LARGEST_SHARE = 10, 0.005


@dataclass(frozen=True, slots=True)
class Tail:
    """A fitted line: log10 of the expected share of unrelated pairs within d bits is `at_zero` + `slope` d."""

    at_zero: float
    slope: float
    fitted: tuple[int, int]  # first and last distance of the fit

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
    return Tail(float(at_zero), float(slope), fitted)


def largest_unseen(within: npt.NDArray[np.int64]) -> int:
    """Return the largest distance without an observed unrelated pair, or -1 if a pair has distance 0."""
    return int(np.argmax(within > 0)) - 1 if within.any() else len(within) - 1


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The recommended thresholds of one width, with 95 % bootstrap intervals and the expected shares."""

    close: float
    loose: float
    close_interval: tuple[float, float]
    loose_interval: tuple[float, float]
    share_at_close: float
    share_at_loose: float


def recommend(
    width: int,
    tails: dict[int, Tail],
    resampled: dict[int, list[Tail]],
    loose_64: int,
) -> Recommendation:
    """Return the distances with the same expected shares of unrelated pairs as 64 bits at 3 and at `loose_64`.

    Args:
        width: the width in bits.
        tails: the fitted line of each width.
        resampled: the lines fitted to each bootstrap replicate, the same replicates for each width.
        loose_64: the loose threshold of 64 bits.
    """

    def matching(narrow: Tail, wide: Tail, distance: int) -> float:
        return wide.distance(narrow.share(distance))

    close, loose = (matching(tails[64], tails[width], distance) for distance in (SEARCH_RADIUS, loose_64))
    intervals = [
        percentiles([matching(a, b, distance) for a, b in zip(resampled[64], resampled[width], strict=True)])
        for distance in (SEARCH_RADIUS, loose_64)
    ]
    return Recommendation(
        close, loose, intervals[0], intervals[1], tails[width].share(close), tails[width].share(loose)
    )
