"""The page that `simhash-doc archive changes -o FILE.html` writes.

First an overview: the pages that changed most as rows, time across. Then a plot of each, the pages without a change in
a line each, and the incomplete captures. The size is limited, and the page counts what it leaves out.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from html import escape
from itertools import chain
from urllib.parse import quote

from simhash_doc.cli.page import END, facts, folded, head, made_by, tiles
from simhash_doc.console.messages import counted, escape_controls
from simhash_doc.ingest.captures import seconds_of
from simhash_doc.integrations.archive import Capture, PageChanges

_PAGES = 100  # with a row in the overview, a plot and a table
_COLUMNS = 250  # of a plot: one capture is drawn in each
_ROWS = 50  # of a table of captures
_LINES = 500  # pages without a change
_INCOMPLETE = 200  # captures
_WIDTH = 1000  # of a plot, in its own units
_HEIGHTS = {"equal": 6, "near": 10, "loose": 15, "far": 20, "incomplete": 20}  # of marks in the overview, of 20


@dataclass(slots=True)
class _Content:
    """What is on the page, and the numbers of all that there is.

    Attributes:
        changed: the pages that changed most, in this order; `changed_pages` counts all that changed.
        others: a line for each of the first other pages: `unchanged` have two captures or more, `single` fewer.
        incomplete: the first incomplete captures, with the address of their page; `all_incomplete` counts all.
        captures: number of all captures.
    """

    changed: list[PageChanges] = field(default_factory=list)
    changed_pages: int = 0
    others: list[str] = field(default_factory=list)
    unchanged: int = 0
    single: int = 0
    incomplete: list[tuple[str, Capture]] = field(default_factory=list)
    all_incomplete: int = 0
    captures: int = 0

    @classmethod
    def of(cls, pages: Iterable[PageChanges]) -> _Content:
        """Read all pages, and keep what is shown."""
        self = cls()
        self.changed = heapq.nlargest(_PAGES, self._changed(pages), key=lambda page: page.largest)
        return self

    def tiles(self) -> str:
        """Return the numbers of pages and captures for the top of the page."""
        numbers = [
            (self.changed_pages, "pages changed", ""),
            (self.unchanged, "pages did not change", ""),
            (self.single, "pages with fewer than two complete captures", ""),
            (self.captures, "captures", ""),
            (self.all_incomplete, "incomplete captures", "other" if self.all_incomplete else ""),
        ]
        return tiles((f"{number:,}", name, colour) for number, name, colour in numbers)

    def _changed(self, pages: Iterable[PageChanges]) -> Iterator[PageChanges]:
        for page in pages:
            complete, incomplete = len(page.captures), len(page.incomplete)
            self.captures += complete + incomplete
            self.all_incomplete += incomplete
            left = _INCOMPLETE - len(self.incomplete)
            self.incomplete += [(page.url, capture) for capture in page.incomplete[:left]]
            if page.largest:
                self.changed_pages += 1
                yield page
                continue
            self.unchanged += complete > 1
            self.single += complete < 2
            if len(self.others) < _LINES:
                every = page.captures or page.incomplete
                times = _day(every[0]) if len(every) == 1 else f"{_day(every[0])} to {_day(every[-1])}"
                captures = counted(len(every), "capture" if complete else "incomplete capture")
                self.others.append(f"{_safe(page.url)}: {captures}, {times}")


def page_of(pages: Iterable[PageChanges], replay: str | None = None) -> Iterator[str]:
    """Yield the lines of the page.

    Args:
        pages: all pages of an index; each has a capture with a fingerprint.
        replay: template of the address of a capture in a replay service; None for a page without such links.
    """
    content = _Content.of(pages)
    yield from head("Changes of pages")
    total = content.changed_pages + content.unchanged + content.single
    yield "<h1>Changes of pages</h1>"
    yield f'<p class="sub">{counted(total, "page")}, {counted(content.captures, "capture")}</p>'
    yield content.tiles()
    if content.changed:
        yield from _overview(content)
        yield "<h2>Each page</h2><p>The height is the same number of bits in every plot. The thin line is the distance "
        yield "from the first capture. Time goes from the first capture of the page to the last.</p>"
        for number, page in enumerate(content.changed, 1):
            yield from _page(number, page, replay)
    if content.others:
        yield "<h2>Pages without a change, or with one capture</h2><ul class=lines>"
        yield from (f"<li>{line}</li>" for line in content.others)
        yield f"</ul>{_left(content.unchanged + content.single - len(content.others), 'page')}"
    if content.incomplete:
        yield "<h2>Incomplete captures</h2><p>What they lack is no change, so they are not compared.</p>"
        yield "<table><thead><tr><th>Page</th><th>Captured</th><th>Why it is incomplete</th></tr></thead><tbody>"
        for url, capture in content.incomplete:
            link = _link(replay, capture, url)
            yield f"<tr><th scope=row>{_safe(url)}</th><td>{link}</td><td>{_safe(capture.incomplete)}</td></tr>"
        yield f"</tbody></table>{_left(content.all_incomplete - len(content.incomplete), 'capture')}"
    yield folded("How this page was made", facts(made_by()))
    yield END


def replay_link(template: str, time: str, url: str) -> str:
    """Return the address of a capture in a replay service.

    >>> replay_link("https://web.archive.org/web/{time}/{url}", "20240501083000", "https://example.org/?a=1#b")
    'https://web.archive.org/web/20240501083000/https://example.org/?a=1%23b'
    """
    is_in_query = "?" in template.partition("{url}")[0]
    quoted = quote(url, safe="" if is_in_query else "/:?=&;+,!@$'()*~[]%", errors="replace")
    return template.replace("{time}", time).replace("{url}", quoted)


def _overview(content: _Content) -> Iterator[str]:
    shown = content.changed
    scheme = shown[0].captures[0].fingerprint.scheme
    axis = _Axis.of(chain.from_iterable(page.captures + page.incomplete for page in shown))
    yield "<h2>Overview</h2><p>Each mark is a capture. Its colour and height show by how many of the "
    yield f"{scheme.bits} bits of a fingerprint it differs from the capture before. The pages with the largest change "
    yield "come first.</p><ul class=keys>"
    for name, meaning in (
        ("equal", "no word changed, or first capture"),
        ("near", f"1 to {scheme.close} bits (close)"),
        ("loose", f"{scheme.close + 1} to {scheme.loose} bits (loose)"),
        ("far", f"over {scheme.loose} bits; unrelated texts differ in about {scheme.bits // 2}"),
        ("revisit", "dot below: the archive only has a record that the page was as in an earlier capture"),
        ("incomplete", "incomplete capture, which is not compared"),
    ):
        swatch = f'<path class={name} d="{_shape(name, 10)}"/>'
        top = 10 if name == "revisit" else 0  # it is drawn below the marks
        yield f'<li><svg class=key viewBox="0 {top} 20 20" aria-hidden=true>{swatch}</svg>{meaning}</li>'
    yield "</ul><table class=overview><thead><tr><th>Page</th><th class=number>Captures</th>"
    yield f"<th class=number>Largest change</th><th class=strip>{axis.labels()}</th></tr></thead><tbody>"
    for number, page in enumerate(shown, 1):
        yield f'<tr><th scope=row><a href="#page-{number}">{_safe(page.url)}</a></th>'
        yield f"<td class=number>{len(page.captures):,}</td><td class=number>{counted(page.largest, 'bit')}</td>"
        day = _day(page.captures[page.distances.index(page.largest) + 1])
        label = f"{counted(page.versions, 'version')}, the largest change on {day}"
        yield f'<td class=strip><svg viewBox="0 0 {_WIDTH} 20" preserveAspectRatio="none" role="img" '
        yield f'aria-label="{label}"><path d="M0 20H{_WIDTH}"/>'
        yield from _strip(page, axis)
        yield "</svg></td></tr>"
    yield f"</tbody></table>{_left(content.changed_pages - len(shown), 'page', ' with smaller changes')}"


def _strip(page: PageChanges, axis: _Axis) -> Iterator[str]:
    """Yield the marks of a page in the overview, those of one kind as one path."""
    shapes: dict[str, list[str]] = {}
    for one in _drawn(page, axis):
        for name in [one.kind, "revisit"] if one.capture.is_revisit else [one.kind]:
            shapes.setdefault(name, []).append(_shape(name, one.x))
    yield from (f'<path class={name} d="{"".join(found)}"/>' for name, found in shapes.items())


def _shape(name: str, x: float) -> str:
    return f"M{x:.0f} 24h0" if name == "revisit" else f"M{x:.0f} 20v-{_HEIGHTS[name]}"


def _page(number: int, page: PageChanges, replay: str | None) -> Iterator[str]:
    scheme = page.captures[0].fingerprint.scheme
    top = scheme.bits // 2
    marks = list(_marks(page))
    axis = _Axis.of(one.capture for one in marks)
    drawn = list(_drawn(page, axis))

    def height(distance: int) -> float:
        return 100 * min(distance / top, 1)

    facts = [
        counted(len(page.captures), "capture"),
        counted(page.versions, "version"),
        f"largest change {page.largest} of {scheme.bits} bits",
        f"last capture {page.from_first[-1]} bits from the first",
    ]
    if page.incomplete:
        facts.append(f"{counted(len(page.incomplete), 'incomplete capture')}")
    if page.without:
        facts.append(f"{counted(page.without, 'capture')} without a fingerprint")
    yield f'<section class=changes id="page-{number}"><h3>{_safe(page.url)}</h3><p>{", ".join(facts)}</p>'
    yield "<div class=plot><div class=axis aria-hidden=true>"
    for side, name, bits in (("below", "", top), ("", "loose ", scheme.loose), ("below", "close ", scheme.close)):
        yield f'<span class="{side}" style="bottom:{height(bits):.0f}%">{name}{bits}</span>'
    yield f'<span style="bottom:0">0</span></div><svg viewBox="0 0 {_WIDTH} 100" preserveAspectRatio="none" role="img" '
    yield f'aria-label="Changes over time, as in the table below"><path d="M0 0V100H{_WIDTH}"/>'
    yield from (
        f'<path class=limit d="M0 {100 - height(bits):.1f}h{_WIDTH}"/>' for bits in (scheme.close, scheme.loose)
    )
    points = (f"{one.x:.0f} {100 - height(one.from_first):.1f}" for one in drawn if one.kind != "incomplete")
    yield f'<path class=first d="M{"L".join(points)}"/>'
    for one in drawn:
        size = 100 if one.kind == "incomplete" else max(height(one.distance or 0), 4)
        dot = f'<path class=revisit d="M{one.x:.0f} 106h0"/>' if one.capture.is_revisit else ""
        yield f"<g><title>{_shown(one.capture)}: {one.change}</title>"
        yield f'<path class={one.kind} d="M{one.x:.0f} 100v-{size:.1f}"/>{dot}</g>'
    yield f"</svg>{axis.labels()}</div>"
    yield _left(len(marks) - len(drawn), "capture", " next to one with a larger change", "drawn")
    rows = sorted(heapq.nlargest(_ROWS, marks, key=lambda one: one.weight), key=lambda one: one.capture.time)
    yield "<details><summary>Captures</summary><table><thead><tr><th>Captured</th><th>Change</th>"
    yield "<th class=number>From the first</th></tr></thead><tbody>"
    for one in rows:
        from_first = "" if one.kind == "incomplete" else counted(one.from_first, "bit")
        yield f"<tr><th scope=row>{_link(replay, one.capture, page.url)}</th><td>{one.change}</td>"
        yield f"<td class=number>{from_first}</td></tr>"
    yield f"</tbody></table>{_left(len(marks) - len(rows), 'capture', ' with smaller changes')}</details></section>"


@dataclass(frozen=True, slots=True)
class _Mark:
    """A capture as it is drawn.

    Attributes:
        capture: the capture.
        distance: bits from the capture before; None for the first one, and for an incomplete one.
        from_first: bits from the first capture.
        x: where it is drawn.
    """

    capture: Capture
    distance: int | None = None
    from_first: int = 0
    x: float = 0

    @property
    def kind(self) -> str:
        """The class of the mark: by the thresholds of the scheme."""
        scheme = self.capture.fingerprint.scheme
        if self.capture.incomplete:
            return "incomplete"
        if not self.distance:
            return "equal"
        return "near" if self.distance <= scheme.close else "loose" if self.distance <= scheme.loose else "far"

    @property
    def weight(self) -> float:
        """What is shown first if there is not room for all: the largest changes, then incomplete captures."""
        return 0.5 if self.capture.incomplete else self.distance or 0

    @property
    def change(self) -> str:
        """The change, in words for the page."""
        if self.capture.incomplete:
            return f"incomplete: {_safe(self.capture.incomplete)}"
        bits = counted(self.distance, "bit") if self.distance else "no word changed"
        change = "first capture" if self.distance is None else bits
        return f"{change}, revisit" if self.capture.is_revisit else change


def _marks(page: PageChanges) -> Iterator[_Mark]:
    for capture, distance, from_first in zip(page.captures, (None, *page.distances), page.from_first, strict=True):
        yield _Mark(capture, distance, from_first)
    yield from map(_Mark, page.incomplete)


def _drawn(page: PageChanges, axis: _Axis) -> Iterator[_Mark]:
    """Yield the marks of a plot in the order of time: of those in one column, the one of most weight."""
    columns: dict[int, _Mark] = {}
    for one in _marks(page):
        column = axis.column(one.capture)
        if column not in columns or one.weight > columns[column].weight:
            columns[column] = one
    for column in sorted(columns):
        yield replace(columns[column], x=(column + 0.5) * _WIDTH / _COLUMNS)


@dataclass(frozen=True, slots=True)
class _Axis:
    """An axis of time, from one moment to another, in seconds since 1970."""

    start: int
    end: int

    @classmethod
    def of(cls, captures: Iterable[Capture]) -> _Axis:
        times = [seconds for capture in captures if (seconds := seconds_of(capture.time)) is not None] or [0]
        return cls(min(times), max(times))

    def column(self, capture: Capture) -> int:
        """Return the column of a capture: the first one if its time is none, the middle if all have one time."""
        passed = (seconds_of(capture.time) or self.start) - self.start
        span = self.end - self.start
        return min(max(passed, 0) * _COLUMNS // span, _COLUMNS - 1) if span else _COLUMNS // 2

    def labels(self) -> str:
        """Return days along the axis, at equal distances."""
        steps = 4 if self.end - self.start > 4 * 86400 else 1
        times = (self.start + (self.end - self.start) * step // steps for step in range(steps + 1))
        days = (f"<span>{datetime.fromtimestamp(time, UTC):%Y-%m-%d}</span>" for time in times)
        return f"<div class=times>{''.join(days)}</div>"


def _link(replay: str | None, capture: Capture, url: str) -> str:
    shown = _shown(capture)
    return f'<a href="{escape(replay_link(replay, capture.time, url))}">{shown}</a>' if replay else shown


def _left(count: int, noun: str, which: str = "", verb: str = "listed") -> str:
    """Return a paragraph that says how much is left out; an empty text for nothing."""
    left = f"<p>{counted(count, noun)}{which} {'is' if count == 1 else 'are'} not {verb}; -o FILE.csv has all.</p>"
    return left if count else ""


def _day(capture: Capture) -> str:
    return _shown(capture)[:10]


def _shown(capture: Capture) -> str:
    time = capture.time
    return f"{time[:4]}-{time[4:6]}-{time[6:8]} {time[8:10]}:{time[10:12]}:{time[12:]}"


def _safe(text: str) -> str:
    """Return text for the page: control characters are escaped, and what UTF-8 cannot hold is replaced."""
    return escape(escape_controls(text).encode("utf-8", "backslashreplace").decode())
