"""The classifier of blocks: its fast evaluation, its features, its explanation, and its decision.

Of the sums of blocks, the decision is that with the highest expected F1, and blocks of one kind agree.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_doc_extraction import extract
from simhash_doc_extraction.html import main_text
from simhash_doc_extraction.html.blocks import read_page
from simhash_doc_extraction.html.classifier import UNIT, Classifier, load_classifier, needed_sum, shared_sums
from simhash_doc_extraction.html.features import features_of
from simhash_doc_extraction.html.metadata import Metadata, read_metadata
from simhash_doc_extraction.html.names import FIRST_ROLE, NAMED, ROLES, traits_of
from simhash_doc_extraction.html.rules import find_boilerplate
from simhash_doc_extraction.html.texts import text_features
from simhash_doc_extraction.html.tree import parse_page
from tests.extraction.articles import ARTICLES
from tests.extraction.designs import DESIGNS


def walked(classifier: Classifier, values: dict[str, float]) -> int:
    """Return the sum of one block, found by walking each tree from its root."""
    total = 0
    for nodes, leaves in zip(classifier.trees, classifier.leaves, strict=True):
        position = 0
        while position >= 0:
            node = nodes[position]
            is_left = values[classifier.features[node.feature]] <= node.threshold
            position = node.left if is_left else node.right
        total += leaves[~position]
    return total


def test_sums_are_those_of_walking_each_tree() -> None:
    classifier = load_classifier()
    thresholds = {name: [0.0] for name in classifier.features}
    for nodes in classifier.trees:
        for node in nodes:
            thresholds[classifier.features[node.feature]].append(node.threshold)
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
    assert (advert.kept, advert.rule) == (False, "cut")
    assert all(block.reasons or block.rule == "cut" for block in explained.blocks)


def test_contributions_add_up_to_the_score(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simhash_doc_extraction.html.main_text._REASONS", 1000)
    page = DESIGNS["blog"](*ARTICLES["bread"]).encode()
    model = load_classifier()
    base = sum(nodes[0].value for nodes in model.trees)
    for decision in extract(page, explain=True).blocks:
        if decision.rule == "cut":
            continue
        total = base + sum(effect for _, _, effect in decision.reasons)
        assert decision.score == pytest.approx(1 / (1 + np.exp(-total)), abs=0.01)


def test_a_page_with_too_many_blocks_is_separated_by_the_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simhash_doc_extraction.html.main_text.MOST_BLOCKS", 50)
    page = b"<nav><p>menu</p></nav><main><h1>Words</h1>" + b"<p>of a page" * 60 + b"</main>"
    extracted = extract(page)
    assert extracted.text.count("of a page") == 60
    assert "menu" not in extracted.text


SENTENCE_END = re.compile(r"[.!?…。！？।؟۔](?:(?<=[。！？।؟۔])|(?=[\s\"'”’»)\]]|$))")
TEXTS = st.text("aB7_ .,:。，?!\"')\n\u00a0é漢Σς½٣", min_size=1, max_size=30).filter(
    lambda text: not text[-1].isspace()
)


@given(st.lists(TEXTS, min_size=1, max_size=4), st.lists(st.sampled_from("aB7é"), max_size=4).map(" ".join))
def test_texts_are_measured_as_by_simple_expressions(texts: list[str], title: str) -> None:
    found = text_features(texts, Metadata(title=title))
    wanted = set(re.findall(r"\w+", title.lower()))
    for number, text in enumerate(texts):
        words, own = text.split(), set(re.findall(r"\w+", text.lower()))
        size = len("".join(words)) + 2 * len(re.findall("[。，漢]", text))
        common = len(own & wanted)
        expected = {
            "characters": len("".join(words)),
            "size": size,
            "words": len(words),
            "sentences": len(SENTENCE_END.findall(text)),
            "ends_sentence": SENTENCE_END.search(text, len(text) - 2) is not None,
            "capitals": sum(word[0].isupper() for word in words) / len(words),
            "digits": len(re.findall(r"\d", text)) / len("".join(words)),
            "in_title": common / len(own) * min(1, 2 * common / len(wanted)) if common else 0,
            "copies": texts.count(text),
        }
        assert {name: found[name][number] for name in expected} == expected


def test_only_the_beginning_of_a_long_class_names_roles() -> None:
    others = " ".join(f"x{number}" for number in range(150))
    pages = [parse_page(f'<div class="{value}">'.encode()) for value in (f"sidebar {others}", f"{others} sidebar")]
    first, last = (int(traits_of(page)[page.tags.index("div")]) for page in pages)
    assert first >> FIRST_ROLE == 1 << list(ROLES).index("side")
    assert last >> FIRST_ROLE == 0
    assert first & NAMED == last & NAMED == NAMED


SUMS = st.lists(st.tuples(st.integers(-5 * UNIT, 5 * UNIT), st.integers(1, 3000)), min_size=1, max_size=30)


def expected_f1(chances: list[float], sizes: list[int], kept: list[bool]) -> float:
    """Return the expected size in common, counted twice, by the sum of what is kept and what is expected."""
    common = sum(chance * size for chance, size, keep in zip(chances, sizes, kept, strict=True) if keep)
    wanted = sum(chance * size for chance, size in zip(chances, sizes, strict=True))
    return 2 * common / (sum(size for size, keep in zip(sizes, kept, strict=True) if keep) + wanted)


@given(SUMS)
def test_no_other_sum_gives_a_higher_expected_f1(blocks: list[tuple[int, int]]) -> None:
    sums, sizes = [total for total, _ in blocks], [size for _, size in blocks]
    chances = [1 / (1 + np.exp(-total / UNIT)) for total in sums]
    needed = needed_sum(np.array(sums, dtype=float), np.array(sizes, dtype=float))
    assert needed <= 0
    best = max(expected_f1(chances, sizes, [total >= limit for total in sums]) for limit in sums)
    found = [expected_f1(chances, sizes, [total >= limit for total in sums]) for limit in sums if limit <= needed]
    if needed < 0:
        assert max(found) == pytest.approx(best)


@given(SUMS)
def test_a_block_without_others_of_its_kind_keeps_its_sum(blocks: list[tuple[int, int]]) -> None:
    sums, sizes = np.array([total for total, _ in blocks]), np.array([size for _, size in blocks], dtype=float)
    assert shared_sums(sums, np.arange(len(blocks)), sizes).tolist() == sums.tolist()


def test_a_block_among_many_of_its_kind_moves_most_of_the_way_to_their_mean() -> None:
    sums, sizes = np.array([-UNIT, *[UNIT] * 90, -3 * UNIT]), np.ones(92)
    shared = shared_sums(sums, np.array([1] * 91 + [2]), sizes)
    assert 0 < shared[0] < shared[1] < UNIT
    assert shared[-1] == -3 * UNIT


@pytest.mark.parametrize("mark", ["style='display: none'", "hidden", "aria-hidden=true"])
def test_a_panel_that_readers_open_is_not_hidden(mark: str) -> None:
    panel = f"<div class='accordion-content' {mark}><p>The answer is in a panel that opens, and it is long enough.</p></div>"
    menu = f"<div class='menu-accordion' {mark}><p>A menu that opens.</p></div>"
    page = DESIGNS["documentation"](*ARTICLES["bread"])
    first, separator, rest = page.partition("</p>")
    text = extract((first + separator + panel + menu + rest).encode()).text
    assert "The answer is in a panel" in text
    assert "A menu" not in text


@pytest.mark.parametrize("label", ["About the author", "Next article", "Nächster Beitrag", "Article suivant"])
def test_a_box_is_left_out_with_its_label(label: str) -> None:
    title, article = ARTICLES["bread"]
    box = f"<div><h3>{label}</h3><p>Ann Miller writes about mills, ditches and stubborn people, and lives in a boat.</p></div>"
    page = f"<title>{title}</title><article><h1>{title}</h1>{box}{article}</article>"
    assert "stubborn people" not in extract(page.encode()).text


def is_kept(page: str, sums: dict[str, int]) -> dict[str, bool]:
    """Return whether blocks are kept, given the beginnings of some of them with their sums. The others are sure."""
    tree = parse_page(page.encode())
    blocks = read_page(tree)
    columns = features_of(blocks, read_metadata(tree), find_boilerplate(blocks))
    numbers = {name: number for number, text in enumerate(blocks.texts) for name in sums if text.startswith(name)}
    totals = np.full(len(blocks.texts), 4 * UNIT)
    for name, number in numbers.items():
        totals[number] = sums[name]
    kept = main_text.decide(blocks, totals, columns).kept
    return {name: kept[number] for name, number in numbers.items()}


@pytest.mark.parametrize("first", [True, False])
def test_a_line_beside_an_article_needs_a_higher_sum(first: bool) -> None:
    title, article = ARTICLES["bread"]
    line = "<div class=q><p>Nobody in the valley had baked with this flour.</p></div>"
    content = f"<h1>{title}</h1><div>{article}</div>"
    page = f"<title>{title}</title>{line}{content}" if first else f"<title>{title}</title>{content}{line}"
    assert is_kept(page, {"Nobody in": 80_000}) == {"Nobody in": True}
    assert is_kept(page, {"Nobody in": 79_999}) == {"Nobody in": False}


@pytest.mark.parametrize("sentences", [3, 5, 20])
def test_an_article_is_a_large_part_of_the_likely_text_of_its_page_and_need_not_be_long(sentences: int) -> None:
    title, text = "A loaf for patient people", "The miller found a sack of old flour. " * sentences
    line = "<div class=q><p>Nobody in the valley had baked with this flour.</p></div>"
    for others, kept in ((1, False), (12, True)):
        offers = [f"{chr(ord('A') + number)} offer" for number in range(others)]
        beside = "".join(f"<p class=o>{offer}: {text}</p>" for offer in offers)
        page = (
            f"<title>{title}</title>{line}<h1>{title}</h1><div><p>{text}</p><p>So {text}</p></div><div>{beside}</div>"
        )
        sums = dict.fromkeys(offers, 100_000)
        assert is_kept(page, {"Nobody in": 70_000, **sums}) == {"Nobody in": kept, **dict.fromkeys(offers, True)}


def test_what_repeats_a_text_in_another_form_is_read_once() -> None:
    title, article = ARTICLES["bread"]
    quoted = "Nobody in the valley had baked with this flour for longer than anybody could remember."
    content = f"<div><p>{quoted}</p></div><main>{article}<p>{quoted}</p><p>{quoted}</p></main>"
    tree = parse_page(f"<title>{title}</title><body><h1>{title}</h1>{content}</body>".encode())
    page = read_page(tree)
    columns = features_of(page, read_metadata(tree), find_boilerplate(page))
    kept = main_text.decide(page, np.full(len(page.texts), 4 * UNIT), columns).kept
    assert [keep for keep, text in zip(kept, page.texts, strict=True) if text == quoted] == [True, False, False]


WHOLE = re.compile(r"level\d_|.*_distance")


def test_every_feature_is_read() -> None:
    """By a tree, or by the rules that correct the decision; those of a level or of all roles are computed as a whole."""
    tree = parse_page(DESIGNS["blog"](*ARTICLES["bread"]).encode())
    page = read_page(tree)
    rules = Path(main_text.__file__).read_text(encoding="utf-8")
    unread = features_of(page, read_metadata(tree), find_boilerplate(page)).keys() - set(load_classifier().features)
    assert [name for name in unread if f'"{name}"' not in rules and not WHOLE.match(name)] == []
