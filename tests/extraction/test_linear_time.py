"""Readers take time linear in the document: they agree with simple expressions whose time is not, on short texts."""

from __future__ import annotations

import gzip
import io
import re
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it.helpers import parseLinkLabel
from markdown_it.parser_block import ParserBlock
from markdown_it.rules_inline import StateInline

from simhash_doc_extraction import LimitExceededError, extract, extract_each, markdown
from simhash_doc_extraction.asciidoc import _macro_text, _without_callouts, _without_macros
from simhash_doc_extraction.html.blocks import without_inline_tex, without_tex
from simhash_doc_extraction.html.bounds import _START, _TAG, _long_stretches, check_attributes
from simhash_doc_extraction.markdown import _TITLE, _unquoted
from tests.extraction.pdf_places import document, show, stream
from tests.extraction.samples import archive, docx_parts, epub_parts, odt_parts, wacz

# Only a macro of a known name has two colons, and no name of one is in the words of the test.
MACRO = re.compile(r"(?<![\w:])([a-z][\w-]*):(?!:)([^\s\[\]:][^\s\[\]]*)?\[((?:[^\[\]\\\n]|\\.|\[[^\[\]\n]*\])*)\]")
TEX = re.compile(r"\\\(.{1,2000}?\\\)|\\\[.{1,4000}?\\\]", re.DOTALL)
CALLOUT = re.compile(
    r"(?<![ \t])(?:[ \t]*+(?://|#|--|;;|<!--)?[ \t]*+<(?:\d+|\.)>(?:[ \t]*-->)?)+[ \t]*$|<!--(?:\d+|\.)-->"
)
TITLE = re.compile(r"""^title:[ \t]*(?P<quote>["']?)(?P<title>.+?)(?P=quote)[ \t]*$""", re.MULTILINE)


@given(st.text("ab-:[]\\ .Z_\t", max_size=40) | st.text("a-:[]", max_size=24))
def test_macros_are_found_as_by_one_expression(line: str) -> None:
    expected = MACRO.sub(lambda found: _macro_text(found[1], found[2] or "", found[3].strip()), line)
    assert _without_macros(line) == expected


PIECES = ["<1>", "<.>", "<!--", "-->", "--", "//", "#", ";;", " ", "\t", "a", "<", ">", "!", "1"]


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_callouts_are_found_as_by_one_expression(line: str) -> None:
    assert _without_callouts(line) == CALLOUT.sub("", line)


@given(st.text("\\()[]a\n ", max_size=40), st.sampled_from([1, 1500, 1998, 1999, 2001, 3998, 3999, 4001]))
def test_formulas_are_found_as_by_one_expression(text: str, size: int) -> None:
    for candidate in (text, text.replace("a", "x" * size)):
        assert without_inline_tex(candidate) == TEX.sub(lambda found: without_tex(found[0]), candidate)


@given(st.text("title:\"' \ta\n", max_size=20))
def test_titles_are_found_as_by_one_expression(value: str) -> None:
    matter = f"a: b\ntitle:{value}\nc: d"
    expected, found = TITLE.search(matter), _TITLE.search(matter)
    assert (expected is None) == (found is None)
    if expected and found:
        assert _unquoted(found[1]) == expected["title"]


_MAIL = b"From: a@e.org\nTo: b@e.org\nDate: x\nMIME-Version: 1.0\n"
_MAILBOX = b"From a@e.org Mon Nov  2 10:00:00 2026\nSubject: a\n\nword\n\n"

SLOW: list[tuple[str, Callable[[int], bytes]]] = [
    ("a.adoc", lambda n: b"a-" * n),
    ("a.adoc", lambda n: b"a-" * n + b":x[y]"),
    ("a.adoc", lambda n: b"a-" * n + b"[y]"),
    ("a.adoc", lambda n: b"A" * n + b":x[y]"),
    ("a.adoc", lambda n: b":a-a" * n),
    ("a.adoc", lambda n: b"a:[" * n),
    ("a.adoc", lambda n: b"a:[" + b"b:[y]" * n),
    ("a.adoc", lambda n: b"include::" + b"a[" * n + b"x"),
    ("a.adoc", lambda n: b"image::" + b"a[" * n + b"x"),
    ("a.adoc", lambda n: b"<<a," + b" " * n + b"x"),
    ("a.md", lambda n: b"---\ntitle: a" + b" " * n + b"x\n---\nword"),
    *[
        ("a.md", lambda n, piece=piece: piece * (n // len(piece)))
        for piece in (
            b"word",
            b"a\n\n",
            b"*a ",
            b"*a* ",
            b"_a*",
            b"`a",
            b"~~a",
            b"[",
            b"![",
            b"[a](",
            b"[^a",
            b"^[",
            b"<a ",
            b'<a b="',
            b"<!--",
            b"<?",
            b"<!a",
            b"<!-- a\n",
            b"<script> ",
            b"<script>\n",
            b"<![CDATA[",
            b"&#1",
            b"> ",
            b"- ",
            b"- a",
            b"- a\n",
            b"|a",
            b"a\n: b\n\n",
            b"[a]: b\n",
            b"[^a]: b\n\n",
            b"```\n",
            b"---\n",
        )
    ],
    *[
        ("a.adoc", lambda n, piece=piece: piece * (n // len(piece)))
        for piece in (
            b"word",
            b"a:",
            b"::",
            b"((",
            b"(((",
            b"[[",
            b"<<a,",
            b"+++",
            b"pass:[",
            b"menu:a ",
            b"footnote:[",
            b"{a",
            b"^a",
            b"| ",
            b"////\n",
            b"++++\n",
            b"|===\n",
            b"a\n--\n",
            b"[a]\n",
            b":a: b \\\n",
            b"include::",
            b" ",
            b" <1>",
            b"&#1",
            b'title="',
        )
    ],
    ("a.adoc", lambda n: b"----\n" + b" " * n + b"<1>x\n----"),
    ("a.adoc", lambda n: b"menu:a[b" + b" " * n + b"c > d]"),
    ("a.md", lambda n: b"<div>\n" + b"<a b='" * n),
    *[
        ("a.txt", lambda n, piece=piece: piece * n + b"word")
        for piece in (b"<!--a-->", b"<?a?>", b"<!DOCTYPE a>", b"<a ")
    ],
    ("a.html", lambda n: b"<html><body><noscript>" + b"<" * n + b"</noscript><p>word"),
    ("a.txt", lambda n: b"~{" * n),
    ("a.txt", lambda n: b"~{aa" * n),
    ("a.html", lambda n: b"<html><meta a" * n + b"\xe9"),
    ("a.html", lambda n: b"<html><!--" * n + b"\xe9"),
    ("a.html", lambda n: b"<html><body>" + b"<p>a<b>b</b>" * (n // 32)),
    ("a.html", lambda n: b"<html><body>" + b"<script>" * n),
    ("a.html", lambda n: b"<html><body>" + b"<!-- <title>" * n),
    ("a.html", lambda n: b"<html><body>" + b"<ul class=nav><li><a href=b>c</a>" * (n // 32)),
    *[
        ("a.html", lambda n, piece=piece: b"<html><body><p>word" + piece * (n // len(piece)))
        for piece in (
            b"<button></button>",
            b"<button><i></i></button><i></i>",
            b"<button aria-expanded=false>a</button><div hidden>" + b"word " * 20 + b"</div>",
            b"<div hidden id=menu class=tab>" + b"word " * 20 + b"</div>",
            b"<span aria-hidden=true>a</span>",
            b"<tr style='display:none'><td>" + b"word " * 20,
            b"<i class=block>a</i>",
            b"<section role=region aria-labelledby=a hidden>word</section>",
        )
    ],
    ("a.mht", lambda n: b"MIME-Version: 1.0\n" * n + b"Content-Type: multipart/related; boundary=b\n\n"),
    ("a.mht", lambda n: b"Content-Type: multipart/related; boundary=b\n\n" + b"--b\n" * n),
    ("a.html", lambda n: b"<html><body><p>" + b"\\[" * n + b"w"),
    ("a.html", lambda n: b"<html><body><p>" + b"\\(" * n + b"\\]w"),
    ("a.html", lambda n: b"<html><body><p " + b" ".join(b"a%d=b" % i for i in range(n)) + b">w"),
    ("a.html", lambda n: b"<html><body><p " + b" ".join(b"a%d='<'" % i for i in range(n)) + b">w"),
]


def _docx(body: bytes) -> bytes:
    return archive(docx_parts(body.decode()))


def _odt(body: bytes) -> bytes:
    return archive(odt_parts(body.decode()))


def _epub(body: bytes) -> bytes:
    return archive(epub_parts({"a.xhtml": body}))


SLOW += [
    ("a.docx", lambda n: _docx(b"<w:p><w:r><w:t>" + b"word" * n + b"</w:t></w:r></w:p>")),
    ("a.docx", lambda n: _docx(b"<w:p>" + b"<w:r><w:t>a </w:t></w:r>" * (n // 4) + b"</w:p>")),
    (
        "a.docx",
        lambda n: _docx(b"<w:p><w:r><w:fldChar w:fldCharType='begin'/>" * (n // 16) + b"</w:r></w:p>" * (n // 16)),
    ),
    ("a.docx", lambda n: _docx(b"<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>a</w:t></w:r></w:p>" * (n // 8))),
    ("a.docx", lambda n: _docx(b"<w:p><w:r><w:t>" + b"\xef\x81\xa1" * n + b"</w:t></w:r></w:p>")),
    ("a.odt", lambda n: _odt(b"<text:p>" + b"word" * n + b"</text:p>")),
    ("a.odt", lambda n: _odt(b"<text:p>" + b"<text:span>a</text:span>" * (n // 4) + b"</text:p>")),
    (
        "a.odt",
        lambda n: _odt(b"<text:p>" + b"<text:span>" * (n // 8) + b"a" + b"</text:span>" * (n // 8) + b"</text:p>"),
    ),
    ("a.odt", lambda n: _odt(b"<text:p>a<text:hidden-paragraph text:is-hidden='true'/></text:p>" * (n // 8))),
    ("a.odt", lambda n: _odt(b"<text:section>" * (n // 8) + b"<text:p>a</text:p>" + b"</text:section>" * (n // 8))),
    *[("a.epub", lambda n, piece=piece: _epub(b"<html><body><br>" + piece * n)) for piece in (b"<![CDATA[", b"<a '")],
    *[
        ("a.epub", lambda n, piece=piece: _epub(b"<html><body><br>" + piece * (n // 8)))
        for piece in (
            b"<title/>",
            b"<a b='>'/>",
            b'<a b="</',
            b"<svg><text>a",
            b"<switch>",
            b"<object>",
        )
    ],
    ("a.epub", lambda n: _epub(b"<html><body><br><p " + b"/" * n + b">word")),
    *[
        ("a.eml", lambda n, head=head, piece=piece: _MAIL + head + piece * n)
        for head, piece in (
            (b"Subject: ", b"=?a?q?a?= "),
            (b"Subject: ", b"=?a?b?!"),
            (b"Subject: ", b"\xe9"),
            (b"Subject: a\n", b" b\n"),
            (b"Content-Type: text/plain", b"; a=b"),
            (b'Content-Type: text/plain; a="', b';"'),
            (b"Content-Type: multipart/mixed; boundary=x\n\n", b"--x\n\na\n"),
            (b"Content-Type: multipart/alternative; boundary=x\n\n", b"--x\n\n\n"),
            (b"Content-Type: text/plain; format=flowed; delsp=yes\n\n", b"a \n"),
            (b"Content-Type: text/plain; format=flowed; delsp=yes\n\n", b">"),
            (b"Content-Transfer-Encoding: base64\n\n", b"YWJj!\n"),
            (b"Content-Transfer-Encoding: quoted-printable\n\n", b"=\n"),
        )
    ],
    *[
        ("a.mbox", lambda n, piece=piece: _MAILBOX + piece * n)
        for piece in (_MAILBOX, b"a", b"\n", b"\nFrom a 10:00\n", b">", b"From 00:")
    ],
    ("a.wacz", lambda n: wacz([b""] * (n // 64))),
    ("a.epub", lambda n: _epub(b"<html><body><p>" + b"word" * n + b"</p></body></html>")),
]


def _rtf(start: bytes, piece: bytes, end: bytes) -> Callable[[int], bytes]:
    return lambda n: b"{\\rtf1 " + start + piece * (n // 8) + end


SLOW += [
    ("a.rtf", _rtf(start, piece, end))
    for start, piece, end in (
        (b"", b"{", b"word"),
        (b"word", b"{}", b"}"),
        (b"", b"{\\v0 ", b"word"),
        (b"{\\fonttbl ", b"\\f1", b" x}word}"),
        (b"{\\fonttbl ", b"{\\f1 a;", b"word"),
        (b"", b"wordword", b"}"),
        (b"word\\", b"wordword", b" word}"),
        (b"word\\u", b"99999999", b"?word}"),
        (b"word", b"\\\\", b"}"),
        (b"word", b"\\'e9\\'", b"}"),
        (b"\\ansicpg932 ", b"\x83\\", b"word}"),
        (b"", b"\\u8217?", b"}"),
        (b"", b"{\\footnote word", b"}"),
        (b"\\super ", b"w{\\footnote word}", b"}"),
        (b"", b"{\\shp{\\shptxt word", b"}"),
        (b"", b"{\\field{\\*\\fldinst EQ ", b"}word"),
        (b"{\\field{\\*\\fldinst SYMBOL 1", b" \\\\f  ", b"}}word}"),
        (b"", b"{\\upr{a}{\\*\\ud ", b"word"),
        (b"", b"{\\*\\future a", b"}word"),
        (b"", b"{\\bin99999999 ", b"word"),
        (b"{\\listtext ", b"aa ", b"}word}"),
        (b"{\\fonttbl{\\f0\\fcharset2 Symbol;}}", b"abcdefgh", b"}"),
    )
]


_ROOTS = {
    "jats": ("<article dtd-version='1.3'><body>", "</body></article>"),
    "tei": ("<TEI xmlns='http://www.tei-c.org/ns/1.0'><text><body>", "</body></text></TEI>"),
    "docbook": ("<article xmlns='http://docbook.org/ns/docbook'>", "</article>"),
    "fb2": ("<FictionBook><body><section>", "</section></body></FictionBook>"),
    "xml": ("<?xml version='1.0'?><set>", "</set>"),
}


def _xml(document_format: str, piece: str, divisor: int = 8, after: str = "") -> tuple[str, Callable[[int], bytes]]:
    begin, end = _ROOTS[document_format]
    return "a.xml", lambda n: f"{begin}<p>{piece * (n // divisor)}{after}</p>{end}".encode()


SLOW += [
    *(_xml(document_format, "word", 1) for document_format in _ROOTS),
    *(_xml("xml", piece, 1) for piece in ("&", "&a", "&a;", "<![CDATA[", "<!--", "<?a ")),
    *(_xml(document_format, "<b>a</b>") for document_format in _ROOTS),
    _xml("jats", "<alternatives><b>a</b></alternatives>"),
    _xml("jats", "<name-alternatives>", 64, "a"),
    _xml("jats", "a<xref ref-type='bibr'>1</xref>"),
    _xml("jats", "<sub-article article-type='translation'><p>a</p></sub-article>"),
    _xml("tei", "<w>a</w>"),
    _xml("tei", "a-<lb break='no'/>"),
    _xml("tei", "-<lb/>"),
    _xml("tei", " <lb break='no'/>"),
    _xml("tei", "<app><lem>a</lem><rdg>b</rdg></app>"),
    _xml("tei", "a<ref target='#n'>1</ref>"),
    _xml("docbook", "<mediaobject><textobject><p>a</p></textobject></mediaobject>"),
    _xml("docbook", "<info><title>a</title><date>b</date></info>"),
    _xml("fb2", "a<a type='note'>1</a>"),
    _xml("xml", "<article xmlns='http://docbook.org/ns/docbook'><para>a</para></article>"),
    ("a.xml", lambda n: b"<!DOCTYPE a [" + b"<!ENTITY b " * n + b"]><a>b</a>"),
    ("a.xml", lambda n: b"<!DOCTYPE a [" + b"<!ENTITY b PUBLIC '" * n + b"]><a>b</a>"),
    ("a.xml", lambda n: b"<!DOCTYPE a [" + b"<!ENTITY b 'c'>" * (n // 8) + b"]><a>b</a>"),
    ("a.fb2", lambda n: b"<?xml version='1.0'?><FictionBook><body><p>" + b"[1" * n + b"</p></body></FictionBook>"),
]


def _mhtml(body: bytes, coding: bytes = b"8bit") -> bytes:
    head = b"MIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n--b\nContent-Type: text/html\n"
    return head + b"Content-Transfer-Encoding: %s\n\n%s\n--b--\n" % (coding, body)


def _nested_frames(n: int) -> bytes:
    frames = "".join(
        f"--b\nContent-Type: text/html\nContent-Location: h:{at}\n\n<p>words<iframe src='h:{at + 1}'></iframe>\n"
        for at in range(n // 64)
    )
    return f"MIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n{frames}--b--\n".encode()


SLOW += [
    *[
        ("a.mht", lambda n, piece=piece: _mhtml(piece * n))
        for piece in (b"word", b"=", b"--b", b"<p>", b"<iframe src=a>")
    ],
    *[("a.mht", lambda n, piece=piece: _mhtml(piece * n, b"base64")) for piece in (b"word", b"=", b"!", b"PHA+\n")],
    *[
        ("a.mht", lambda n, piece=piece: _mhtml(piece * n, b"quoted-printable"))
        for piece in (b"word", b"=", b"=3D", b"=\n")
    ],
    ("a.mht", _nested_frames),
    ("a.mht", lambda n: _mhtml(b"<p>" + b"<iframe srcdoc='&lt;p>words'></iframe>" * (n // 16))),
    ("a.mht", lambda n: _mhtml(b"x").replace(b"boundary=b", b"boundary=c") + b"--" * n),
]

_RECORD = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a/\r\nContent-Length: %d\r\n\r\n"
_HTTP = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>words"
_CHUNKED = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
_PAGE_RECORD = _RECORD % len(_HTTP) + _HTTP + b"\r\n\r\n"
_PIECES = (
    b"word", b"\r\n", b"\n", b"\0", b"WARC/", b"WARC/1.0\r\n", b"WARC/1.0\r\n\r\n", b"WARC/1.0\r\na:b\r\n\r\n",
    b"http:", b"\nhttp:", b"\nhttp: 1.2.3.4 ", b"\nhttp:// 1.2.3.4 20200101000000 text/html 1\n", b"a: ", b" ", b"\x1f\x8b",
    b"\x1f\x8b\x08\0", gzip.compress(b""), gzip.compress(b"WARC/1.0"), gzip.compress(b"\r\n"),
)  # fmt: skip
SLOW += [
    *[("a.warc", lambda n, piece=piece: _PAGE_RECORD + piece * (n // 16)) for piece in _PIECES],
    *[("a.warc.gz", lambda n, piece=piece: gzip.compress(_PAGE_RECORD) + piece * (n // 16)) for piece in _PIECES],
    *[("a.warc.gz", lambda n, piece=piece: gzip.compress(_PAGE_RECORD + piece * (n // 4))) for piece in _PIECES[:14]],
    ("a.warc", lambda n: (_RECORD % 10**6 + _HTTP + b"\r\n\r\n") * (n // 2048)),
    ("a.warc", lambda n: (_RECORD % 9 + _HTTP + b"\r\n\r\n") * (n // 2048)),
    ("a.warc", lambda n: (_RECORD.replace(b"Content-Length", b"X") % 9 + _HTTP + b"\r\n\r\n") * (n // 2048)),
    ("a.warc.gz", lambda n: gzip.compress((_RECORD % 10**6 + _HTTP + b"\r\n\r\n") * (n // 2048))),
    ("a.warc", lambda n: _RECORD % (2 * n) + b"a:" * n),
    ("a.warc", lambda n: _RECORD % (9 * n) + b"HTTP/1.1 200 OK\r\n" + b"a: b\n c\n" * n),
    ("a.warc", lambda n: _RECORD % (25 * n) + b"HTTP/1.1 100 Continue\r\n\r\n" * n),
    *[
        ("a.warc", lambda n, piece=piece: _RECORD % (len(_CHUNKED) + len(piece) * n) + _CHUNKED + piece * n)
        for piece in (b"1", b"1\r\n", b"1\r\na\r\n", b"1;", b"1 ", b"\r\n")
    ],
    ("a.html.gz", lambda n: gzip.compress(b"") * (n // 8) + gzip.compress(b"<p>words")),
    ("a.html.gz", lambda n: gzip.compress(b"<p>words") + bytes(n) + gzip.compress(b"more")),
    ("a.html.gz", lambda n: gzip.compress(b"<p>words") + b"x" * n),
]


def _mapped(content: bytes) -> bytes:
    """Return a PDF with a map to Unicode."""
    return document(show("word"), objects=[stream(b"begincmap " + content), b"<</ToUnicode 5 0 R>>"])


SLOW += [
    *[
        ("a.pdf", lambda n, piece=piece: document(piece * n))
        for piece in (
            b"q ", b"BT ", b"[", b"<<", b"(", b"/a BMC EMC ", b"/a<</b c>>BDC EMC ", b"EMC ", b"/a Do ", b"0 0 m 9 9 l S ",
            b"BT /F 9 Tf 9 9 Td (a) Tj ET ", b"BT /F 9 Tf 9 9 Td (word) Tj 0 9 Td (word) Tj ET ",
        )
    ],
    *[
        ("a.pdf", lambda n, piece=piece: _mapped(piece * n))
        for piece in (
            b" ", b"1", b"1 ", b"<", b"<21>", b"%", b"beginbfchar ", b"1 beginbfchar<21><0041>", b"1 beginbfrange<21>[",
            b"endbfchar ",
        )
    ],
    *[
        ("a.pdf", lambda n, piece=piece: document(show("word"), objects=[piece] * (n // 16)))
        for piece in (b"<<>>", b"<</Type/ObjStm>>", b"<</Type/ObjStm/N 1/First 4>>\nstream\n1 0 <<>>", stream(b"word"))
    ],
    ("a.pdf", lambda n: document(show("word"), catalog=b"/OCProperties<</OCGs[" + b"5 0 R " * n + b"]>>")),
    ("a.pdf", lambda n: document(show("word"), annotations=[b"<</Type/Annot/Subtype/Text/Contents(a)>>"] * (n // 16))),
]  # fmt: skip


MARKS = "\u0301\u0327"  # in this order, they have to be sorted


def _book(items: str, order: str = "") -> bytes:
    package = (
        f"<package xmlns='http://www.idpf.org/2007/opf'><manifest>{items}</manifest><spine>{order}</spine></package>"
    )
    return archive({**epub_parts(), "OPS/book.opf": package})


def _chain(n: int) -> bytes:
    """Return a book in which the fallback of each item is the next one."""
    items = "".join(f"<item id='i{at}' href='{at}.x' media-type='a/b' fallback='i{at + 1}'/>" for at in range(n // 8))
    return _book(items, "".join(f"<itemref idref='i{at}'/>" for at in range(n // 8)))


def _framed(source: str) -> bytes:
    return _mhtml(f"<p>words<iframe src='{source}'></iframe>".encode())


SLOW += [
    *[
        ("a.xml", lambda n, root=root, tag=tag: f"{root}{f'<{tag}>w' * 1200}{'<b></c>' * n}".encode())
        for root, tag in (
            ("<FictionBook xmlns='http://www.gribuser.ru/xml/fictionbook/2.0'><body>", "a"),
            ("<article xmlns:xlink='a'><front/><body>", "xref"),
            ("<TEI xmlns='http://www.tei-c.org/ns/1.0'><text>", "ref"),
        )
    ],
    ("a.epub", _chain),
    ("a.epub", lambda n: _book("".join(f"<item id='{at}' href='{at}'/>" for at in range(n)))),
    *[
        ("a.epub", lambda n, start=start: _book(f"<item id='a' href='{start}a{MARKS * n}'/>", "<itemref idref='a'/>"))
        for start in ("", "//", "http://", "?", "a/", "%")
    ],
    ("a.docx", lambda n: archive({**docx_parts(), **{f"{at}{MARKS * 8000}": "" for at in range(n // 1000)}})),
    *[("a.mht", lambda n, start=start: _framed(f"{start}a{MARKS * n}")) for start in ("", "//", "http://", "?")],
    *[
        (
            "a.eml",
            lambda n, header=header, end=end: (
                b"Subject: a\nMIME-Version: 1.0\n" + header + b";" * n + end + b"\n\nwords\n"
            ),
        )
        for header in (b"Content-Type: text/plain", b'Content-Type: text/plain; a="', b"Content-Disposition: inline")
        for end in (b"", b"\xe9")
    ],
]


@pytest.mark.parametrize(
    ("name", "create"),
    [pytest.param(*case, marks=() if at % 8 == 0 else pytest.mark.slow) for at, case in enumerate(SLOW)],
)
def test_time_grows_with_the_size(name: str, create: Callable[[int], bytes]) -> None:
    """Eight times the size takes 64 times the time of a quadratic reader; the allowance is for busy machines."""

    def seconds(n: int) -> float:
        data = create(n)
        start = time.process_time()
        for _ in extract_each(io.BytesIO(data), name=name):
            pass
        return time.process_time() - start

    n = 1000
    while (alone := seconds(n)) < 0.1 and n < 8000:
        n *= 2
    assert seconds(8 * n) < 30 * max(alone, 0.05)


@pytest.mark.parametrize("piece", ["![", "![x", "[a ", "[![a "])
def test_brackets_of_markdown_that_are_not_closed_are_searched_up_to_a_limit(
    piece: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The original searches the rest of a block for each, which is quadratic. All brackets stay in the text."""
    searched: list[int] = []

    def counted(state: StateInline, start: int, *others: bool) -> int:
        searched.append(state.posMax - start)
        return parseLinkLabel(state, start, *others)

    monkeypatch.setattr(markdown, "parseLinkLabel", counted)
    monkeypatch.setattr(markdown, "_MOST_SEARCHED", 20_000)
    source = "before [a](b) " + piece * 2000 + "after"
    text = extract(source.encode(), name="a.md").text
    assert text == source.replace("[a](b)", "a")
    assert sum(searched[1:]) < 20_000 + 2 * 100 * len(source)


@pytest.mark.parametrize("piece", ["a\n\n", "- a\n", "*a* ", "> a\n\n", "a\n\n    b\n\n", "|a|\n|-|\n|b|\n\n"])
def test_blocks_of_markdown_are_read_once(piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(markdown, "_PIECE", 1000)
    sizes = []
    parse = ParserBlock.parse

    def counted(parser: ParserBlock, source: str, *others: Any) -> Any:
        sizes.append(len(source))
        return parse(parser, source, *others)

    monkeypatch.setattr(ParserBlock, "parse", counted)
    source = piece * (20_000 // len(piece))
    extract(source.encode(), name="a.md")
    assert len(sizes) > 10
    assert sum(sizes) < 1.2 * len(source)


@given(st.text(st.sampled_from("aé:~-=|>\n\n\n \t1.#`*[]^"), max_size=40))
@example("a\n\n: b")
@example("- a\n\n  : b\n\nc\n=")
@example("> a\n>\n> ~ b")
@example("    a\n\n   b\n\n: c")
def test_short_paragraphs_are_those_of_the_other_rules(source: str) -> None:
    parser = markdown._parser()
    quick = parser.render(source, {"notes": []})
    parser.disable("short_paragraph")
    assert quick == parser.render(source, {"notes": []})


@given(st.lists(st.sampled_from(["<a", *">='\"a/< \n", "b=", "='", '="']), max_size=60), st.integers(3, 20))
def test_no_long_tag_is_in_a_part_of_a_page_that_is_not_searched(pieces: list[str], long: int) -> None:
    text = "".join(pieces)
    stretches = list(_long_stretches(text, long))
    for tag in filter(None, (_TAG.match(text, start.start()) for start in _START.finditer(text))):
        first, last = tag.span()
        assert last - first <= long + 1 or any(begin <= first and last <= stop for begin, stop in stretches)


MANY, FEW = 60_000, 20_000  # attributes: too many for one element, and not


def test_the_code_of_a_script_is_not_a_tag() -> None:
    code = b"for(b=0;b<f;b++)" + b" a=b " * FEW
    assert extract(b"<html><body><p>some words</p><script>" + code + b"</script></body></html>").text == "some words"


BEFORE = [
    "",
    "<!--><script>-->",
    "<svg><style>",
    "<i x='>'>",
    "<p a'>",
    "<textarea>'</textarea>",
    "<script><!--<script>",
]
ATTRIBUTES = [" a{}", "/a{}", " a{}=b", ' a{}="b"', "a{}='<'", "a{}='>'", " a{}=\xa0'"]


@pytest.mark.parametrize(
    ("before", "attribute"),
    [
        pytest.param(before, attribute, marks=() if at in (0, number) else pytest.mark.slow)
        for at, before in enumerate(BEFORE)
        for number, attribute in enumerate(ATTRIBUTES)
    ],
)
def test_attributes_of_an_element_are_limited_wherever_its_tag_is(before: str, attribute: str) -> None:
    def page(count: int) -> bytes:
        return f"<html><body>{before}<p {''.join(map(attribute.format, range(count)))}>some words".encode()

    check_attributes(page(FEW).decode())
    with pytest.raises(LimitExceededError, match="attributes"):
        extract(page(MANY))


@pytest.mark.slow
def test_attributes_in_few_elements_and_many_are_limited() -> None:
    few = f"<p {' '.join(map('a{}'.format, range(FEW)))}>some words"
    assert extract(few.encode()).text == "some words"
    with pytest.raises(LimitExceededError, match="attributes"):
        extract((few * 3).encode())


def test_a_long_attribute_is_one_attribute() -> None:
    words = "word " * 100_000
    assert extract(f'<html><body><p title="{words}">some words'.encode()).text == "some words"
