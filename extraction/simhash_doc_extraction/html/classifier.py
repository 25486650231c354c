"""Decides which blocks of a page belong to its document: a sum of small decision trees, stored as a table.

`python -m benchmarks.extraction.training` writes the table. A node whose threshold is exceeded excludes the leaves on
its left; the first leaf that no node excludes gives the value of the tree. The score of a block is the logistic
function of the sum. What blocks have in common, and the other blocks of the page, turn sums into decisions.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from simhash_doc_extraction.html.blocks import Array
from simhash_doc_extraction.html.features import Columns
from simhash_doc_extraction.html.tree import Integers

MODEL_FILE = Path(__file__).with_name("model.json")
LEAVES = 8
"""Most leaves of a tree: one bit of a byte stands for each."""
UNIT = 100_000
"""Sums are exact: values are integers, this many to one of log-odds."""

_CHUNK = 256  # blocks


class Node(NamedTuple):
    """A node of a tree: `left` if the feature is at most the threshold, otherwise `right`.

    A child is the number of a node, or the number of a leaf with all bits inverted. `value` is the mean of the leaves
    below in log-odds, which explains the step from a node to its child.
    """

    feature: int
    threshold: float
    left: int
    right: int
    value: float


class Classifier:
    """Computes the scores of blocks with a trained table.

    Attributes:
        features: names of the features that the nodes refer to by position.
        trees: the nodes of each tree, the root first.
        leaves: the values of the leaves of each tree, in units of 1/`UNIT`.
    """

    def __init__(self, features: list[str], trees: list[list[Node]], leaves: list[list[int]]) -> None:
        self.features, self.trees, self.leaves = features, trees, leaves
        comparisons = sorted({(node.feature, node.threshold) for nodes in trees for node in nodes})
        numbers = {comparison: number for number, comparison in enumerate(comparisons)}
        self._features = np.array([feature for feature, _ in comparisons], dtype=np.int64)
        self._thresholds = np.array([[threshold] for _, threshold in comparisons])
        shape = (LEAVES - 1, len(trees))  # nodes of a tree, trees
        self._comparisons = np.zeros(shape, dtype=np.int64)
        self._excluded = np.zeros((*shape, 1), dtype=np.uint8)  # leaves that a value above the threshold excludes
        values = np.zeros((len(trees), LEAVES), dtype=np.int64)
        for number, (nodes, own) in enumerate(zip(trees, leaves, strict=True)):
            values[number, : len(own)] = own
            for position, node in enumerate(nodes):
                self._comparisons[position, number] = numbers[node.feature, node.threshold]
                self._excluded[position, number] = _leaves_below(nodes, node.left)
        lowest = [(~byte & byte + 1).bit_length() - 1 for byte in range(1 << LEAVES)]  # that is not excluded
        self._values = values[:, np.minimum(lowest, LEAVES - 1)].ravel()
        self._first = np.arange(len(trees))[:, np.newaxis] << LEAVES  # value of each tree

    def sums(self, columns: Columns) -> Integers:
        """Return the sum of each block: its log-odds in units of 1/`UNIT`."""
        values = np.array([columns[name] for name in self.features])
        chunks = [values[:, start : start + _CHUNK] for start in range(0, values.shape[1], _CHUNK)]
        return np.concatenate([self._sums(chunk) for chunk in chunks])

    def _sums(self, values: Array) -> Integers:
        is_above = (values.take(self._features, axis=0) > self._thresholds).view(np.uint8)
        excluded = np.zeros((len(self.trees), values.shape[1]), dtype=np.uint8)
        for comparisons, leaves in zip(self._comparisons, self._excluded, strict=True):
            excluded |= is_above[comparisons] * leaves
        result: Integers = self._values.take(excluded + self._first).sum(axis=0)
        return result

    def contributions(self, columns: Columns, block: int) -> dict[str, float]:
        """Return by how much each feature raises or lowers the sum of one block, compared with the mean block."""
        found: dict[str, float] = {}
        for nodes, leaves in zip(self.trees, self.leaves, strict=True):
            position = 0
            while position >= 0:
                node = nodes[position]
                name = self.features[node.feature]
                position = node.left if columns[name][block] <= node.threshold else node.right
                value = nodes[position].value if position >= 0 else leaves[~position] / UNIT
                found[name] = found.get(name, 0.0) + value - node.value
        return found


@cache
def load_classifier() -> Classifier:
    """Return the classifier of the package."""
    data = json.loads(MODEL_FILE.read_text(encoding="utf-8"))
    trees = [[Node(*node) for node in tree["nodes"]] for tree in data["trees"]]
    return Classifier(data["features"], trees, [tree["leaves"] for tree in data["trees"]])


def _leaves_below(nodes: list[Node], position: int) -> int:
    """Return the leaves below a child of a node as bits."""
    if position < 0:
        return 1 << ~position
    return _leaves_below(nodes, nodes[position].left) | _leaves_below(nodes, nodes[position].right)


_AGREEMENT = 0.9
_LONE = 10
"""How far many blocks of one kind share a sum, and the number of others with which it is half of that."""


def shared_sums(sums: Integers, paths: Integers, sizes: Array) -> Array:
    """Return the sums of blocks, each moved towards the mean of the blocks with the same path.

    The posts of a thread, or the entries of a list, mostly belong to the document together.

    Args:
        sums: the log-odds of each block.
        paths: what blocks of one kind have in common: small numbers.
        sizes: characters of each block. A long block counts more, by the square root.
    """
    weights = np.sqrt(sizes)
    means = np.bincount(paths, weights * sums)[paths] / np.bincount(paths, weights)[paths]
    others = np.bincount(paths)[paths] - 1
    share = _AGREEMENT * others / (others + _LONE)
    result: Array = (1 - share) * sums + share * means
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
    chances = 1 / (1 + np.exp(-sums[order] / UNIT))
    common = np.cumsum(chances * sizes[order])
    f1 = 2 * common / (np.cumsum(sizes[order]) + common[-1])
    return min(float(sums[order][np.argmax(f1)]), 0.0)
