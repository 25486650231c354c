"""Where thresholds come from: the rule that README.md beside this file states, computed.

1. sd64, close: the radius that is cheap to look up, 3, checked for false positives.
2. sd64, loose: the largest distance at which no unrelated pair was seen.
3. Wide schemes: the distance at which the same share of unrelated pairs is expected as for sd64 at close and at loose.
   These shares are too small to be seen, so each curve is continued by a straight line in the logarithm, fitted where
   a curve is well measured.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from benchmarks.calibration.statistics import Floats, percentiles

LOOK_UP_RADIUS = 3
# The line is fitted to shares from 10 pairs to 1 in 200, where curves are smooth and still steep.
FEWEST_PAIRS, LARGEST_SHARE = 10, 0.005


@dataclass(frozen=True, slots=True)
class Tail:
    """log10 of the expected share of unrelated pairs within d bits is `at_zero` + `slope` d."""

    at_zero: float
    slope: float
    fitted: tuple[int, int]  # the distances between which it was fitted

    def share(self, distance: float) -> float:
        return float(10 ** (self.at_zero + self.slope * distance))

    def distance(self, share: float) -> float:
        return float((np.log10(share) - self.at_zero) / self.slope)


def fitted_range(within: npt.NDArray[np.int64], pairs: int) -> tuple[int, int]:
    """Return the first and last distance of the well measured part of a cumulative histogram.

    Raises:
        ValueError: it has fewer than three distances: the corpus is too small.
    """
    measured = np.flatnonzero((within >= FEWEST_PAIRS) & (within <= LARGEST_SHARE * pairs))
    if len(measured) < 3:
        raise ValueError(f"{pairs} unrelated pairs are too few to continue a curve of false positives")
    return int(measured[0]), int(measured[-1])


def fit(shares: Floats, fitted: tuple[int, int]) -> Tail:
    """Fit the line by least squares to the shares at the distances of a range; shares of 0 are left out."""
    distances = np.arange(fitted[0], fitted[1] + 1)
    seen = shares[distances] > 0
    slope, at_zero = np.polyfit(distances[seen], np.log10(shares[distances][seen]), 1)
    return Tail(float(at_zero), float(slope), fitted)


def largest_unseen(within: npt.NDArray[np.int64]) -> int:
    """Return the largest distance at which no unrelated pair was seen, -1 if one has distance 0."""
    return int(np.argmax(within > 0)) - 1 if within.any() else len(within) - 1


@dataclass(frozen=True, slots=True)
class Recommendation:
    """What the rule gives for one width, with 95 % bootstrap intervals, and the shares that it rests on."""

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
    """Return the distances of a width that are expected to let through as many as 64 bits at 3 and `loose_64`.

    Args:
        tails: the fitted line of each width.
        resampled: the lines fitted to each bootstrap replicate, the same replicates for each width.
    """

    def matching(narrow: Tail, wide: Tail, distance: int) -> float:
        return wide.distance(narrow.share(distance))

    close, loose = (matching(tails[64], tails[width], distance) for distance in (LOOK_UP_RADIUS, loose_64))
    intervals = [
        percentiles([matching(a, b, distance) for a, b in zip(resampled[64], resampled[width], strict=True)])
        for distance in (LOOK_UP_RADIUS, loose_64)
    ]
    return Recommendation(
        close, loose, intervals[0], intervals[1], tails[width].share(close), tails[width].share(loose)
    )
