from __future__ import annotations

import random
import re
from itertools import combinations

import pytest

from simhash_doc import fingerprint
from simhash_doc_extraction import NoTextError, extract
from simhash_doc_extraction.html.names import NAMED, traits_of
from simhash_doc_extraction.html.tree import parse_page
from tests.extraction.articles import ARTICLES
from tests.extraction.designs import DESIGNS


def text(page: str) -> str:
    return extract(page.encode()).text


def words(value: str) -> list[str]:
    return re.findall(r"\w+", value)


@pytest.mark.parametrize("article", ARTICLES)
def test_another_design_around_the_same_article_changes_at_most_three_bits(article: str) -> None:
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


_SUBJECTS = "harbour bridge market orchard station museum valley winter festival council".split()
_VERBS = "reopens after repairs|asks for volunteers|loses its oldest tree|changes its opening hours|plans a new road"


def teasers(rng: random.Random) -> str:
    """Return a deck of teasers of other pages: a picture, a headline, a sentence and a date each, in one of designs."""
    tag, level, name = rng.choice(["div", "li", "article"]), rng.choice([2, 3, 4]), rng.choice("abcdefgh")
    items = []
    for number in range(rng.randint(5, 12)):
        headline = f"The {rng.choice(_SUBJECTS)} {rng.choice(_VERBS.split('|'))}"
        blurb = (
            f"<p>People near the {rng.choice(_SUBJECTS)} heard of it on {rng.choice(['Monday', 'Friday'])} first.</p>"
        )
        date = f"<time>{rng.randint(1, 28)} March 2021</time>" if rng.random() < 0.5 else ""
        link = f"<h{level}><a href='/{number}'>{headline}</a></h{level}>"
        items.append(f"<{tag} class='x-{name}'><img src=a.jpg>{link}{blurb}{date}</{tag}>")
    inner = "".join(items)
    heading = rng.choice(["<h2>Latest stories</h2>", "<h3>More from this section</h3>", "<div>Also today</div>"])
    return f"<div class='y-{name}'>{heading}{f'<ul>{inner}</ul>' if tag == 'li' else inner}</div>"


@pytest.mark.parametrize("article", ARTICLES)
def test_five_decks_of_teasers_around_an_article_give_one_text(article: str) -> None:
    title, body = ARTICLES[article]
    main = f"<div class='z'><h1>{title}</h1>{body}</div>"
    alone = text(f"<html><head><title>{title}</title></head><body>{main}</body></html>")
    for seed in range(5):
        rng = random.Random(seed)
        page = f"{teasers(rng) if seed % 2 else ''}{main}{teasers(rng)}"
        assert text(f"<html><head><title>{title}</title></head><body>{page}</body></html>") == alone, seed


def test_the_lead_of_an_article_is_kept_although_it_is_apart() -> None:
    title, body = ARTICLES["bread"]
    lead = "Nobody in the valley had baked with this flour for forty years, until a miller found a sack of it."
    menu, end = (
        f"<div><a href=/1>{a}</a> <a href=/2>{b}</a></div>" for a, b in (("News", "Sport"), ("Imprint", "Jobs"))
    )
    meta = "<div class='m'><span>By A. Miller</span><span>4 May 2021</span></div>"
    head = f"<header><h1>{title}</h1><div class='intro'>{lead}</div></header>"
    page = f"<!doctype html><title>{title}</title>{menu}{head}{meta}<div class='b'>{body}</div>{end}"
    assert lead in text(page)
    caption = page.replace("class='intro'", "class='image-caption'")
    assert lead not in text(caption)


def test_names_do_not_remove_the_text_of_a_page_that_is_no_article() -> None:
    services = ["plan new bathrooms", "check your heating every year", "lay pipes for gas and water"]
    services.append("come within two hours in an emergency")
    what = "repair boilers, pumps and pipes in the whole county, and a"
    offers = "".join(
        f"<div class='widget'><h3>We {offer}</h3><p>We {offer}, {what}.</p><a href=/{number}>Details</a></div>"
        for number, offer in enumerate(services)
    )
    menu = "<div><a href=/1>News</a> <a href=/2>Sport</a> <a href=/3>Culture</a></div>"
    end = "<div><a href=/x>Imprint</a> <a href=/y>Contact</a></div>"
    found = text(f"<!doctype html><title>Plumber</title>{menu}<h1>Plumber</h1>{offers}{end}")
    assert [offer for offer in services if f"We {offer}, {what}" not in found] == []


def test_teasers_that_hold_more_prose_than_the_article_are_left_out() -> None:
    title, body = ARTICLES["bread"]
    rng = random.Random(7)
    items = "".join(
        f"<div class='o'><div class='i'><h5><a href='/{number}'>The {rng.choice(_SUBJECTS)} of day {number}</a></h5>"
        f"<div>{'People of the town heard of it on a Friday and were surprised at what it would mean. ' * 3}</div></div></div>"
        for number in range(16)
    )
    page = (
        f"<html><head><title>{title}</title></head><body><div class='z'><h1>{title}</h1>{body}</div><div>{items}</div>"
    )
    assert "surprised at what" not in text(page)


@pytest.mark.parametrize(("class_of_first", "kept"), [("entry-content", False), ("post-text", True)])
def test_comments_on_an_article_are_left_out_and_the_replies_of_a_thread_are_not(
    class_of_first: str, kept: bool
) -> None:
    first = (
        "This quarter we opened the north room of the library, and asked readers what should be next on its shelves. "
    )
    replies = "".join(
        f"<li class='comment'><b>Reader {number}</b><div class='post-text'><p>"
        f"{f'I would begin with the maps of {1800 + number}, since nobody else in the county has a copy of them. ' * 4}"
        "</p></div></li>"
        for number in range(14)
    )
    page = (
        "<head><title>An open letter</title><meta property='og:type' content='article'></head><body><h1>An open letter</h1>"
        f"<div class='{class_of_first}'><p>{first * 4}</p></div><div class='comments-area'><ol>{replies}</ol></div>"
    )
    found = text(page)
    assert first.strip() in found
    assert ("maps of 1805" in found) is kept


def test_a_box_to_subscribe_is_cut_and_not_what_is_around_it() -> None:
    title, article = ARTICLES["bread"]
    sentence = "The lock keeper writes the height of the water on a board."
    box = "<div class=q><h3>Newsletter</h3><p>Get our letter each week.</p><form><input type=email></form></div>"
    found = text(f"<title>{title}</title><h1>{title}</h1>{article}<div class=z><p>{sentence}</p>{box}</div>{article}")
    assert sentence in found
    assert "Newsletter" not in found


def test_a_link_that_counts_the_comments_does_not_hide_where_they_begin() -> None:
    title, article = ARTICLES["bread"]
    comments = "<div class=comment><b>Ann</b><p>I rowed there in March and saw nobody at all.</p></div>" * 3
    count = "<a href='#c' class=comment-count>3</a>"
    page = f"<h1>{title}</h1>{count}<div>{article}</div><div class=commentlist id=c>{comments}</div>"
    assert "rowed there" not in text(page)


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
        (
            "<aside>A remark next to the text that belongs to it.</aside>",
            "A remark next to the text that belongs to it.",
        ),
        (
            "<p>a note<sup><a href='#1'>12</a></sup> and m<sup>2</sup> and H<sub>2</sub>O</p>",
            "a note 12 and m2 and H2O",
        ),
        ("<p>中文的\n    一句话</p>", "中文的一句话"),
        ("<p><span class='mt-2 block'>Ghosts</span><span class=block>of winter</span></p>", "Ghosts of winter"),
        ("<p>The keeper<small class=d-block>left</small>the rock</p>", "The keeper left the rock"),
        (
            "<p><b style='color:red;display: block'>Ghosts</b><i style='DISPLAY:flex'>of</i>winter</p>",
            "Ghosts of winter",
        ),
        ("<p><span style='display:block;float:left'>G</span>hosts<i style='display:inline-block'>s</i></p>", "Ghostss"),
        ("<pre><span style='display:flex'>if a:\n</span><span class=block>    b\n</span></pre>", "if a:\n    b"),
        ("<p>as well as <button class=term>peat</button>, which burns</p>", "as well as peat, which burns"),
        ("<p>as said <button>1</button> and again</p>", "as said and again"),
        ("<map name=m><area href=/a><p>Text in a map</p></map>", "Text in a map"),
        (r"<span class='math'>\(\frac{a}{b} + x_{i}\)</span>", "ab + xi"),
    ],
)
def test_kept_in_the_text(part: str, kept: str) -> None:
    article = "<p>" + "Words of the article surround the part that is tested. " * 20 + "</p>"
    found = text(f"<main><h1>Title</h1>{article}<div class='x'>{part}</div>{article}</main>")
    assert found.split("surround the part that is tested.\n\n")[1].split("\n\nWords of")[0] == kept


@pytest.mark.parametrize(
    "part",
    [
        "<nav><p>boilerplate</p></nav>",
        "<div role=navigation><p>boilerplate</p></div>",
        "<p hidden>boilerplate</p>",
        "<p style='color: red; display: none'>boilerplate</p>",
        "<span aria-hidden=true>boilerplate</span>",
        "<script>boilerplate</script>",
        "<style>boilerplate</style>",
        "<noscript>boilerplate</noscript>",
        "<svg><text>boilerplate</text></svg>",
        "<select><option>boilerplate</select>",
        "<button>boilerplate</button>",
        "<ul><li><a href=/1>boilerplate</a></li><li><a href=/2>boilerplate</a></li></ul>",
        "<div class='post-share'>boilerplate</div>",
        "<div class='relatedPosts'>boilerplate</div>",
        "<div id=cookie-notice>boilerplate</div>",
        "<form><p>boilerplate</p><input><button>go</button></form>",
        "<!-- boilerplate -->",
    ],
)
def test_left_out_of_the_text(part: str) -> None:
    article = "<p>" + "Words of the article surround the part that is tested. " * 20 + "</p>"
    assert "boilerplate" not in text(f"<main><h1>Title</h1>{article}{part}{article}</main>")


@pytest.mark.parametrize("slug", ["cookies", "cookie-store", "navigation", "related-work", "comments", "share"])
def test_a_section_is_not_boilerplate_because_of_its_heading(slug: str) -> None:
    content = "Content of the section. " * 8
    section = f"<section id='x-{slug}'><h2 id='{slug}'>{slug}</h2><p>{content}</p></section>"
    assert "Content of the section." in text(f"<body><h1>T</h1><p>{'Something else. ' * 30}</p>{section}</body>")


@pytest.mark.parametrize(
    "name",
    [
        "content--with-sidebar__main", "recipe has-sidebar", "recipe-template-with-cookbook-ad", "recipe_no_ads",
        "recipe-card-by-cookie-rookie", "card recipe-template-cookies", "entry-category-share", "page without-related",
    ],
)  # fmt: skip
def test_what_a_name_says_about_something_else_does_not_name_an_element(name: str) -> None:
    found = [traits_of(parse_page(f"<div class='{of}'>x</div>".encode())) & NAMED for of in (name, f"{name} related")]
    assert [traits.any() for traits in found] == [False, True]


def test_sections_stay_together_although_one_holds_nearly_all_prose() -> None:
    short = "<div class='sect'><h2>Synopsis</h2><p>How it is called.</p></div>"
    long = f"<div class='sect'><h2>Description</h2>{'<p>What it does, at length.</p>' * 200}</div>"
    assert "How it is called." in text(
        f"<body><div id='header'><h1>git</h1></div><div id='content'>{short}{long}</div>"
    )


def test_a_page_with_hardly_any_main_content_gives_its_complete_text(monkeypatch: pytest.MonkeyPatch) -> None:
    choose = "simhash_doc_extraction.html.reader.choose_blocks"
    monkeypatch.setattr(choose, lambda page, *_, **__: ([number == 0 for number in range(len(page.texts))], ()))
    page = "<body><p>Hello.</p>" + "<p>What the page has to say stands in other paragraphs.</p>" * 30
    extracted = extract(page.encode())
    assert extracted.text.count("stands in other paragraphs") == 30
    assert extracted.warnings


@pytest.mark.parametrize("page", ["<html></html>", "<body><script>x</script></body>", "<p></p>", "<!doctype html>"])
def test_a_page_without_text_is_an_error(page: str) -> None:
    with pytest.raises(NoTextError):
        extract(page.encode())


@pytest.mark.parametrize("first", ["header", "main", "article", "nav", "my-element"])
def test_the_tags_of_head_and_body_can_be_left_out(first: str) -> None:
    title, body = ARTICLES["bread"]
    content = f"<{first}><p>Words before the article.</p></{first}><main><h1>{title}</h1>{body}</main>after it"
    page = f"<html><head><title>{title}</title></head><body>{content}</body></html>"
    assert len(text(page)) > len(title)
    assert text(f"<!doctype html><title>{title}</title>{content}") == text(page)


XHTML = (
    '<html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head>'
    '<body><p><a id="here"/>Text after k&auml;esoleva an anchor&nbsp;with entities&hellip;</p></body></html>'
)
DOCTYPE = (
    '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">'
)


@pytest.mark.parametrize("before", ["", '<?xml version="1.0"?>', DOCTYPE, f'<?xml version="1.0"?>\n{DOCTYPE}'])
def test_xhtml_keeps_entities_and_text_after_empty_elements(before: str) -> None:
    assert text(before + XHTML).replace("\xa0", " ") == "Text after käesoleva an anchor with entities…"


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        ("<title>App</title><div id=root></div><script src=app.js></script>", "a script loads the text of the page"),
        (
            "<title>Forum</title><link as=script rel=preload href=a.js><div></div>",
            "a script loads the text of the page",
        ),
        ("<title>Page not found</title><div id=root></div><script src=a.js></script>", "error page"),
        ("<noscript>You need to enable JavaScript to run this app.</noscript>", "page that needs a script"),
        ("<title>Just a moment...</title><div></div>", "robot check"),
        ("<p></p>", "the page is empty"),
    ],
)
def test_a_page_without_text_says_why(page: str, reason: str) -> None:
    with pytest.raises(NoTextError, match=reason):
        extract(f"<!doctype html>{page}".encode())


def test_a_short_page_that_needs_a_script_has_a_warning() -> None:
    extracted = extract(b"<!doctype html><p>Please enable JavaScript to view this site.")
    assert extracted.warnings == ("no article: page that needs a script",)
