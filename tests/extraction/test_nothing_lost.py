"""No text disappears silently: each word of a document is in its text, or there is a reason why it is not.

The documents are generated and changed at random, and each of their words occurs once. Reasons are: the document gives
an error or a warning; a browser does not show the word; the word is in a block that the explanation says is left out.
"""

from __future__ import annotations

import gzip
import io
import random
import re
import struct
from collections.abc import Callable, Iterator
from email.message import EmailMessage
from itertools import pairwise

import pytest
from selectolax.lexbor import LexborHTMLParser

from simhash_doc_extraction import ExtractionError, Limits, extract, open_members
from tests.extraction import docx_places
from tests.extraction.archives import mhtml
from tests.extraction.samples import archive, attempt, docx_parts, epub_parts, mbox, odt_parts, pdf, wacz, warc, xhtml
from tests.extraction.warning_kinds import undocumented

_WORD = re.compile(r"zq\d+x")
_CONTROL_WORD = re.compile(rb"\\[a-z]+")  # of RTF: letters behind it are a part of it
_FIELDS = re.compile(rb"^(?!Subject:)[^\s:]+:.*$", re.MULTILINE)  # of the head of a message: their values are no text
_COMMENT = re.compile(r"<!--.*?-->|<\?[^>]*>", re.DOTALL)
_TAGS = (
    "div p span b i font section article main aside ul li ol table tr td th thead tbody caption dl dt dd blockquote pre "
    "h1 h2 h3 a em code sup sub label form fieldset figure figcaption center small details summary button nav header "
    "footer br hr ruby rt my-element svg title math mi select option textarea script style noscript template iframe "
    "object video head body html frameset"
).split()
_ATTRIBUTES = (
    "",
    " class='post entry'",
    " hidden",
    " style='display:none'",
    " title='{}'",
    " id=a",
    " href='#'",
    ' a="',
)
_STRAY = (
    "<", ">", "</", "<!--", "-->", "\"", "'", "</body>", "</html>", "</p>", "</div>", "<![CDATA[", "]]>", "<?x", "&", "&#0;",
    "</table>", "<plaintext>", "</script>", "\0", "<body>", "</title>", "=", "/>", "<title>", "<svg><title>",
)  # fmt: skip


class Words:
    """Yields words of which each occurs once."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self) -> str:
        self.count += 1
        return f"zq{self.count}x"


def page(rng: random.Random, words: Words, size: int = 60) -> str:
    """Return mark-up whose elements are nested at random, some never closed, some with words in attributes."""
    pieces: list[str] = []
    opened: list[str] = []
    for _ in range(size):
        choice = rng.random()
        if choice < 0.45:
            pieces.append(f" {words()} says {words()}. ")
        elif choice < 0.75 or not opened:
            tag = rng.choice(_TAGS)
            pieces.append(f"<{tag}{rng.choice(_ATTRIBUTES).format(words())}>")
            opened.append(tag)
        elif choice < 0.9:
            pieces.append(f"</{opened.pop()}>")
        else:
            pieces.append(rng.choice(_STRAY))
    return "".join(pieces)


def never_shown(source: str) -> set[str]:
    """Return the words that are not text on a page: in tags, comments, and elements that browsers do not show."""
    parser = LexborHTMLParser(source.encode("utf-8", "replace"), scripting=True)
    hidden = "head script style title noscript template svg select option textarea iframe object video button rt"
    selector = ", ".join(f"{tag}" for tag in hidden.split()) + ", [hidden], [style*='display:none'], datalist, frameset"
    found: set[str] = set()
    for node in parser.css(selector):
        found.update(_WORD.findall(node.html or ""))
    for node in parser.root.traverse() if parser.root else ():
        found.update(_WORD.findall(f"{node.tag} {node.attributes}"))
    found.update(word for comment in _COMMENT.findall(parser.html or "") for word in _WORD.findall(comment))
    return found | (set(_WORD.findall(source)) - set(_WORD.findall(parser.html or "")))


def unexplained(source: str) -> set[str]:
    """Return the words of a page that are missing from its text without a reason."""
    try:
        extracted = extract(source.encode("latin-1"), format="html", explain=True)
    except ExtractionError:
        return set()
    missing = set(_WORD.findall(source)) - set(_WORD.findall(extracted.text))
    if any("data of the scripts" in warning for warning in extracted.warnings):
        return set()
    left_out = (block for block in extracted.blocks if not block.kept)
    explained = {word for block in left_out if block.reasons or block.rule for word in _WORD.findall(block.text)}
    return missing - explained - never_shown(source)


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 12))])
def test_every_word_of_a_web_page_is_in_the_text_or_explained(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(100 if seed > 1 else 10):
        source = page(rng, Words())
        assert unexplained(source) == set(), source


_NOT_SHOWN = "script style textarea title iframe noscript template select video svg><title".split()


@pytest.mark.parametrize("end", ["<!--", "<!", "<?x ", "</", "<p ", "<p title='", *(f"<{tag}>" for tag in _NOT_SHOWN)])
def test_a_page_that_ends_where_no_text_is_says_so(end: str) -> None:
    shown = "<html><body><p>The ferry leaves at noon, says the paper.</p>"
    found = extract(f"{shown}{end}zq1x is the end".encode(), format="html")
    assert any(warning.startswith("the page may be cut off: ") for warning in found.warnings)
    assert not undocumented(found)
    assert found.text == extract(shown.encode(), format="html").text


@pytest.mark.parametrize(
    "end",
    ["", "\n", "</body></html>\n", "<!-- x -->", "<table><tr><td>x", "<script>x</script>", "<", "</body><!-- x --><p>y"]
    + [f"</body>{a}</html>{b} <script>x</script> " for a in ("", "<!-- x -->") for b in ("", "<!-- y -->")],
)
@pytest.mark.parametrize("start", ["<html><body>", ""])
def test_a_page_that_ends_in_its_text_has_no_warning(start: str, end: str) -> None:
    assert extract(f"{start}<p>The ferry leaves at noon.</p>{end}".encode(), format="html").warnings == ()


@pytest.mark.parametrize("depth", [10, 100, *(pytest.param(depth, marks=pytest.mark.slow) for depth in (300, 1500))])
@pytest.mark.parametrize("tag", ["div", "font", "ul", "blockquote", "table><tr><td", "b", "section"])
def test_deep_nesting_loses_nothing(tag: str, depth: int) -> None:
    words = Words()
    source = "".join(f"<{tag}>{words()} is a word of the text at this level. " for _ in range(depth))
    assert unexplained(source) == set()


def test_nesting_that_would_take_minutes_is_over_the_limit() -> None:
    with pytest.raises(ExtractionError, match="nested too deeply"):
        extract(b"<!doctype html>" + b"<div>word " * 200_000)


Make = Callable[[list[str]], bytes]


def _xml(root: str, tag: str, before: str = "", after: str = "") -> Make:
    return lambda words: (
        f"<?xml version='1.0'?><{root}>{before}{''.join(f'<{tag}>{word} is here.</{tag}>' for word in words)}{after}"
        f"</{root.split(maxsplit=1)[0]}>"
    ).encode()


def _parts(make: Callable[[str], dict[str, bytes | str]], template: str) -> Make:
    return lambda words: archive(make("".join(template.format(f"{word} is here.") for word in words)))


def _epub(body: str) -> dict[str, bytes | str]:
    chapter = f"<html xmlns='http://www.w3.org/1999/xhtml'><body>{body}</body></html>"
    return epub_parts({"one.xhtml": chapter})


def _mail(words: list[str], coding: str) -> bytes:
    """Return a message with texts and pages as its parts, and another message in it."""
    found, inner = EmailMessage(), EmailMessage()
    found["From"], found["To"], found["Subject"] = "a@example.org", "b@example.org", words[0]
    inner["Subject"] = words[1]
    inner.set_content(f"{words[2]} is here.", cte=coding)
    found.set_content(f"{words[3]} is here.", cte=coding)
    found.add_attachment(inner, disposition="inline")
    for at, word in enumerate(words[4:]):
        subtype = "html" if at % 2 else "plain"
        found.add_attachment(f"<p>{word} is here." if at % 2 else word, subtype, disposition="inline", cte=coding)
    return found.as_bytes()


MAKERS: dict[str, Make] = {
    "text": lambda words: "\n\n".join(words).encode(),
    "markdown": lambda words: "\n\n".join(f"# {word}\n\n- {word} is here" for word in words).encode(),
    "asciidoc": lambda words: "\n\n".join(f"== {word}\n\n{word} is here" for word in words).encode(),
    "tei": _xml("TEI", "p", "<text><body>", "</body></text>"),
    "jats": _xml("article", "p", "<body>", "</body>"),
    "docbook": _xml("book xmlns='http://docbook.org/ns/docbook'", "para", "<chapter>", "</chapter>"),
    "xml": _xml("rfc", "t"),
    "html": lambda words: "".join(f"<p>{word} is here.</p>" for word in words).encode(),
    "mhtml": lambda words: mhtml("".join(f"<p>{word} is here.</p>" for word in words).encode()),
    "docx": _parts(docx_parts, "<w:p><w:r><w:t>{}</w:t></w:r></w:p>"),
    "odt": _parts(odt_parts, "<text:p>{}</text:p>"),
    "epub": _parts(_epub, "<p>{}</p>"),
    "rtf": lambda words: ("{\\rtf1\\ansi\n" + "".join(f"{word} is here.\\par\n" for word in words) + "}").encode(),
    "pdf": lambda words: pdf([f"{word} is here." for word in words]),
    "fictionbook": _xml("FictionBook", "p", "<body><section>", "</section></body>"),
    "eml": lambda words: _mail(words, "7bit"),
    "eml, quoted-printable": lambda words: _mail(words, "quoted-printable"),
    "eml, base64": lambda words: _mail(words, "base64"),
}


_ONLY_UNCHANGED = frozenset({"mhtml", "pdf", "eml, quoted-printable", "eml, base64"})
"""The page in an archive is read as other pages. Whether a stream of a PDF ends early, its library does not say. Other
letters of a coding are other texts.
"""


def changes(rng: random.Random, data: bytes, count: int) -> Iterator[bytes]:
    """Yield copies of a document with a few bytes replaced, cut or inserted."""
    yield data
    for _ in range(count):
        at, cut = rng.randrange(len(data)), rng.choice([0, 1, 3, len(data)])
        yield data[:at] + rng.choice([b"", b"<", b"&", b"<b>", b">", b"</p>", b"\xff", b"\0"]) + data[at + cut :]


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("count", [6, pytest.param(150, marks=pytest.mark.slow)])
def test_every_word_of_a_changed_document_is_in_the_text_or_explained(name: str, count: int) -> None:
    words = [f"zq{number}x" for number in range(20)]
    document_format = name.split(",", maxsplit=1)[0]
    count = 0 if name in _ONLY_UNCHANGED else count
    for data in changes(random.Random(7), MAKERS[name](words), count):
        try:
            extracted = extract(data, format=document_format)
        except ExtractionError:
            continue
        hidden = {"rtf": _CONTROL_WORD, "eml": _FIELDS}.get(document_format)
        shown = hidden.sub(b"", data) if hidden else data
        stored = set(_WORD.findall(shown.decode("latin-1")))
        is_coded = document_format in ("docx", "odt", "epub", "pdf") or name in ("eml, quoted-printable", "eml, base64")
        expected = set(words) if is_coded else stored
        missing = expected - set(_WORD.findall(extracted.text))
        if document_format == "html":
            missing = unexplained(data.decode("latin-1"))
        assert not missing or extracted.warnings, (missing, data[:3000])


def _pages(words: list[str]) -> list[tuple[str, bytes, dict[str, str]]]:
    return [(f"https://example.org/{word}", f"<p>{word} is here.".encode(), {}) for word in words]


CONTAINERS: dict[str, Make] = {
    "warc": lambda words: warc(_pages(words), zipped=False),
    "warc, gzip": lambda words: warc(_pages(words)),
    "mbox": lambda words: mbox([_mail(words[at : at + 4], "7bit") for at in range(0, len(words), 4)]),
    "mbox, gzip": lambda words: gzip.compress(CONTAINERS["mbox"](words)),
    "wacz": lambda words: wacz([warc(_pages([word])) for word in words]),
}


@pytest.mark.parametrize("name", CONTAINERS)
@pytest.mark.parametrize("count", [6, pytest.param(150, marks=pytest.mark.slow)])
def test_every_word_of_a_changed_container_is_in_a_text_or_explained(name: str, count: int) -> None:
    words = [f"zq{number}x" for number in range(20)]
    for data in changes(random.Random(7), CONTAINERS[name](words), count):
        members = open_members(name.split(",", maxsplit=1)[0], io.BytesIO(data), name=None, limits=Limits())
        text, explained = "", False
        for member in members:
            try:
                found = member if isinstance(member, ExtractionError) else member.extract(member.uri, Limits())
            except ExtractionError as error:
                found = error
            explained |= isinstance(found, ExtractionError) or bool(found.warnings)
            text += "" if isinstance(found, ExtractionError) else found.text
        changed = (
            re.compile(rb"zq\d+x").findall(_FIELDS.sub(b"", data) if name == "mbox" else data)
            if name in ("warc", "mbox")
            else [word.encode() for word in words]
        )
        missing = {word.decode() for word in changed} - set(_WORD.findall(text))
        assert not missing or explained or members.skipped, (missing, data[:3000])


_BOOK = "<FictionBook xmlns='http://www.gribuser.ru/xml/fictionbook/2.0'><body><section><p>{}</p></section></body></FictionBook>"


def _noted(words: list[str]) -> bytes:
    """Return a DOCX file with a footnote, and a web page in it."""
    note = docx_places.story("w:footnotes", f'<w:footnote w:id="2">{docx_places.paragraph(words[1])}</w:footnote>')
    mark = '<w:r><w:footnoteReference w:id="2"/></w:r>'
    return docx_places.document(
        f'<w:p>{docx_places.run(words[0])}{mark}</w:p><w:altChunk r:id="r2"/>',
        ("footnotes", "notes.xml"),
        ("aFChunk", "page.txt"),
        parts={"notes.xml": note, "page.txt": words[2]},
    )


ARCHIVES: dict[str, Make] = {
    "docx": _noted,
    "odt": _parts(odt_parts, "<text:p>{}</text:p>"),
    "epub": lambda words: archive(epub_parts({f"{word}.xhtml": xhtml(f"<p>{word} is here.</p>") for word in words})),
    "fb2": lambda words: archive({f"{word}.fb2": _BOOK.format(word) for word in words}),
    "wacz": lambda words: wacz([warc(_pages([word])) for word in words]),
}


def _read(document_format: str, data: bytes) -> tuple[str, list[str]]:
    """Return the texts of a document or a crawl, and its errors and warnings."""
    if document_format != "wacz":
        found = attempt(data, f"a.{document_format}")
        return ("", [found.message]) if isinstance(found, ExtractionError) else (found.text, [*found.warnings])
    members = open_members("wacz", io.BytesIO(data), name=None, limits=Limits())
    captures = [*members]
    errors = [one.message for one in captures if isinstance(one, ExtractionError)]
    texts = [one.extract(None, Limits()).text for one in captures if not isinstance(one, ExtractionError)]
    return "".join(texts), [*errors, *members.skipped]


def _damaged_directories(data: bytes) -> Iterator[bytes]:
    """Yield copies of an archive, each with another byte in the fields of its directory, or with an entry less."""
    starts = [found.start() for found in re.finditer(rb"PK\x01\x02|PK\x05\x06", data)]
    for start in starts:
        for at in range(start, min(start + 46, len(data))):
            for value in {0, 0xFF} - {data[at]}:
                yield data[:at] + bytes([value]) + data[at + 1 :]
    for start, end in pairwise(starts):
        size = struct.pack("<L", starts[-1] - starts[0] - (end - start))
        yield data[:start] + data[end : starts[-1] + 12] + size + data[starts[-1] + 16 :]


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] * (name != "fb2")) for name in ARCHIVES])
def test_a_damaged_directory_hides_no_member_of_an_archive(name: str) -> None:
    words = ["zq0x", "zq1x", "zq2x"]
    data = ARCHIVES[name](words)
    text, usual = _read(name, data)
    assert set(words) == set(_WORD.findall(text))
    for damaged in _damaged_directories(data):
        text, explained = _read(name, damaged)
        assert set(words) <= set(_WORD.findall(text)) or set(explained) - set(usual), damaged
