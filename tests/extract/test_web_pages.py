from __future__ import annotations

import re
from itertools import combinations

import pytest

from simhash_doc import fingerprint
from simhash_doc.extract import NoText, extract
from tests.extract.articles import ARTICLES
from tests.extract.designs import DESIGNS


def text(page: str) -> str:
    return extract(page.encode()).text


def words(value: str) -> list[str]:
    return re.findall(r"\w+", value)


@pytest.mark.parametrize("article", ARTICLES)
def test_another_design_round_the_same_article_moves_at_most_three_bits(article: str) -> None:
    prints = {name: fingerprint(text(design(*ARTICLES[article]))) for name, design in DESIGNS.items()}
    distances = {(a, b): prints[a].distance(prints[b]) for a, b in combinations(prints, 2)}
    assert max(distances.values()) <= 3, distances


@pytest.mark.parametrize("article", ARTICLES)
@pytest.mark.parametrize("design", DESIGNS)
def test_every_word_of_the_article_is_kept(article: str, design: str) -> None:
    title, body = ARTICLES[article]
    kept = words(text(DESIGNS[design](title, body)))
    wanted = words(title + " " + re.sub(r"<[^>]*>", " ", body))
    assert [word for word in set(wanted) if kept.count(word) < wanted.count(word)] == []


@pytest.mark.parametrize(
    ("part", "kept"),
    [
        ("<figure><img alt='not shown'><figcaption>A caption</figcaption></figure>", "A caption"),
        ("<table><tr><th>Head</th><td>one</td></tr><tr><td>two</td></tr></table>", "Head\n\none\n\ntwo"),
        ("<blockquote><p>Quoted</p><footer>Its author</footer></blockquote>", "Quoted\n\nIts author"),
        ("<section class='footnotes'><ol><li><a href='/a'>A. One. A title</a></li></ol></section>", "A. One. A title"),
        ("<pre>def f():\n    return 1\n</pre>", "def f():\n    return 1"),
        ("<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>字", "漢字"),
        ("<h2><button aria-expanded='true'>What is a buoy?</button></h2>", "What is a buoy?"),
        ("<aside>A remark beside the text that belongs to it.</aside>", "A remark beside the text that belongs to it."),
        (
            "<p>a note<sup><a href='#1'>12</a></sup> and m<sup>2</sup> and H<sub>2</sub>O</p>",
            "a note 12 and m2 and H2O",
        ),
        ("<p>中文的\n    一句话</p>", "中文的一句话"),
        (r"<span class='math'>\(\frac{a}{b} + x_{i}\)</span>", "ab + xi"),
    ],
)
def test_kept_in_the_text(part: str, kept: str) -> None:
    article = "<p>" + "Words of the article stand round the part that is looked at. " * 20 + "</p>"
    found = text(f"<main><h1>Title</h1>{article}<div class='x'>{part}</div>{article}</main>")
    assert found.split("round the part that is looked at.\n\n")[1].split("\n\nWords of")[0] == kept


@pytest.mark.parametrize(
    "part",
    [
        "<nav><p>furniture</p></nav>",
        "<div role=navigation><p>furniture</p></div>",
        "<p hidden>furniture</p>",
        "<p style='color: red; display: none'>furniture</p>",
        "<span aria-hidden=true>furniture</span>",
        "<script>furniture</script>",
        "<style>furniture</style>",
        "<noscript>furniture</noscript>",
        "<svg><text>furniture</text></svg>",
        "<select><option>furniture</select>",
        "<button>furniture</button>",
        "<ul><li><a href=/1>furniture</a></li><li><a href=/2>furniture</a></li></ul>",
        "<div class='post-share'>furniture</div>",
        "<div class='relatedPosts'>furniture</div>",
        "<div id=cookie-notice>furniture</div>",
        "<form><p>furniture</p><input><button>go</button></form>",
        "<!-- furniture -->",
    ],
)
def test_left_out_of_the_text(part: str) -> None:
    article = "<p>" + "Words of the article stand round the part that is looked at. " * 20 + "</p>"
    assert "furniture" not in text(f"<main><h1>Title</h1>{article}{part}{article}</main>")


@pytest.mark.parametrize("slug", ["cookies", "cookie-store", "navigation", "related-work", "comments", "share"])
def test_a_section_is_no_furniture_for_the_words_of_its_heading(slug: str) -> None:
    section = f"<section id='x-{slug}'><h2 id='{slug}'>{slug}</h2><p>Content of the section.</p></section>"
    assert "Content of the section." in text(f"<body><h1>T</h1><p>{'Something else. ' * 30}</p>{section}</body>")


def test_sections_of_a_document_stay_together_though_one_holds_nearly_all() -> None:
    short = "<div class='sect'><h2>Synopsis</h2><p>How it is called.</p></div>"
    long = f"<div class='sect'><h2>Description</h2>{'<p>What it does, at length.</p>' * 200}</div>"
    assert "How it is called." in text(
        f"<body><div id='header'><h1>git</h1></div><div id='content'>{short}{long}</div>"
    )


def test_a_page_of_which_hardly_anything_would_be_left_is_taken_whole() -> None:
    page = "<body><p>Hello.</p>" + "<div class='widget'><p>What the page has to say stands in widgets.</p></div>" * 30
    extracted = extract(page.encode())
    assert extracted.text.count("stands in widgets") == 30
    assert extracted.warnings


@pytest.mark.parametrize("page", ["<html></html>", "<body><script>x</script></body>", "<p></p>", "<!doctype html>"])
def test_a_page_without_text_is_an_error(page: str) -> None:
    with pytest.raises(NoText):
        extract(page.encode())


XHTML = (
    '<html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head>'
    '<body><p><a id="here"/>Text after k&auml;esoleva an anchor&nbsp;with entities&hellip;</p></body></html>'
)
DOCTYPE = (
    '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">'
)


@pytest.mark.parametrize("before", ["", '<?xml version="1.0"?>', DOCTYPE, f'<?xml version="1.0"?>\n{DOCTYPE}'])
def test_xhtml_keeps_its_entities_and_what_follows_an_empty_element(before: str) -> None:
    assert text(before + XHTML).replace("\xa0", " ") == "Text after käesoleva an anchor with entities…"
