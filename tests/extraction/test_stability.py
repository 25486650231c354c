"""The text of a page does not change with what is beside its document: banners, footers, names, wrappers."""

from __future__ import annotations

import re

import numpy as np
import pytest

from benchmarks.extraction.noise import EDITS, HASHED, KINDS, edited, unchanged, variant
from simhash_doc import fingerprint
from simhash_doc_extraction import extract
from simhash_doc_extraction.html.blocks import read_page
from simhash_doc_extraction.html.features import Columns, features_of
from simhash_doc_extraction.html.metadata import read_metadata
from simhash_doc_extraction.html.rules import find_boilerplate
from simhash_doc_extraction.html.tree import parse_page
from tests.extraction.articles import ARTICLES
from tests.extraction.designs import DESIGNS

DONORS = [
    "The clerk of the town entered the cost in the book, and the council paid half of it.",
    "Nine pairs of swans were counted between the two bridges on the first day of the year.",
    "A retired watchmaker repaired the clock of the tower without pay, in eleven evenings.",
]
TITLE, BODY = ARTICLES["bread"]
TEXT = f"{TITLE} {re.sub(r'<[^>]*>', ' ', BODY)}"


PAGES = {name: unchanged(design(TITLE, BODY)) for name, design in DESIGNS.items()}
CUT = ("consent", "consent, hashed", "sign-up in the document", "sign-up after it", "share", "related links", "menu",
       "comments", "author", "footer element")  # fmt: skip
NAMED = [kind for kind in KINDS if not kind.endswith(HASHED) and kind != "all names hashed"]
"""Without a name, the comments of a blog are not known as such."""
MADE = [kind for kind in KINDS if kind != "no declarations"]  # our pages declare nothing


def features(page: str) -> Columns:
    tree = parse_page(page.encode())
    found = read_page(tree)
    return features_of(found, read_metadata(tree), find_boilerplate(found))


def text_of(page: str) -> str:
    return extract(page.encode()).text


@pytest.mark.parametrize("kind", CUT)
@pytest.mark.parametrize("design", DESIGNS)
def test_what_is_cut_changes_no_feature_of_the_rest(kind: str, design: str) -> None:
    before = features(PAGES[design])
    changed = variant(PAGES[design], TEXT, [kind], DONORS)
    assert changed is not None
    after = features(changed)
    assert [name for name in before if not np.array_equal(before[name], after[name])] == []


@pytest.mark.parametrize("design", DESIGNS)
def test_a_misleading_name_of_most_paragraphs_says_nothing(design: str) -> None:
    changed = variant(PAGES[design], TEXT, ["misleading class of its paragraphs"], DONORS)
    assert changed is not None
    before, after = features(PAGES[design]), features(changed)
    names = [f"{role}_distance" for role in ("comment", "signup", "consent", "related")] + ["level0_siblings"]
    assert [name for name in names if not np.array_equal(before[name], after[name])] == []


@pytest.mark.parametrize("kind", NAMED)
def test_noise_beside_a_document_changes_no_bit(kind: str) -> None:
    changed = {name: variant(page, TEXT, [kind], DONORS) for name, page in PAGES.items()}
    bits = {
        name: fingerprint(text_of(PAGES[name])).distance(fingerprint(text_of(page)))
        for name, page in changed.items()
        if page is not None
    }
    assert set(bits.values()) <= {0}, bits


@pytest.mark.parametrize("kind", MADE)
def test_a_variant_differs_from_its_page_and_holds_its_document(kind: str) -> None:
    found = [page for name in PAGES if (page := variant(PAGES[name], TEXT, [kind], DONORS)) and page != PAGES[name]]
    assert found
    sentences = [line for line in re.sub(r"<[^>]*>", "\n", BODY).splitlines() if line.strip()]
    for page in found:
        assert [line for line in sentences if line not in page] == []


@pytest.mark.parametrize("kind", EDITS)
def test_an_edit_of_a_document_is_seen(kind: str) -> None:
    for page in PAGES.values():
        changed = edited(page, TEXT, kind, DONORS)
        assert changed is not None
        assert text_of(changed) != text_of(page)


REMARKS = "".join(f"<div class='remark'><p>{donor}</p></div>" for donor in DONORS)
PLAIN = {
    "short paragraphs": "<h1>The ferry sails again</h1>" + "<p>The ferry of the valley sails again from Monday on.</p>" * 30,
    "Chinese news": f"<h1>老书店重新开门</h1><p>{'城北的老书店在上个月重新开门，门口排起了长队。' * 5}</p>",
    "list": "<h1>Mills</h1><ul>" + "".join(f"<li><a href=/{n}>Mill {n} at the upper brook</a></li>" for n in range(60)) + "</ul>",
    "product": "<h1>Bell</h1><table>" + "".join(f"<tr><td>Part {n}</td><td>{n} kg of bronze</td></tr>" for n in range(60)) + "</table>",
}  # fmt: skip


@pytest.mark.parametrize("name", ["comments", "comment-list", "disqus_thread", "responses"])
@pytest.mark.parametrize("document", PLAIN)
def test_a_few_comments_change_no_feature_of_a_page_without_long_sentences(document: str, name: str) -> None:
    page = "<!doctype html><title>A page of the valley</title><body><main>{}</main>{}</body>"
    comments = f"<section class='{name}'><h3>What readers say</h3>{REMARKS}</section>"
    before, after = features(page.format(PLAIN[document], "")), features(page.format(PLAIN[document], comments))
    assert [key for key in before if not np.array_equal(before[key], after[key])] == []


def test_posts_that_are_named_comments_are_the_document_of_a_page() -> None:
    posts = "".join(f"<div class='comment'><b>Reader {n}</b><p>{n}: {DONORS[n % 3]}</p></div>" for n in range(12))
    text = text_of(f"<title>How old is the clock?</title><h1>How old is the clock?</h1>{posts}")
    assert [n for n in range(12) if f"{n}: {DONORS[n % 3]}" not in text] == []
