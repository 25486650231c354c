"""Training of the classifier of web pages: it is deterministic, and no site is on both sides of a fold."""

from __future__ import annotations

import html
import json
import re
from itertools import product
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("lightgbm")
pytest.importorskip("rapidfuzz")

from benchmarks.extraction import training
from benchmarks.extraction.composed import composed_examples
from benchmarks.extraction.examples import Example, labelled_examples
from benchmarks.extraction.pages import LabelledPage, load_readability
from simhash_doc_extraction.html.classifier import Classifier, Node
from tests.extraction.articles import ARTICLES
from tests.extraction.designs import DESIGNS


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> list[Example]:
    folder = tmp_path_factory.mktemp("pages")
    pages = []
    for number, (design, (title, body)) in enumerate(product(DESIGNS.values(), ARTICLES.values())):
        path = folder / f"{number}.html"
        path.write_text(design(title, body), encoding="utf-8")
        text = html.unescape(re.sub("<[^>]*>", " ", f"{title} {body}"))
        pages.append(LabelledPage(str(number), "article", path, f"{number}.example", text))
    return list(labelled_examples(pages))


def test_training_twice_writes_the_same_table(examples: list[Example], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "ROUNDS", 10)
    monkeypatch.setitem(training.PARAMETERS, "min_sum_hessian_in_leaf", 0.5)
    blocks = training.Blocks(examples, list(composed_examples(examples, 10, 0.4, 1)))
    tables = [training.table(training.train(blocks, range(training.CELLS))) for _ in range(2)]
    assert tables[0] == tables[1]
    data = json.loads(tables[0])
    trees = [[Node(*node) for node in tree["nodes"]] for tree in data["trees"]]
    classifier = Classifier(data["features"], trees, [tree["leaves"] for tree in data["trees"]])
    last = examples[-1]
    sums = classifier.sums(last.columns)
    assert sums[last.labels].mean() > sums[~last.labels].mean()


def test_a_composed_page_belongs_to_the_site_of_its_article(examples: list[Example]) -> None:
    composed = list(composed_examples(examples, 5, 0.4, 1))
    assert composed
    assert {example.labelled.site for example in composed} <= {example.labelled.site for example in examples}


def test_thinning_keeps_the_sum_of_the_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "ROWS", 2000)
    weights = np.random.default_rng(2).exponential(size=20_000)
    rows, kept = training._thinned(np.arange(20_000), weights, np.random.default_rng(3))
    assert len(rows) == pytest.approx(2000, rel=0.1)
    assert kept.sum() == pytest.approx(weights.sum(), rel=0.1)
    assert (kept >= weights[rows] - 1e-9).all()


def test_pages_of_readability_without_an_address_are_one_site(tmp_path: Path) -> None:
    heads = {
        "a": '<link rel="canonical" href="https://news.example.co.uk/1">',
        "b": '<meta property="og:url" content="https://www.example.org/2">',
        "c": "",
        "d": "",
    }
    (tmp_path / "pages").mkdir()
    for name, head in heads.items():
        (tmp_path / f"pages/{name}.html").write_text(f"<head>{head}</head><p>Text", encoding="utf-8")
    labels = {name: {"title": "", "text": "Text", "lang": None} for name in heads}
    (tmp_path / "labels.json").write_text(json.dumps(labels), encoding="utf-8")
    sites = [page.site for page in load_readability(tmp_path)]
    assert sites == ["example.co.uk", "example.org", "readability", "readability"]
