"""The bars of the histograms of reports."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from simhash_doc.lookup.positions import Positions

_BARS = 20  # at most

Bars = list[tuple[str, int]]
"""What each bar of a histogram is, and its number."""


def percentages(shares: npt.NDArray[np.float64] | Sequence[float]) -> Positions:
    """Return shares from 0 to 1 in percent, rounded down, so that those from a limit on reach it."""
    found: Positions = np.floor(100 * np.asarray(shares) + 1e-9).astype(np.int64)
    return found


def bars(values: Positions, least: int, most: int) -> Bars:
    """Return bars of equal width for integers from `least` to `most`; those beyond these are in the outer ones.

    Empty bars before the first value and after the last one are left out.
    """
    width = -(-(most - least + 1) // _BARS)
    counts = np.bincount((np.clip(values, least, most) - least) // width, minlength=(most - least) // width + 1)
    starts = range(least, most + 1, width)
    found = [
        (f"{start}" if width == 1 or start == most else f"{start} to {min(start + width - 1, most)}", count)
        for start, count in zip(starts, counts.tolist(), strict=True)
    ]
    filled = np.flatnonzero(counts)
    return found[filled[0] : filled[-1] + 1] if len(filled) else []


def bars_of_sizes(sizes: npt.NDArray[np.int64]) -> Bars:
    """Return bars of sizes from 2 on: 2, 3 to 4, 5 to 8, ..."""
    exponents = np.ceil(np.log2(np.maximum(sizes, 1))).astype(np.int64)
    counts = np.bincount(exponents, minlength=1).tolist()[1:]
    return [
        (f"{2**number + 1} to {2 ** (number + 1)}" if number else "2", count) for number, count in enumerate(counts)
    ]
