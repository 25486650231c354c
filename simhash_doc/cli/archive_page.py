"""The report that `simhash-doc archive changes -o FILE.html` shows.

First an overview: the pages that changed most as rows, time across, with a plot of each. Then the captures with the
largest changes, the pages without a change in a line each, and the captures that are not compared. The size is limited,
and the page counts what it leaves out.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import chain
from urllib.parse import quote

from simhash_doc.console.messages import agreeing, counted
from simhash_doc.ingest.captures import seconds_of
from simhash_doc.integrations.archive import Capture, PageChanges
from simhash_doc.report.document import (
    Block,
    Change,
    Group,
    Groups,
    Listing,
    Origin,
    Paragraph,
    Plot,
    Point,
    Report,
    Run,
    Section,
    Share,
    Shares,
    Strip,
    Table,
    Text,
    Tile,
)
from simhash_doc.schemes import Scheme

_PAGES = 100  # with a row in the overview, a plot and a table
_COLUMNS = 250  # of a plot: one capture is drawn in each
_ROWS = 50  # of a table of captures
_LINES = 500  # pages without a change
_APART = 200  # captures that are not compared
_CAPTURES = 200  # with the largest changes
_WIDTH = 1000  # of a plot, in its own units


@dataclass(slots=True)
class _Content:
    """What is on the page, and the numbers of all that there is.

    Attributes:
        changed: the pages that changed most, in this order; `changed_pages` counts all that changed.
        others: a line for each of the first other pages: `unchanged` have two captures or more, `single` fewer.
        largest: the captures with the largest changes, each with its distance, the time, the address of its page, and
            its number; `all_changed` counts all with a change.
        apart: the first captures that are not compared, with the address of their page.
        incomplete, warned: numbers of all incomplete captures, and of all of error pages and the like.
        captures: number of all captures.
    """

    changed: list[PageChanges] = field(default_factory=list)
    changed_pages: int = 0
    others: list[str] = field(default_factory=list)
    unchanged: int = 0
    single: int = 0
    largest: list[tuple[int, str, str, int, Capture]] = field(default_factory=list)
    all_changed: int = 0
    apart: list[tuple[str, Capture]] = field(default_factory=list)
    incomplete: int = 0
    warned: int = 0
    captures: int = 0

    @classmethod
    def of(cls, pages: Iterable[PageChanges]) -> _Content:
        """Read all pages, and keep what is shown."""
        self = cls()
        self.changed = heapq.nlargest(_PAGES, self._changed(pages), key=lambda page: page.largest)
        return self

    @property
    def pages(self) -> int:
        """The number of all pages."""
        return self.changed_pages + self.unchanged + self.single

    def tiles(self) -> list[Tile]:
        """Return the numbers of pages and captures for the top of the page."""
        return [
            Tile(self.changed_pages, f"{agreeing(self.changed_pages, 'page')} with changed words"),
            Tile(self.unchanged, f"{agreeing(self.unchanged, 'page')} without a change found"),
            Tile(self.single, f"{agreeing(self.single, 'page')} with fewer than two complete captures"),
            Tile(self.captures, agreeing(self.captures, "capture")),
            Tile(self.incomplete, f"incomplete {agreeing(self.incomplete, 'capture')}", "other"),
            Tile(self.warned, f"{agreeing(self.warned, 'capture')} of error pages and the like", "other"),
        ]

    def shares(self) -> Shares:
        """Return the same of the pages as parts of all."""
        parts = (
            Share(self.changed_pages, "with changed words", "near"),
            Share(self.unchanged, "without a change found", "kept"),
            Share(self.single, "with fewer than two complete captures", "none"),
        )
        return Shares([part for part in parts if part.count])

    def _changed(self, pages: Iterable[PageChanges]) -> Iterator[PageChanges]:
        for page in pages:
            complete, apart = len(page.captures), page.incomplete + page.warned
            self.captures += complete + len(apart)
            self.incomplete += len(page.incomplete)
            self.warned += len(page.warned)
            self.apart += [(page.url, capture) for capture in apart[: _APART - len(self.apart)]]
            self._add_captures(page)
            if page.largest:
                self.changed_pages += 1
                yield page
                continue
            self.unchanged += complete > 1
            self.single += complete < 2
            if len(self.others) < _LINES:
                every = page.captures or apart
                times = _day(every[0]) if len(every) == 1 else f"{_day(every[0])} to {_day(every[-1])}"
                captures = counted(len(every), "capture" if complete else "capture that is not compared")
                self.others.append(f"{page.url}: {captures}, {times}")

    def _add_captures(self, page: PageChanges) -> None:
        for distance, capture in zip(page.distances, page.captures[1:], strict=True):
            if distance:
                self.all_changed += 1
                found = (distance, capture.time, page.url, self.all_changed, capture)
                if len(self.largest) < _CAPTURES:
                    heapq.heappush(self.largest, found)
                elif found > self.largest[0]:
                    heapq.heapreplace(self.largest, found)


def archive_report(pages: Iterable[PageChanges], replay: str | None, command: str) -> Report:
    """Return the report.

    Args:
        pages: all pages of an index; each has a capture with a fingerprint.
        replay: template of the address of a capture in a replay service; None for a page without such links.
        command: the command line.
    """
    content = _Content.of(pages)
    blocks: list[Block] = [content.shares()]
    if content.changed:
        blocks.append(Section("Pages whose words changed", list(_changed(content, replay))))
    if content.largest:
        blocks.append(Section("Captures by their change", list(_largest(content, replay))))
    if content.others:
        left = content.unchanged + content.single - len(content.others)
        listed = [Listing(content.others), *_left(left, "page")]
        blocks.append(Section("Pages without a change found, or with one capture", listed))
    if content.apart:
        rows = [(url, _link(replay, capture, url), capture.apart) for url, capture in content.apart]
        blocks.append(
            Section(
                "Captures that are not compared",
                [
                    Paragraph("Missing text of an incomplete capture is not a change. Nor is an error page."),
                    Table("Captures that are not compared", ("Page", "Captured", "Why"), rows),
                    *_left(content.incomplete + content.warned - len(content.apart), "capture"),
                ],
            )
        )
    return Report(
        "Changes of pages",
        f"The words of {content.changed_pages:,} of {counted(content.pages, 'page')} changed",
        f"Changes of pages: {counted(content.pages, 'page')}, {counted(content.captures, 'capture')}",
        tiles=content.tiles(),
        blocks=blocks,
        origin=Origin(command),
    )


def replay_link(template: str, time: str, url: str) -> str:
    """Return the address of a capture in a replay service.

    >>> replay_link("https://web.archive.org/web/{time}/{url}", "20240501083000", "https://example.org/?a=1#b")
    'https://web.archive.org/web/20240501083000/https://example.org/?a=1%23b'
    """
    is_in_query = "?" in template.partition("{url}")[0]
    quoted = quote(url, safe="" if is_in_query else "/:?=&;+,!@$'()*~[]%", errors="replace")
    return template.replace("{time}", time).replace("{url}", quoted)


def _changed(content: _Content, replay: str | None) -> Iterator[Block]:
    shown = content.changed
    scheme = shown[0].captures[0].fingerprint.scheme
    axis = _Axis.of(chain.from_iterable(page.captures + page.incomplete + page.warned for page in shown))
    yield Paragraph(
        "Each mark is a capture. Its colour and height show by how many of the "
        f"{scheme.bits} bits of a fingerprint it differs from the capture before."
    )
    yield _legend(scheme)
    yield Paragraph(
        "Open a page for its captures and their plot, from its first capture to its last. The height is the same "
        "number of bits in every plot. The thin line is the distance from the first capture."
    )
    groups = [_group(number, page, axis, replay) for number, page in enumerate(shown, 1)]
    orders = ("Largest change first", "Most versions first")
    yield Groups("page", "address", groups, orders=orders, days=axis.days())
    yield from _left(content.changed_pages - len(shown), "page", " with smaller changes")


def _largest(content: _Content, replay: str | None) -> Iterator[Block]:
    rows = [
        (url, _link(replay, capture, url), counted(distance, "bit"))
        for distance, _, url, _, capture in sorted(content.largest, key=lambda found: (-found[0], *found[1:4]))
    ]
    yield Paragraph("Bits in which each capture differs from the previous compared capture.")
    yield Table("Captures by their change", ("Page", "Captured", "Change"), rows, numbers=(2,))
    yield from _left(content.all_changed - len(rows), "capture", " with smaller changes")


def _legend(scheme: Scheme) -> Listing:
    meanings: dict[Change, str] = {
        "equal": "0 bits: no change of words found (numbers do not count), or first capture",
        "near": f"1 to {scheme.close} bits (close)",
        "loose": f"{scheme.close + 1} to {scheme.loose} bits (loose)",
        "far": f"over {scheme.loose} bits; unrelated texts differ in about {scheme.bits // 2}",
        "revisit": "dot below: a record that the page was as in an earlier capture",
        "incomplete": "not compared: incomplete, or an error page or the like",
    }
    return Listing(list(meanings.values()), list(meanings))


def _strip(page: PageChanges, axis: _Axis) -> Strip:
    day = _day(page.captures[page.distances.index(page.largest) + 1])
    places: dict[Change, list[int]] = {}
    for one in _drawn(page, axis):
        places.setdefault(one.kind, []).append(one.x)
        if one.capture.is_revisit:
            places.setdefault("revisit", []).append(one.x)
    return Strip(f"{counted(page.versions, 'version')}, the largest change on {day}", places)


def _group(number: int, page: PageChanges, axis: _Axis, replay: str | None) -> Group:
    scheme = page.captures[0].fingerprint.scheme
    about = [
        counted(len(page.captures), "capture"),
        counted(page.versions, "version"),
        f"largest change {page.largest} of {scheme.bits} bits",
        f"last capture {page.from_first[-1]} bits from the first",
    ]
    if page.incomplete:
        about.append(f"{counted(len(page.incomplete), 'incomplete capture')}")
    if page.warned:
        about.append(f"{counted(len(page.warned), 'capture')} of an error page or the like")
    if page.without:
        about.append(f"{counted(page.without, 'capture')} without a fingerprint")
    marks = list(_marks(page))
    plot = _plot(page, scheme)
    blocks = [
        Paragraph(", ".join(about)),
        plot,
        *_left(len(marks) - len(plot.points), "capture", " next to one with a larger change", "drawn"),
        Section("Captures", list(_captures(page, marks, replay)), folded=True),
    ]
    return Group(
        page.url,
        f"{counted(len(page.captures), 'capture')} · {counted(page.largest, 'bit')}",
        blocks,
        key=-page.versions,
        strip=_strip(page, axis),
        open=number == 1,
        id=f"page-{number}",
    )


def _plot(page: PageChanges, scheme: Scheme) -> Plot:
    top = scheme.bits // 2
    axis = _Axis.of(one.capture for one in _marks(page))

    def height(distance: int) -> float:
        return round(100 * min(distance / top, 1), 1)

    drawn = list(_drawn(page, axis))
    points = [
        Point(
            one.x,
            100 if one.kind == "incomplete" else max(height(one.distance or 0), 4),
            one.kind,
            f"{_shown(one.capture)}: {one.change}",
            one.capture.is_revisit,
        )
        for one in drawn
    ]
    return Plot(
        "Changes over time, as in the table below",
        points,
        [(one.x, height(one.from_first)) for one in drawn if one.kind != "incomplete"],
        [
            (0, "0"),
            (height(scheme.close), f"close {scheme.close}"),
            (height(scheme.loose), f"loose {scheme.loose}"),
            (100, f"{top}"),
        ],
        axis.days(),
    )


def _captures(page: PageChanges, marks: list[_Mark], replay: str | None) -> Iterator[Block]:
    shown = sorted(heapq.nlargest(_ROWS, marks, key=lambda one: one.weight), key=lambda one: one.capture.time)
    rows = [
        (
            _link(replay, one.capture, page.url),
            one.change,
            "" if one.kind == "incomplete" else counted(one.from_first, "bit"),
        )
        for one in shown
    ]
    yield Table("Captures", ("Captured", "Change", "From the first"), rows, numbers=(2,))
    yield from _left(len(marks) - len(shown), "capture", " with smaller changes")


@dataclass(frozen=True, slots=True)
class _Mark:
    """A capture as it is drawn.

    Attributes:
        capture: the capture.
        distance: bits from the capture before; None for the first one, and for one that is not compared.
        from_first: bits from the first capture.
        by_other: whether the text of the capture before is of another extractor.
        x: where it is drawn.
    """

    capture: Capture
    distance: int | None = None
    from_first: int = 0
    by_other: bool = False
    x: int = 0

    @property
    def kind(self) -> Change:
        """The kind of the mark: by the thresholds of the scheme."""
        scheme = self.capture.fingerprint.scheme
        if self.capture.apart:
            return "incomplete"
        if not self.distance:
            return "equal"
        return "near" if self.distance <= scheme.close else "loose" if self.distance <= scheme.loose else "far"

    @property
    def weight(self) -> float:
        """What is shown first if there is not room for all: the largest changes, then what is not compared."""
        return 0.5 if self.capture.apart else self.distance or 0

    @property
    def change(self) -> str:
        """The change, in words for the page."""
        if self.capture.incomplete:
            return f"incomplete: {self.capture.incomplete}"
        if self.capture.warning:
            return f"not the page: {self.capture.warning}"
        bits = counted(self.distance, "bit") if self.distance else "no change found"
        change = "first capture" if self.distance is None else bits
        notes = (", other extractor" * self.by_other, ", revisit" * self.capture.is_revisit)
        return change + "".join(notes)


def _marks(page: PageChanges) -> Iterator[_Mark]:
    compared = zip((None, *page.distances), page.from_first, (False, *page.by_other_extractors), strict=True)
    for capture, (distance, from_first, by_other) in zip(page.captures, compared, strict=True):
        yield _Mark(capture, distance, from_first, by_other)
    yield from map(_Mark, page.incomplete + page.warned)


def _drawn(page: PageChanges, axis: _Axis) -> Iterator[_Mark]:
    """Yield the marks of a plot in the order of time: of those in one column, the one of most weight."""
    columns: dict[int, _Mark] = {}
    for one in _marks(page):
        column = axis.column(one.capture)
        if column not in columns or one.weight > columns[column].weight:
            columns[column] = one
    for column in sorted(columns):
        yield replace(columns[column], x=round((column + 0.5) * _WIDTH / _COLUMNS))


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

    def days(self) -> list[str]:
        """Return days along the axis, at equal distances."""
        steps = 4 if self.end - self.start > 4 * 86400 else 1
        times = (self.start + (self.end - self.start) * step // steps for step in range(steps + 1))
        return [f"{datetime.fromtimestamp(time, UTC):%Y-%m-%d}" for time in times]


def _link(replay: str | None, capture: Capture, url: str) -> Text:
    shown = _shown(capture)
    return [Run(shown, href=replay_link(replay, capture.time, url))] if replay else shown


def _left(count: int, noun: str, which: str = "", verb: str = "listed") -> Iterator[Paragraph]:
    """Yield a paragraph that says how much is left out, if anything is."""
    if count:
        yield Paragraph(
            f"{counted(count, noun)}{which} {'is' if count == 1 else 'are'} not {verb}; -o FILE.csv has all."
        )


def _day(capture: Capture) -> str:
    return _shown(capture)[:10]


def _shown(capture: Capture) -> str:
    time = capture.time
    return f"{time[:4]}-{time[4:6]}-{time[6:8]} {time[8:10]}:{time[10:12]}:{time[12:]}"
