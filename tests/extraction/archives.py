"""Web pages as archives and browsers keep them: written for the tests around one text."""

from __future__ import annotations

import json
import quopri

TITLE = "The bell that rang under water"
SENTENCES = [
    "The bell of the drowned church was cast in a field outside the walls, because no cart could have carried it there.",
    "When the reservoir was filled, the villagers left it in its tower and took the clock, which they thought worth more.",
    "Divers have since measured the tower; the water at the level of the louvres is nine metres deep in a dry summer.",
    "A current passes through the valley twice a year, when the sluices are opened to spare the turbines from the ice.",
    "On those nights people on the shore say that they hear it, and the engineers say that they hear the sluices.",
    "The bell weighs as much as three oxen, and its clapper hangs from a leather strap that should have rotted long ago.",
]
PARAGRAPHS = [" ".join(SENTENCES[start:] + SENTENCES[:start]) for start in range(4)]
TEXT = "\n\n".join([TITLE, *PARAGRAPHS])
ARTICLE = f"<h1>{TITLE}</h1>" + "".join(f"<p>{paragraph}</p>" for paragraph in PARAGRAPHS)
SHELL = f"<!DOCTYPE html><html><head><title>{TITLE}</title>%s</head><body><div id='root'></div>%s</body></html>"


def mhtml(page: bytes, frames: dict[str, bytes] | None = None) -> bytes:
    """Return a page as a browser saves it in a single file: quoted-printable parts with addresses."""
    boundary = "----MultipartBoundary--kT3x0w7aQ9----"
    lines = [
        "From: <Saved by Blink>",
        "Snapshot-Content-Location: https://example.org/bell",
        f"Subject: =?utf-8?Q?{TITLE.replace(' ', '=20')}?=",
        "Date: Mon, 6 May 2024 10:00:00 -0000",
        "MIME-Version: 1.0",
        "Content-Type: multipart/related;",
        '\ttype="text/html";',
        f'\tboundary="{boundary}"',
        "",
        "",
    ]
    parts = [("<frame-A1@mhtml.blink>", "https://example.org/bell", page)]
    parts += [(f"<{number}>", f"https://example.org/{number}", inner) for number, inner in (frames or {}).items()]
    written = "\r\n".join(lines).encode()
    for number, location, content in parts:
        head = (
            f"--{boundary}\r\nContent-Type: text/html\r\nContent-ID: {number}\r\n"
            f"Content-Transfer-Encoding: quoted-printable\r\nContent-Location: {location}\r\n\r\n"
        )
        written += head.encode() + quopri.encodestring(content).replace(b"\n", b"\r\n") + b"\r\n"
    style = f"--{boundary}\r\nContent-Type: text/css\r\nContent-Location: cid:css-1\r\n\r\nbody {{ color: black }}\r\n"
    return written + style.encode() + f"--{boundary}--\r\n".encode()


def _page(body: str, head: str = "") -> bytes:
    return f"<!DOCTYPE html><html><head><title>{TITLE}</title>{head}</head><body>{body}</body></html>".encode()


_NAVIGATION = "<nav><ul><li><a href='/'>Home</a></li><li><a href='/valley'>The valley</a></li></ul></nav>"
_POSTING = {"@context": "https://schema.org", "@graph": [{"@type": "NewsArticle", "headline": TITLE}]}
_POSTING["@graph"][0]["articleBody"] = "\n\n".join(PARAGRAPHS)  # type: ignore[index]
_STATE = {"props": {"pageProps": {"post": {"title": TITLE, "views": 12, "html": ARTICLE}}}}
_BLOCKS = {"page": {"blocks": [{"kind": "paragraph", "text": paragraph} for paragraph in PARAGRAPHS]}}

PAGES: dict[str, bytes] = {
    "MHTML": mhtml(_page(f"{_NAVIGATION}<main><article>{ARTICLE}</article></main>")),
    "MHTML of a page of frames": mhtml(
        b"<html><head><title>x</title></head><frameset cols='1,4'><frame src='cid:menu'><frame src='cid:text'></frameset>",
        {"menu": _page(_NAVIGATION), "text": _page(ARTICLE)},
    ),
    "MHTML with the article in a frame": mhtml(
        _page(f"{_NAVIGATION}<iframe src='cid:text'></iframe>"), {"text": _page(f"<article>{ARTICLE}</article>")}
    ),
    "saved complete page": b"\xef\xbb\xbf<!DOCTYPE html>\r\n<!-- saved from url=(0024)https://example.org/bell -->\r\n"
    + _page(f"{_NAVIGATION}<main>{ARTICLE}</main><script src='./bell_files/app.js.download'></script>"),
    "AMP": _page(
        f"<amp-sidebar id='s' layout='nodisplay'>{_NAVIGATION}</amp-sidebar><article>{ARTICLE}"
        "<amp-img src='tower.jpg' width='4' height='3'></amp-img><amp-ad type='x'>An offer of the week</amp-ad></article>"
        "<amp-consent id='c'><div>We store cookies. <button>Agree</button></div></amp-consent>",
        "<style amp-boilerplate>body{visibility:hidden}</style>",
    ),
    "structured data": (
        SHELL % (f"<script type='application/ld+json'>{json.dumps(_POSTING)}</script>", "<p>Loading…</p>")
    ).encode(),
    "script state": (
        SHELL % ("", f"<script id='__DATA__' type='application/json'>{json.dumps(_STATE)}</script>")
    ).encode(),
    "assigned state": (SHELL % ("", f"<script>window.__STATE__ = {json.dumps(_BLOCKS)};start();</script>")).encode(),
    "print view": _page(f"<h3>example.org</h3>{ARTICLE}<p><a href='/bell'>Back to the page</a></p>"),
    "source of a frame": _page(f"<p>Reading view</p><iframe srcdoc='{ARTICLE.replace(chr(39), '&#39;')}'></iframe>"),
    "no script": _page(f"<div id='app'></div><noscript><main>{ARTICLE}</main></noscript>"),
    "hidden until a script runs": _page(f"<div style='visibility: hidden'><main>{ARTICLE}</main></div>"),
    "behind a dialog": _page(
        f"<div aria-hidden='true'><main>{ARTICLE}</main></div><div role='dialog'><p>Choose your region.</p></div>"
    ),
    "declared component": _page(
        f"<story-page><template shadowrootmode='open'><article>{ARTICLE}</article></template></story-page>"
    ),
    "sent late": _page(
        f"<main><template id='B:0'></template><p>Loading</p></main>"
        f"<div hidden id='S:0'><article>{ARTICLE}</article></div><div hidden id='S:1'><template id='B:1'></template></div>"
    ),
    "button that was never closed": _page(f"<button><span>Menu</span><main><article>{ARTICLE}</article></main>"),
}
"""How a page is kept -> a page with `TEXT`."""
