"""The page that `simhash-doc archive changes -o FILE.html` writes: a plot over time for each page that changed most."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from html import escape

from simhash_doc.cli.messages import counted
from simhash_doc.integrations.archive import PageChanges

_MOST = 200  # pages with plots
_WIDTH, _HEIGHT, _LEFT, _TOP = 900, 120, 40, 10  # of a plot, in pixels
_STYLE = """
:root { color-scheme: light dark; --text: #1a1a1a; --back: #fff; --line: #767676; --mark: #0b57a4; }
@media (prefers-color-scheme: dark) { :root { --text: #e8e8e8; --back: #161616; --line: #9a9a9a; --mark: #8ab8ff; } }
body { font: 1rem/1.5 system-ui, sans-serif; color: var(--text); background: var(--back); margin: 2rem auto;
  max-width: 64rem; padding: 0 1rem; }
h2 { font-size: 1rem; overflow-wrap: anywhere; margin: 2rem 0 .2rem; }
svg { width: 100%; height: auto; } text { fill: var(--text); font: 12px system-ui, sans-serif; }
line { stroke: var(--line); } .bar { stroke: var(--mark); stroke-width: 2; } circle { fill: var(--mark); }
"""


def page_of(pages: Iterable[PageChanges]) -> Iterator[str]:
    """Yield the lines of the page: the pages with the largest changes, at most 200 of them."""
    total = 0

    def counting() -> Iterator[PageChanges]:
        nonlocal total
        for page in pages:
            total += 1
            yield page

    shown = heapq.nlargest(_MOST, counting(), key=lambda page: page.largest)
    yield "<!doctype html>"
    yield '<html lang="en"><head><meta charset="utf-8"><meta name="generator" content="simhash-doc">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>Changes of pages</title><style>{_STYLE}</style></head><body><main><h1>Changes of pages</h1>"
    yield f"<p>{counted(total, 'page')}; {len(shown):,} shown, those with the largest changes first. A line is a "
    yield "capture; its height is the number of bits by which its text differs from the capture before.</p>"
    for page in shown:
        yield from _plot(page)
    yield "</main></body></html>"


def _plot(page: PageChanges) -> Iterator[str]:
    bits = page.captures[0].fingerprint.scheme.bits
    facts = (
        f"{counted(len(page.captures), 'capture')}, {counted(page.versions, 'version')}, "
        f"largest change {page.largest} of {bits} bits"
    )
    yield f"<h2>{escape(page.url)}</h2><p>{facts}</p>"
    times = [_seconds(capture.time) for capture in page.captures]
    span = max(times) - min(times) or 1.0
    top = max(page.largest, page.captures[0].fingerprint.scheme.loose)
    bottom = _TOP + _HEIGHT
    yield f'<svg viewBox="0 0 {_LEFT + _WIDTH + 20} {bottom + 24}" role="img" aria-label="{escape(facts)}">'
    yield f'<line x1="{_LEFT}" y1="{bottom}" x2="{_LEFT + _WIDTH}" y2="{bottom}"/>'
    yield f'<text x="0" y="{_TOP + 10}">{top}</text><text x="0" y="{bottom}">0</text>'
    for capture, time, distance in zip(page.captures, times, (0, *page.distances), strict=True):
        x = _LEFT + _WIDTH * (time - min(times)) / span
        y = bottom - _HEIGHT * distance / top
        label = f"{_shown(capture.time)}: {distance} bits"
        yield f'<g><title>{label}</title><line class="bar" x1="{x:.1f}" y1="{bottom}" x2="{x:.1f}" y2="{y:.1f}"/>'
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3"/></g>'
    yield f'<text x="{_LEFT}" y="{bottom + 18}">{_shown(page.captures[0].time)}</text>'
    yield f'<text x="{_LEFT + _WIDTH}" y="{bottom + 18}" text-anchor="end">{_shown(page.captures[-1].time)}</text>'
    yield "</svg>"


def _seconds(time: str) -> float:
    try:
        return datetime.strptime(time, "%Y%m%d%H%M%S").replace(tzinfo=UTC).timestamp()
    except ValueError:  # 14 digits that are not a date, such as month 00
        return float(time)


def _shown(time: str) -> str:
    return f"{time[:4]}-{time[4:6]}-{time[6:8]} {time[8:10]}:{time[10:12]}"
