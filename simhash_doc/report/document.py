"""What a report consists of: a head, tiles with the most important numbers, and blocks below each other.

The page holds it as JSON: an object with the attributes of `Report`. Each block and each part of it is an object with
the attributes of its class here; `"block"` is the class of a block in lower case. Members that are empty are absent. A
`Text` is a string, or a list of strings and of objects with the attributes of `Run`. The JSON stands alone on the lines
between two tags, so this command prints the names of all documents that a report of `dedupe` calls near-duplicates::

    sed -n '/<script id="report"/,/<\\/script>/p' report.html | sed '1d;$d' |
      jq '.. | objects | select(.badges[]?.label == "near-duplicate") | .name'

A report writes texts as they are: the page escapes invisible characters, and never reads a text as HTML.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from simhash_doc.versions import __version__

Tone = Literal["", "good", "bad", "other", "none", "kept", "exact", "near", "candidate"]
"""Why something has a colour: the result of a check, or the kind of a document."""
Style = Literal["", "strong", "em", "code", "mute", "mark", "skip", "del", "ins", "moved-away", "moved-here"]
"""How a part of a text is shown. The last four are of differences: what only the first or only the second text has."""
Change = Literal["equal", "near", "loose", "far", "incomplete", "revisit"]
"""How much a capture changed: by the thresholds of its scheme; or what it is."""
_ADDRESS = re.compile(r"(?:https?:/)?/|\.\./|#")


@dataclass(frozen=True, slots=True)
class Run:
    """A part of a text with a style, or with a link: to an address, or to an `id` on the page.

    Raises:
        ValueError: the link begins with another scheme than http or https.
    """

    text: str
    style: Style = ""
    href: str = ""

    def __post_init__(self) -> None:
        if self.href and not _ADDRESS.match(self.href):
            raise ValueError(f"the link {self.href!r} begins with neither http://, https://, /, ../ nor #")


Text = str | Sequence[str | Run]


class Block:
    """A part of a report."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Tile:
    """An important number, with what it counts; `show` is the kind of groups that a click on it shows."""

    value: int | str
    label: str
    tone: Tone = ""
    show: str = ""


@dataclass(frozen=True, slots=True)
class Origin:
    """What made a report: the command line, the day as YYYY-MM-DD, and the program with its version."""

    command: str
    date: str = field(default_factory=lambda: f"{datetime.now():%Y-%m-%d}")
    program: str = f"simhash-doc {__version__}"


@dataclass(frozen=True, slots=True)
class Report:
    """A report.

    Attributes:
        title: the title of the window.
        heading: what was found, in a sentence.
        about: what was examined, in a line.
        tone: of the heading.
        lines: more sentences about what was found.
        tiles: the most important numbers; the page leaves out those that are zero.
        blocks: the rest.
        origin: what made it; None if that would make two reports of one result differ.
    """

    title: str
    heading: str
    about: str
    tone: Tone = ""
    lines: Sequence[Text] = ()
    tiles: Sequence[Tile] = ()
    blocks: Sequence[Block] = ()
    origin: Origin | None = None


@dataclass(frozen=True, slots=True)
class Section(Block):
    """Blocks with a title; `folded` hides them until a click."""

    title: str
    blocks: Sequence[Block]
    folded: bool = False


@dataclass(frozen=True, slots=True)
class Paragraph(Block):
    """A paragraph; a `note` has a frame: what readers have to know."""

    text: Text
    note: bool = False


@dataclass(frozen=True, slots=True)
class Listing(Block):
    """A list of texts, each with its sign for a legend of marks, if there are `signs`."""

    items: Sequence[Text]
    signs: Sequence[Change] = ()


@dataclass(frozen=True, slots=True)
class Facts(Block):
    """Names and values."""

    facts: Sequence[tuple[str, Text]]


@dataclass(frozen=True, slots=True)
class Share:
    """A part of a whole."""

    count: int
    label: str
    tone: Tone


@dataclass(frozen=True, slots=True)
class Shares(Block):
    """A whole as one bar, with its parts beside each other."""

    parts: Sequence[Share]


@dataclass(frozen=True, slots=True)
class Histogram:
    """A histogram.

    Attributes:
        title, about: what it shows.
        unit: of the labels of its bars.
        bars: label and number of each bar.
    """

    title: str
    about: str
    unit: str
    bars: Sequence[tuple[str, int]]


@dataclass(frozen=True, slots=True)
class Histograms(Block):
    """Histograms beside each other, or below each other if there is no room."""

    histograms: Sequence[Histogram]


@dataclass(frozen=True, slots=True)
class Tiles(Block):
    """More tiles, for example the steps of a process in their order."""

    tiles: Sequence[Tile]


@dataclass(frozen=True, slots=True)
class Strip:
    """Changes over time as marks in a row: the places of each kind from 0 (first day) to 1,000 (last day)."""

    label: str
    places: Mapping[Change, Sequence[int]]


@dataclass(frozen=True, slots=True)
class Point:
    """A mark of a plot.

    Attributes:
        x: its place, from 0 to 1,000.
        y: its height, from 0 to 100.
        change: its kind.
        title: what it is, in words.
        revisit: whether a dot below the axis marks it, too.
    """

    x: int
    y: float
    change: Change
    title: str
    revisit: bool = False


@dataclass(frozen=True, slots=True)
class Plot(Block):
    """Changes over time as bars, with a line.

    Attributes:
        label: what it shows, for people who do not see it.
        points: the bars in the order of time.
        line: places and heights of the points of the line.
        heights: heights that the axis names; those with a name have a line across.
        days: the days below.
    """

    label: str
    points: Sequence[Point]
    line: Sequence[tuple[int, float]]
    heights: Sequence[tuple[float, str]]
    days: Sequence[str]


@dataclass(frozen=True, slots=True)
class Table(Block):
    """A table, whose first column names the rows.

    Attributes:
        caption: what it holds.
        columns: the heads.
        rows: a cell for each column.
        numbers: which columns are numbers.
    """

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Text]]
    numbers: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class Badge:
    """A word about a document."""

    label: str
    tone: Tone


@dataclass(frozen=True, slots=True)
class Alike:
    """Documents that are like the one of a row, hidden until a click."""

    summary: str
    names: Sequence[Text]


@dataclass(frozen=True, slots=True)
class Row:
    """A document in a list.

    Attributes:
        name: what it is called.
        badges: words about it; the tone of the first is its colour.
        about: what stands after its name.
        bits: its distance from the document that is kept.
        share: of its words that both have, from 0 to 1; None if they were not compared.
        notes: paragraphs about it.
        differs: pairs of words of the kept document and of this one that differ.
        summary: what `text` shows; with it, the text is hidden until a click unless it is short.
        text: its text, or the differences.
        facts: names and values.
        alike: documents that are like it.
        id: to which links lead.
    """

    name: Text
    badges: Sequence[Badge] = ()
    about: str = ""
    bits: int | None = None
    share: float | None = None
    notes: Sequence[Text] = ()
    differs: Sequence[tuple[str, str]] = ()
    summary: str = ""
    text: Text = ""
    facts: Sequence[tuple[str, Text]] = ()
    alike: Alike | None = None
    id: str = ""


@dataclass(frozen=True, slots=True)
class Rows(Block):
    """Documents in a list; of a long one the page shows the first, and more on request."""

    rows: Iterable[Row]


@dataclass(frozen=True, slots=True)
class Group:
    """Blocks that belong together, with a title.

    Attributes:
        title: what they have in common.
        aside: how many, and how alike.
        blocks: what is shown of them.
        kinds: what they contain, of `Groups.kinds`.
        key: the least comes first in the second order.
        strip: its changes over time.
        open: whether it is shown open at first.
        id: to which links lead.
    """

    title: str
    aside: str
    blocks: Sequence[Block]
    kinds: Sequence[str] = ()
    key: float = 0
    strip: Strip | None = None
    open: bool = False
    id: str = ""


@dataclass(frozen=True, slots=True)
class Groups(Block):
    """Groups in a list that readers filter and sort, and of which the page shows some at a time.

    Attributes:
        noun: what one is called.
        search: what the filter finds: names of documents, or titles.
        groups: the groups in their first order.
        kinds: kinds of groups, each with the words with which readers choose it.
        orders: names of the first order and of the other one.
        days: days along the axis of the strips of the groups, at equal distances.
        squares: whether each group shows a square for each of its documents.
    """

    noun: str
    search: str
    groups: Iterable[Group]
    kinds: Mapping[str, str] = field(default_factory=dict)
    orders: tuple[str, str] | tuple[()] = ()
    days: Sequence[str] = ()
    squares: bool = False


def path_text(path: str) -> Text:
    """Return a path on one line, with its folder muted."""
    shown = path.replace("\n", "\\n").replace("\t", "\\t")
    folder, slash, name = shown.rpartition("/")
    return [Run(folder + slash, "mute"), name] if slash and name else shown


def plain(text: Text) -> str:
    """Return a text without its styles."""
    return text if isinstance(text, str) else "".join(one if isinstance(one, str) else one.text for one in text)
