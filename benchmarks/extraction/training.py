"""Train the classifier of blocks of web pages.

    python -m benchmarks.extraction.training PAGES_DIR MORE_PAGES_DIR READABILITY_DIR CORPUS_DIR

Writes `MODEL_FILE` of simhash_doc_extraction/html/classifier.py, from all labelled pages and half of the corpus. With
`--validate`, docs/benchmarks/extraction-validation.json is written instead: see benchmarks/extraction/validation.py.
Needs the packages lightgbm and rapidfuzz: pip install -e '.[bench]'.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
import numpy.typing as npt

from benchmarks import results
from benchmarks.extraction.composed import composed_examples
from benchmarks.extraction.examples import Example, anonymous_examples, corpus_examples, labelled_examples
from benchmarks.extraction.pages import (
    KINDS,
    NEWS,
    READABILITY,
    SEGMENTS,
    LabelledPage,
    load_news,
    load_pages,
    load_readability,
    load_segments,
)
from benchmarks.measuring import parser_of
from simhash_doc_extraction.html.classifier import LEAVES, MODEL_FILE, UNIT

Bools = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.float64]

CELLS = 20
"""Sites are divided into these, by a hash of their names. Folds are made of cells."""
INNER_FOLDS = 4
ANONYMOUS_WEIGHT, CORPUS_WEIGHT, COMPOSED_WEIGHT = 0.4, 0.5, 0.4
TYPE_WEIGHTS = {NEWS: 3.0, READABILITY: 0.5}
"""A page of news counts more, as there are few; one of Readability less, as its label is the result of a program."""
COMPOSED_PAGES = 60
"""Of each cell, made from its pages."""
ROWS = 60_000
"""Blocks that one classifier is trained with. A block of small weight stands for others."""
SEED = 7
PARAMETERS = {
    "objective": "binary",
    "learning_rate": 0.15,
    "num_leaves": LEAVES,
    "min_data_in_leaf": 1,
    "feature_fraction": 0.3,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "lambda_l2": 1,
    "max_bin": 31,
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 1,
    "verbose": -1,
}


@dataclass(frozen=True, slots=True)
class Settings:
    """How simple a classifier is.

    Attributes:
        rounds: number of trees.
        least: how much evidence a leaf needs: the sum of the second derivatives of the loss. The blocks of a page
            weigh 1 together, so it is at most a quarter of the number of pages.
    """

    rounds: int
    least: float


ROUNDS = (80, 160, 240)
LEAST = (1.0, 4.0)
"""The settings that are tried."""
TOLERANCE = 1.02
"""Of two settings whose losses differ by less, the simpler one is chosen."""

_ABOUT = (
    "Decision trees that classify the blocks of web pages. Written by `python -m benchmarks.extraction.training`; "
    "docs/benchmarks/extraction.md describes the data. A node is [feature, threshold, left, right, mean]; a negative "
    "child is a leaf, with all bits inverted. Means are log-odds; leaves are in units of 1/100,000."
)


def main() -> None:
    from benchmarks.extraction.validation import validate  # which imports this module

    parser = parser_of(__doc__)
    parser.add_argument("pages", type=Path, metavar="PAGES_DIR")
    parser.add_argument("more", type=Path, metavar="MORE_PAGES_DIR")
    parser.add_argument("readability", type=Path, metavar="READABILITY_DIR")
    parser.add_argument("corpus", type=Path, metavar="CORPUS_DIR")
    parser.add_argument("--validate", action="store_true")
    options = parser.parse_args()
    pages = load_pages(options.pages) + load_news(options.more) + load_segments(options.more)
    pages += load_readability(options.readability)
    labelled = list(labelled_examples(pages))
    blocks = Blocks(labelled, others(pages, labelled, options.corpus))
    if options.validate:
        results.write("extraction-validation", validate(pages, labelled, blocks))
        return
    settings = chosen(blocks, range(CELLS))
    booster = train(blocks, range(CELLS), settings)
    MODEL_FILE.write_text(table(booster), encoding="utf-8")
    print(f"{settings}; {MODEL_FILE}: {MODEL_FILE.stat().st_size:,} bytes")


def others(pages: list[LabelledPage], labelled: list[Example], corpus_folder: Path) -> list[Example]:
    """Return the examples that only serve training: pages without names, of the corpus, and composed ones."""
    examples = list(anonymous_examples([page for page in pages if page.text], ANONYMOUS_WEIGHT))
    corpus = list(corpus_examples(corpus_folder, CORPUS_WEIGHT))
    for number in range(CELLS):
        own = [example for example in [*labelled, *corpus] if cell_of(example) == number]
        examples += composed_examples(own, COMPOSED_PAGES, COMPOSED_WEIGHT, number)
    return examples + corpus


def cell_of(example: Example) -> int:
    """Return the number of the cell to which the site of an example belongs."""
    return int(sha256(example.labelled.site.encode()).hexdigest(), 16) % CELLS


class Blocks:
    """The blocks of examples as arrays with a row for each.

    Attributes:
        names: names of the features.
        values: the features.
        labels: whether the block belongs to the document.
        weights: the weight of the block in training; 0 if it is not known whether it belongs to the document.
        cells: the cell of its site.
        groups: the position in `SETS` of the set of its page, or -1 if the page only serves training.
    """

    SETS = ("news", "segments", "kinds")

    def __init__(self, labelled: list[Example], others: list[Example]) -> None:
        examples = [*labelled, *others]
        self.names = list(examples[0].columns)
        self.values = np.concatenate([matrix(example, self.names) for example in examples])
        self.labels = np.concatenate([example.labels for example in examples])
        self.weights = np.concatenate([_weights(example) for example in examples])
        lengths = [len(example.words) for example in examples]
        self.cells = np.repeat([cell_of(example) for example in examples], lengths)
        sets = {NEWS: 0, SEGMENTS: 1, **dict.fromkeys(KINDS, 2)}
        groups = [sets.get(example.labelled.type, -1) for example in labelled] + [-1] * len(others)
        self.groups = np.repeat(groups, lengths)


def matrix(example: Example, names: list[str]) -> npt.NDArray[np.float32]:
    """Return the features of the blocks of an example, an array of shape (blocks, features)."""
    return np.column_stack([example.columns[name] for name in names]).astype(np.float32)


def _weights(example: Example) -> Numbers:
    """Return a weight for each block: pages of one type count the same, and a long block more than a short one."""
    roots = np.sqrt(np.maximum(example.words, 1))
    weight = example.weight * TYPE_WEIGHTS.get(example.labelled.type, 1.0)
    return np.where(np.isnan(example.matched), 0.0, weight * roots / roots.sum())


def chosen(blocks: Blocks, cells: Sequence[int]) -> Settings:
    """Return the simplest settings with about the least log-loss in a cross-validation over the sites of some cells.

    News, segments and the seven kinds of pages count the same.
    """
    sums: dict[Settings, Numbers] = {}
    for number in range(INNER_FOLDS):
        tested = [cell for cell in cells if cell * INNER_FOLDS // CELLS == number]
        rest = [cell for cell in cells if cell not in tested]
        is_tested = np.isin(blocks.cells, tested) & (blocks.weights > 0) & (blocks.groups >= 0)
        groups, labels, weights = (rows[is_tested] for rows in (blocks.groups, blocks.labels, blocks.weights))
        for least in LEAST:
            booster = train(blocks, rest, Settings(max(ROUNDS), least))
            for rounds in ROUNDS:
                chances = np.asarray(booster.predict(blocks.values[is_tested], num_iteration=rounds))
                loss = -weights * np.log(np.maximum(np.where(labels, chances, 1 - chances), 1e-6))
                found = [np.bincount(groups, values, len(Blocks.SETS)) for values in (loss, weights)]
                settings = Settings(rounds, least)
                sums[settings] = sums.get(settings, np.zeros(1)) + np.array(found)
    losses = {settings: float((loss / weight).mean()) for settings, (loss, weight) in sums.items()}
    good = [settings for settings, loss in losses.items() if loss <= TOLERANCE * min(losses.values())]
    return min(good, key=lambda settings: (settings.rounds, -settings.least))


def train(blocks: Blocks, cells: Sequence[int], settings: Settings, seed: int = SEED) -> lightgbm.Booster:
    """Return the trees that are trained with the known blocks of some cells."""
    rows = np.flatnonzero(np.isin(blocks.cells, cells) & (blocks.weights > 0))
    rows, weights = _thinned(rows, blocks.weights[rows], np.random.default_rng(seed))
    data = lightgbm.Dataset(blocks.values[rows], blocks.labels[rows], weight=weights, feature_name=blocks.names)
    parameters = PARAMETERS | {
        "min_sum_hessian_in_leaf": settings.least,
        "monotone_constraints": [direction(name) for name in blocks.names],
        "seed": seed,
    }
    return lightgbm.train(parameters, data, settings.rounds)


def direction(name: str) -> int:
    """Return 1 if a block with more of a feature never is less likely to belong to the document, -1 if it never is
    more likely, and otherwise 0."""
    return -(name.startswith("rule_"))


def _thinned(rows: Any, weights: Numbers, rng: np.random.Generator) -> tuple[Any, Numbers]:
    """Return about `ROWS` of some rows, and their weights. A row under the least weight stays with the chance that
    keeps the expected sum of the weights."""
    low, high = 0.0, float(weights.max())
    while high - low > 1e-9:
        least = (low + high) / 2
        low, high = (least, high) if np.minimum(weights / least, 1).sum() > ROWS else (low, least)
    stays = rng.random(len(rows)) < weights / high
    return rows[stays], np.maximum(weights[stays], high)


def table(booster: lightgbm.Booster) -> str:
    """Return a booster in the format of the classifier, without the features that no tree uses."""
    dump = booster.dump_model()
    trees = [_tree(info["tree_structure"]) for info in dump["tree_info"]]
    used = sorted({node[0] for tree in trees for node in tree["nodes"]})
    for tree in trees:
        for node in tree["nodes"]:
            node[0] = used.index(node[0])
    names = [dump["feature_names"][number] for number in used]
    head = {"about": _ABOUT, "features": names}
    lines = ",\n".join(json.dumps(tree, separators=(",", ":")) for tree in trees)
    return f'{json.dumps(head, indent=1)[:-2]},\n "trees": [\n{lines}\n ]\n}}\n'


def _tree(root: dict[str, Any]) -> dict[str, Any]:
    nodes: list[list[Any]] = []
    leaves: list[int] = []

    def add(branch: dict[str, Any]) -> int:
        if "leaf_value" in branch:
            leaves.append(round(UNIT * branch["leaf_value"]))
            return ~(len(leaves) - 1)
        number = len(nodes)
        threshold = float(f"{branch['threshold']:.6g}")
        node = [branch["split_feature"], threshold, 0, 0, round(branch["internal_value"], 4)]
        nodes.append(node)
        node[2], node[3] = add(branch["left_child"]), add(branch["right_child"])
        return number

    add(root)
    return {"nodes": nodes, "leaves": leaves}


if __name__ == "__main__":
    main()
