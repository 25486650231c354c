"""EPUB files with a word at every place where EPUB 3.3 lets a book show text, and at every place where it does not.

The places are the keys of `SHOWN`, `COUNTED` and `NOT_SHOWN`. Each value builds a file from a word.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tests.extraction.samples import archive

Build = Callable[[str], bytes]
Item = tuple[str, str] | tuple[str, str, str]
"""The name of a file, its media type, and other attributes. The id of the first is i1."""

XHTML = "application/xhtml+xml"
_CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)
_EPUB = 'xmlns:epub="http://www.idpf.org/2007/ops"'


def book(
    items: Sequence[Item],
    files: Mapping[str, bytes | str],
    *,
    order: Sequence[str] = (),
    before: str = "",
    metadata: str = "",
    container: str = _CONTAINER,
    more: Mapping[str, bytes | str] | None = None,
) -> bytes:
    """Return a book with a first chapter and the items of a manifest: all of them, or those in `order`, are read."""
    manifest = "".join(
        f'<item id="i{number}" href="{item[0]}" media-type="{item[1]}" {item[2] if len(item) > 2 else ""}/>'
        for number, item in enumerate((("first.xhtml", XHTML), *items))
    )
    spine = "".join(
        f'<itemref idref="{name}"/>' for name in ("i0", *(order or [f"i{at}" for at in range(1, len(items) + 1)]))
    )
    return archive(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": container,
            "OPS/book.opf": (
                f'{before}<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata>{metadata}</metadata>'
                f"<manifest>{manifest}</manifest><spine>{spine}</spine></package>"
            ),
            "OPS/first.xhtml": chapter("<p>page</p>"),
            **{f"OPS/{name}": content for name, content in files.items()},
            **(more or {}),
        }
    )


def chapter(body: str, *, head: str = "<title>secret</title>") -> str:
    """Return a document of a book."""
    return f'<html xmlns="http://www.w3.org/1999/xhtml" {_EPUB}><head>{head}</head><body>{body}</body></html>'


def one(body: str, *, head: str = "<title>secret</title>") -> bytes:
    """Return a book with a chapter."""
    return book([("a.xhtml", XHTML)], {"a.xhtml": chapter(body, head=head)})


def typed(media_type: str, name: str = "a.xhtml") -> Build:
    """Return a builder of books with a chapter that has a media type."""
    return lambda word: book([(name, media_type)], {name: chapter(f"<p>{word}</p>")})


def graphic(content: str) -> str:
    """Return a document in SVG."""
    return f'<svg xmlns="http://www.w3.org/2000/svg"><title>secret</title><g>{content}</g></svg>'


def navigation(body: str) -> bytes:
    """Return a book whose navigation document is a part of its reading order."""
    return book([("nav.xhtml", XHTML, 'properties="nav"')], {"nav.xhtml": chapter(body)})


def with_fallback(name: str, media_type: str, content: bytes | str, word: str) -> bytes:
    """Return a book with an item that has a chapter as its fallback."""
    items: list[Item] = [(name, media_type, 'fallback="i2"'), ("b.xhtml", XHTML)]
    return book(items, {name: content, "b.xhtml": chapter(f"<p>{word}</p>")}, order=["i1"])


def renditions(*names: str) -> str:
    """Return a container with several packages."""
    roots = "".join(f'<rootfile full-path="{name}"/>' for name in names)
    return f"<container><rootfiles>{roots}</rootfiles></container>"


_TOC = '<nav epub:type="toc"><h1>secret</h1><ol><li><a href="a">secret</a></li></ol></nav>'
_PNG = b"\x89PNG\r\n\x1a\n\0\0"
_CASES = (
    '<epub:switch><epub:case required-namespace="{}">{}</epub:case><epub:default><p>{}</p></epub:default></epub:switch>'
)
_MATH = '<math xmlns="http://www.w3.org/1998/Math/MathML"><mi>{}</mi></math>'
_BROKEN = "<br>"  # not well-formed: read as HTML

SHOWN: dict[str, Build] = {
    "chapter": lambda word: one(f"<p>{word}</p>"),
    **{
        f"after a self-closing {tag}{kind}": lambda word, tag=tag, broken=broken: one(  # type: ignore[misc]
            f"{broken}<{tag} class='a>b'/><p>{word}</p>"
        )
        for tag in "title script style iframe textarea noscript a div p b span object video audio select canvas".split()
        for kind, broken in (("", ""), (", not well-formed", _BROKEN))
    },
    **{
        f"after a self-closing {tag} in the head": lambda word, tag=tag: one(  # type: ignore[misc]
            f"{_BROKEN}<p>{word}</p>", head=f"<{tag}/>"
        )
        for tag in ("title", "script", "style", "TITLE", "script src='a.js' ", 'style type="text/css"\n')
    },
    "section of characters": lambda word: one(f"<p><![CDATA[{word}]]></p>"),
    "section of characters, not well-formed": lambda word: one(f"{_BROKEN}<p><![CDATA[a < {word} & b]]></p>"),
    "namespace with a prefix": lambda word: book(
        [("a.xhtml", XHTML)],
        {"a.xhtml": f'<h:html xmlns:h="http://www.w3.org/1999/xhtml"><h:body><h:p>{word}</h:p></h:body></h:html>'},
    ),
    "entity of HTML": lambda word: one(f"<p>{word}&nbsp;&eacute;</p>"),
    "formula": lambda word: one(f"<p>{_MATH.format(word)}</p>"),
    "note in a window": lambda word: one(f'<aside epub:type="footnote" hidden="hidden"><p>{word}</p></aside>'),
    "text without scripts": lambda word: one(f"<noscript><p>{word}</p></noscript>"),
    "text without scripts, not well-formed": lambda word: one(f"{_BROKEN}<noscript><p>{word}</p></noscript>"),
    "content of an object of an unknown type": lambda word: one(
        f'<object data="a.xyz" type="application/x-xyz"><p>{word}</p></object>'
    ),
    "SVG in a chapter": lambda word: one(graphic(f"<text>{word}</text>")),
    "SVG in a chapter, not well-formed": lambda word: one(_BROKEN + graphic(f"<text><tspan>{word}</tspan></text>")),
    "lines in SVG": lambda word: one(graphic(f'<text><tspan y="1">{word}</tspan><tspan y="2">other</tspan></text>')),
    "XHTML in SVG": lambda word: one(
        graphic(f'<foreignObject><p xmlns="http://www.w3.org/1999/xhtml">{word}</p></foreignObject>')
    ),
    "choice that is understood": lambda word: one(
        _CASES.format("http://www.w3.org/1998/Math/MathML", _MATH.format(word), "secret")
    ),
    "default of a choice": lambda word: one(_CASES.format("http://example.org/cml", "<p>secret</p>", word)),
    "default of a choice, not well-formed": lambda word: one(
        _BROKEN + _CASES.format("http://example.org/cml", "<p>secret</p>", word)
    ),
    "choice in SVG": lambda word: one(
        graphic(f'<switch><text systemLanguage="de">secret</text><text>{word}</text></switch>')
    ),
    "SVG in the reading order": lambda word: book(
        [("a.svg", "image/svg+xml")], {"a.svg": graphic(f"<text>{word}</text>")}
    ),
    **{
        f"media type {media_type or 'missing'}": typed(media_type)
        for media_type in (
            "application/XHTML+XML",
            " application/xhtml+xml ",
            "application/xhtml+xml; charset=utf-8",
            "text/html",
            "TEXT/HTML",
            "text/xml",
            "application/xml",
            "text/x-oeb1-document",
            "application/octet-stream",
            "image/jpeg",
            "",
        )
    },
    "DTBook": lambda word: book(
        [("a.xml", "application/x-dtbook+xml")],
        {
            "a.xml": "<dtbook><head><title>secret</title></head><book><bodymatter><level1><h1>h</h1><p>"
            f"<pagenum>secret</pagenum>{word}</p></level1></bodymatter></book></dtbook>"
        },
    ),
    "other XML": lambda word: book(
        [("a.xml", "application/xml")], {"a.xml": f"<?xml version='1.0'?><a><b>{word}</b></a>"}
    ),
    "plain text": lambda word: book([("a.txt", "text/plain")], {"a.txt": word}),
    "fallback of a picture": lambda word: with_fallback("a.png", "image/png", _PNG, word),
    "fallback of a PDF": lambda word: with_fallback("a.pdf", "application/pdf", "%PDF-1.4", word),
    **{
        f"fallback of {media_type}": lambda word, name=name, kind=media_type, content=content: with_fallback(  # type: ignore[misc]
            name, kind, content, word
        )
        for name, media_type, content in (
            ("a.xml", "application/x-foreign+xml", "<?xml version='1.0'?><a>secret</a>"),
            ("a.json", "application/json", '{"a": "secret"}'),
            ("a.css", "text/css", "p { color: secret }"),
        )
    },
    "fallback of a fallback": lambda word: book(
        [
            ("a.xyz", "a/b", 'fallback="i2"'),
            ("b.png", "image/png", 'fallback="i3"'),
            ("c.xhtml", XHTML, 'fallback="i1"'),
        ],
        {"a.xyz": b"\0\1", "b.png": _PNG, "c.xhtml": chapter(f"<p>{word}</p>")},
        order=["i1"],
    ),
    "item with a fallback": lambda word: book(
        [("a.xhtml", XHTML, 'fallback="i2"'), ("b.xhtml", XHTML)],
        {"a.xhtml": chapter(f"<p>{word}</p>"), "b.xhtml": chapter("<p>secret</p>")},
        order=["i1"],
    ),
    "item that is twice in the reading order": lambda word: book(
        [("a.xhtml", XHTML), ("a.xhtml#b", XHTML)], {"a.xhtml": chapter(f"<p>{word}</p>")}
    ),
    "item outside of the main order": lambda word: book(
        [("a.xhtml", XHTML)], {"a.xhtml": chapter(f"<p>{word}</p>")}, order=['i1" linear="no']
    ),
    "in the navigation document": lambda word: navigation(f"{_TOC}<p>{word}</p>"),
    "list that is not of contents": lambda word: navigation(f"{_TOC}<nav><p>{word}</p></nav>"),
    **{
        f"href {href}": lambda word, href=href, name=name: book(  # type: ignore[misc]
            [(href, XHTML)], {}, more={name: chapter(f"<p>{word}</p>")}
        )
        for href, name in (
            ("a%20b.xhtml", "OPS/a b.xhtml"),
            ("A.XHTML", "OPS/a.xhtml"),
            ("../text/a.xhtml", "text/a.xhtml"),
            ("t\\a.xhtml", "OPS/t/a.xhtml"),
            ("t/a.xhtml", "OPS\\t\\a.xhtml"),
            ("\u00e9.xhtml", "OPS/e\u0301.xhtml"),
            ("/OPS/a.xhtml", "OPS/a.xhtml"),
        )
    },
    **{
        f"package at {path}": lambda word, path=path: book(  # type: ignore[misc]
            [("a.xhtml", XHTML)],
            {"a.xhtml": chapter(f"<p>{word}</p>")},
            container=_CONTAINER.replace("OPS/book.opf", path),
        )
        for path in ("OPS\\book.opf", "OPS%2Fbook.opf", "/OPS/book.opf", "./OPS/book.opf")
    },
    "package in a folder with another case": lambda word: book(
        [("a.xhtml", XHTML)],
        {"a.xhtml": chapter(f"<p>{word}</p>")},
        container=_CONTAINER.replace("OPS/book.opf", "ops/Book.opf"),
    ),
}
"""The word is in the text once, and there is no warning."""

DAMAGED: dict[str, tuple[Build, str]] = {
    **{
        f"container that {kind}": (
            lambda word, container=container: book(  # type: ignore[misc]
                [("a.xhtml", XHTML)], {"a.xhtml": chapter(f"<p>{word}</p>")}, container=container
            ),
            "parts are missing: 1",
        )
        for kind, container in (
            ("is empty", ""),
            ("is cut off", _CONTAINER[:90]),
            ("names no package", "<container><rootfiles/></container>"),
            ("names another package", _CONTAINER.replace("OPS", "OEBPS")),
        )
    },
    "package after other text": (
        lambda word: book([("a.xhtml", XHTML)], {"a.xhtml": chapter(f"<p>{word}</p>")}, before="x"),
        "repaired",
    ),
}
"""The word is in the text once, and a warning names the damage."""

COUNTED: dict[str, tuple[Build, str]] = {
    "picture in the reading order": (
        lambda word: book([("a.png", "image/png")], {"a.png": _PNG + word.encode()}),
        "items of the reading order not read: 1",
    ),
    "files in other places": (
        lambda word: book([(f"https://example.org/{at}/{word}", XHTML) for at in range(3)], {}),
        "items of the reading order not read: 3",
    ),
    "item that is not in the manifest": (
        lambda word: book([], {"a.xhtml": chapter(word)}, order=["i9"]),
        "items of the reading order not in the manifest: 1",
    ),
    "chapter that is missing": (lambda word: book([(word, XHTML)], {}), "a chapter is missing"),
    "chapter that is not text": (
        lambda word: book([("a.xhtml", XHTML)], {"a.xhtml": b"\0" + word.encode()}),
        "a chapter cannot be read",
    ),
    "document in a frame": (
        lambda word: book(
            [("a.xhtml", XHTML), ("b.xhtml", XHTML)],
            {"a.xhtml": chapter('<p>other</p><iframe src="b.xhtml"></iframe>'), "b.xhtml": chapter(word)},
            order=["i1"],
        ),
        "documents outside of the reading order not read: 1",
    ),
    "text in pictures": (
        lambda word: book(
            [("a.svg", "image/svg+xml"), ("b.svg", "image/svg+xml"), ("c.svg", "image/svg+xml")],
            {
                "a.svg": graphic(f"<text>{word}</text>"),
                "b.svg": graphic("<path/>"),
                "c.svg": graphic(f"<text>{word}</text>"),
            },
            order=["i0"],
        ),
        "pictures with text not read: 2",
    ),
    "other rendition": (
        lambda word: book(
            [], {"other.opf": f"<package>{word}</package>"}, container=renditions("OPS/book.opf", "OPS/other.opf")
        ),
        "other renditions of the book not read: 1",
    ),
    "PDF as the first rendition": (
        lambda word: book([], {"a.pdf": f"%PDF-1.4 {word}"}, container=renditions("OPS/a.pdf", "OPS/book.opf")),
        "other renditions of the book not read: 1",
    ),
}
"""The word is not in the text, and a warning names its place with a count."""

NOT_SHOWN: dict[str, Build] = {
    "title in the head": lambda word: one("<p>other</p>", head=f"<title>{word}</title><style>{word}</style>"),
    "script": lambda word: one(f"<script>{word}</script><p>other</p>"),
    "comment": lambda word: one(f"<!-- {word} --><p>other</p>"),
    "hidden element": lambda word: one(f'<p>other words</p><p hidden="hidden">{word}</p>'),
    "hidden by a style": lambda word: one(f'<p>other words</p><p style="display: none">{word}</p>'),
    "ruby": lambda word: one(f"<p><ruby>other<rt>{word}</rt></ruby></p>"),
    "table of contents": lambda word: navigation(f'<p>other</p><nav epub:type="toc"><p>{word}</p></nav>'),
    "list of pages, hidden": lambda word: navigation(
        f'<p>other</p><nav epub:type="page-list" hidden=""><p>{word}</p></nav>'
    ),
    "list of landmarks, not well-formed": lambda word: navigation(
        f'{_BROKEN}<p>other</p><nav epub:type="landmarks"><p>{word}</p></nav>'
    ),
    "navigation document": lambda word: book(
        [("nav.xhtml", XHTML, 'properties="nav"')], {"nav.xhtml": chapter(f"<nav>{word}</nav>")}, order=["i0"]
    ),
    "number of a page": lambda word: one(f'<p>other<span epub:type="pagebreak">{word}</span></p>'),
    "number of a page by its role": lambda word: one(f'<p>other<span role="doc-pagebreak">{word}</span></p>'),
    "content of an object that is shown": lambda word: one(
        f'<object data="a.svg" type="image/svg+xml"><p>{word}</p></object>'
    ),
    "content of a video": lambda word: one(f'<video src="a.mp4"><p>{word}</p></video>'),
    "alternative text": lambda word: one(f'<p>other</p><img src="a.png" alt="{word}" title="{word}"/>'),
    "case that is not understood": lambda word: one(_CASES.format("http://example.org/cml", word, "other")),
    "title and description of SVG": lambda word: one(
        graphic(f"<title>{word}</title><desc>{word}</desc><text>other</text>")
    ),
    "definitions of SVG": lambda word: one(graphic(f"<defs><text>{word}</text></defs><text>other</text>")),
    "hidden SVG": lambda word: one(graphic(f'<text display="none">{word}</text><text>other</text>')),
    "SVG hidden by a style": lambda word: one(
        graphic(f'<text style="fill: red; display: none">{word}</text><text>other words</text>')
    ),
    "between elements of SVG": lambda word: one(graphic(f"{word}<text>other</text>")),
    "metadata": lambda word: book([], {}, metadata=f"<dc:title xmlns:dc='x'>{word}</dc:title>"),
    "old table of contents": lambda word: book(
        [("toc.ncx", "application/x-dtbncx+xml")], {"toc.ncx": f"<ncx><navLabel><text>{word}</text></navLabel></ncx>"}
    ),
    "file that is not in the manifest": lambda word: book([], {"a.xhtml": chapter(word)}),
}
"""The word is not in the text, and nothing says so."""
