"""From the sums of the classifier to the decision: what blocks have in common, and what a block of a page needs."""

from __future__ import annotations

import numpy as np

from simhash_doc.extract.html.block_features import Array
from simhash_doc.extract.html.classifier import UNIT, Integers

_CALIBRATION = 0.8
"""The trees are too sure of unknown pages: their log-odds times this fit what was found."""

_AGREEMENT = 0.9
_LONE = 10
"""How far many blocks of one kind share a sum, and the number of others with which it is half of that."""

_ENOUGH = -20_000.0
"""A block with this sum is always kept: it is as likely to belong to the document as not."""


def shared_sums(sums: Integers, paths: list[int], sizes: Array) -> Array:
    """Return the sums of blocks, each moved towards the mean of the blocks with the same path.

    The posts of a thread, or the entries of a list, mostly belong to the document together.

    Args:
        sums: the log-odds of each block.
        paths: what blocks of one kind have in common.
        sizes: characters of each block. A long block counts more, by the square root.
    """
    _, group, count = np.unique(paths, return_inverse=True, return_counts=True)
    weights = np.sqrt(sizes)
    means = np.bincount(group, weights * sums) / np.bincount(group, weights)
    others = count[group] - 1
    share = _AGREEMENT * others / (others + _LONE)
    result: Array = (1 - share) * sums + share * means[group]
    return result


def needed_sum(sums: Array, sizes: Array) -> float:
    """Return the sum from which blocks are kept, such that the expected F1 of the text is highest.

    If nearly all blocks are easy to judge, this is a probability of one half. If most are hard to judge, it is less:
    with none of them, hardly anything in common with the document would remain.

    Args:
        sums: the log-odds of each block, in units of 1/`UNIT`; at least one.
        sizes: characters of each block.
    """
    order = np.argsort(-sums, kind="stable")
    chances = 1 / (1 + np.exp(-_CALIBRATION / UNIT * sums[order]))
    common = np.cumsum(chances * sizes[order])
    f1 = 2 * common / (np.cumsum(sizes[order]) + common[-1])
    return min(float(sums[order][np.argmax(f1)]), _ENOUGH)
