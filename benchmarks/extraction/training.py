"""Train the classifier of blocks of web pages.

    python -m benchmarks.extraction.training PAGES_DIR MORE_PAGES_DIR READABILITY_DIR LANGUAGES_DIR CORPUS_DIR

Writes `MODEL_FILE` of simhash_doc_extraction/html/classifier.py, from all labelled pages and half of the corpus. With
`--validate`, docs/benchmarks/extraction-validation.json is written instead: see benchmarks/extraction/validation.py.
Needs the packages lightgbm and rapidfuzz: pip install -e '.[bench]'.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
import numpy.typing as npt

from benchmarks import results
from benchmarks.extraction.composed import composed_examples
from benchmarks.extraction.examples import (
    Example,
    anonymous_examples,
    corpus_examples,
    donors_of,
    labelled_examples,
    noisy_examples,
)
from benchmarks.extraction.pages import (
    LANGUAGES,
    NEWS,
    READABILITY,
    LabelledPage,
    load_all,
)
from benchmarks.measuring import parser_of
from simhash_doc_extraction.html.classifier import LEAVES, MODEL_FILE, UNIT

Bools = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.float64]

CELLS = 20
"""Sites are divided into these, by a hash of their names. Folds are made of cells."""
OUTER_FOLDS = 5
ANONYMOUS_WEIGHT, NOISY_WEIGHT, CORPUS_WEIGHT, COMPOSED_WEIGHT = 0.6, 1.2, 0.5, 0.4
TYPE_WEIGHTS = {NEWS: 3.0, READABILITY: 0.5, **dict.fromkeys(LANGUAGES, 0.5)}
"""A page of news counts more, as there are few; one of the news in five languages less, as there are many. One of
Readability counts less, as its label is the result of a program."""
COMPOSED_PAGES = 60
"""Of each cell, made from its pages."""
ROWS = 120_000
"""Blocks that one classifier is trained with. A block of small weight stands for others."""
ROUNDS = 300
"""Trees. 200 were a little worse on the outer folds."""
SEED = 18
"""The first from 7 on whose trees pass the tests of web pages, and lose no pair of formats (`extraction/gate.json`).
The figures of outer folds are from other seeds."""
PARAMETERS = {
    "objective": "binary",
    "learning_rate": 0.12,
    "num_leaves": LEAVES,
    "min_data_in_leaf": 1,
    "min_sum_hessian_in_leaf": 1.0,
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
    parser.add_argument("languages", type=Path, metavar="LANGUAGES_DIR")
    parser.add_argument("corpus", type=Path, metavar="CORPUS_DIR")
    parser.add_argument("--validate", action="store_true")
    parser.add_argument("--without", type=int, metavar="FOLD", help="train without the sites of an outer fold")
    parser.add_argument("-o", "--output", type=Path, default=MODEL_FILE)
    options = parser.parse_args()
    pages = load_all(options.pages, options.more, options.readability, options.languages)
    labelled = list(labelled_examples(pages))
    blocks = Blocks(labelled, others(pages, labelled, options.corpus))
    if options.validate:
        results.write("extraction-validation", validate(pages, labelled, blocks))
        return
    cells = [cell for cell in range(CELLS) if cell % OUTER_FOLDS != options.without]
    options.output.write_text(table(train(blocks, cells)), encoding="utf-8")
    print(f"{options.output}: {options.output.stat().st_size:,} bytes")


def others(pages: list[LabelledPage], labelled: list[Example], corpus_folder: Path) -> list[Example]:
    """Return the examples that only serve training: pages without names, with noise, of the corpus, and composed."""
    with_text = [page for page in pages if page.text]
    examples = list(anonymous_examples(with_text, ANONYMOUS_WEIGHT))
    examples += noisy_examples(with_text, donors_of(pages), NOISY_WEIGHT)
    corpus = list(corpus_examples(corpus_folder, CORPUS_WEIGHT))
    for number in range(CELLS):
        own = [example for example in [*labelled, *corpus] if cell_of(example) == number]
        examples += composed_examples(own, COMPOSED_PAGES, COMPOSED_WEIGHT, number)
    return examples + corpus


def cell_of(example: Example) -> int:
    """Return the number of the cell to which the site of an example belongs."""
    return cell_of_site(example.labelled.site)


def cell_of_site(site: str) -> int:
    """Return the number of the cell to which a site belongs."""
    return int(sha256(site.encode()).hexdigest(), 16) % CELLS


class Blocks:
    """The blocks of examples as arrays with a row for each.

    Attributes:
        names: names of the features.
        values: the features.
        labels: whether the block belongs to the document.
        weights: the weight of the block in training; 0 if it is not known whether it belongs to the document.
        cells: the cell of its site.
    """

    def __init__(self, labelled: list[Example], others: list[Example]) -> None:
        examples = [*labelled, *others]
        self.names = list(examples[0].columns)
        self.values = np.concatenate([matrix(example, self.names) for example in examples])
        self.labels = np.concatenate([example.labels for example in examples])
        self.weights = np.concatenate([_weights(example) for example in examples])
        lengths = [len(example.words) for example in examples]
        self.cells = np.repeat([cell_of(example) for example in examples], lengths)


def matrix(example: Example, names: list[str]) -> npt.NDArray[np.float32]:
    """Return the features of the blocks of an example, an array of shape (blocks, features)."""
    return np.column_stack([example.columns[name] for name in names]).astype(np.float32)


def _weights(example: Example) -> Numbers:
    """Return a weight for each block: pages of one type count the same, and a long block more than a short one."""
    roots = np.sqrt(np.maximum(example.words, 1))
    weight = example.weight * TYPE_WEIGHTS.get(example.labelled.type, 1.0)
    return np.where(np.isnan(example.matched), 0.0, weight * roots / roots.sum())


def train(blocks: Blocks, cells: Sequence[int], seed: int = SEED) -> lightgbm.Booster:
    """Return the trees that are trained with the known blocks of some cells."""
    rows = np.flatnonzero(np.isin(blocks.cells, cells) & (blocks.weights > 0))
    rows, weights = _thinned(rows, blocks.weights[rows], np.random.default_rng(seed))
    data = lightgbm.Dataset(blocks.values[rows], blocks.labels[rows], weight=weights, feature_name=blocks.names)
    parameters = PARAMETERS | {
        "monotone_constraints": [direction(name) for name in blocks.names],
        "seed": seed,
    }
    return lightgbm.train(parameters, data, ROUNDS)


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
