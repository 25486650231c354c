"""The classifier of blocks: its fast evaluation, its features and its explanation."""

from __future__ import annotations

import numpy as np
import pytest

from simhash_doc.extract import extract
from simhash_doc.extract.html.classifier import Classifier, load_classifier
from tests.extract.articles import ARTICLES
from tests.extract.designs import DESIGNS


def walked(classifier: Classifier, values: dict[str, float]) -> int:
    """Return the sum of one block, found by walking each tree from its root."""
    total = 0
    for nodes, leaves in zip(classifier.model.trees, classifier.model.leaves, strict=True):
        position = 0
        while position >= 0:
            node = nodes[position]
            is_left = values[classifier.model.features[node.feature]] <= node.threshold
            position = node.left if is_left else node.right
        total += leaves[~position]
    return total


def test_sums_are_those_of_walking_each_tree() -> None:
    classifier = load_classifier()
    thresholds = {name: [0.0] for name in classifier.model.features}
    for nodes in classifier.model.trees:
        for node in nodes:
            thresholds[classifier.model.features[node.feature]].append(node.threshold)
    generator = np.random.default_rng(5)
    shift = generator.integers(-1, 2, size=(len(thresholds), 700)) * 0.01
    columns = {
        name: generator.choice(values, 700) + moved
        for (name, values), moved in zip(thresholds.items(), shift, strict=True)
    }
    expected = [walked(classifier, {name: column[row] for name, column in columns.items()}) for row in range(700)]
    assert classifier.sums(columns).tolist() == expected


def test_an_explanation_gives_every_block_and_agrees_with_the_text() -> None:
    page = DESIGNS["portal"](*ARTICLES["lighthouse"]).encode()
    explained = extract(page, explain=True)
    assert explained.text == extract(page).text == "\n\n".join(b.text for b in explained.blocks if b.kept)
    (advert,) = [block for block in explained.blocks if block.text.startswith("Advertisement")]
    assert not advert.kept
    assert advert.reasons


def test_contributions_add_up_to_the_score(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simhash_doc.extract.html.main_text._REASONS", 1000)
    page = DESIGNS["blog"](*ARTICLES["bread"]).encode()
    model = load_classifier().model
    base = sum(nodes[0].value for nodes in model.trees)
    for decision in extract(page, explain=True).blocks:
        total = base + sum(effect for _, _, effect in decision.reasons)
        assert decision.score == pytest.approx(1 / (1 + np.exp(-total)), abs=0.01)


def test_a_page_with_too_many_blocks_is_separated_by_the_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simhash_doc.extract.html.main_text.MOST_BLOCKS", 50)
    page = b"<nav><p>menu</p></nav><main><h1>Words</h1>" + b"<p>of a page" * 60 + b"</main>"
    extracted = extract(page)
    assert extracted.text.count("of a page") == 60
    assert "menu" not in extracted.text
