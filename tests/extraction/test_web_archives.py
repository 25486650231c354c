"""Pages as archives and browsers keep them give the text of the article on them."""

from __future__ import annotations

import json
from html import escape

import pytest

from simhash_doc import fingerprint
from simhash_doc_extraction import CorruptDocumentError, NoTextError, detect, extract
from tests.extraction.archives import ARTICLE, PAGES, PARAGRAPHS, TEXT, mhtml


@pytest.mark.parametrize("kind", PAGES)
def test_the_article_is_found(kind: str) -> None:
    extracted = extract(PAGES[kind])
    assert fingerprint(extracted.text).distance(fingerprint(TEXT)) <= 3, extracted.text


@pytest.mark.parametrize("kind", ["structured data", "script state", "assigned state"])
def test_text_from_scripts_is_reported(kind: str) -> None:
    (warning,) = extract(PAGES[kind]).warnings
    assert "scripts" in warning


def test_a_page_saved_as_a_single_file_is_detected() -> None:
    data = PAGES["MHTML"]
    assert detect(data) == extract(data).format == "mhtml"
    assert all(detect(header + data) == "mhtml" for header in (b"X-Saved: x\r\n", b"Return-Path: <a@b.c>\r\n y\r\n"))
    assert detect(data.replace(b"multipart/related", b"multipart/alternative", 1)) == "text"
    assert detect(b"Subject: a letter\n\nDear reader, Content-Type: multipart/related; is no header here.") == "text"


def test_an_archive_without_a_page_is_an_error() -> None:
    with pytest.raises(CorruptDocumentError, match="no web page"):
        extract(mhtml(b"").replace(b"text/html\r\n", b"image/png\r\n"))


def test_a_page_of_frames_names_its_documents() -> None:
    page = b"<html><frameset cols='1,4'><frame src='menu.html'><frame src='text.html'></frameset></html>"
    with pytest.raises(NoTextError, match=r"frames.*menu\.html, text\.html"):
        extract(page)


XHTML = "<html xmlns='http://www.w3.org/1999/xhtml'><head><title>x</title>{}</head><body>{}</body></html>"
NOTE = "<p>Please enable scripts to read this page.</p>"


@pytest.mark.parametrize("declaration", ["", "<?xml version='1.0' encoding='utf-8'?>"])
@pytest.mark.parametrize(
    "body",
    [
        f"<noscript>{ARTICLE}</noscript>",
        f"<div id='app'><noscript><div><article>{ARTICLE}</article></div></noscript></div>",
        f"{NOTE}<noscript>{ARTICLE.replace('</p><p>', '</p></noscript><noscript><p>')}</noscript>",
    ],
)
def test_an_article_for_readers_without_scripts_is_read_in_xhtml_too(body: str, declaration: str) -> None:
    for page in (declaration + XHTML.format("", body), XHTML.format("<noscript><meta name='a' /></noscript>", body)):
        found = extract(page.encode()).text
        assert fingerprint(found).distance(fingerprint(TEXT)) <= 3, found


@pytest.mark.parametrize("page", [XHTML, "<!DOCTYPE html><html><head><title>x</title>{}</head><body>{}</body></html>"])
def test_a_note_for_readers_without_scripts_is_not_read(page: str) -> None:
    note = page.format("", f"<main>{ARTICLE}</main><noscript>{NOTE * 4}</noscript>")
    assert "enable scripts" not in extract(note.encode()).text


@pytest.mark.parametrize("count", [100, 121])
def test_frames_that_are_not_read_are_counted(count: int) -> None:
    source = "&lt;p&gt;A paragraph with many ordinary words about the subject, which is number {}.&lt;/p&gt;"
    frames = "".join(f'<iframe srcdoc="{source.format(number)}"></iframe>' for number in range(count))
    found = extract(f"<html><body>{frames}</body></html>".encode())
    warnings = [warning for warning in found.warnings if "frames" in warning]
    assert warnings == ([f"frames not read: {count - 100} (first: 'srcdoc')"] if count > 100 else [])
    assert "number 99." in found.text


_TEASERS = "".join(f"<li><a href='/{n}'>{n}. The ferry of the valley sails again in spring</a></li>" for n in range(30))
_PRODUCT = '<script type=\'application/ld+json\'>{"@type": "Product", "name": "Bell"}</script>'


@pytest.mark.parametrize(
    "elements",
    [
        f"<main>{ARTICLE}{ARTICLE}</main>",
        f"<h1>News of the valley</h1><ul>{_TEASERS}</ul>",
        f"{_PRODUCT}<h1>Bell</h1><p>$195.00 or 4 payments of $48.75</p><ul>{_TEASERS.replace('a href', 'b title')}</ul>",
        f"<h1>铜钟</h1><p>{'旧教堂的铜钟在城墙外铸成，因为没有车能把它运走。' * 10}</p>",
    ],
    ids=["article", "list", "product", "Chinese"],
)
def test_data_in_scripts_does_not_replace_the_text_of_a_page(elements: str) -> None:
    page = PAGES["script state"].replace(b"<div id='root'></div>", elements.encode())
    assert extract(page).warnings == ()


@pytest.mark.parametrize("menu", [10, 30])
def test_data_in_scripts_replaces_the_menus_around_a_declared_article(menu: int) -> None:
    links = "".join(f"<a href='/{n}'>The valley and its people, part {n}</a> " for n in range(menu))
    page = PAGES["structured data"].replace(b"<div id='root'></div>", f"<div>{links}</div>".encode())
    assert extract(page).warnings
    assert all(paragraph in extract(page).text for paragraph in PARAGRAPHS)


BODY = "\n\n".join(PARAGRAPHS)
POSTING = json.dumps({"@type": "NewsArticle", "articleBody": BODY})
STATE = json.dumps({"post": {"title": "The bell", "html": "".join(f"<p>{paragraph}</p>" for paragraph in PARAGRAPHS)}})
LD, JSON = "<script type='application/ld+json'>{}</script>", "<script type='application/json'>{}</script>"


def rich_text(parts: str, text: str) -> str:
    """Return a text as editors store it: the words of one style are an object."""
    blocks = [
        {"type": "p", parts: [{"mark": "b", text: part} for part in paragraph.partition(" ")]}
        for paragraph in PARAGRAPHS
    ]
    return json.dumps({"page": {"blocks": blocks}})


def single_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


DATA = {
    "semicolon": LD.format(f"{POSTING};"),
    "CDATA": LD.format(f"//<![CDATA[\n{POSTING}\n//]]>"),
    "CDATA in a comment": LD.format(f"/*<![CDATA[*/ {POSTING} /*]]>*/"),
    "comment": LD.format(f"<!--\n{POSTING}\n-->"),
    "line ends": LD.format(POSTING.replace("\\n", "\n")),
    "list of paragraphs": LD.format(json.dumps([{"@type": "Article", "articleBody": PARAGRAPHS}])),
    "character references": LD.format(json.dumps({"articleBody": BODY.replace(",", "&#44;").replace("'", "&rsquo;")})),
    "escaped markup": LD.format(json.dumps({"articleBody": escape(f"<p>{BODY}</p>".replace("\n\n", "</p><p>"))})),
    "markup": JSON.format(STATE),
    "assigned markup": f"<script>window.__INITIAL_STATE__={STATE};</script>",
    "assigned text": f"<script>window.__STATE__ = JSON.parse({json.dumps(STATE)});</script>",
    "assigned text in single quotes": f"<script>window.__STATE__ = JSON.parse({single_quoted(STATE)})</script>",
    "assigned text with codes": f"<script>var s=JSON.parse({single_quoted(STATE).replace('<', chr(92) + 'x3C')});</script>",
    "children": JSON.format(rich_text("children", "text")),
    "content": JSON.format(rich_text("content", "value")),
    "attribute": f"<div id=app data-page='{escape(STATE)}'></div>",
}


@pytest.mark.parametrize("data", DATA.values(), ids=DATA)
def test_an_article_in_the_data_of_an_empty_page_is_read(data: str) -> None:
    page = f"<!DOCTYPE html><html><head><title>x</title></head><body><div id=r></div>{data}</body></html>"
    extracted = extract(page.encode())
    found = " ".join(extracted.text.split())
    assert [paragraph for paragraph in PARAGRAPHS if paragraph not in found] == []
    assert extracted.warnings
    assert "<" not in found


CHINESE = "城北的老书店在上个月重新开门，门口排起了长队。修缮的费用一半来自街道，另一半来自读者的捐款。店主说自己从来没有想过要退休。"


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (LD.format(json.dumps({"@type": "NewsArticle", "articleBody": PARAGRAPHS[0][:200]})), PARAGRAPHS[0][:200]),
        (JSON.format(json.dumps({"post": {"html": f"<p>{CHINESE * 4}</p>"}})), CHINESE),
        (f"<noscript><p>{CHINESE * 2}</p></noscript>", CHINESE),
    ],
)
def test_a_short_article_in_the_data_of_an_empty_page_is_read(data: str, text: str) -> None:
    page = f"<!DOCTYPE html><html><head><title>x</title></head><body><div id=r></div>{data}</body></html>"
    assert text in " ".join(extract(page.encode()).text.split())


CONSENT = (
    "<div><h2>We value your privacy</h2><p>We and our partners use cookies to store personal data. With your consent we "
    "personalise content. You can change your privacy choices at any time.</p><a href='/y'>Accept all</a></div>"
)
EINWILLIGUNG = (
    "<div><h1>Datenschutz</h1><p>Mit Ihrer Einwilligung speichern wir Cookies, auch für Werbung. Wenn Sie zustimmen, "
    "gilt die Einwilligung für alle Partner. Näheres zum Datenschutz steht unten.</p></div>"
)


@pytest.mark.parametrize(
    ("title", "body", "kind"),
    [
        ("Before you continue", CONSENT, "consent page"),
        ("Zeitung", EINWILLIGUNG, "consent page"),
        ("404 - Page not found", "<h1>Oops!</h1><p>The link is old. Try the search.</p>", "error page"),
        ("Journal", "<h1>Cette page est introuvable</h1><p>Retour à l'accueil.</p>", "error page"),
        ("Just a moment...", "<p>Verifying that you are human. This may take a few seconds.</p>", "robot check"),
    ],
)
def test_a_page_without_an_article_is_reported(title: str, body: str, kind: str) -> None:
    extracted = extract(f"<html><head><title>{title}</title></head><body>{body}</body></html>".encode())
    assert f"no article: {kind}" in extracted.warnings


@pytest.mark.parametrize("number", ["EUR 410,00", "404.50", "1,404", "2/404", "404/24", "A404", "404th"])
def test_a_number_is_no_status(number: str) -> None:
    assert extract(f"<h1>Bill</h1><p>For the notary {number}, to be paid at once.</p>".encode()).warnings == ()


def test_an_article_about_such_pages_is_not_reported() -> None:
    text = "The court found that the banner for consent to cookies was not clear, and the ruling is not final. " * 40
    extracted = extract(f"<title>Why a page is not found</title><h1>Cookies in court</h1><p>{text}</p>".encode())
    assert extracted.warnings == ()
