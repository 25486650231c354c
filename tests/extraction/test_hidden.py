"""What a reader of a page sees is in its text, whatever hides it at first, and whatever its name is (SD-EXTRACT-5)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from simhash_doc_extraction import extract

SENTENCES = (
    "The mill at the weir ground barley for six villages, and its wheel could be heard from the church on a quiet day.",
    "Its last owner had learned the trade from an aunt, who repaired the sluices herself after every spring flood.",
    "When the railway came, nobody asked whether the mill should stop; the sacks simply became fewer every autumn.",
    "Inspectors counted nine thousand loaves in one week, and the new bakery in the town sold most of them by noon.",
    "A society of painters offered to rent the upper floor, because the light there came from the water below.",
    "The parish discussed the offer for two evenings and postponed the answer, as parishes do when roofs are dear.",
    "In the end it was the school that moved in: children still measure the level of the river on the first of May.",
    "Walkers today look at the painted gate, read the short notice, and rarely see that the wheel turns at night.",
)
PARAGRAPHS = [f"<p>{sentence}</p>" for sentence in SENTENCES]
FIRST, TWO, REST = PARAGRAPHS[0], "".join(PARAGRAPHS[1:3]), "".join(PARAGRAPHS[3:])
SECRET = "The zebrawood notice explains a thing that no reader of this page should ever see."


def page(content: str) -> bytes:
    """Return a page of a newspaper with an article in it."""
    links = "".join(f"<li><a href='/{name}'>{name}</a></li>" for name in ("news", "sport", "weather"))
    return (
        "<!doctype html><html lang=en><head><title>The mill at the weir</title></head><body>"
        f"<header><a href='/'>River Post</a><nav><ul>{links}</ul></nav></header>"
        f"<main><article><h1>The mill at the weir</h1>{content}</article></main>"
        "<footer><p>© 2024 River Post. <a href='/p'>Privacy</a></p></footer></body></html>"
    ).encode()


def missing(content: str) -> list[str]:
    text = extract(page(content)).text
    return [sentence for sentence in SENTENCES if text.count(sentence) != 1]


def placed(attributes: str) -> Iterator[str]:
    """Yield articles in which two paragraphs, or one, are in an element with these attributes."""
    yield f"{FIRST}<div {attributes}>{TWO}</div>{REST}"
    yield f"{FIRST}<SECTION {attributes}>{TWO}</SECTION>{REST}"
    yield f"{FIRST}<p {attributes}>{SENTENCES[1]}</p>{''.join(PARAGRAPHS[2:])}"
    yield "".join(f"<h2>Part</h2><div {attributes}>{paragraph}</div>" for paragraph in PARAGRAPHS)


RESPONSIVE = (
    "hidden md:block", "lg:flex hidden", "hidden sm:grid", "hidden 2xl:inline-block", "hidden min-[700px]:block",
    "hidden max-md:block", "tw-hidden md:tw-block", "hidden md:!block", "hidden @md:block", "hidden print:hidden md:contents",
    "hidden dark:block", "hidden peer-checked:block", "hidden data-[state=open]:block", "hidden\n  md:block",
    "md:hidden", "max-lg:hidden", "hidden-xs", "hidden-xs hidden-sm", "visible-lg hidden", "d-none d-md-block",
    "d-none d-lg-flex", "d-md-none", "hide-for-small-only", "show-for-large", "is-hidden-mobile", "is-hidden-touch",
    "is-hidden is-block-desktop", "uk-visible@m", "uk-hidden@l", "hidden show-on-large", "hide-on-small-only",
    "desktop-only", "sr-only md:not-sr-only", "invisible md:visible", "mobile hidden",
)  # fmt: skip
NOT_FOR_LISTENERS = (
    "aria-hidden=true",
    'ARIA-HIDDEN="true"',
    "aria-hidden='true' class=s",
    "tabindex=-1 aria-hidden=true",
)
FOUND = ("hidden=until-found", 'hidden="until-found"', "HIDDEN='Until-Found'")
SCRIPTED = (
    'class="wow fadeInUp" style="visibility: hidden; animation-name: none"', "class=wow style=visibility:hidden",
    'STYLE="VISIBILITY : HIDDEN ;" CLASS="is-animated"', 'style="visibility:hidden;opacity:0"', 'style="opacity:0"',
    'data-aos="fade-up" style="visibility:hidden"', 'class="reveal" style="visibility:hidden"', "x-cloak",
    'style="visibility:hidden; transition: all .5s"', 'class="fade-in" style="display:none"', "v-cloak class=hidden",
    'x-cloak style="display:none"', 'x-show="open" style="display:none"', "ng-cloak hidden", 'class="js-hidden"',
    'data-animate style="visibility:hidden"', 'data-w-id="a" style="opacity:0"', 'class="elementor-invisible"',
    'data-scroll style="visibility:hidden"', 'class="hidden animate__animated"',
)  # fmt: skip
OPENED = tuple(
    f"{name} {hiding}"
    for name in ("class=tab-pane", "role=tabpanel", "class='accordion-body collapse'", "class=swiper-slide", "id=tab-2",
                 "class='slide fade'", "class=carousel-item", "class=faq-answer", "class=expandable", "class=spoiler",
                 "class=toggle-content", "id=more", "class='text more-text'", "class='read-more-content'", "v-show=open",
                 "ng-show=open", "x-show=open", "class=a-expander-content", "role=tabpanel id=nav-profile",
                 "class='tab-pane fade' id=cart-policy", "class=ui-tabs-panel id=search", "role=region aria-labelledby=h1",
                 "class=mat-expansion-panel-content role=region")
    for hiding in ('style="display:none"', "hidden", "aria-hidden=true", 'style="height:0;visibility:hidden"')
)  # fmt: skip


@pytest.mark.parametrize(
    "attributes", [*(f'class="{name}"' for name in RESPONSIVE), *NOT_FOR_LISTENERS, *FOUND, *SCRIPTED, *OPENED]
)
def test_what_a_reader_sees_on_some_screen_or_opens_or_a_script_shows_is_in_the_text(attributes: str) -> None:
    for article in placed(attributes):
        assert missing(article) == [], article


HIDING = (
    'style="display:none"',
    "STYLE='color:red; DISPLAY : NONE'",
    "hidden",
    "class=hidden",
    "style=visibility:hidden",
)


@pytest.mark.parametrize("attributes", HIDING)
def test_hidden_parts_that_together_hold_more_than_what_is_shown_are_the_text(attributes: str) -> None:
    banner = (
        "<div class=cookie-banner><p>We use cookies to make this page better for you.</p><button>Yes</button></div>"
    )
    every = "".join(f"<div {attributes}>{paragraph}</div>" for paragraph in PARAGRAPHS)
    most = "".join(f"<p {attributes}>{sentence}</p>" for sentence in SENTENCES[2:])
    for article in (every, f"{every}{banner}", f"{FIRST}{PARAGRAPHS[1]}{most}"):
        assert missing(article) == [], article


@pytest.mark.parametrize(
    "trigger",
    [
        "<button aria-expanded=false aria-controls=c1>More about the owner</button>",
        "<h2><a data-toggle=collapse href='#c1'>More about the owner</a></h2>",
        "<button data-bs-toggle=collapse data-bs-target='#c1'>More about the owner</button>",
        "<ul class=tabs><li><a role=tab href='#c1'>More about the owner</a></li></ul>",
        "<button onclick=\"toggle('c1')\">More about the owner</button>",
        "<a href='#' onclick='document.getElementById(\"c1\").hidden = false'>More about the owner</a>",
        "<span onclick='$(`#c1`).show()'>More about the owner</span>",
        "<button aria-expanded=false>More about the owner</button>",
        "\n<button aria-expanded=false><svg></svg></button>\n",
    ],
)
def test_an_element_without_a_name_that_a_button_opens_is_a_panel(trigger: str) -> None:
    panel = f"<div id=c1 style='display:none'>{TWO}</div>"
    for article in (f"{FIRST}{trigger}{panel}{REST}", f"{FIRST}{panel}\n{trigger}{REST}"):
        assert missing(article) == []


@pytest.mark.parametrize("name", ["mw-collapsible mw-collapsed", "data-table collapsed", "faq"])
def test_the_rows_of_a_table_that_a_reader_opens_are_not_hidden(name: str) -> None:
    rows = "".join(
        f"<tr style='display:none'><td>{year}</td><td>Barley of {year}</td></tr>" for year in range(1811, 1815)
    )
    table = f"<table class='{name}'><tr><th>Year</th><th>What the mill ground</th></tr><tbody>{rows}</tbody></table>"
    text = extract(page(f"{FIRST}{TWO}{table}{REST}")).text
    assert all(f"Barley of {year}" in text for year in range(1811, 1815))


@pytest.mark.parametrize("root", ["tr", "tbody", "td", "table", "a", "sup", "body", "section", "span"])
def test_any_element_can_be_the_root_of_xhtml(root: str) -> None:
    row = "<tr style='display:none'><td>Barley of 1811</td></tr>"
    data = f"<?xml version='1.0'?><{root} xmlns='http://www.w3.org/1999/xhtml'>{TWO}{row}</{root}>".encode()
    text = extract(data, format="html").text
    assert all(sentence in text for sentence in SENTENCES[1:3])
    assert "Barley" not in text


@pytest.mark.parametrize("wrapper", ["<span aria-hidden=true>{}</span>", "<b aria-hidden=true class=word>{}</b>"])
def test_a_sentence_whose_words_a_script_moves_one_by_one_is_in_the_text(wrapper: str) -> None:
    moved = [" ".join(map(wrapper.format, sentence.split())) for sentence in SENTENCES]
    assert missing("".join(f"<p aria-label='{SENTENCES[0]}'>{sentence}</p>" for sentence in moved)) == []
    assert missing(f"{FIRST}<p>{moved[1]}</p>{''.join(PARAGRAPHS[2:])}") == []


CHINESE = (
    "城北的老书店在上个月重新开门，门口排起了长队。",
    "修缮的费用一半来自街道，另一半来自读者的捐款。",
    "店主说自己从来没有想过要退休，也不会离开这里。",
)


def test_a_sentence_of_chinese_characters_is_none_less_for_being_short() -> None:
    paragraphs = [f"<p>{sentence}</p>" for sentence in CHINESE]
    hidden = "".join(f"<div class=step style='display:none'>{paragraph}</div>" for paragraph in paragraphs)
    opened = f"<div id=c1 style='display:none'>{paragraphs[2]}</div><a onclick='show(\"c1\")'>+</a>"
    panels = "".join(
        f"<button class=faq>{at}月</button><div class=faq-answer>{paragraphs[at]}</div>" for at in range(3)
    )
    for article in (hidden, "".join(paragraphs[:2]) + opened, panels):
        assert all(sentence in extract(page(article)).text for sentence in CHINESE)
    assert "2月" in extract(page(panels)).text


@pytest.mark.parametrize(
    "entry",
    [
        "<button aria-expanded=false aria-controls=c{0}>Question {0}?</button><div id=c{0} hidden>{1}</div>",
        "<div class=q><button aria-controls=c{0}>Question {0}?</button></div>\n<div id=c{0} style='display:none'>{1}</div>",
        "<dt><button aria-expanded=true aria-controls=c{0}>Question {0}?</button></dt><dd id=c{0}>{1}</dd>",
        "<button data-bs-toggle=collapse data-bs-target='#c{0}'>Question {0}?<i></i></button><div id=c{0}>{1}</div>",
        "<button class=accordion>Question {0}?</button> <div class=panel>{1}</div>",
        "<div><button aria-controls=c{0}>Question {0}?</button><span>+</span></div><div id=c{0} hidden>{1}</div>",
        "<button aria-controls=c{0}>Question {0}?</button><i class=icon></i> <div id=c{0} hidden>{1}</div>",
        "<BUTTON class='faq-toggle'><span>Question {0}?</span></BUTTON><div class=faq-answer hidden>{1}</div>",
    ],
)
def test_a_button_before_the_panel_that_it_opens_is_its_heading(entry: str) -> None:
    article = "".join(entry.format(number, paragraph) for number, paragraph in enumerate(PARAGRAPHS))
    assert missing(article) == []
    text = extract(page(article)).text
    assert [text.count(f"Question {number}?") for number in range(len(PARAGRAPHS))] == [1] * len(PARAGRAPHS)


@pytest.mark.parametrize(
    "button",
    [
        f"<button aria-expanded=false aria-controls=c1>Read more</button><div id=c1 hidden>{TWO}</div>",
        f"<button>Zebrawood</button>{TWO}",
        f"<button aria-controls=dark>Zebrawood</button>{TWO}",
        f"<button aria-controls=c1>Zebrawood</button><ul id=c1><li><a href='/1'>One</a></li></ul>{TWO}",
        f"{TWO}<button aria-controls=c1>Zebrawood</button>",
    ],
)
def test_other_buttons_are_no_text(button: str) -> None:
    text = extract(page(f"{FIRST}{button}{REST}")).text
    assert "Read more" not in text
    assert "Zebrawood" not in text
    assert all(sentence in text for sentence in SENTENCES)


@pytest.mark.parametrize(
    "pair",
    [
        ("hidden md:block", "md:hidden"), ("d-none d-md-block", "d-md-none"), ("hidden-xs", "visible-xs"),
        ("hide-for-small-only", "show-for-small-only"), ("uk-visible@m", "uk-hidden@m"), ("desktop-only", "mobile-only"),
    ],
)  # fmt: skip
def test_what_is_there_once_for_each_screen_is_read_once(pair: tuple[str, str]) -> None:
    for content in ("".join(PARAGRAPHS), TWO):
        copies = "".join(f"<div class='{name}'>{content}</div>" for name in pair)
        assert missing(copies if content != TWO else f"{FIRST}{copies}{REST}") == []


def test_a_hidden_copy_of_the_article_is_not_read() -> None:
    copy = f"<div style='display:none'>{''.join(PARAGRAPHS)}</div>"
    assert missing("".join(PARAGRAPHS) + copy * 2) == []


NOT_SEEN = (
    *(f"<div {hiding}><p>{SECRET}</p></div>" for hiding in HIDING),
    *(f"<p {hiding}>{SECRET}</p>" for hiding in HIDING),
    *(f"<p>A remark <span {hiding}>{SECRET}</span></p>" for hiding in HIDING),
    *(f"<div {hiding} lang=de><p>{SECRET}</p></div>" for hiding in HIDING),
    *(f"<div {hiding} role=dialog><h2>Zebrawood</h2><p>{SECRET}</p></div>" for hiding in (*HIDING, "aria-hidden=true")),
    *(
        f"<div {hiding} class='{name}'><p>{SECRET}</p></div>"
        for hiding in ("style=display:none", "hidden", "aria-hidden=true", "style='visibility:hidden;opacity:0'")
        for name in ("modal fade", "cookie-consent", "login-popup", "tooltip", "megamenu", "off-canvas offcanvas")
    ),
    *(
        f"<span class='{name}'>{SECRET}</span>"
        for name in ("sr-only", "visually-hidden", "screen-reader-text", "visuallyhidden", "sr-only focus:not-sr-only",
                     "screen-reader-only", "u-visually-hidden", "is-sr-only", "visually-hidden-focusable", "show-for-sr")
    ),
    *(
        f"<div class='{name}'><p>{SECRET}</p></div>"
        for name in ("d-none", "is-hidden", "uk-hidden", "hidden print:block", "d-none d-print-block", "visible-print",
                     "visible-print-block", "show-for-print",
                     "hidden hover:block", "hidden group-hover:block")
    ),
    f"<div id=box style='display:none'><p>{SECRET}</p><a onclick='hide(\"box\")'>Close</a></div>",
    f"<a onclick='show(\"box\")'>Log in</a><div id=box class=login style='display:none'><p>{SECRET}</p></div>",
    f"<div class='more hidden'><p><a href='/z'>{SECRET}</a></p></div>",
    "<a onclick='show(\"box\")'>Menu</a><ul id=box hidden><li>Zebrawood</li><li>Zebrawood of the month</li></ul>",
    f"<div x-cloak x-show=open class='fixed modal' style='display:none'><p>{SECRET}</p></div>",
    f"<div lang=fr hidden>{''.join(f'<p>{SECRET} {n}</p>' for n in range(40))}</div>",
    f"<dialog><p>{SECRET}</p></dialog>",
    f"<template><p>{SECRET}</p></template>",
    "".join(f"<div lang={code} hidden><p>{f'{SECRET} {code} ' * 12}</p></div>" for code in ("de", "fr", "es")),
    "".join(f"<div class=modal id=m{n} style='display:none'><p>{f'{SECRET} {n} ' * 12}</p></div>" for n in range(4)),
    "<i class='material-icons' aria-hidden=true>zebrawood</i>",
    f"<div class=collapse id=mobile-menu style='display:none'><p><a href='/z'>{SECRET}</a></p></div>",
    f"<div class='tab-pane cookie-details' hidden><p>{SECRET}</p></div>",
    "<button aria-expanded=false>Menu</button><ul hidden><li>Zebrawood</li><li>Zebrawood of the month</li></ul>",
    f"<button aria-expanded=true>Log in</button><div hidden><p>{SECRET}</p></div>",
    f"<div hidden><p>{SECRET}</p><button aria-expanded=false>Log in</button></div>",
    "<p><span aria-hidden=true class=icon>zebrawood</span><span aria-hidden=true>b</span><span aria-hidden=true>c</span></p>",
    "<p>E <span class=katex><math><mi>c</mi></math><span class=katex-html aria-hidden=true>zebrawood</span></span></p>",
)  # fmt: skip


@pytest.mark.parametrize("part", NOT_SEEN)
def test_what_a_reader_does_not_see_is_not_in_the_text(part: str) -> None:
    for article in (f"{''.join(PARAGRAPHS)}{part}", f"{FIRST}{TWO}{part}{REST}"):
        text = extract(page(article)).text
        assert "zebrawood" not in text.lower()
        assert missing(article) == []


NAMES = (
    "login", "modal", "paywall", "share", "related", "subscription", "menu-item", "newsletter", "promo", "sidebar",
    "widget", "footer", "cookie", "popup", "sponsored", "social", "tags", "nav", "toolbar", "subscribe", "recommended",
    "signup", "breadcrumb", "noprint", "relatedPosts", "SHARE-BAR",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "attribute", ["class", *(pytest.param(attribute, marks=pytest.mark.slow) for attribute in ("id", "CLASS"))]
)
def test_a_name_alone_does_not_remove_sentences_of_the_article(name: str, attribute: str) -> None:
    for first, last in ((5, 8), (2, 5), (3, 4), (0, 2)):
        inner = f"<div {attribute}='{name}'>{''.join(PARAGRAPHS[first:last])}</div>"
        assert missing(f"{''.join(PARAGRAPHS[:first])}{inner}{''.join(PARAGRAPHS[last:])}") == [], (first, last)
    assert missing("".join(f"<div {attribute}='{name}'>{paragraph}</div>" for paragraph in PARAGRAPHS)) == []
    assert missing("".join(f"<p {attribute}='{name}'>{sentence}</p>" for sentence in SENTENCES)) == []


@pytest.mark.parametrize(
    "start",
    [
        "div role=alert", "div role=status class='alert alert-info'", "div role=navigation", "div role=search",
        "section role=dialog", "nav", "nav class=menu", "menu", "dialog open", "search", "div role=tooltip",
        "div role=contentinfo",
    ],
)  # fmt: skip
def test_a_landmark_does_not_remove_sentences_of_the_article(start: str) -> None:
    for first, last in ((5, 8), (2, 5), (3, 4), (0, 2)):
        inner = f"<{start}>{''.join(PARAGRAPHS[first:last])}</{start.partition(' ')[0]}>"
        assert missing(f"{''.join(PARAGRAPHS[:first])}{inner}{''.join(PARAGRAPHS[last:])}") == [], (first, last)


@pytest.mark.parametrize(
    "part",
    [
        f"<nav><p><a href='/z'>{SECRET}</a></p></nav>",
        f"<dialog><p>{SECRET}</p></dialog>",
        "<dialog open><p>This zebrawood page uses cookies to remember who you are and what you like.</p></dialog>",
        f"<dialog open><p>{SECRET}</p><button>Yes</button></dialog>",
        f"<div role=alert><p>{SECRET}</p><input type=email></div>",
        "<div class=newsletter><p>Subscribe to our letter about zebrawood, which comes on Fridays.</p></div>",
        "<aside class=newsletter><h3>Zebrawood</h3><p>The best of the weir every week.</p><input><button>Go</button></aside>",
        f"<aside class=related><h3>The mill</h3><p>{SECRET} <a href='/x'>The water of the weir</a></p></aside>",
        "<aside class=promo><p>The zebrawood mill at the weir. Come and see us, we bake. <a href=/o>Order</a></p></aside>",
        "<div class=login><p>Sign in with your account, or register to read all about zebrawood today.</p></div>",
        f"<div class=related><h3>Related</h3><p>{SECRET}</p></div>",
        f"<div class=related><p><a href='/z'>{SECRET}</a></p><p><a href='/y'>{SECRET}</a></p></div>",
        f"<div class=signup><p>{SECRET}</p><input type=email><button>Send</button></div>",
        "<div class='cookie-notice'><p>This zebrawood page uses cookies to remember who you are and what you like.</p></div>",
    ],
)
def test_what_a_name_and_the_content_mark_is_not_in_the_text(part: str) -> None:
    for article in (f"{''.join(PARAGRAPHS)}{part}", f"{FIRST}{TWO}{part}{REST}"):
        assert "zebrawood" not in extract(page(article)).text
