"""Excerpts of documents, written as elements of a page."""

from __future__ import annotations

import html
import random

from benchmarks.extraction.training.examples import Example
from benchmarks.extraction.training.phrases import SUBJECTS

_LENGTHS = (120, 200, 300, 450, 700)  # words of an excerpt


def excerpt(source: Example, rng: random.Random) -> tuple[str, list[str]]:
    """Return a title, and the first part of a document as elements."""
    want = rng.choice(_LENGTHS)
    page = source.page
    tags = [str(page.elements[owner].tag) for owner in page.owners]
    kept = [(text, tag) for text, tag, label in zip(page.texts, tags, source.labels, strict=True) if label]
    article: list[str] = []
    items: list[str] = []
    words = 0
    for raw, tag in kept[1:]:
        text = html.escape(raw[:1500])
        words += max(len(text.split()), len(text) // 12)
        if tag == "li":
            items.append(f"<li>{text}</li>")
            continue
        if items:
            article.append(_list(items, rng))
            items = []
        article.append(_element(text, tag, rng))
        if words > want and len(article) > 2:
            break
    if items:
        article.append(_list(items, rng))
    if rng.random() < 0.4:
        place = rng.choice([len(article), rng.randint(1, len(article))])
        article.insert(place, _misleading_section(kept[-1][0], rng))
    return kept[0][0][:150], article


def _list(items: list[str], rng: random.Random) -> str:
    inner = "".join(items)
    return f"<ul>{inner}</ul>" if rng.random() < 0.8 else f'<ol class="references">{inner}</ol>'


def _element(text: str, tag: str, rng: random.Random) -> str:
    if tag in ("h1", "h2", "h3", "h4"):
        level = max(2, int(tag[1]))
        return f"<h{level}>{text}</h{level}>"
    if tag == "pre":
        return f"<pre>{text}</pre>"
    if rng.random() < 0.12:
        return f"<p>{text}</p>{_small_part(text, rng)}"
    if tag in ("td", "th"):
        row = f"<tr><th>{text}</th><td>{rng.randrange(999)}</td></tr>"
        return f"<table>{row}<tr><td>{text[:30]}</td><td>{rng.randrange(99)}</td></tr></table>"
    if tag == "figcaption" or (len(text) < 200 and rng.random() < 0.05):
        return f"<figure><img src=x><figcaption>{text}</figcaption></figure>"
    return f"<blockquote><p>{text}</p></blockquote>" if rng.random() < 0.05 else f"<p>{text}</p>"


def _small_part(text: str, rng: random.Random) -> str:
    """Return a part of a few words, such as a small table, that resembles boilerplate."""
    words = text.split()[: rng.randint(3, 12)]
    first, rest = " ".join(words[:2]), " ".join(words[2:])
    part = rng.choice(
        [
            f"<table><tr><th>{first}</th><td>{rest}</td></tr><tr><td>{len(rest)}</td></tr></table>",
            f"<blockquote><p>{rest}</p><footer>{first}</footer></blockquote>",
            f"<section><h2>{first}</h2><p>{rest}.</p></section>",
            f"<h3>{first}</h3><p>{rest}.</p>",
            f"<dl><dt>{first}</dt><dd>{rest}</dd></dl>",
            f"<ul><li>{first}</li><li>{rest}</li></ul>",
            f"<p>{rest}</p>",
        ]
    )
    return f'<div class="x">{part}</div>' if rng.random() < 0.4 else part


def _misleading_section(text: str, rng: random.Random) -> str:
    """Return a section of a document whose heading reads like that of boilerplate."""
    heading = rng.choice(SUBJECTS)
    body = f"<p>{html.escape(text[: rng.choice([30, 60, 200, 400])])}</p>" * rng.choice([1, 1, 2])
    slug = heading.lower().replace(" ", "-")
    return rng.choice(
        [
            f"<h2>{heading}</h2>{body}",
            f'<h3 id="{slug}">{heading}</h3>{body}',
            f'<section id="{slug}"><h2>{heading}</h2>{body}</section>',
            f'<div id="s-{slug}"><h3>{heading}</h3>{body}</div>',
        ]
    )
