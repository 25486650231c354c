"""ODT files with a word at every place where OpenDocument 1.3 lets a text show it, and at every place where it does not.

The places are the keys of `SHOWN`, `COUNTED` and `NOT_SHOWN`. Each value builds a file from a word.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tests.extraction.samples import archive

Build = Callable[[str], bytes]

NAMESPACES = " ".join(
    [
        *(
            f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
            for prefix, name in (
                ("office", "office"),
                ("text", "text"),
                ("table", "table"),
                ("style", "style"),
                ("draw", "drawing"),
                ("chart", "chart"),
                ("form", "form"),
                ("presentation", "presentation"),
                ("svg", "svg-compatible"),
                ("manifest", "manifest"),
            )
        ),
        'xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/"',
        'xmlns:math="http://www.w3.org/1998/Math/MathML" xmlns:xhtml="http://www.w3.org/1999/xhtml"',
    ]
)
_KIND = "application/vnd.oasis.opendocument"


def content(body: str, *, styles: str = "", kind: str = "text", root: str = "document-content") -> str:
    """Return a part with automatic styles and a body."""
    return (
        f'<office:{root} {NAMESPACES} office:mimetype="{_KIND}.text"><office:automatic-styles>{styles}'
        f"</office:automatic-styles><office:body><office:{kind}>{body}</office:{kind}></office:body></office:{root}>"
    )


def document(
    body: str,
    *,
    styles: str = "",
    common: str = "",
    masters: str = "",
    parts: Mapping[str, bytes | str] | None = None,
    entries: Mapping[str, str] | None = None,
) -> bytes:
    """Return an ODT file with a body, automatic and common styles, master pages, and other parts."""
    listed = "".join(
        f'<manifest:file-entry manifest:full-path="{path}" manifest:media-type="{media}"/>'
        for path, media in {"/": f"{_KIND}.text", "content.xml": "text/xml", **(entries or {})}.items()
    )
    return archive(
        {
            "mimetype": f"{_KIND}.text",
            "META-INF/manifest.xml": f"<manifest:manifest {NAMESPACES}>{listed}</manifest:manifest>",
            "styles.xml": (
                f"<office:document-styles {NAMESPACES}><office:styles>{common}</office:styles><office:automatic-styles>"
                f"{style('S', 'paragraph')}</office:automatic-styles><office:master-styles>{masters}"
                "</office:master-styles></office:document-styles>"
            ),
            "content.xml": content(f"<text:p>page</text:p>{body}", styles=styles),
            **(parts or {}),
        }
    )


def flat(body: str) -> bytes:
    """Return a document in a single file of XML."""
    meta = "<office:meta><dc:title>secret</dc:title></office:meta><office:settings>secret</office:settings>"
    masters = (
        "<office:master-styles><style:master-page><style:header><text:p>secret</text:p></style:header>"
        "</style:master-page></office:master-styles>"
    )
    made = content(f"<text:p>page</text:p>{body}", root="document")
    return made.replace("<office:automatic-styles>", f"{meta}{masters}<office:automatic-styles>", 1).encode()


def style(name: str, family: str, properties: str = "", *, parent: str = "", kind: str = "text") -> str:
    """Return a style with properties of its text, or of another kind."""
    above = f'style:parent-style-name="{parent}"' if parent else ""
    return (
        f'<style:style style:name="{name}" style:family="{family}" {above}><style:{kind}-properties {properties}/>'
        "</style:style>"
    )


def paragraph(text: str, attributes: str = "") -> str:
    return f"<text:p {attributes}>{text}</text:p>"


def table(cell: str, *, row: str = "", attributes: str = "", kind: str = "table-cell") -> str:
    """Return a table of a cell with text beside another."""
    return (
        f"<table:table {attributes}><table:table-row {row}><table:table-cell>{paragraph('other')}</table:table-cell>"
        f"<table:{kind}>{paragraph(cell)}</table:{kind}></table:table-row></table:table>"
    )


def framed(shape: str, *, after: str = "") -> str:
    """Return a frame in a paragraph."""
    return f"<text:p><draw:frame>{shape}{after}</draw:frame></text:p>"


def embedded(kind: str, body: str) -> bytes:
    """Return a document with an object of a kind, such as a chart, in which there is a body."""
    return document(
        framed('<draw:object xlink:href="./Object 1"/>', after='<draw:image xlink:href="./ObjectReplacements/1"/>'),
        parts={"Object 1/content.xml": content(body, kind=kind), "Object 1/meta.xml": "<a>secret</a>"},
        entries={"Object 1/": f"{_KIND}.{kind}"},
    )


def form(control: str, *, shown: bool = True) -> bytes:
    """Return a document with a control."""
    place = '<draw:control draw:control="c1"/>' if shown else ""
    return document(f"<office:forms><form:form>{control}</form:form></office:forms><text:p>{place}</text:p>")


def local_table(cell: str) -> str:
    """Return the table of a chart: strings, and a number."""
    return (
        "<chart:chart><table:table><table:table-row>"
        f'<table:table-cell office:value-type="string"><text:p>{cell}</text:p></table:table-cell>'
        '<table:table-cell office:value-type="float"><text:p>secret</text:p></table:table-cell>'
        "</table:table-row></table:table></chart:chart>"
    )


_NONE = 'text:display="none"'
_FORMULA = "<math:semantics><math:mi>{}</math:mi><math:annotation>secret</math:annotation></math:semantics>"

SHOWN: dict[str, Build] = {
    "paragraph": lambda word: document(paragraph(word)),
    "heading": lambda word: document(f'<text:h text:outline-level="1">{word}</text:h>'),
    "two spans of a word": lambda word: document(paragraph(f"{word[:4]}<text:span>{word[4:]}</text:span>")),
    "link": lambda word: document(paragraph(f'<text:a xlink:href="x">{word}</text:a>')),
    "list": lambda word: document(f"<text:list><text:list-item>{paragraph(word)}</text:list-item></text:list>"),
    "head of a list": lambda word: document(
        f"<text:list><text:list-header>{paragraph(word)}</text:list-header></text:list>"
    ),
    "numbered paragraph": lambda word: document(
        f"<text:numbered-paragraph>{paragraph(word)}</text:numbered-paragraph>"
    ),
    "section": lambda word: document(f"<text:section>{paragraph(word)}</text:section>"),
    "section with a condition that does not hide it": lambda word: document(
        f'<text:section text:display="condition" text:is-hidden="false">{paragraph(word)}</text:section>'
    ),
    "linked section with its text": lambda word: document(
        f'<text:section><text:section-source xlink:href="../a.odt"/>{paragraph(word)}</text:section>'
    ),
    "table": lambda word: document(table(word)),
    "table in a table": lambda word: document(
        f"<table:table><table:table-row><table:table-cell>{table(word)}</table:table-cell></table:table-row></table:table>"
    ),
    "note": lambda word: document(
        paragraph(
            f"a<text:note><text:note-citation>secret</text:note-citation><text:note-body>{paragraph(word)}</text:note-body></text:note>"
        )
    ),
    "inserted text": lambda word: document(
        "<text:tracked-changes><text:changed-region><text:insertion/></text:changed-region></text:tracked-changes>"
        + paragraph(f"<text:change-start/>{word}<text:change-end/>")
    ),
    "base of a ruby": lambda word: document(
        paragraph(
            f"<text:ruby><text:ruby-base>{word}</text:ruby-base><text:ruby-text>secret</text:ruby-text></text:ruby>"
        )
    ),
    "field of a variable": lambda word: document(
        paragraph(f'<text:variable-get text:name="n">{word}</text:variable-get>')
    ),
    "field of the title": lambda word: document(paragraph(f"<text:title>{word}</text:title>")),
    "placeholder": lambda word: document(paragraph(f"<text:placeholder>{word}</text:placeholder>")),
    "conditional text": lambda word: document(
        paragraph(f'<text:conditional-text text:string-value-if-true="secret">{word}</text:conditional-text>')
    ),
    "hidden text whose condition fails": lambda word: document(
        paragraph(f'<text:hidden-text text:is-hidden="false">{word}</text:hidden-text>')
    ),
    "paragraph that could be hidden": lambda word: document(
        paragraph(f'<text:hidden-paragraph text:is-hidden="false"/>{word}')
    ),
    "reference": lambda word: document(paragraph(f"<text:bookmark-ref>{word}</text:bookmark-ref>")),
    "mark of a bibliography": lambda word: document(
        paragraph(f"<text:bibliography-mark>{word}</text:bibliography-mark>")
    ),
    "meta": lambda word: document(paragraph(f'<text:meta xhtml:property="p">{word}</text:meta>')),
    "index": lambda word: document(
        "<text:illustration-index><text:illustration-index-source><text:index-title-template>secret"
        f"</text:index-title-template></text:illustration-index-source><text:index-body>{paragraph(word)}"
        "</text:index-body></text:illustration-index>"
    ),
    "text box": lambda word: document(framed(f"<draw:text-box>{paragraph(word)}</draw:text-box>")),
    "shape": lambda word: document(paragraph(f"<draw:custom-shape>{paragraph(word)}</draw:custom-shape>")),
    "shape in a group": lambda word: document(paragraph(f"<draw:g><draw:rect>{paragraph(word)}</draw:rect></draw:g>")),
    "chart title": lambda word: embedded(
        "chart", f"<chart:chart><chart:title>{paragraph(word)}</chart:title></chart:chart>"
    ),
    "label of a chart": lambda word: embedded("chart", local_table(word)),
    "embedded text": lambda word: embedded("text", paragraph(word)),
    "embedded table": lambda word: embedded(
        "spreadsheet",
        f"<table:table><table:table-row><table:table-cell>{paragraph(word)}</table:table-cell></table:table-row></table:table>",
    ),
    "embedded drawing": lambda word: embedded(
        "drawing", f"<draw:page><draw:rect>{paragraph(word)}</draw:rect></draw:page>"
    ),
    "embedded formula": lambda word: document(
        framed('<draw:object xlink:href="Object 1"/>'),
        parts={"Object 1/content.xml": f"<math:math {NAMESPACES}>{_FORMULA.format(word)}</math:math>"},
    ),
    "formula in the text": lambda word: document(
        framed(f"<draw:object><math:math>{_FORMULA.format(word)}</math:math></draw:object>")
    ),
    "object in the text": lambda word: document(
        framed(
            f"<draw:object><office:document><office:meta><dc:title>secret</dc:title></office:meta><office:body><office:chart>{local_table(word)}</office:chart></office:body></office:document></draw:object>"
        )
    ),
    "label of a control": lambda word: form(f'<form:fixed-text form:id="c1" form:label="{word}"/>'),
    "caption of a button": lambda word: form(f'<form:button form:id="c1" form:label="{word}"/>'),
    "value of a control": lambda word: form(
        f'<form:text form:id="c1" form:value="secret" form:current-value="{word}"/>'
    ),
    "paragraph of a control": lambda word: form(f'<form:textarea form:id="c1">{paragraph(word)}</form:textarea>'),
    "choice of a control": lambda word: form(
        f'<form:listbox form:id="c1"><form:option form:label="secret"/><form:option form:label="{word}" form:current-selected="true"/></form:listbox>'
    ),
    "shown span in a hidden paragraph": lambda word: document(
        paragraph(f'secret<text:span text:style-name="T">{word}</text:span>', 'text:style-name="P"'),
        styles=style("P", "paragraph", _NONE) + style("T", "text", 'text:display="true"'),
    ),
    "style over a hidden one": lambda word: document(
        paragraph(word, 'text:style-name="P"'),
        styles=style("P", "paragraph", 'text:display="true"', parent="H"),
        common=style("H", "paragraph", _NONE),
    ),
    "style with the name of another family": lambda word: document(
        paragraph(word, 'text:style-name="X"'), styles=style("X", "text", _NONE)
    ),
    "style with the name of one in styles.xml": lambda word: document(
        paragraph(word, 'text:style-name="S"'), styles=style("S", "paragraph")
    ),
    "flat file": lambda word: flat(paragraph(word)),
    "flat file with a picture": lambda word: flat(
        framed("<draw:image><office:binary-data>secret</office:binary-data></draw:image>") + paragraph(word)
    ),
}
"""The word is in the text once."""

COUNTED: dict[str, tuple[Build, str]] = {
    "word in the number of a list": (
        lambda word: document(
            f'<text:list text:style-name="L"><text:list-item>{paragraph("other")}<text:list><text:list-item>'
            f"{paragraph('other')}</text:list-item></text:list></text:list-item></text:list>",
            common=f'<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-suffix="."/>'
            f'<text:list-level-style-number text:level="2" style:num-prefix="{word} "/></text:list-style>',
        ),
        "numbers of lists with words not read: 1",
    ),
    "word in the number of a heading": (
        lambda word: document(
            '<text:h text:outline-level="1">other</text:h><text:h text:outline-level="2">other</text:h>',
            common='<text:outline-style style:name="Outline"><text:outline-level-style text:level="1" '
            f'style:num-prefix="{word} "/></text:outline-style>',
        ),
        "numbers of lists with words not read: 1",
    ),
    "linked section": (
        lambda word: document(f'<text:section><text:section-source xlink:href="../{word}.odt"/></text:section>'),
        "linked sections not read: 1",
    ),
    "object of another program": (
        lambda word: document(framed('<draw:object-ole xlink:href="./Object 1"/>'), parts={"Object 1": word}),
        "embedded objects not read: 1",
    ),
    "object in another file": (
        lambda word: document(framed(f'<draw:object xlink:href="../{word}.ods"/>')),
        "objects in other files not read: 1",
    ),
    "object that is missing": (
        lambda word: document(framed(f'<draw:object xlink:href="./{word}"/>')),
        "embedded objects not read: 1",
    ),
    "object that nothing refers to": (
        lambda word: document(
            "",
            parts={"Object 1/content.xml": content(paragraph(word))},
            entries={"Object 1/": f"{_KIND}.text"},
        ),
        "embedded objects not read: 1",
    ),
    "object that is damaged": (
        lambda word: document(
            framed('<draw:object xlink:href="Object 1"/>'), parts={"Object 1/content.xml": f"<a><p>{word}</a>"}
        ),
        "damaged parts not read: 1",
    ),
    "frame of another document": (
        lambda word: document(framed(f'<draw:floating-frame xlink:href="{word}.html"/>')),
        "frames of other documents not read: 1",
    ),
}
"""The word is not in the text, and a warning names its place with a count."""

NOT_SHOWN: dict[str, Build] = {
    "hidden section": lambda word: document(f"<text:section {_NONE}>{paragraph(word)}</text:section>"),
    "section with a condition that hides it": lambda word: document(
        f'<text:section text:display="condition" text:is-hidden="true">{paragraph(word)}</text:section>'
    ),
    "section in a hidden one": lambda word: document(
        f"<text:section {_NONE}><text:section>{paragraph(word)}</text:section></text:section>"
    ),
    "hidden text": lambda word: document(
        paragraph(f'<text:hidden-text text:is-hidden="true">{word}</text:hidden-text>')
    ),
    "hidden field": lambda word: document(
        paragraph(f"other <text:variable-set {_NONE}>{word}</text:variable-set>")
        + paragraph(f"other <text:user-field-get {_NONE}>{word}</text:user-field-get>")
    ),
    "notes of an embedded presentation": lambda word: embedded(
        "presentation", f"<draw:page><presentation:notes>{paragraph(word)}</presentation:notes></draw:page>"
    ),
    "hidden paragraph": lambda word: document(
        paragraph(f'{word}<text:span>{word}<text:hidden-paragraph text:is-hidden="true"/></text:span>{word}')
    ),
    "text box in a hidden paragraph": lambda word: document(
        paragraph(
            f"<draw:frame><draw:text-box>{paragraph(word)}</draw:text-box></draw:frame>"
            '<text:hidden-paragraph text:is-hidden="true"/>'
        )
    ),
    "hidden automatic style": lambda word: document(
        paragraph(word, 'text:style-name="P"'), styles=style("P", "paragraph", _NONE)
    ),
    "hidden common style": lambda word: document(
        paragraph(word, 'text:style-name="P"'), common=style("P", "paragraph", _NONE)
    ),
    "style on a hidden one": lambda word: document(
        paragraph(word, 'text:style-name="P"'),
        styles=style("P", "paragraph", parent="H"),
        common=style("H", "paragraph", _NONE),
    ),
    "hidden span": lambda word: document(
        paragraph(f'other <text:span text:style-name="T">{word}</text:span>'), styles=style("T", "text", _NONE)
    ),
    "span in a hidden one": lambda word: document(
        paragraph(f'other <text:span text:style-name="T"><text:span>{word}</text:span></text:span>'),
        styles=style("T", "text", _NONE),
    ),
    "hidden link": lambda word: document(
        paragraph(f'<text:a text:style-name="T">{word}</text:a>'), styles=style("T", "text", _NONE)
    ),
    "hidden heading": lambda word: document(
        f'<text:h text:style-name="P">{word}</text:h>', styles=style("P", "paragraph", _NONE)
    ),
    "collapsed row": lambda word: document(table(word, row='table:visibility="collapse"')),
    "hidden table": lambda word: document(
        table(word, attributes='table:style-name="T"'),
        styles=style("T", "table", 'table:display="false"', kind="table"),
    ),
    "covered cell": lambda word: document(table(word, kind="covered-table-cell")),
    "hidden shape": lambda word: document(paragraph(f'<draw:rect draw:display="none">{paragraph(word)}</draw:rect>')),
    "hidden object": lambda word: document(
        f"<text:section {_NONE}>{framed('<draw:object xlink:href=' + chr(34) + 'Object 1' + chr(34) + '/>')}</text:section>",
        parts={"Object 1/content.xml": content(paragraph(word))},
        entries={"Object 1/": f"{_KIND}.text"},
    ),
    "deleted text": lambda word: document(
        f"<text:tracked-changes><text:changed-region><text:deletion>{paragraph(word)}</text:deletion>"
        "</text:changed-region></text:tracked-changes>"
    ),
    "comment": lambda word: document(
        paragraph(f"other<office:annotation><dc:creator>{word}</dc:creator>{paragraph(word)}</office:annotation>")
    ),
    "running head": lambda word: document(
        "",
        masters=f"<style:master-page><style:header>{paragraph(word)}</style:header><style:footer>{paragraph(word)}"
        "</style:footer></style:master-page>",
    ),
    "title and description of a picture": lambda word: document(
        framed(f"<svg:title>{word}</svg:title><svg:desc>{word}</svg:desc>")
    ),
    "number of a page": lambda word: document(paragraph(f"<text:page-number>{word}</text:page-number>")),
    "script": lambda word: document(
        f"<office:scripts><office:script>{word}</office:script></office:scripts>"
        + paragraph(f"<text:script>{word}</text:script>")
    ),
    "mark of an index": lambda word: document(
        paragraph(f'other<text:alphabetical-index-mark text:string-value="{word}"/>')
    ),
    "template of an index": lambda word: document(
        f"<text:table-of-content><text:table-of-content-source>{paragraph(word)}</text:table-of-content-source>"
        "</text:table-of-content>"
    ),
    "control that is not placed": lambda word: form(f'<form:text form:id="c1" form:value="{word}"/>', shown=False),
    "hidden control": lambda word: form(f'<form:hidden form:id="c1" form:value="{word}"/>'),
    "password": lambda word: form(f'<form:password form:id="c1" form:value="{word}"/>'),
    "declared variable": lambda word: document(
        f'<text:user-field-decls><text:user-field-decl office:string-value="{word}"/></text:user-field-decls>'
    ),
    "metadata": lambda word: document("", parts={"meta.xml": f"<a>{word}</a>", "settings.xml": f"<a>{word}</a>"}),
}
"""The word is not in the text, and nothing says so."""
