"""XML vocabularies: JATS, TEI and DocBook, each with metadata that is not text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import groupby
from xml.sax.saxutils import escape, quoteattr

from generators.formats.work import Part, Span, Work, Written, around, inline

Render = Callable[[Iterable[Part]], str]
_ACCEPTED = "Manuscript accepted for publication by the editorial board after peer review"


def _inline(work: Work, emphasis: str, link: str, mark: str) -> Callable[[Iterable[Span]], str]:
    """Return a function that renders inline text: links with their target, marks with their number and their note."""
    return partial(
        inline,
        escaped=escape,
        emphasis=lambda text, span: f"<{emphasis}>{text}</{emphasis}>",
        link=lambda text, span: link.format(text, target=quoteattr(span.target)),
        mark=lambda text, span: mark.format(text, note=escape(work.note(span))),
    )


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
    rendered: Callable[[Iterable[Span]], str],
    listed: str,
    item: str,
    forms: Mapping[str, str],
    row: str,
    cell: str,
    head: str | None = None,
) -> Render:
    """Return a function that renders the parts of a section in one vocabulary.

    Args:
        rendered: renders inline text.
        listed: format of a list, with its items.
        item: format of an item, with its inline text.
        forms: format of a part by its role, with its inline text, the rows of a table and the number of its columns;
            that of a paragraph for all other roles.
        row, cell: formats of a row of a table, and of a cell.
        head: format of a cell in the first row, if it is another.
    """

    def rows(part: Part) -> str:
        out = []
        for number, values in enumerate(part.rows):
            form = cell if number else head or cell
            out.append(row.format("".join(form.format(escape(value)) for value in values)))
        return "".join(out)

    def render(parts: Iterable[Part]) -> str:
        blocks = []
        for role, group in groupby(parts, key=lambda part: part.role):
            if role == "item":
                blocks.append(listed.format("".join(item.format(rendered(part.spans)) for part in group)))
                continue
            form = forms.get(role, forms["paragraph"])
            for part in group:
                columns = len(part.rows[0]) if part.rows else 0
                blocks.append(form.format(rendered(part.spans), rows=rows(part), columns=columns))
        return "\n".join(blocks)

    return render


def _last_heading(work: Work) -> str:
    """Return the last heading of a work, that of its references."""
    return escape(work.of("heading")[-1].text)


def jats(work: Work) -> Written:
    """Return a work as a JATS article with front matter."""
    rendered = _inline(
        work,
        "italic",
        "<ext-link xlink:href={target}>{}</ext-link>",
        '<xref ref-type="fn" rid="fn{0}">{0}</xref>',
    )
    forms = {
        "heading": "<title>{}</title>",
        "caption": "<fig><caption><p>{}</p></caption></fig>",
        "quote": "<disp-quote><p>{}</p></disp-quote>",
        "code": "<code>{}</code>",
        "table": "<table-wrap><caption><p>{}</p></caption><table><tbody>{rows}</tbody></table></table-wrap>",
        "paragraph": "<p>{}</p>",
    }
    item = "<list-item><p>{}</p></list-item>"
    render = _renderer(rendered, "<list>{}</list>", item, forms, "<tr>{}</tr>", "<td>{}</td>", "<th>{}</th>")
    sections = "\n".join(f"<sec>\n{render(section)}\n</sec>" for section in _sections(work))
    notes = "".join(f'<fn id="fn{n}"><p>{rendered(p.spans)}</p></fn>' for n, p in enumerate(work.of("footnote"), 1))
    listed = "".join(
        f'<ref id="r{n}"><mixed-citation>{rendered(p.spans)}</mixed-citation></ref>'
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


_ENCODING = "Digital edition prepared from photographs of the printed sheets; line breaks of the source were not kept"


def tei(work: Work) -> Written:
    """Return a work as a TEI document with a header."""
    # A note stands at the position of its mark, as is usual in TEI.
    note = '<note place="bottom" n="{0}">{note}</note>'
    rendered = _inline(work, "emph", "<ref target={target}>{}</ref>", note)
    forms = {
        "heading": "<head>{}</head>",
        "caption": '<figure><graphic url="figure.png"/><figDesc/><head>{}</head></figure>',
        "quote": "<quote><p>{}</p></quote>",
        "code": '<ab type="code">{}</ab>',
        "table": "<table><head>{}</head>{rows}</table>",
        "paragraph": "<p>{}</p>",
    }
    render = _renderer(rendered, "<list>{}</list>", "<item>{}</item>", forms, "<row>{}</row>", "<cell>{}</cell>")
    divisions = "\n".join(f"<div>\n{render(section)}\n</div>" for section in _sections(work))
    listed = "".join(f"<bibl>{rendered(part.spans)}</bibl>" for part in work.of("reference"))
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


_KEYWORDS = "Filed under regional studies, third shelf, returned by an anonymous reader"


def docbook(work: Work) -> Written:
    """Return a work as a DocBook article with an info element."""

    note = "<footnote><para>{note}</para></footnote>"
    rendered = _inline(work, "emphasis", "<link xlink:href={target}>{}</link>", note)
    forms = {
        "heading": "<title>{}</title>",
        "caption": "<figure><title>{}</title><mediaobject/></figure>",
        "quote": "<blockquote><para>{}</para></blockquote>",
        "code": "<programlisting>{}</programlisting>",
        "table": '<table><title>{}</title><tgroup cols="{columns}"><tbody>{rows}</tbody></tgroup></table>',
        "paragraph": "<para>{}</para>",
    }
    item = "<listitem><para>{}</para></listitem>"
    listed = "<itemizedlist>{}</itemizedlist>"
    render = _renderer(rendered, listed, item, forms, "<row>{}</row>", "<entry>{}</entry>")
    first, *others = _sections(work)
    sections = "\n".join(f"<section>\n{render(section)}\n</section>" for section in others)
    listed = "".join(f"<bibliomixed>{rendered(part.spans)}</bibliomixed>" for part in work.of("reference"))
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
