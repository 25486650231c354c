"""Train the classifier of blocks of web pages.

    python -m benchmarks.extraction.training WEB_PAGES_DIR CORPUS_DIR

Writes simhash_doc/extract/html/model.json, from the pages with an even number and half of the corpus. With
`--validate`, nothing is written: five models are trained, and each is tested on a fifth of these pages.
Needs the packages lightgbm and rapidfuzz: pip install -e '.[bench]'.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import defaultdict
from pathlib import Path
from statistics import mean
from typing import Any

import lightgbm
import numpy as np

from benchmarks.extraction.composed import composed_examples
from benchmarks.extraction.examples import (
    Example,
    anonymous_examples,
    corpus_examples,
    labelled_examples,
)
from benchmarks.extraction.pages import LabelledPage, load_pages, score
from simhash_doc.extract.html.blocks import joined
from simhash_doc.extract.html.classifier import LEAVES, MODEL_FILE, UNIT
from simhash_doc.extract.html.main_text import decide

ROUNDS = 350
ANONYMOUS_WEIGHT, CORPUS_WEIGHT, COMPOSED_WEIGHT = 0.4, 0.5, 0.4
COMPOSED_PAGES = 1000
SEED = 5
FOLDS = 5
PARAMETERS = {
    "objective": "binary",
    "learning_rate": 0.06,
    "num_leaves": LEAVES,
    "min_data_in_leaf": 40,
    "feature_fraction": 0.3,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 5,
    "max_bin": 63,
    "seed": 7,
    "deterministic": True,
    "num_threads": 1,
    "verbose": -1,
}
_ABOUT = (
    "Decision trees that classify the blocks of web pages. Written by `python -m benchmarks.extraction.training`; "
    "docs/extraction.md describes the data. A node is [feature, threshold, left, right, mean]; a negative child is a "
    "leaf, with all bits inverted. Means are log-odds; leaves are in units of 1/100,000."
)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.extraction.training",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("pages", type=Path, metavar="WEB_PAGES_DIR")
    parser.add_argument("corpus", type=Path, metavar="CORPUS_DIR")
    parser.add_argument("--validate", action="store_true")
    options = parser.parse_args()
    pages = [page for page in load_pages(options.pages) if page.choosing]
    labelled = list(labelled_examples(pages))
    corpus = list(corpus_examples(options.corpus, CORPUS_WEIGHT))
    documents = {str(page.id) for page in pages if page.type in ("article", "documentation")}
    prose = [example for example in labelled if example.group in documents]
    examples = [*labelled, *corpus, *anonymous_examples(pages, ANONYMOUS_WEIGHT, SEED)]
    examples += composed_examples(prose, corpus, COMPOSED_PAGES, COMPOSED_WEIGHT, SEED)
    if options.validate:
        _validate(pages, labelled, examples)
        return 0
    booster = _train(examples)
    MODEL_FILE.write_text(_table(booster), encoding="utf-8")
    print(f"{len(examples)} pages; {MODEL_FILE}: {MODEL_FILE.stat().st_size:,} bytes")
    return 0


def _train(examples: list[Example]) -> lightgbm.Booster:
    names = list(examples[0].columns)
    weights = np.concatenate([_weights(example) for example in examples])
    data = lightgbm.Dataset(
        np.concatenate([_matrix(example, names) for example in examples]),
        np.concatenate([example.labels for example in examples]),
        weight=weights / weights.mean(),
        feature_name=names,
    )
    falling = [-(name.startswith("rule_")) for name in names]
    return lightgbm.train(PARAMETERS | {"monotone_constraints": falling}, data, ROUNDS)


def _matrix(example: Example, names: list[str]) -> Any:
    return np.column_stack([example.columns[name] for name in names])


def _weights(example: Example) -> Any:
    """Return a weight for each block: every page counts the same, and a long block more than a short one."""
    roots = np.sqrt(np.maximum(example.words, 1))
    return example.weight * roots / roots.sum()


def _table(booster: lightgbm.Booster) -> str:
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
        node = [branch["split_feature"], _short(branch["threshold"]), 0, 0, round(branch["internal_value"], 4)]
        nodes.append(node)
        node[2], node[3] = add(branch["left_child"]), add(branch["right_child"])
        return number

    add(root)
    return {"nodes": nodes, "leaves": leaves}


def _short(threshold: float) -> float:
    return float(f"{threshold:.6g}")


def _validate(pages: list[LabelledPage], labelled: list[Example], examples: list[Example]) -> None:
    order = [page.id for page in pages]
    random.Random(SEED).shuffle(order)
    fold = {str(number): position % FOLDS for position, number in enumerate(order)}
    by_id = {str(page.id): page for page in pages}
    names = list(examples[0].columns)
    scores = defaultdict(list)
    for number in range(FOLDS):
        booster = _train([example for example in examples if fold.get(example.group) != number])
        for example in labelled:
            if fold[example.group] == number:
                sums = UNIT * np.asarray(booster.predict(_matrix(example, names), raw_score=True))
                kept = decide(example.page, sums.round().astype(np.int64), example.verdicts).kept
                text = joined(text for text, keep in zip(example.page.texts, kept, strict=True) if keep)
                page = by_id[example.group]
                found = score(text, page)
                scores["all"].append(found)
                scores[page.type].append(found)
    for kind, some in scores.items():
        near = mean(found.distance <= 6 for found in some)
        print(f"{kind:14} {len(some):4} pages  F1 {mean(found.f1 for found in some):.3f}  d<=6 {near:.3f}")


if __name__ == "__main__":
    sys.exit(main())
