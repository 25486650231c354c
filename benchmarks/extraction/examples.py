"""Examples for training: the blocks of a page with their features, and how much of each is in the text of the page."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.calibration.corpus import CROSS_MEDIA, Document, load
from benchmarks.extraction.noise import KINDS, TRAINED, variant
from benchmarks.extraction.pages import NEWS, LabelledPage, words_of
from benchmarks.extraction.sources import extracted, name_of, original
from simhash_doc_extraction import detect
from simhash_doc_extraction.encoding import decode
from simhash_doc_extraction.html.blocks import Page, read_page
from simhash_doc_extraction.html.features import Columns, features_of
from simhash_doc_extraction.html.metadata import Metadata, read_metadata
from simhash_doc_extraction.html.rules import find_boilerplate
from simhash_doc_extraction.html.tree import Node, Tree, parse_page

KEPT_ATTRIBUTES = frozenset({"href", "src", "style", "hidden", "aria-hidden", "type", "class", "id"})
Numbers = npt.NDArray[np.float64]
_HEADLINE = 0.6  # of the words are in the title
_PART = 20  # characters of a block that is a part of a segment
_MOST_NOISE = 4  # changes of a page
_DONATED, _OF_EACH = 40, 3  # characters of a sentence, and sentences of a page
_LANDMARKS = frozenset("nav header footer aside main article section".split())


@dataclass(frozen=True, slots=True)
class Example:
    """The blocks of one page.

    Attributes:
        columns: the features of the blocks.
        page: the page.
        words: number of words of each block.
        matched: the share of its words that are, in this order, in the text of the page; NaN if that is not known.
        labelled: the page and its label.
        weight: weight of the page.
    """

    columns: Columns
    page: Page
    words: Numbers
    matched: Numbers
    labelled: LabelledPage
    weight: float = 1.0

    @property
    def labels(self) -> npt.NDArray[np.bool_]:
        """Whether each block belongs to the document."""
        return self.matched > 0.5


def labelled_examples(pages: list[LabelledPage]) -> Iterator[Example]:
    """Yield an example for each labelled page with text."""
    for page in pages:
        tree = parse_page(page.path.read_bytes())
        if example := _example(tree, read_metadata(tree), page, 1.0):
            yield example


def anonymous_examples(pages: list[LabelledPage], weight: float) -> Iterator[Example]:
    """Yield an example for each labelled page without the names and landmarks that its author gave to its parts."""
    for page in pages:
        tree = _anonymized(parse_page(page.path.read_bytes()), random.Random(page.id))
        if example := _example(tree, Metadata(), page, weight):
            yield example


def noisy_examples(pages: list[LabelledPage], donors: dict[str, list[str]], weight: float) -> Iterator[Example]:
    """Yield an example for each labelled page with noise added: boxes, other names, wrappers.

    Args:
        pages: labelled pages.
        donors: for each type of page sentences of others.
        weight: weight of a page.
    """
    for page in pages:
        rng = random.Random(page.id)
        source = decode(page.path.read_bytes(), markup=True)[0]
        kinds = rng.sample(KINDS, rng.randint(1, _MOST_NOISE))
        source = variant(source, page.text, kinds, donors[page.type], phrases=TRAINED) or source
        tree = parse_page(source.encode("utf-8", "replace"))
        if example := _example(tree, read_metadata(tree), page, weight):
            yield example


def donors_of(pages: list[LabelledPage]) -> dict[str, list[str]]:
    """Return for each type of page the sentences of its documents, which can be prose of boxes on other pages."""
    found: dict[str, list[str]] = {}
    for page in pages:
        lines = [line.strip() for line in page.text.splitlines() if len(line) > _DONATED]
        found.setdefault(page.type, []).extend(lines[1 : 1 + _OF_EACH])
    return found


def corpus_examples(folder: Path, weight: float) -> Iterator[Example]:
    """Yield an example for each web page of half of the corpus that has a version in another format, its label.

    If the other version is a web page too, it is not used: a label must not depend on an earlier classifier.
    """
    corpus = load(folder)
    seen = set()
    for pair in corpus.pairs:
        if pair.relation != CROSS_MEDIA or pair.hard or int(sha256(pair.group.encode()).hexdigest(), 16) % 2:
            continue
        for name, other in ((pair.a, pair.b), (pair.b, pair.a)):
            document, label = corpus.documents[name], corpus.documents[other]
            if name in seen or not _is_page(document) or _is_page(label):
                continue
            seen.add(name)
            tree = parse_page(original(document))
            page = LabelledPage(name, "corpus", Path(), pair.group, extracted(label))
            if example := _example(tree, read_metadata(tree), page, weight):
                yield example


def _is_page(document: Document) -> bool:
    return bool(document.orig) and detect(original(document), name_of(document)) == "html"


def written_example(page: str, text: str, site: str, weight: float) -> Example | None:
    """Return the example of a page that was composed around a text."""
    tree = parse_page(page.encode())
    return _example(tree, read_metadata(tree), LabelledPage("", "composed", Path(), site, text), weight)


def _example(tree: Tree, metadata: Metadata, labelled: LabelledPage, weight: float) -> Example | None:
    page = read_page(tree)
    if not page.texts:
        return None
    words, matched = _match(page.texts, labelled.text) if labelled.text else _match_segments(page.texts, labelled)
    columns = features_of(page, metadata, find_boilerplate(page))
    if labelled.type == NEWS:  # the label leaves out the headline, and often captions
        matched[(columns["in_title"] > _HEADLINE) | (columns["heading_level"] == 1)] = np.nan
        matched[tree.within(tree.having({"figure"}))[page.elements[page.owners]]] = np.nan
    return Example(columns, page, words, matched, labelled, weight)


def _match_segments(blocks: list[str], labelled: LabelledPage) -> tuple[Numbers, Numbers]:
    """Return the number of words of each block, and 1, 0 or NaN: it holds a wanted or unwanted segment, or neither."""
    words = np.array([float(len(words_of(block))) for block in blocks])
    matched = np.full(len(blocks), np.nan)
    for number, block in enumerate(blocks):
        text = " ".join(block.split())
        wanted = any(segment in text or (len(text) > _PART and text in segment) for segment in labelled.wanted)
        unwanted = any(segment in text or (len(text) > _PART and text in segment) for segment in labelled.unwanted)
        if wanted != unwanted:
            matched[number] = float(wanted)
    return words, matched


def _match(blocks: list[str], text: str) -> tuple[Numbers, Numbers]:
    """Return the number of words of each block, and the share of them in the longest common subsequence."""
    from rapidfuzz.distance import LCSseq  # of the extra `bench`, and not needed to make variants of pages

    numbers: dict[str, int] = {}
    owners: list[int] = []
    words: list[int] = []
    for number, block in enumerate(blocks):
        for word in words_of(block):
            words.append(numbers.setdefault(word, len(numbers)))
            owners.append(number)
    wanted = [numbers.setdefault(word, len(numbers)) for word in words_of(text)]
    count = np.bincount(owners, minlength=len(blocks)).astype(float)
    matched = np.zeros(len(blocks))
    for step in LCSseq.opcodes(words, wanted):
        if step.tag == "equal":
            np.add.at(matched, owners[step.src_start : step.src_end], 1)
    return count, matched / np.maximum(count, 1)


def _anonymized(tree: Tree, rng: random.Random) -> Tree:
    names: dict[str, str] = {}

    def anonymous(word: str) -> str:
        return names.setdefault(word, "c" + "".join(rng.choices("bcdfgxz0123456789", k=6)))

    nodes: list[Node] = []
    for parent, tag, values, text in tree.as_nodes():
        values = {
            name: " ".join(map(anonymous, value.split())) if name in ("class", "id") else value
            for name, value in values.items()
            if name in KEPT_ATTRIBUTES
        }
        nodes.append((parent, "div" if tag in _LANDMARKS and rng.random() < 0.9 else tag, values, text))
    return Tree.of(nodes)
