"""A work: what a document says, in parts, and what its media put around that."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

WORKS = Path(__file__).parent / "works"
_INLINE = re.compile(r"\*([^*]+)\*|\[([^\]^]+)\]\((\S+?)\)|\[\^(\d+)\]")


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of text: plain, emphasised, with a link, or the mark of a note (whose text is its number)."""

    text: str
    kind: str = "plain"
    target: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a work that a reader reads, or, in `Written.around`, one that is not the work's.

    Attributes:
        role: title, heading, paragraph, item, code, caption, table, quote, footnote or reference; or what the part
            of a page is that has to be left out, such as navigation.
        spans: its text; of a table, its title.
        rows: of a table, the first being its head.
    """

    role: str
    spans: tuple[Span, ...]
    rows: tuple[tuple[str, ...], ...] = ()

    @property
    def text(self) -> str:
        """The text to extract. Numbers that mark notes are no words, and left out."""
        said = "".join(span.text for span in self.spans if span.kind != "mark")
        return "\n".join([said, *("\t".join(row) for row in self.rows)])


@dataclass(frozen=True, slots=True)
class Work:
    name: str
    language: str
    site: str
    parts: tuple[Part, ...]

    @property
    def title(self) -> str:
        return self.parts[0].text

    def of(self, *roles: str) -> list[Part]:
        return [part for part in self.parts if part.role in roles]


@dataclass(frozen=True, slots=True)
class Written:
    """A document: its bytes, what its medium adds that has to be left out, and words that it breaks.

    `broken` has pairs of a word and its pieces with a space between, as an extractor gives it that keeps the break.
    """

    content: bytes
    around: tuple[Part, ...] = field(default=())
    broken: tuple[tuple[str, str], ...] = field(default=())


def around(role: str, text: str) -> Part:
    """Return a part that is not the work's."""
    return Part(role, (Span(text),))


def read_work(name: str) -> Work:
    """Read a work from its file, whose notation is explained by the file itself."""
    head, _, body = (WORKS / f"{name}.txt").read_text(encoding="utf-8").partition("\n\n")
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    parts = [part for block in re.split(r"\n\n(?! {4})", body.strip("\n")) for part in _parts(block)]
    return Work(name, fields["language"], fields["site"], tuple(parts))


def _parts(block: str) -> list[Part]:
    if block.startswith("code:\n"):
        return [Part("code", (Span(re.sub(r"(?m)^ {4}", "", block.removeprefix("code:\n"))),))]
    if block.startswith("table: "):
        title, *rows = block.removeprefix("table: ").splitlines()
        cells = tuple(tuple(cell.strip() for cell in row.strip("|").split("|")) for row in rows)
        return [Part("table", _spans(title), cells)]
    marks = {"# ": "title", "== ": "heading", "fig: ": "caption", "> ": "quote"}
    for mark, role in marks.items():
        if block.startswith(mark):
            return [Part(role, _spans(block.removeprefix(mark)))]
    lines = block.splitlines()
    for pattern, role in ((r"\* ", "item"), (r"\[\^\d+\] ", "footnote"), (r"\[\d+\] ", "reference")):
        if re.match(pattern, block):
            return [Part(role, _spans(re.sub(f"^{pattern}", "", line))) for line in lines]
    return [Part("paragraph", _spans(" ".join(lines)))]


def _spans(text: str) -> tuple[Span, ...]:
    found: list[Span] = []
    at = 0
    for match in _INLINE.finditer(text):
        if match.start() > at:
            found.append(Span(text[at : match.start()]))
        emphasised, label, target, mark = match.groups()
        if emphasised:
            found.append(Span(emphasised, "emphasis"))
        elif label:
            found.append(Span(label, "link", target))
        else:
            found.append(Span(mark, "mark"))
        at = match.end()
    if at < len(text):
        found.append(Span(text[at:]))
    return tuple(found)
