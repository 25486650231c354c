"""FictionBook files with a word at every place where the format shows text, and where it does not.

The places follow the schema, FictionBook 2.2.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.extraction.samples import archive

Build = Callable[[str], bytes]

_NAMESPACE = 'xmlns="http://www.gribuser.ru/xml/fictionbook/2.0" xmlns:l="http://www.w3.org/1999/xlink"'


def book(content: str, *, description: str = "", after: str = "", namespace: str = _NAMESPACE) -> bytes:
    """Return a book with a section that has content."""
    return (
        f'<?xml version="1.0" encoding="utf-8"?><FictionBook {namespace}><stylesheet>secret</stylesheet><description>'
        f"<title-info><genre>secret</genre>{description}</title-info><document-info><id>secret</id></document-info>"
        f"</description><body><section><p>page</p>{content}</section></body>{after}"
        '<binary id="c.jpg" content-type="image/jpeg">secret</binary></FictionBook>'
    ).encode()


def at(content: str) -> Build:
    """Return a builder that puts a word into content."""
    return lambda word: book(content.format(word))


def parts(form: str) -> Build:
    """Return a builder that puts two parts of a word into content."""
    return lambda word: book(form.format(word[:4], word[4:]))


def notes(name: str, title: str = "<p>1</p>") -> Build:
    """Return a builder of books with a body of notes."""
    return lambda word: book(
        '<p>b<a l:href="#n1" type="note">1</a></p>',
        after=f'<body name="{name}"><section id="n1"><title>{title}</title><p>{word}</p></section></body>',
    )


SHOWN: dict[str, Build] = {
    **{
        place: at(content)
        for place, content in {
            "paragraph": "<p>{}</p>",
            "subtitle": "<subtitle>{}</subtitle>",
            "title of a section": "<section><title><p>{}</p><empty-line/></title><p>b</p></section>",
            "epigraph": "<epigraph><p>{}</p></epigraph>",
            "author of an epigraph": "<epigraph><p>a</p><text-author>{}</text-author></epigraph>",
            "annotation of a section": "<section><annotation><p>{}</p></annotation><p>b</p></section>",
            "quotation": "<cite><p>{}</p><text-author>b</text-author></cite>",
            "subtitle of a quotation": "<cite><subtitle>{}</subtitle></cite>",
            "verse": "<poem><stanza><v>{}</v><v>b</v></stanza></poem>",
            "title of a poem": "<poem><title><p>{}</p></title><stanza><v>b</v></stanza></poem>",
            "title of a stanza": "<poem><stanza><title><p>{}</p></title><subtitle>c</subtitle><v>b</v></stanza></poem>",
            "author of a poem": "<poem><stanza><v>b</v></stanza><text-author>{}</text-author></poem>",
            "date of a poem": '<poem><stanza><v>b</v></stanza><date value="1901-01-01">{}</date></poem>',
            "cell": "<table><tr><th>b</th><td>{}</td><td>c</td></tr></table>",
            "head of a table": "<table><tr><th>{}</th><th>c</th></tr></table>",
            "named style": '<p><style name="a">{}</style></p>',
            "code": "<p><code>{}</code></p>",
            "strikethrough": "<p><strikethrough>{}</strikethrough></p>",
            "link": '<p><a l:href="http://example.org">{}</a></p>',
            "before the mark of a note": '<p>{}<a l:href="#n1" type="note">[12]</a> more</p>',
            "before a mark in superscript": '<p>{}<a l:href="#n1" type="note"><sup>1</sup></a></p>',
            "before a sign": '<p>{}<a type="note" l:href="#n1">*</a></p>',
            "before a mark in braces": '<p>{}<a l:href="#n1" type="note">{{1}}</a></p>',
            "before a mark without a type": '<p>{}<a l:href="#n1">[1]</a></p>',
            "after an empty line": "<empty-line/><p>{}</p>",
            "after a picture": '<image l:href="#c.jpg"/><p>{}</p>',
        }.items()
    },
    **{
        f"part of a word: {tag}": parts(f"<p>{{}}<{tag}>{{}}</{tag}></p>")
        for tag in "strong emphasis sub sup a".split()
    },
    **{f"notes in the body {name}": notes(name) for name in ("notes", "Notes", "comments", "footnotes")},
    "title of a note with words": lambda word: notes("notes", f"<p>{word}</p>")("b"),
    "title of the book on its first page": lambda word: book("").replace(
        b"<body>", f"<body><title><p>{word}</p></title><epigraph><p>c</p></epigraph>".encode()
    ),
    "namespace with a prefix": lambda word: (
        "<f:FictionBook xmlns:f='http://www.gribuser.ru/xml/fictionbook/2.0'><f:description><f:id>secret</f:id>"
        f"</f:description><f:body><f:section><f:p>{word}</f:p></f:section></f:body><f:binary>secret</f:binary>"
        "</f:FictionBook>"
    ).encode(),
    "no namespace": lambda word: book(f"<p>{word}</p>", namespace=""),
    "windows-1251": lambda word: (
        book(f"<p>{word} Было поздно</p>").decode().replace("utf-8", "windows-1251").encode("cp1251")
    ),
    "book in an archive": lambda word: archive({"book.fb2": book(f"<p>{word}</p>").decode()}),
}

COUNTED: dict[str, tuple[Build, str]] = {
    "other file in the archive": (
        lambda word: archive({"a.fb2": book("").decode(), "b.txt": word}),
        "other files in the archive not read: 1 (first: 'b.txt')",
    ),
}

NOT_SHOWN: dict[str, Build] = {
    **{
        f"description: {place}": lambda word, content=content: book("", description=content.format(word))  # type: ignore[misc]
        for place, content in {
            "title": "<book-title>{}</book-title>",
            "annotation": "<annotation><p>{}</p></annotation>",
            "author": "<author><first-name>{}</first-name></author>",
            "keywords": "<keywords>{}</keywords>",
            "custom": "<custom-info>{}</custom-info>",
        }.items()
    },
    "picture": lambda word: book("", after=f'<binary id="b" content-type="image/png">{word}</binary>'),
    "style sheet": lambda word: book("").replace(b"<stylesheet>secret", f"<stylesheet>{word}".encode()),
}
