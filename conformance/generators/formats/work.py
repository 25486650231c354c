"""A work: the content of a document, in parts, and the boilerplate that its formats add."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

WORKS = Path(__file__).parent / "works"
_INLINE = re.compile(r"\*([^*]+)\*|\[([^\]^]+)\]\((\S+?)\)|\[\^(\d+)\]")


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of inline text. `kind` is plain, emphasis, link, or mark: the mark of a note, whose text is its number."""

    text: str
    kind: str = "plain"
    target: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a work, or, in `Written.around`, a part of a document that is not part of the work.

    Attributes:
        role: title, heading, paragraph, item, code, caption, table, quote, footnote or reference; or the kind of a
            part that an extractor has to leave out, such as navigation.
        spans: the text of the part; for a table its title.
        rows: the rows of a table. The first is its head.
    """

    role: str
    spans: tuple[Span, ...]
    rows: tuple[tuple[str, ...], ...] = ()

    @property
    def text(self) -> str:
        """The text that an extractor has to return, without the marks of notes."""
        text = "".join(span.text for span in self.spans if span.kind != "mark")
        return "\n".join([text, *("\t".join(row) for row in self.rows)])


@dataclass(frozen=True, slots=True)
class Work:
    """A work in one language. `site` is the name of the site or publisher that its documents state."""

    name: str
    language: str
    site: str
    parts: tuple[Part, ...]

    @property
    def title(self) -> str:
        """The title of the work."""
        return self.parts[0].text

    def note(self, span: Span) -> str:
        """Return the text of the note to which a mark belongs."""
        return self.of("footnote")[int(span.text) - 1].text

    def of(self, *roles: str) -> list[Part]:
        """Return the parts with one of these roles."""
        return [part for part in self.parts if part.role in roles]


@dataclass(frozen=True, slots=True)
class Written:
    """A document that was written in one format.

    Attributes:
        content: the document, in bytes.
        around: the parts that the format adds, which an extractor has to leave out.
        broken: words that the document breaks. Each is a pair of the word, and of its pieces with a space between them,
            as an extractor that keeps the break would return it.
    """

    content: bytes
    around: tuple[Part, ...] = field(default=())
    broken: tuple[tuple[str, str], ...] = field(default=())


def inline(spans: Iterable[Span], escaped: Callable[[str], str] = str, **forms: Callable[[str, Span], str]) -> str:
    """Return inline text: that of each span escaped, and in the form of its kind if it has one."""
    texts = ((escaped(span.text), span) for span in spans)
    return "".join(forms[span.kind](text, span) if span.kind in forms else text for text, span in texts)


def around(role: str, text: str) -> Part:
    """Return a part that is not part of the work."""
    return Part(role, (Span(text),))


def read_work(name: str) -> Work:
    """Read a work from its file in `WORKS`: fields, an empty line, and blocks in a light markup."""
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
