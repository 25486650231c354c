"""XML vocabularies: JATS, TEI and DocBook, each with metadata that is not text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import groupby
from xml.sax.saxutils import escape, quoteattr

from generators.formats.work import Part, Span, Work, Written, around

Inline = Callable[[Iterable[Span]], str]
Render = Callable[[Iterable[Part]], str]
_ACCEPTED = "Manuscript accepted for publication by the editorial board after peer review"


def _inline(emphasis: str, link: Callable[[Span], str], mark: Callable[[Span], str]) -> Inline:
    def rendered(spans: Iterable[Span]) -> str:
        out = []
        for span in spans:
            text = escape(span.text)
            if span.kind == "emphasis":
                text = f"<{emphasis}>{text}</{emphasis}>"
            elif span.kind == "link":
                text = link(span)
            elif span.kind == "mark":
                text = mark(span)
            out.append(text)
        return "".join(out)

    return rendered


def _sections(work: Work) -> list[list[Part]]:
    """Return the sections of a work, each with its heading, without title, notes and references."""
    sections: list[list[Part]] = [[]]
    for part in work.parts[1:]:
        if part.role in ("footnote", "reference"):
            continue
        if part.role == "heading":
            sections.append([])
        sections[-1].append(part)
    return [section for section in sections if [part.role for part in section] not in ([], ["heading"])]


def _renderer(
    inline: Inline, listed: str, item: str, paragraph: str, forms: Callable[[Part, str], dict[str, str]]
) -> Render:
    """Return a function that renders the parts of a section in one vocabulary.

    Args:
        inline: renders inline text.
        listed: format of a list, with its items.
        item: format of an item, with its inline text.
        paragraph: format of every part whose role is not in `forms`.
        forms: gives the form of a part in each role, from the part and its rendered inline text.
    """

    def render(parts: Iterable[Part]) -> str:
        blocks = []
        for role, group in groupby(parts, key=lambda part: part.role):
            if role == "item":
                blocks.append(listed.format("".join(item.format(inline(part.spans)) for part in group)))
                continue
            for part in group:
                text = inline(part.spans)
                blocks.append(forms(part, text).get(role) or paragraph.format(text))
        return "\n".join(blocks)

    return render


def _rows(part: Part, row: str, cell: str) -> str:
    """Return the rows of a table, each in the format `row` with cells in the format `cell`."""
    return "".join(row.format("".join(cell.format(escape(value)) for value in values)) for values in part.rows)


def _last_heading(work: Work) -> str:
    """Return the last heading of a work, that of its references."""
    return escape(work.of("heading")[-1].text)


def jats(work: Work) -> Written:
    """Return a work as a JATS article with front matter."""
    inline = _inline(
        "italic",
        lambda span: f"<ext-link xlink:href={quoteattr(span.target)}>{escape(span.text)}</ext-link>",
        lambda span: f'<xref ref-type="fn" rid="fn{span.text}">{span.text}</xref>',
    )

    def forms(part: Part, text: str) -> dict[str, str]:
        return {
            "heading": f"<title>{text}</title>",
            "caption": f"<fig><caption><p>{text}</p></caption></fig>",
            "quote": f"<disp-quote><p>{text}</p></disp-quote>",
            "code": f"<code>{text}</code>",
            "table": f"<table-wrap><caption><p>{text}</p></caption>{_html_rows(part)}</table-wrap>",
        }

    render = _renderer(inline, "<list>{}</list>", "<list-item><p>{}</p></list-item>", "<p>{}</p>", forms)
    sections = "\n".join(f"<sec>\n{render(section)}\n</sec>" for section in _sections(work))
    notes = "".join(f'<fn id="fn{n}"><p>{inline(p.spans)}</p></fn>' for n, p in enumerate(work.of("footnote"), 1))
    listed = "".join(
        f'<ref id="r{n}"><mixed-citation>{inline(p.spans)}</mixed-citation></ref>'
        for n, p in enumerate(work.of("reference"), 1)
    )
    back = (f"<fn-group>{notes}</fn-group>" if notes else "") + (
        f"<ref-list><title>{_last_heading(work)}</title>{listed}</ref-list>" if listed else ""
    )
    page = f"""<?xml version="1.0" encoding="UTF-8"?>
<article xmlns:xlink="http://www.w3.org/1999/xlink" xml:lang="{work.language}">
<front>
<journal-meta><journal-id>{escape(work.site)}</journal-id><publisher><publisher-name>Example Press</publisher-name></publisher></journal-meta>
<article-meta>
<article-id pub-id-type="publisher-id">{work.name}</article-id>
<title-group><article-title>{escape(work.title)}</article-title></title-group>
<history><date date-type="accepted"><string-date>{_ACCEPTED}</string-date></date></history>
</article-meta>
</front>
<body>
{sections}
</body>
<back>{back}</back>
</article>
"""
    return Written(page.encode("utf-8"), (around("metadata", f"{work.site} Example Press {_ACCEPTED}"),))


def _html_rows(part: Part) -> str:
    rows = ["".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row) for row, tag in _tagged(part)]
    return "<table><tbody>" + "".join(f"<tr>{row}</tr>" for row in rows) + "</tbody></table>"


def _tagged(part: Part) -> list[tuple[tuple[str, ...], str]]:
    return [(row, "td" if n else "th") for n, row in enumerate(part.rows)]


_ENCODING = "Digital edition prepared from photographs of the printed sheets; line breaks of the source were not kept"


def tei(work: Work) -> Written:
    """Return a work as a TEI document with a header."""
    inline = _inline(
        "emph",
        lambda span: f"<ref target={quoteattr(span.target)}>{escape(span.text)}</ref>",
        lambda span: _tei_note(work, span),
    )

    def forms(part: Part, text: str) -> dict[str, str]:
        rows = _rows(part, "<row>{}</row>", "<cell>{}</cell>")
        return {
            "heading": f"<head>{text}</head>",
            "caption": f'<figure><graphic url="figure.png"/><figDesc/><head>{text}</head></figure>',
            "quote": f"<quote><p>{text}</p></quote>",
            "code": f'<ab type="code">{text}</ab>',
            "table": f"<table><head>{text}</head>{rows}</table>",
        }

    render = _renderer(inline, "<list>{}</list>", "<item>{}</item>", "<p>{}</p>", forms)
    divisions = "\n".join(f"<div>\n{render(section)}\n</div>" for section in _sections(work))
    listed = "".join(f"<bibl>{inline(part.spans)}</bibl>" for part in work.of("reference"))
    back = f"<back><div><head>{_last_heading(work)}</head><listBibl>{listed}</listBibl></div></back>" if listed else ""
    page = f"""<?xml version="1.0" encoding="UTF-8"?>
<TEI xmlns="http://www.tei-c.org/ns/1.0" xml:lang="{work.language}">
<teiHeader>
<fileDesc><titleStmt><title>{escape(work.title)}</title></titleStmt>
<publicationStmt><publisher>{escape(work.site)}</publisher></publicationStmt>
<sourceDesc><p>Written for a test suite</p></sourceDesc></fileDesc>
<encodingDesc><p>{_ENCODING}</p></encodingDesc>
</teiHeader>
<text>
<front><titlePage><docTitle><titlePart>{escape(work.title)}</titlePart></docTitle></titlePage></front>
<body>
{divisions}
</body>
{back}
</text>
</TEI>
"""
    return Written(page.encode("utf-8"), (around("metadata", f"{work.site} Written for a test suite {_ENCODING}"),))


def _tei_note(work: Work, span: Span) -> str:
    """Return a note at the position of its mark, as is usual in TEI."""
    note = work.of("footnote")[int(span.text) - 1]
    return f'<note place="bottom" n="{span.text}">{escape(note.text)}</note>'


_KEYWORDS = "Filed under regional studies, third shelf, returned by an anonymous reader"


def docbook(work: Work) -> Written:
    """Return a work as a DocBook article with an info element."""

    def note(span: Span) -> str:
        text = work.of("footnote")[int(span.text) - 1].text
        return f"<footnote><para>{escape(text)}</para></footnote>"

    inline = _inline(
        "emphasis", lambda span: f"<link xlink:href={quoteattr(span.target)}>{escape(span.text)}</link>", note
    )

    def forms(part: Part, text: str) -> dict[str, str]:
        rows = _rows(part, "<row>{}</row>", "<entry>{}</entry>")
        columns = len(part.rows[0]) if part.rows else 0
        return {
            "heading": f"<title>{text}</title>",
            "caption": f"<figure><title>{text}</title><mediaobject/></figure>",
            "quote": f"<blockquote><para>{text}</para></blockquote>",
            "code": f"<programlisting>{text}</programlisting>",
            "table": f'<table><title>{text}</title><tgroup cols="{columns}"><tbody>{rows}</tbody></tgroup></table>',
        }

    item = "<listitem><para>{}</para></listitem>"
    render = _renderer(inline, "<itemizedlist>{}</itemizedlist>", item, "<para>{}</para>", forms)
    first, *others = _sections(work)
    sections = "\n".join(f"<section>\n{render(section)}\n</section>" for section in others)
    listed = "".join(f"<bibliomixed>{inline(part.spans)}</bibliomixed>" for part in work.of("reference"))
    back = f"<bibliography><title>{_last_heading(work)}</title>{listed}</bibliography>" if listed else ""
    page = f"""<?xml version="1.0" encoding="UTF-8"?>
<article xmlns="http://docbook.org/ns/docbook" xmlns:xlink="http://www.w3.org/1999/xlink" version="5.0" xml:lang="{work.language}">
<info><title>{escape(work.title)}</title><publishername>{escape(work.site)}</publishername>
<keywordset><keyword>{_KEYWORDS}</keyword></keywordset></info>
{render(first)}
{sections}
{back}
</article>
"""
    return Written(page.encode("utf-8"), (around("metadata", f"{work.site} {_KEYWORDS}"),))
