"""Measure the classifier of blocks of web pages on sites that it was not trained with, beside other libraries.

The sites are divided into five outer folds. For each, classifiers with three different seeds are trained with the other
four, and tested on the fold.

The figures of a rule of two comparisons in place of the classifier show what the classifier is worth.
"""

from __future__ import annotations

import gc
import logging
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from statistics import mean, median, stdev
from typing import Any

import numpy as np

from benchmarks.extraction.examples import Example
from benchmarks.extraction.pages import (
    ALL,
    FIVE,
    KINDS,
    LANGUAGES,
    SEGMENTS,
    LabelledPage,
    Score,
    f1_of,
    figures,
    score,
    score_segments,
    segment_figures,
)
from benchmarks.extraction.training import CELLS, OUTER_FOLDS, Blocks, cell_of, matrix, train
from benchmarks.measuring import version
from simhash_doc_extraction import extract
from simhash_doc_extraction.encoding import decode
from simhash_doc_extraction.html.blocks import joined
from simhash_doc_extraction.html.classifier import UNIT
from simhash_doc_extraction.html.main_text import CORRECTIONS, Correction, decide
from simhash_doc_extraction.html.reader import read_part
from simhash_doc_extraction.html.tree import Integers

Extractor = Callable[[bytes], str]
Rows = dict[str, Score]
"""Type of page -> its figures."""
Texts = list[tuple[LabelledPage, str]]
"""Pages, and the texts that were taken from them."""

OURS, BY_RULE = "simhash_doc", "simhash_doc, a rule in place of the classifier"
WHOLE = "the complete page"
SEEDS = range(3)
_SENTENCE, _LINKED = 40, 1 / 3
"""Characters, and share of links among them, in the rule: the best of three lengths on four of the outer folds."""


def validate(pages: list[LabelledPage], labelled: list[Example], blocks: Blocks) -> dict[str, Any]:
    """Return the figures of this project and of others by type of page, and the median time of a page."""
    gc.freeze()  # the examples do not slow down what is measured
    found: dict[str, Any] = {}
    with_blocks = {example.labelled for example in labelled}
    empty = [(page, "") for page in pages if page not in with_blocks]
    extractors = web_page_extractors()
    times = milliseconds(extractors, pages)
    for name, take in extractors.items():
        if name == OURS:
            rows = cross_validated(empty, labelled, blocks)
        else:
            rows = _by_type([(page, taken(take, page.path.read_bytes())) for page in pages])
        found[name] = {**rows, "median_ms": times[name]}
    by_rule = [(example.labelled, _decided(example, _sums_of_rule(example))) for example in labelled]
    return {**found, BY_RULE: _by_type(empty + by_rule)}


def _sums_of_rule(example: Example) -> Integers:
    """Return sums that are high for headings of pages and for texts as long as a sentence with few links."""
    columns = example.columns
    is_text = (columns["characters"] >= _SENTENCE) & (columns["link_share"] < _LINKED)
    return np.where(is_text | (columns["heading_level"] == 1), 2 * UNIT, -2 * UNIT).astype(np.int64)


def _decided(example: Example, sums: Integers, corrections: Sequence[Correction] = CORRECTIONS) -> str:
    kept = decide(example.page, sums, example.columns, corrections).kept
    return joined(text for text, keep in zip(example.page.texts, kept, strict=True) if keep)


def cross_validated(empty: Texts, labelled: list[Example], blocks: Blocks) -> Rows:
    """Return the means over the seeds of the figures of the outer folds, and as `_spread` their standard deviations."""
    texts = [list(empty) for _ in SEEDS]
    judged: list[tuple[Example, Integers]] = []
    for number in range(OUTER_FOLDS):
        training = [cell for cell in range(CELLS) if cell % OUTER_FOLDS != number]
        tested = [example for example in labelled if cell_of(example) % OUTER_FOLDS == number]
        for seed in SEEDS:
            booster = train(blocks, training, seed)
            for example in tested:
                sums = UNIT * np.asarray(booster.predict(matrix(example, blocks.names), raw_score=True))
                texts[seed].append((example.labelled, _decided(example, sums.round().astype(np.int64))))
                if seed == SEEDS[0] and example.labelled.text:
                    judged.append((example, sums.round().astype(np.int64)))
    print(f"worth of each correction: {worth(judged)}")
    each = [_by_type(some) for some in texts]
    return {
        kind: {
            **{name: round(mean(rows[kind][name] for rows in each), 4) for name in row},
            **{f"{name}_spread": round(stdev(rows[kind][name] for rows in each), 4) for name in row if name != "pages"},
        }
        for kind, row in each[0].items()
    }


def worth(judged: list[tuple[Example, Integers]]) -> Score:
    """Return by how much the mean F1 of pages falls without each correction."""

    def f1(corrections: Sequence[Correction]) -> float:
        texts = ((example.labelled, _decided(example, sums, corrections)) for example, sums in judged)
        return mean(f1_of(text, page) for page, text in texts)

    complete = f1(CORRECTIONS)
    return {
        one.rule: round(complete - f1([other for other in CORRECTIONS if other is not one]), 4) for one in CORRECTIONS
    }


def web_page_extractors() -> dict[str, Extractor]:
    """Return the installed extractors of web pages by name."""
    extractors: dict[str, Extractor] = {OURS: lambda data: extract(data).text, WHOLE: read_part}
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


def milliseconds(extractors: dict[str, Extractor], pages: list[LabelledPage]) -> dict[str, float]:
    """Return the median of the CPU time of every tenth page, which all libraries read before the next."""
    seconds = defaultdict(list)
    for page in pages[::10]:
        data = page.path.read_bytes()
        for name, take in extractors.items():
            start = time.process_time()
            taken(take, data)
            seconds[name].append(time.process_time() - start)
    return {name: round(1000 * median(found), 1) for name, found in seconds.items()}


def _by_type(texts: Texts) -> Rows:
    scores = defaultdict(list)
    segments = Counter[str]()
    for page, text in sorted(texts, key=lambda pair: str(pair[0].path)):
        if page.type == SEGMENTS:
            segments.update(score_segments(text, page))
        else:
            scores[page.type].append(score(text, page))
    scores[ALL] = [found for kind in KINDS for found in scores[kind]]
    scores[FIVE] = [found for language in LANGUAGES for found in scores[language]]
    return {**{kind: figures(some) for kind, some in scores.items()}, SEGMENTS: segment_figures(segments)}
