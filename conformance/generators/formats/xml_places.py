"""XML whose text has several forms: alternatives, readings, corrections, words of a corpus, broken lines, fallbacks."""

from __future__ import annotations

import re
from html import unescape
from xml.sax.saxutils import escape

from generators.formats import xml
from generators.formats.work import Part, Work, Written, around

_HARVEST = {
    "en": "Record harvested by an aggregator of repositories, with a date stamp and the name of a set",
    "de": "Vom Verbundkatalog geernteter Datensatz mit Zeitstempel und dem Namen einer Sammlung",
    "zh": "由机构知识库聚合平台收割的记录，附有时间戳和集合名称",
}
_REMARK = {
    "en": "The editor asks whether this figure was checked against the register before printing",
    "de": "Die Redaktion fragt, ob diese Angabe vor dem Druck mit dem Register verglichen wurde",
    "zh": "编辑询问付印之前是否已将这一数字与登记册核对",
}
_WORD = re.compile(r"[^\W\d_]{8,}")


def jats(work: Work) -> Written:
    """Return an article in a harvested set: references and names have alternatives, pictures have descriptions."""
    written = xml.jats(work)
    page = written.content.decode("utf-8")
    page = re.sub(
        r"<mixed-citation>(.*?)</mixed-citation>",
        lambda found: (
            f"<citation-alternatives>{_data(found[1])}<mixed-citation>{found[1]}</mixed-citation></citation-alternatives>"
        ),
        page,
    )
    remark = escape(_REMARK[work.language])
    page = page.replace("<fig>", f"<fig><alt-text>{remark}</alt-text>")
    article = page.partition("?>")[2].replace("<article ", '<article xmlns="" ', 1)
    harvest = escape(_HARVEST[work.language])
    page = f"""<?xml version="1.0" encoding="UTF-8"?>
<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>2026-01-01</responseDate><request>{harvest}</request>
<ListRecords><record><header><identifier>{harvest}</identifier></header><metadata>{article}</metadata>
<about>{harvest}</about></record></ListRecords></OAI-PMH>
"""
    return Written(page.encode("utf-8"), (*written.around, *_around(work)))


def _data(reference: str) -> str:
    """Return a reference as data, which repeats its text."""
    text = escape(unescape(re.sub("<[^>]*>", "", reference)))
    return f"<element-citation><article-title>{text}</article-title></element-citation>"


def tei(work: Work) -> Written:
    """Return an edition: words of a corpus without spaces, words that lines break, corrections and other readings."""
    written = xml.tei(work)
    page = written.content.decode("utf-8")
    broken: list[tuple[str, str]] = []
    count = 0

    def paragraph(found: re.Match[str]) -> str:
        nonlocal count
        count += 1
        text = found[1]
        if "<" in text:
            return found[0]
        if count % 3 == 0:
            return f"<p><s>{''.join(f'<w>{word}</w>' for word in text.split())}</s></p>"
        if count % 3 == 1:
            return f"<p>{_WORD.sub(broken_word, text, count=4)}</p>"
        return f"<p>{_WORD.sub(_correction, text, count=4)}</p>"

    def broken_word(found: re.Match[str]) -> str:
        first, second = found[0][:4], found[0][4:]
        broken.append((found[0], f"{first}- {second}"))
        return f"{first}-\n  <lb break='no'/>{second}"

    page = re.sub(r"<p>([^&\n]*?)</p>", paragraph, page)
    notes = "".join(f"<note>{escape(text[work.language])}</note>" for text in (_HARVEST, _REMARK))
    page = page.replace("</teiHeader>", f"</teiHeader><standOff>{notes}</standOff>")
    return Written(page.encode("utf-8"), (*written.around, *_around(work)), tuple(dict.fromkeys(broken)))


def _correction(found: re.Match[str]) -> str:
    word = found[0]
    wrong = word[:3] + word[4] + word[3] + word[5:]
    if len(word) % 2:
        return f"<choice><sic>{wrong}</sic><corr>{word}</corr></choice>"
    return f"<app><lem wit='#A'>{word}</lem><rdg wit='#B'>{wrong}</rdg></app>"


def docbook(work: Work) -> Written:
    """Return an article of files that are not there, with fallbacks; remarks of editors, and texts for pictures."""
    written = xml.docbook(work)
    page = written.content.decode("utf-8")
    remark, harvest = escape(_REMARK[work.language]), escape(_HARVEST[work.language])
    page = page.replace("<article ", '<article xmlns:xi="http://www.w3.org/2001/XInclude" ', 1)
    page = re.sub(
        r"<section>(.*?)</section>",
        lambda found: (
            f'<xi:include href="part.xml"><xi:fallback><section>{found[1]}</section></xi:fallback></xi:include>'
        ),
        page,
        flags=re.DOTALL,
    )
    picture = f"<mediaobject><imageobject/><textobject><phrase>{harvest}</phrase></textobject></mediaobject>"
    page = page.replace("<mediaobject/>", picture).replace("</para>", f"<remark>{remark}</remark></para>", 2)
    return Written(page.encode("utf-8"), (*written.around, *_around(work)))


def _around(work: Work) -> tuple[Part, ...]:
    return around("metadata", _HARVEST[work.language]), around("formatted as hidden", _REMARK[work.language])
