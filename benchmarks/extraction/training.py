"""Train the classifier of blocks of web pages.

    python -m benchmarks.extraction.training PAGES_DIR MORE_PAGES_DIR CORPUS_DIR

Writes simhash_doc/extract/html/model.json, from all labelled pages and half of the corpus. With `--validate`, three
models are trained instead, each is tested on the sites that it was not trained with, and
docs/benchmarks/extraction-validation.json is written.
Needs the packages lightgbm and rapidfuzz: pip install -e '.[bench]'.
"""

from __future__ import annotations

import json
import logging
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from statistics import median
from typing import Any

import lightgbm
import numpy as np

from benchmarks import results
from benchmarks.extraction.composed import composed_examples
from benchmarks.extraction.examples import Example, anonymous_examples, corpus_examples, labelled_examples
from benchmarks.extraction.pages import (
    ALL,
    NEWS,
    SEGMENTS,
    LabelledPage,
    figures,
    load_news,
    load_pages,
    load_segments,
    score,
    score_segments,
    segment_figures,
)
from benchmarks.measuring import parser_of, version
from simhash_doc.extract import extract
from simhash_doc.extract.encoding import decode
from simhash_doc.extract.html.blocks import joined
from simhash_doc.extract.html.classifier import LEAVES, MODEL_FILE, UNIT
from simhash_doc.extract.html.main_text import decide
from simhash_doc.extract.html.reader import read_part

Extractor = Callable[[bytes], str]

OURS = "simhash_doc"
ROUNDS = 350
ANONYMOUS_WEIGHT, CORPUS_WEIGHT, COMPOSED_WEIGHT = 0.4, 0.5, 0.4
TYPE_WEIGHTS = {NEWS: 3.0, SEGMENTS: 0.96}
COMPOSED_PAGES = 1200
SEED = 5
FOLDS = 3
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


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("pages", type=Path, metavar="PAGES_DIR")
    parser.add_argument("more", type=Path, metavar="MORE_PAGES_DIR")
    parser.add_argument("corpus", type=Path, metavar="CORPUS_DIR")
    parser.add_argument("--validate", action="store_true")
    options = parser.parse_args()
    pages = load_pages(options.pages) + load_news(options.more) + load_segments(options.more)
    labelled = list(labelled_examples(pages))
    corpus = list(corpus_examples(options.corpus, CORPUS_WEIGHT))
    prose = [example for example in labelled if example.labelled.type in ("article", "documentation")]
    examples = [*labelled, *corpus, *anonymous_examples([page for page in pages if page.text], ANONYMOUS_WEIGHT)]
    examples += composed_examples(prose, corpus, COMPOSED_PAGES, COMPOSED_WEIGHT, SEED)
    if options.validate:
        results.write("extraction-validation", validate(pages, labelled, examples))
        return
    booster = train(examples)
    MODEL_FILE.write_text(table(booster), encoding="utf-8")
    print(f"{len(examples)} pages; {MODEL_FILE}: {MODEL_FILE.stat().st_size:,} bytes")


def train(examples: list[Example]) -> lightgbm.Booster:
    """Return the trees that are trained with the known blocks of the examples."""
    names = list(examples[0].columns)
    weights = np.concatenate([_weights(example) for example in examples])
    known = weights > 0
    data = lightgbm.Dataset(
        np.concatenate([_matrix(example, names) for example in examples])[known],
        np.concatenate([example.labels for example in examples])[known],
        weight=weights[known] / weights[known].mean(),
        feature_name=names,
    )
    falling = [-(name.startswith("rule_")) for name in names]
    return lightgbm.train(PARAMETERS | {"monotone_constraints": falling}, data, ROUNDS)


def _matrix(example: Example, names: list[str]) -> Any:
    return np.column_stack([example.columns[name] for name in names]).astype(np.float32)


def _weights(example: Example) -> Any:
    """Return a weight for each block: pages of one type count the same, and a long block more than a short one."""
    roots = np.sqrt(np.maximum(example.words, 1))
    weight = example.weight * TYPE_WEIGHTS.get(example.labelled.type, 1.0)
    return np.where(np.isnan(example.matched), 0.0, weight * roots / roots.sum())


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


def web_page_extractors() -> dict[str, Extractor]:
    """Return the installed extractors of web pages by name."""
    extractors: dict[str, Extractor] = {"simhash_doc": lambda data: extract(data).text, "the complete page": read_part}
    if found := version("trafilatura"):
        import trafilatura

        logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
        extractors[f"trafilatura {found}, default"] = lambda data: (
            trafilatura.extract(decode(data, markup=True)[0], include_comments=False) or ""
        )
    if found := version("resiliparse"):
        from resiliparse.extract.html2text import extract_plain_text

        extractors[f"resiliparse {found}, main content"] = lambda data: extract_plain_text(
            decode(data, markup=True)[0], main_content=True
        )
    return extractors


def taken(take: Extractor, data: bytes) -> str:
    """Return the text that a library takes from a page. A library that fails gives no text."""
    try:
        return take(data)
    except Exception:
        return ""


def validate(pages: list[LabelledPage], labelled: list[Example], examples: list[Example]) -> dict[str, Any]:
    """Return the figures of this project and of others by type of page, and the median time of a page."""
    found = {}
    for name, take in web_page_extractors().items():
        if name == OURS:
            texts = cross_validated(pages, labelled, examples)
        else:
            texts = [(page, taken(take, page.path.read_bytes())) for page in pages]
        found[name] = {**_by_type(texts), "median_ms": milliseconds(take, pages)}
    return found


def cross_validated(
    pages: list[LabelledPage], labelled: list[Example], examples: list[Example]
) -> list[tuple[LabelledPage, str]]:
    """Return the text of each page, classified by a model that has not seen its site."""
    names = list(examples[0].columns)
    with_blocks = {example.labelled for example in labelled}
    found = [(page, "") for page in pages if page not in with_blocks]
    for number in range(FOLDS):
        booster = train([example for example in examples if _fold(example) != number])
        for example in labelled:
            if _fold(example) == number:
                sums = UNIT * np.asarray(booster.predict(_matrix(example, names), raw_score=True))
                kept = decide(example.page, sums.round().astype(np.int64), example.columns, example.verdicts).kept
                text = joined(text for text, keep in zip(example.page.texts, kept, strict=True) if keep)
                found.append((example.labelled, text))
    return found


def milliseconds(take: Extractor, pages: list[LabelledPage]) -> float:
    """Return the median of the CPU time of every tenth page."""
    seconds = []
    for page in pages[::10]:
        data = page.path.read_bytes()
        start = time.process_time()
        taken(take, data)
        seconds.append(time.process_time() - start)
    return round(1000 * median(seconds), 1)


def _by_type(texts: list[tuple[LabelledPage, str]]) -> dict[str, Any]:
    scores = defaultdict(list)
    segments = Counter[str]()
    for page, text in texts:
        if page.type == SEGMENTS:
            segments.update(score_segments(text, page))
        else:
            scores[page.type].append(score(text, page))
    scores[ALL] = [found for kind, some in scores.items() if kind != NEWS for found in some]
    return {**{kind: figures(some) for kind, some in scores.items()}, SEGMENTS: segment_figures(segments)}


def _fold(example: Example) -> int:
    return int(sha256(example.labelled.site.encode()).hexdigest(), 16) % FOLDS


if __name__ == "__main__":
    main()
