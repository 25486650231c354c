"""References, notes, tables and refrains of an article are in its text; so is an article in `noscript`.

An invitation to another article is not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from html import escape
from itertools import product

import pytest

from simhash_doc_extraction import extract
from tests.extraction.test_hidden import FIRST, PARAGRAPHS, REST, SENTENCES, TWO, missing, page

ARTICLE = "".join(PARAGRAPHS)
ENTRIES = (
    "Okafor, M. Drift of cheap wheels. Notes on Mills 8, 2014.",
    "Brandt, L. (2011). Sluices and their keepers. Second edition.",
    "Parish council. Minutes of the meeting in March, 1911, p. 7.",
    "River Post archive, 4 May 1922.",
)


def without_names(content: str) -> bytes:
    """Return a page without landmarks and names."""
    top = "<div class=a><a href='/'>River Post</a> <a href='/n'>News</a></div>"
    main = f"<div class=b><h1>The mill at the weir</h1>{content}</div>"
    return f"<title>The mill at the weir</title>{top}{main}<div class=c>© River Post</div>".encode()


PAGES: tuple[Callable[[str], bytes], ...] = (page, without_names)
NAMED = (
    "class=references", "class='reflist columns'", "class=footnotes", "role=doc-endnotes", "role='doc-bibliography'",
    "id=references", "class=endnotes", "CLASS='Bibliography'", "class=mw-references-wrap", "epub:type=footnotes",
    "class=wp-block-footnotes", "class=c-article-references", "class=notes", "class='footnote-list'",
)  # fmt: skip
HEADINGS = (
    "References", "Notes and references[edit]", "Footnotes", "5. Bibliography", "Einzelnachweise", "Notes et références",
    "Bibliografía", "Fußnoten", "Примечания", "参考文献", "脚注", "المراجع",
)  # fmt: skip
ENTRY = (
    "<li>{0}</li>",
    "<li><a href='https://x.example/{1}'>{0}</a></li>",
    "<li id=cite_note-{1}><span class=mw-cite-backlink><a href='#r'>^</a></span> <cite class='citation book'>{0}</cite></li>",
)
AROUND = ("<section {0}>{1}<ol>{2}</ol></section>", "{1}<ol {0}>{2}</ol>", "<aside {0}>{1}<ul>{2}</ul></aside>",
          "<footer {0}>{1}<ol>{2}</ol></footer>", "<div><div {0}>{1}<ol>{2}</ol></div></div>")  # fmt: skip


def reference_lists(attributes: str, heading: str) -> Iterator[str]:
    for entry, around in product(ENTRY, AROUND):
        entries = "".join(entry.format(text, number) for number, text in enumerate(ENTRIES))
        yield around.format(attributes, heading, entries)


def lost(content: str, wanted: tuple[str, ...]) -> list[str]:
    texts = [" ".join(extract(made(content)).text.split()) for made in PAGES]
    return [text for text in wanted if not all(text in found for found in texts)]


@pytest.mark.parametrize("name", [NAMED[0], *(pytest.param(name, marks=pytest.mark.slow) for name in NAMED[1:])])
def test_a_list_of_references_that_a_name_marks_is_in_the_text(name: str) -> None:
    for references in reference_lists(name, "<hr>"):
        assert lost(f"{ARTICLE}{references}", ENTRIES) == [], references


@pytest.mark.parametrize(
    "heading", [HEADINGS[0], *(pytest.param(heading, marks=pytest.mark.slow) for heading in HEADINGS[1:])]
)
def test_a_list_of_references_that_its_heading_marks_is_in_the_text(heading: str) -> None:
    for references in reference_lists("", f"<h2>{heading}</h2>"):
        assert lost(f"{ARTICLE}{references}", (heading, *ENTRIES)) == [], references


@pytest.mark.parametrize(
    "part",
    [
        "<div class='field--type-entity-reference'><ul>{}</ul></div>",
        "<nav class=references><ul>{}</ul></nav>",
        "<div class=back-references><h3>Related articles</h3><ul>{}</ul></div>",
        "<div role=dialog><div class=references><ul>{}</ul></div></div>",
        "<div class=related><h2>Related</h2><ul>{}</ul></div>",
    ],
)
def test_links_to_other_articles_are_no_references(part: str) -> None:
    links = "".join(f"<li><a href='/{number}'>Zebrawood story {number}</a></li>" for number in range(4))
    assert "Zebrawood" not in extract(page(ARTICLE + part.format(links))).text


ROWS = "".join(
    f"<tr><td>{year}</td><td>{sacks}</td></tr>" for year, sacks in ((1881, "nine"), (1891, "six"), (1901, "none"))
)
TABLES = {
    "with headings": f"<tr><th>Year</th><th>Sacks</th></tr>{ROWS}",
    "with caption": f"<caption>Sacks by year</caption>{ROWS}",
    "plain": ROWS,
    "with links": "".join(f"<tr><td><a href='/{n}'>Weir {n}</a></td><td>{n + 7}</td></tr>" for n in range(101, 115)),
}


NAMES = ("", "class=infobox", "class=wikitable", "border=1", "class='stats-widget'")


@pytest.mark.parametrize(
    ("rows", "name"),
    [
        pytest.param(rows, name, id=f"{kind}-{name}")
        for kind, rows in TABLES.items()
        for name in NAMES
        if "widget" not in name or kind != "with links"  # then its name and its links say that it is boilerplate
    ],
)
@pytest.mark.parametrize(
    "around", ["{}", "<div class=table-wrapper>{}</div>", "<figure>{}</figure>", "<p></p><div><div>{}</div></div>"]
)
def test_a_table_of_data_is_in_the_text_wherever_it_is_in_the_article(rows: str, name: str, around: str) -> None:
    table = around.format(f"<table {name}>{rows}</table>")
    wanted = tuple(rows.replace("<", " <").replace(">", "> ").split())
    words = tuple(word for word in wanted if word.isalnum())
    for place in (0, 3, 8):
        assert lost("".join([*PARAGRAPHS[:place], table, *PARAGRAPHS[place:]]), words) == [], place


REFRAIN = "And still the wheel goes round and round, and nobody can say for whom it turns."


@pytest.mark.parametrize(
    "part",
    ["<p>{}</p>", "<blockquote><p>{}</p></blockquote>", "<div class=verse>{}</div>", "<ul><li>{}</li></ul>", "<p class=r>{}</p>",
     "<table><tr><th>A</th><td>{}</td></tr></table>", "<pre>{}</pre>", "<h3>{}</h3>"],
)  # fmt: skip
def test_a_refrain_is_in_the_text_as_often_as_on_the_page(part: str) -> None:
    content = "".join(paragraph + part.format(REFRAIN) for paragraph in PARAGRAPHS)
    assert [extract(made(content)).text.count(REFRAIN) for made in PAGES] == [len(PARAGRAPHS)] * 2


@pytest.mark.parametrize("part", ["<div class=lead>{}</div>", "<figure><img><figcaption>{}</figcaption></figure>"])
def test_a_paragraph_that_another_part_of_the_page_repeats_is_read_once(part: str) -> None:
    assert missing(ARTICLE + part.format(SENTENCES[3])) == []


NOSCRIPT = {
    "one": f"<div id='app'></div><noscript>{ARTICLE}</noscript>",
    "one each": "".join(f"<div class='l'></div><noscript>{paragraph}</noscript>" for paragraph in PARAGRAPHS),
    "most": f"{PARAGRAPHS[0]}{PARAGRAPHS[1]}<noscript>{''.join(PARAGRAPHS[2:])}</noscript>",
    "escaped": f"<noscript>{escape(ARTICLE)}</noscript>",
    "escaped each": "".join(f"<noscript>{escape(paragraph)}</noscript>" for paragraph in PARAGRAPHS),
    "escaped in a part": f"<section><noscript> {escape(f'<div>{ARTICLE}</div>')} </noscript></section>",
    "section of characters": f"<noscript><![CDATA[{ARTICLE}]]></noscript>",
}


@pytest.mark.parametrize("content", NOSCRIPT.values(), ids=NOSCRIPT)
@pytest.mark.parametrize("xhtml", [False, True])
def test_an_article_in_noscript_is_read_as_markup(content: str, xhtml: bool) -> None:
    data = page(content).decode()
    if xhtml:
        head = '<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml"'
        data = data.replace("<!doctype html><html lang=en", f'{head} lang="en"')
    text = extract(data.encode()).text
    assert [text.count(sentence) for sentence in SENTENCES] == [1] * len(SENTENCES)
    assert "<" not in text


INVITATIONS = (
    "Read more: {}", "<strong>Related:</strong> {}", "See also: {}", "[Also read {}]", "DON'T MISS {}",
    "Weitere Artikel: {}", "Lire aussi : {}", "Leggi anche: {}", "Lee también: {}", "Читайте также: {}", "おすすめ {}",
)  # fmt: skip


@pytest.mark.parametrize("invitation", INVITATIONS)
def test_an_invitation_to_another_article_is_left_out(invitation: str) -> None:
    line = invitation.format("<a href='/z'>How the zebrawood came to the mills of the north</a>")
    text = extract(page(f"{FIRST}{TWO}<p>{line}</p>{REST}")).text
    assert "zebrawood" not in text
    assert missing(f"{FIRST}{TWO}<p>{line}</p>{REST}") == []


@pytest.mark.parametrize(
    "part",
    [
        "<p>Read more in <a href='/z'>Oak and zebrawood</a>, the book that the parish printed for its school in 1911.</p>",
        "<p>Related trades, such as that of the <a href='/c'>cooper</a>, needed zebrawood from the south as well.</p>",
        "<h2><a href='#r'>Related trades and zebrawood</a></h2>",
    ],
)
def test_a_sentence_or_a_heading_that_begins_like_an_invitation_is_kept(part: str) -> None:
    assert "zebrawood" in extract(page(f"{FIRST}{TWO}{part}{REST}")).text


def declared(content: str, after: str = "") -> bytes:
    """Return a page that says that it is an article, with something after its main element."""
    kind = b"<meta property='og:type' content=article></head>"
    return page(content).replace(b"</head>", kind).replace(b"</main>", b"</main>" + after.encode())


@pytest.mark.parametrize(
    "sentence",
    [
        "Like most millers of her age, she had never written a line about zebrawood on Facebook.",
        "Follow the path along the zebrawood fence on Twitter Street until the river comes in sight again.",
        "Find out how zebrawood came to the mill, and why it never appeared on YouTube.",
        "The society wrote about the zebrawood on Twitter. Nobody answered for a year and two days.",
        "Contact between zebrawood and water was what the author of the plans wanted to prevent.",
    ],
)
def test_a_sentence_about_a_network_is_kept(sentence: str) -> None:
    assert sentence in extract(declared(f"{FIRST}{TWO}<p>{sentence}</p>{REST}")).text


@pytest.mark.parametrize(
    "quotation",
    [
        "<div class='twitter-embed share'><blockquote><p>Zebrawood! <a href='/b'>pic</a></p>Mill, 4 May</blockquote></div>",
        "<blockquote class=pull><p>Share zebrawood</p><cite><a href='/x'>A miller</a></cite></blockquote>",
        "<blockquote class=twitter-tweet><p>We never asked for zebrawood.</p>— Mill <a href='/t'>May 4, 2019</a></blockquote>",
        "<blockquote>Zebrawood, 1911</blockquote>",
        "<blockquote><p>Subscribe to zebrawood</p><footer><cite><a href='/x'>The miller of the weir</a></cite></footer></blockquote>",
        "<div class=related><blockquote><p>Buy no zebrawood!</p><p>Never.</p></blockquote></div>",
        "<figure><blockquote><p>Zebrawood is no wood.</p></blockquote><figcaption>The last owner</figcaption></figure>",
        "<blockquote><blockquote><p>Is it zebrawood?</p></blockquote><p>No.</p></blockquote>",
    ],
)
def test_a_quotation_among_paragraphs_is_in_the_text(quotation: str) -> None:
    for made in (*PAGES, declared):
        text = extract(made(f"{FIRST}{TWO}{quotation}{REST}")).text
        assert "zebrawood" in text.lower(), made


@pytest.mark.parametrize(
    "box",
    [
        "<blockquote><h4>Read also</h4><p><a href='/x'>Zebrawood for all of the mills</a></p></blockquote>",
        "<div class=embed><div class=social><blockquote><p><a href='/b'>Zebrawood at the weir</a></p></blockquote></div></div>",
        "<div class=promo><blockquote><p>Zebrawood letters</p><input type=email><button>Go</button></blockquote></div>",
    ],
)
def test_an_invitation_in_a_quotation_is_left_out(box: str) -> None:
    assert "zebrawood" not in extract(declared(f"{FIRST}{TWO}{box}{REST}")).text.lower()


@pytest.mark.parametrize(
    "part",
    [
        "<aside><ul>{}</ul></aside>", "<aside class='mod x'><div>{}</div></aside>", "<ASIDE id=live><section>{}</section></ASIDE>",
        "<div class=right><aside>{}</aside></div>",
    ],
)  # fmt: skip
def test_an_aside_apart_from_a_declared_article_is_left_out(part: str) -> None:
    entry = (
        "<li><div><a href='/{0}'>1{0}:10</a> Zebrawood.</div><p>A ship with zebrawood came to the harbour in the "
        "morning, and the port says that it will be emptied by Friday, in spite of number {0}.</p></li>"
    )
    live = part.format("".join(entry.format(number) for number in range(8)))
    text = extract(declared("".join(PARAGRAPHS), live)).text
    assert "zebrawood" not in text.lower()
    assert all(sentence in text for sentence in SENTENCES)


@pytest.mark.parametrize("around", ["<aside>{}</aside>", "<aside class=x><div>{}</div></aside>"])
def test_an_aside_that_is_or_holds_part_of_the_article_is_kept(around: str) -> None:
    assert missing_in(declared(around.format(ARTICLE))) == []
    assert missing_in(declared(f"{FIRST}{TWO}{around.format(''.join(PARAGRAPHS[3:5]))}{''.join(PARAGRAPHS[5:])}")) == []
    assert missing_in(page("").replace(b"<main>", b"").replace(b"<article>", around.format(ARTICLE).encode())) == []


def missing_in(data: bytes) -> list[str]:
    text = extract(data).text
    return [sentence for sentence in SENTENCES if sentence not in text]
