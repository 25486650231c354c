"""Plain text in several encodings, Markdown, and a web archive."""

from __future__ import annotations

import hashlib

from generators.formats.work import Work, Written, around, inline


def plain(work: Work, encoding: str = "utf-8") -> Written:
    """Return plain text, with emphasis and titles as people type them."""
    blocks = []
    for part in work.parts:
        text = inline(part.spans, emphasis=lambda text, span: f"_{text}_", mark=lambda text, span: f"[{text}]")
        if part.role == "title":
            text = f"{text}\n{'=' * len(text)}"
        if part.role == "quote":
            text = f"    {text}"
        blocks.append(text)
        blocks += ["\n".join("  |  ".join(row) for row in part.rows)] if part.rows else []
    return Written(
        "\n\n".join(blocks).encode(encoding) + "\n".encode(encoding.removesuffix("-sig")).lstrip(b"\xff\xfe")
    )


_FRONT_MATTER = "Draft saved by the static site generator, layout wide, category features"


def markdown(work: Work) -> Written:
    """Return Markdown with front matter."""
    blocks = [f"---\nlayout: {_FRONT_MATTER}\n---"]
    for part in work.parts:
        text = inline(
            part.spans,
            emphasis=lambda text, span: f"*{text}*",
            link=lambda text, span: f"[{text}]({span.target})",
            mark=lambda text, span: f"[^{text}]",
        )
        prefix = {"title": "# ", "heading": "## ", "quote": "> ", "item": "- ", "caption": "![](figure.png) "}
        if part.role == "code":
            blocks.append(f"```python\n{text}\n```")
        elif part.role == "footnote":
            blocks.append(f"[^{1 + work.of('footnote').index(part)}]: {text}")
        elif part.role == "reference":
            blocks.append(f"{1 + work.of('reference').index(part)}. {text}")
        else:
            blocks.append(prefix.get(part.role, "") + text)
        if part.rows:
            head, *rows = part.rows
            lines = [head, tuple("---" for _ in head), *rows]
            blocks.append("\n".join(f"| {' | '.join(line)} |" for line in lines))
    return Written(("\n\n".join(blocks) + "\n").encode("utf-8"), (around("metadata", _FRONT_MATTER),))


_BADGE = '<p align="center">\n  <img src="badge.svg" alt="">\n</p>'


def readme(work: Work) -> Written:
    """Return Markdown as in many repositories: it begins with a tag, and mentions another that is never closed."""
    _, title, *blocks = markdown(work).content.decode("utf-8").split("\n\n")
    first = next(number for number, block in enumerate(blocks) if block[0].isalpha())
    blocks[first] = f"<script> {blocks[first]}"
    return Written("\n\n".join([_BADGE, title, *blocks]).encode("utf-8"))


_SERVER = "Example server, module for compression loaded, request served from the second cache"


def warc(work: Work, page: Written, encoding: str) -> Written:
    """Return a web archive of one page. The response declares the encoding in its header."""
    target = f"https://archive.example/{work.name}"
    body = page.content
    response = (
        f"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset={encoding}\r\nServer: {_SERVER}\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    ).encode("ascii") + body
    request = f"GET /{work.name} HTTP/1.1\r\nHost: archive.example\r\nUser-Agent: a crawler with good manners\r\n\r\n"
    records = [
        _record("warcinfo", "application/warc-fields", b"software: a crawler with good manners\r\n", None),
        _record("request", "application/http; msgtype=request", request.encode("ascii"), target),
        _record("response", "application/http; msgtype=response", response, target),
    ]
    return Written(b"".join(records), (*page.around, around("metadata", f"{_SERVER} a crawler with good manners")))


def _record(kind: str, content_type: str, content: bytes, target: str | None) -> bytes:
    digest = hashlib.sha256(kind.encode() + content).hexdigest()
    identifier = f"{digest[:8]}-{digest[8:12]}-4{digest[13:16]}-8{digest[17:20]}-{digest[20:32]}"
    head = [
        "WARC/1.0",
        f"WARC-Type: {kind}",
        *([f"WARC-Target-URI: {target}"] if target else []),
        "WARC-Date: 2026-01-01T00:00:00Z",
        f"WARC-Record-ID: <urn:uuid:{identifier}>",
        f"Content-Type: {content_type}",
        f"Content-Length: {len(content)}",
    ]
    return "\r\n".join(head).encode("ascii") + b"\r\n\r\n" + content + b"\r\n\r\n"
