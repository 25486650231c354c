"""MHTML files (RFC 2557) with a word at every place where they show text, and at every place where they do not.

The places are the keys of `SHOWN`, `DAMAGED`, `COUNTED` and `NOT_SHOWN`. Each value builds a file from a word.
"""

from __future__ import annotations

import base64
import quopri
from collections.abc import Callable
from html import escape

Build = Callable[[str], bytes]

MAIN = "https://example.org/page"
_TEXT = "These words are a part of the page that the reader came for, and not one of them is a sign. "


def paragraphs(word: str, count: int = 3) -> str:
    """Return the content of a page in which a word occurs once."""
    return f"<p>{_TEXT * count}</p><p>The next word of it is {word} here.</p>"


def page(body: str, head: str = "<title>secret</title>") -> str:
    """Return a web page."""
    return f"<!DOCTYPE html><html><head>{head}</head><body>{body}</body></html>"


def part(
    content: str | bytes,
    *,
    location: str = MAIN,
    kind: str = "text/html",
    coding: str = "quoted-printable",
    more: str = "",
) -> bytes:
    """Return a part with its header."""
    data = content.encode() if isinstance(content, str) else content
    encoded = {"quoted-printable": quopri.encodestring, "base64": base64.encodebytes}.get(coding, bytes)(data)
    head = f"Content-Type: {kind}\nContent-Transfer-Encoding: {coding}\nContent-Location: {location}\n{more}\n"
    return (head.encode() + encoded.rstrip(b"\n")).replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


def archive(
    *parts: bytes, head: str = "", kind: str = "multipart/related", boundary: str = "BB", end: bool = True
) -> bytes:
    """Return a file of parts."""
    first = f'{head}MIME-Version: 1.0\r\nContent-Type: {kind}; boundary="{boundary}"\r\n\r\n'
    body = b"".join(b"--%s\r\n%s\r\n" % (boundary.encode(), one) for one in parts)
    return first.encode() + body + (b"--%s--\r\n" % boundary.encode() if end else b"")


def framed(mark: str, *inner: tuple[str, str]) -> bytes:
    """Return an archive of a page with little text and a frame, and of documents with their locations."""
    return archive(part(page(f"<p>The view of a page.</p>{mark}")), *(part(body, location=at) for at, body in inner))


def inside(mark: str, location: str = "https://example.org/inner") -> Build:
    """Return a builder of a page whose frame is a document with the word."""
    return lambda word: framed(mark, (location, page(paragraphs(word))))


def nested(depth: int) -> Build:
    """Return a builder of frames in frames, of which the innermost has the word."""

    def build(word: str) -> bytes:
        frames = [
            (f"https://example.org/{number}", page(f"<iframe src='https://example.org/{number + 1}'></iframe>"))
            for number in range(1, depth)
        ]
        mark = "<iframe src='https://example.org/1'></iframe>"
        return framed(mark, *frames, (f"https://example.org/{depth}", page(paragraphs(word))))

    return build


def _sources(count: int, word: str) -> str:
    """Return a page of many frames of which the last has the word."""
    marks = [*["x"] * (count - 1), word]
    texts = [f"<p>{_TEXT}It is number {number}{mark}.</p>" for number, mark in enumerate(marks)]
    return "".join(f'<iframe srcdoc="{escape(text)}"></iframe>' for text in texts)


def _alternatives(word: str, other: str = "secret") -> bytes:
    both = archive(
        part(f"{other} other words", kind="text/plain"),
        part(page(paragraphs(word))),
        kind="multipart/alternative",
        boundary="CC",
    )
    return archive(both)


SHOWN: dict[str, Build] = {
    **{
        f"page in {coding}": lambda word, coding=coding: archive(part(page(paragraphs(word)), coding=coding))  # type: ignore[misc]
        for coding in ("quoted-printable", "base64", "8bit", "7bit", "binary", "BASE64")
    },
    "page in base64 in long lines": lambda word: archive(
        part(base64.b64encode(page(paragraphs(word)).encode()), coding="7bit").replace(b"7bit", b"base64", 1)
    ),
    "page as XHTML": lambda word: archive(
        part(
            f"<html xmlns='http://www.w3.org/1999/xhtml'><body>{paragraphs(word)}</body></html>",
            kind="application/xhtml+xml",
        )
    ),
    "page of an unknown type": lambda word: archive(part(page(paragraphs(word)), kind="application/octet-stream")),
    "page that is called an image": lambda word: archive(part(page(paragraphs(word)), kind="image/png")),
    "page that is not the first part": lambda word: archive(
        part(page(""), location="https://example.org/other"),
        part(page(paragraphs(word))),
        head=f"From: <Saved by Blink>\r\nSnapshot-Content-Location: {MAIN}\r\n",
    ),
    "page that the header calls the start": lambda word: archive(
        part(page("")),
        part(page(paragraphs(word)), more="Content-ID: <main>\n"),
        kind='multipart/related; start="<main>"',
    ),
    "page that is not encoded as it says": lambda word: archive(
        part(page(paragraphs(word)), coding="8bit").replace(b"8bit", b"base64", 1)
    ),
    "alternative of plain text": _alternatives,
    "line ends of Unix": lambda word: archive(part(page(paragraphs(word)))).replace(b"\r\n", b"\n"),
    "no script": lambda word: archive(part(page(f"<noscript>{paragraphs(word)}</noscript>"))),
    "declared component": lambda word: archive(
        part(page(f"<x-page><template shadowmode='open'>{paragraphs(word)}</template></x-page>"))
    ),
    "frame by its address": inside("<iframe src='https://example.org/inner'></iframe>"),
    "frame by a relative address": inside("<iframe src='inner'></iframe>"),
    "frame by an address with a fragment": inside("<iframe src='inner#top'></iframe>"),
    "frame by its number": lambda word: archive(
        part(page("<iframe src='cid:f1@x'></iframe>")),
        part(page(paragraphs(word)), location="https://example.org/f", more="Content-ID: <f1@x>\n"),
    ),
    "frame of a frameset": lambda word: archive(
        part("<html><frameset cols='1,4'><frame src='cid:a'><frame src='inner'></frameset></html>"),
        part(page(paragraphs(word)), location="https://example.org/inner"),
    ),
    "frame that is called text": lambda word: archive(
        part(page("<iframe src='inner'></iframe>")),
        part(page(paragraphs(word)), location="https://example.org/inner", kind="text/plain"),
    ),
    "object": inside("<object data='https://example.org/inner' type='text/html'></object>"),
    "embedded": inside("<embed src='inner'>"),
    "frame in a frame": nested(2),
    "frame in frames": nested(5),
    "source of a frame": lambda word: archive(part(page(f'<iframe srcdoc="{escape(paragraphs(word))}"></iframe>'))),
    "source of a frame in a frame": lambda word: framed(
        "<iframe src='a'></iframe>",
        ("https://example.org/a", page(f'<iframe srcdoc="{escape(paragraphs(word))}"></iframe>')),
    ),
    "the hundredth frame": lambda word: archive(part(page(_sources(100, f" and {word} here")))),
}
"""The word is in the text, and there is no warning."""


def _cut(coding: str, share: float) -> Build:
    def build(word: str) -> bytes:
        data = _early(word, coding)
        return data[: int(len(data) * share)]

    return build


def _early(word: str, coding: str) -> bytes:
    return archive(part(page(f"<p>The next word of it is {word} here.</p><p>{_TEXT * 30}</p>"), coding=coding))


def _changed(data: bytes, letter: bytes) -> bytes:
    """Return a file with another last letter in its thirtieth line."""
    lines = data.split(b"\r\n")
    lines[29] = lines[29][:-1] + letter
    return b"\r\n".join(lines)


DAMAGED: dict[str, tuple[Build, str]] = {
    "without an end": (lambda word: archive(part(page(paragraphs(word))), end=False), "archives cut off"),
    **{
        f"{share:.2f} of {coding}": (_cut(coding, share), "archives cut off")
        for coding in ("quoted-printable", "base64", "8bit")
        for share in (0.3, 0.5, 0.51, 0.8, 0.9)
    },
    "a letter of base64 that is none": (lambda word: _changed(_early(word, "base64"), b"!"), "damaged parts read"),
    "a letter of base64 that is not ASCII": (
        lambda word: _changed(_early(word, "base64"), b"\xff"),
        "damaged parts read",
    ),
    "a line of base64 that is cut": (lambda word: _changed(_early(word, "base64"), b""), "damaged parts read"),
    "no blank line": (
        lambda word: archive(part(page(paragraphs(word)), coding="8bit")).replace(b"\r\n\r\n<", b"\r\n<"),
        "damaged parts read",
    ),
    "another boundary": (
        lambda word: archive(part(page(paragraphs(word)))).replace(b'"BB"', b'"CC"'),
        "boundaries repaired",
    ),
    "no boundary": (
        lambda word: archive(part(page(paragraphs(word)))).replace(b'boundary="BB"', b"type=x"),
        "boundaries repaired",
    ),
}
"""The word is in the text, and a warning that begins so names the damage."""

_LONG = page(f"<p>{_TEXT * 9}</p><iframe src='inner'></iframe>")

COUNTED: dict[str, tuple[Build, str]] = {
    "frame with less text than the page": (
        lambda word: archive(part(_LONG), part(page(f"<p>{word}</p>"), location="https://example.org/inner")),
        "frames with less text than the page not read: 1 (first: 'https://example.org/inner')",
    ),
    "source of a frame with less text": (
        lambda word: archive(part(page(f'<p>{_TEXT * 9}</p><iframe srcdoc="<p>{word}</p>"></iframe>'))),
        "frames with less text than the page not read: 1",
    ),
    "page that no frame shows": (
        lambda word: archive(part(_LONG), part(page(f"<p>{word}</p>"), location="https://example.org/lost")),
        "other parts with text not read: 1 (first: 'https://example.org/lost')",
    ),
    "plain text": (
        lambda word: archive(part(_LONG), part(f"{word} and others", kind="text/plain", location="cid:x")),
        "other parts with text not read: 1",
    ),
    "PDF": (
        lambda word: archive(part(_LONG), part(f"%PDF-1.7\n{word}", kind="application/pdf", location="cid:x")),
        "other parts with text not read: 1",
    ),
    "frame after a hundred": (lambda word: archive(part(page(_sources(121, word)))), "frames not read: 21"),
    "frame at depth ten": (nested(10), "frames not read: 1"),
}
"""The word is not in the text, and a warning begins so."""

NOT_SHOWN: dict[str, Build] = {
    "header": lambda word: archive(part(_LONG), head=f"From: {word}\r\nSubject: {word}\r\n"),
    "address": lambda word: archive(part(_LONG, location=f"https://example.org/{word}")),
    "title": lambda word: archive(part(page(f"<p>{_TEXT * 3}</p>", f"<title>{word}</title>"))),
    "hidden element": lambda word: archive(part(page(f"<p>{_TEXT * 3}</p><p hidden>{word}</p>"))),
    "style sheet": lambda word: archive(part(_LONG), part(f"/* {word} */", kind="text/css", location="cid:css")),
    "script": lambda word: archive(part(_LONG), part(f"// {word}", kind="text/javascript", location="cid:js")),
    "picture": lambda word: archive(part(_LONG), part(f"<svg>{word}</svg>", kind="image/svg+xml", location="cid:svg")),
    "before the parts": lambda word: archive(part(_LONG)).replace(b"\r\n\r\n", b"\r\n\r\n%s\r\n" % word.encode(), 1),
    "after the parts": lambda word: archive(part(_LONG)) + word.encode(),
    "alternative of plain text": lambda word: _alternatives("other", word),
    "page twice": lambda word: archive(part(_LONG), part(f"{word}{{}}", kind="text/css", location="cid:css")),
}
"""The word is not in the text."""
