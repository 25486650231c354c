"""Draw charts as SVG for light and dark pages and for wide and narrow screens, with the standard library only.

A chart is drawn for a width in pixels, so that its text has one size everywhere. Series differ by colour, dashes and
the shape of their points, and have their names beside them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise
from math import log10

WIDE, NARROW = 720, 340  # pixels
LINE = 18  # between two lines of text
LETTER = 7.3  # about the width of a letter, and of a digit

# Of the text, of lines behind the figures, and of the series: at least 4.5 to 1 against the page, lines excepted.
COLOURS = {
    "light": {
        "text": "#1f2328",
        "page": "#ffffff",
        "line": "#8c959f",
        "0": "#0b5563",
        "1": "#9a3412",
        "2": "#4f46c8",
        "3": "#5f5f00",
    },
    "dark": {
        "text": "#e2e4e9",
        "page": "#0d1117",
        "line": "#7d8590",
        "0": "#7fd3e0",
        "1": "#ffb38a",
        "2": "#b9b4ff",
        "3": "#e0dc6a",
    },
}
DASHES = ("none", "7 4", "2 4", "9 3 2 3")
STYLE = """.chart text { fill: var(--chart-text); font: 13px/1.4 system-ui, sans-serif; }
.chart .strong { font-weight: 600; }
.chart .code { font-family: ui-monospace, monospace; font-size: 12px; white-space: pre; }
.chart text.kept { fill: var(--chart-page); }
.chart .grid { fill: none; opacity: .35; stroke: var(--chart-line); }
.chart .rule { fill: none; stroke: var(--chart-line); stroke-dasharray: 4 4; }
.chart .box { fill: none; stroke: var(--chart-line); }
""" + "".join(
    f".chart text.s{at} {{ fill: var(--chart-{at}); }}\n"
    f".chart .l{at} {{ fill: none; stroke: var(--chart-{at}); stroke-dasharray: {dash}; stroke-width: 2.5; }}\n"
    f".chart .f{at} {{ fill: var(--chart-{at}); }}\n"
    f".chart .o{at} {{ fill: none; stroke: var(--chart-{at}); stroke-width: 1.5; }}\n"
    f".chart .b{at} {{ fill: var(--chart-{at}); opacity: .13; }}\n"
    for at, dash in enumerate(DASHES)
)


def colours(scheme: str) -> str:
    """Return the declarations of the colours `light` or `dark`."""
    return " ".join(f"--chart-{name}: {value};" for name, value in COLOURS[scheme].items())


class Canvas:
    """Collects the elements of a picture."""

    def __init__(self, width: float, height: float) -> None:
        self.width, self.height, self.elements = width, height, list[str]()

    def add(self, tag: str, css: str, content: str = "", **attributes: object) -> None:
        """Add an element. Numbers are rounded to tenths of a pixel."""
        written = (
            f' {name.replace("_", "-")}="{shown(value) if isinstance(value, float) else escape(str(value))}"'
            for name, value in attributes.items()
        )
        self.elements.append(f'<{tag} class="{css}"{"".join(written)}>{content}</{tag}>')

    def text(self, x: float, y: float, text: str, css: str = "", anchor: str = "start") -> None:
        self.add("text", css, escape(text, quote=False), x=float(x), y=float(y), text_anchor=anchor)

    def line(self, x: float, y: float, to_x: float, to_y: float, css: str) -> None:
        self.path([(x, y), (to_x, to_y)], css)

    def path(self, points: Iterable[tuple[float, float]], css: str, *, closed: bool = False) -> None:
        steps = "L".join(f"{shown(x)} {shown(y)}" for x, y in points)
        self.add("path", css, d=f"M{steps}{'Z' if closed else ''}")

    def rectangle(self, x: float, y: float, width: float, height: float, css: str, title: str = "") -> None:
        content = f"<title>{escape(title, quote=False)}</title>" if title else ""
        self.add("rect", css, content, x=float(x), y=float(y), width=float(width), height=float(height))

    def point(self, x: float, y: float, series: int, title: str) -> None:
        """Add a point in the shape of a series, with a title that a browser shows beside the pointer."""
        r = 4.5
        shapes = (
            f"M{shown(x - r)} {shown(y)}a{r} {r} 0 1 0 {2 * r} 0a{r} {r} 0 1 0 {-2 * r} 0",
            f"M{shown(x - r)} {shown(y - r)}h{2 * r}v{2 * r}h{-2 * r}Z",
            f"M{shown(x)} {shown(y - 1.4 * r)}l{1.4 * r} {1.4 * r}l{-1.4 * r} {1.4 * r}l{-1.4 * r} {-1.4 * r}Z",
            f"M{shown(x)} {shown(y - 1.2 * r)}l{1.2 * r} {2.2 * r}h{-2.4 * r}Z",
        )
        self.add("path", f"f{series}", f"<title>{escape(title, quote=False)}</title>", d=shapes[series])

    def svg(self, name: str, title: str, description: str, css: str = "", style: str = "") -> str:
        """Return the picture.

        Args:
            name: a name that no other picture of the page has.
            title: what it shows, for those who do not see it.
            description: its main figures.
            css: further classes.
            style: a style sheet, for a picture in a file of its own.
        """
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="chart {css}" viewBox="0 0 {self.width:g} {self.height:g}" '
            f'width="{self.width:g}" height="{self.height:g}" role="img" aria-labelledby="{name}-title" '
            f'aria-describedby="{name}-description"><title id="{name}-title">{escape(title, quote=False)}</title>'
            f'<desc id="{name}-description">{escape(description, quote=False)}</desc>'
            f"{f'<style>{style}</style>' if style else ''}{''.join(self.elements)}</svg>"
        )


def in_file(canvas: Canvas, name: str, title: str, description: str) -> str:
    """Return a picture as a file that follows the light or dark scheme of the reader's system."""
    style = f"svg {{ {colours('light')} }}\n@media (prefers-color-scheme: dark) {{ svg {{ {colours('dark')} }} }}\n"
    return canvas.svg(name, title, description, style=style + STYLE) + "\n"


def shown(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def width_of(text: str, *, strong: bool = False) -> float:
    """Return about the width of a text: a character of East Asia counts twice."""
    return LETTER * (1.14 if strong else 1) * sum(2 if ord(letter) > 0x2E80 else 1 for letter in text)


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis: what it measures, its ends, and its marks with their labels."""

    title: str
    low: float
    high: float
    ticks: Mapping[float, str]
    log: bool = False

    def place(self, value: float) -> float:
        """Return where a value lies: 0 at the low end, 1 at the high end. Values beyond an end lie at it."""
        low, high, at = (log10(one) if self.log else one for one in (self.low, self.high, max(value, self.low)))
        return min(1.0, (at - low) / (high - low))


@dataclass(frozen=True, slots=True)
class Series:
    """A line: its name, in lines, its points (x, y), and the ends of its interval (x, low, high)."""

    name: tuple[str, ...]
    points: Sequence[tuple[float, float]]
    band: Sequence[tuple[float, float, float]] = ()
    marked: bool = True
    """Whether the points are drawn."""


@dataclass(frozen=True, slots=True)
class Lines:
    """A chart of lines, with their names at their right ends, or above the chart if the ends lie together."""

    x: Axis
    y: Axis
    series: Sequence[Series]
    rules: Mapping[float, str] = field(default_factory=dict)
    """Dashed lines across, by the value of y, with what they mean."""
    limits: Mapping[float, str] = field(default_factory=dict)
    """Dashed lines upwards, by the value of x, with what they mean."""
    named_above: bool = False

    def draw(self, width: float) -> Canvas:
        left = 12 + max(map(width_of, self.y.ticks.values()))
        names = max(width_of(line, strong=True) for one in self.series for line in one.name)
        above = self.named_above or names > width / 4
        right = width - (22 if above else 14 + names)
        canvas = Canvas(width, 0)
        top = 32.0 + LINE * len(self.limits)
        if above:
            top += key(canvas, [" ".join(one.name) for one in self.series], 38, lined=True) - 8
        bottom = top + 260
        canvas.height = bottom + 46

        def across(value: float) -> float:
            return left + (right - left) * self.x.place(value)

        def up(value: float) -> float:
            return bottom - (bottom - top) * self.y.place(value)

        canvas.text(0, 13, self.y.title)
        canvas.text((left + right) / 2, bottom + 42, self.x.title, anchor="middle")
        for value, label in self.y.ticks.items():
            canvas.line(left, up(value), right, up(value), "grid")
            canvas.text(left - 6, up(value) + 4, label, anchor="end")
        room = (right - left) / max(1, len(self.x.ticks) - 1)
        every = 2 if room < max(map(width_of, self.x.ticks.values())) + 6 else 1
        for number, (value, label) in enumerate(self.x.ticks.items()):
            canvas.line(across(value), bottom, across(value), bottom + 5, "grid")
            if number % every == 0:
                canvas.text(across(value), bottom + 20, label, anchor="middle")
        for value, label in self.rules.items():
            canvas.line(left, up(value), right, up(value), "rule")
            canvas.text(left + 6, up(value) - 6, label)
        for at, (value, label) in enumerate(self.limits.items(), 1):
            canvas.line(across(value), top - LINE * at + 6, across(value), bottom, "rule")
            canvas.text(across(value) + 5, top - LINE * at + 10, label)
        for at, one in enumerate(self.series):
            if one.band:
                lower = [(across(x), up(low)) for x, low, _ in one.band]
                upper = [(across(x), up(high)) for x, _, high in one.band]
                canvas.path([*lower, *reversed(upper)], f"b{at}", closed=True)
        for at, one in enumerate(self.series):
            canvas.path([(across(x), up(y)) for x, y in one.points], f"l{at}")
            if one.marked:
                for x, y in one.points:
                    canvas.point(across(x), up(y), at, f"{' '.join(one.name)}: {x:g}, {y:g}")
        if not above:
            self._name_ends(canvas, [(across(one.points[-1][0]) + 10, up(one.points[-1][1])) for one in self.series])
        return canvas

    def _name_ends(self, canvas: Canvas, ends: Sequence[tuple[float, float]]) -> None:
        sizes = [LINE * len(one.name) + 4 for one in self.series]
        places = apart([y for _, y in ends], sizes, canvas.height - 38)
        for at, one in enumerate(self.series):
            for row, line in enumerate(one.name):
                canvas.text(ends[at][0], places[at] - sizes[at] / 2 + LINE * row + 13, line, f"s{at} strong")


def key(canvas: Canvas, names: Sequence[str], y: float, *, lined: bool = False) -> float:
    """Write the names of series, each after its point or a piece of its line; return the height that they take."""
    x, start = 0.0, y
    for at, name in enumerate(names):
        if x and x + 30 + width_of(name, strong=True) > canvas.width:
            x, y = 0.0, y + LINE
        if lined:
            canvas.line(x, y - 4, x + 24, y - 4, f"l{at}")
        else:
            canvas.point(x + 12, y - 4, at, name)
        canvas.text(x + 30, y, name, f"s{at} strong")
        x += 48 + width_of(name, strong=True)
    return y - start + LINE + 8


def apart(places: Sequence[float], sizes: Sequence[float], end: float) -> list[float]:
    """Return the places of blocks of these sizes near the given ones, without overlap, none beyond the end."""
    order = sorted(range(len(places)), key=lambda at: places[at])
    found = list(places)
    for before, at in pairwise(order):
        found[at] = max(found[at], found[before] + (sizes[before] + sizes[at]) / 2)
    limit = end
    for at in reversed(order):
        found[at] = min(found[at], limit - sizes[at] / 2)
        limit = found[at] - sizes[at] / 2
    return found


@dataclass(frozen=True, slots=True)
class Dots:
    """A chart with a row for each thing, and a point in it for each series. The names of the series stand above."""

    x: Axis
    series: Sequence[str]
    rows: Mapping[str, Sequence[float]]

    def draw(self, width: float) -> Canvas:
        wide = width >= WIDE
        left = 16 + max(map(width_of, self.rows)) if wide else 18.0
        right, row = width - 26, 30 if wide else 46
        canvas = Canvas(width, 0)
        top = 5 + key(canvas, self.series, 13)
        bottom = top + row * len(self.rows)
        for value, label in self.x.ticks.items():
            place = left + (right - left) * self.x.place(value)
            canvas.line(place, top, place, bottom, "grid")
            canvas.text(place, bottom + 18, label, anchor="middle")
        canvas.text((left + right) / 2, bottom + 40, self.x.title, anchor="middle")
        for number, (name, values) in enumerate(self.rows.items()):
            y = top + row * number + (20 if wide else 34)
            canvas.text(0, y if wide else y - 16, name)
            canvas.line(left, y - 4, right, y - 4, "grid")
            for at, value in reversed(list(enumerate(values))):
                canvas.point(left + (right - left) * self.x.place(value), y - 4, at, f"{self.series[at]}: {value:g}")
        canvas.height = bottom + 46
        return canvas


@dataclass(frozen=True, slots=True)
class Bars:
    """Horizontal bars in groups, with their figures at their ends."""

    unit: str
    groups: Mapping[str, Mapping[str, float]]

    def draw(self, width: float) -> Canvas:
        names = [name for rows in self.groups.values() for name in rows]
        left = 14 + max(map(width_of, names))
        most = max(value for rows in self.groups.values() for value in rows.values())
        scale = (width - left - width_of(f"{most:.1f} {self.unit}") - 10) / most
        canvas, y = Canvas(width, 0), 0.0
        for at, (group, rows) in enumerate(self.groups.items()):
            canvas.text(0, y + 14, group, "strong")
            y += 26
            for name, value in rows.items():
                figure = f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 1 else f"{value:.2f}"
                canvas.text(0, y + 13, name)
                canvas.rectangle(left, y, max(1, scale * value), 17, f"f{at}")
                canvas.text(left + scale * value + 7, y + 13, f"{figure} {self.unit}")
                y += 24
            y += 14
        canvas.height = y
        return canvas
