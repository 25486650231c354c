"""What the HTML reports of all commands share: the head with the style, tiles, notes, facts, bars, and escaped text.

A report is one file: it loads nothing, and every text of documents in it is escaped.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import cache
from html import escape
from importlib import resources

import click

from simhash_doc.cli.help import arguments_of
from simhash_doc.own_outputs import GENERATOR
from simhash_doc.versions import __version__

END = "</main></body></html>"


@cache
def part(name: str) -> str:
    """Return a file beside this module that pages include, such as the style sheet."""
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def head(title: str, style: str = "") -> Iterator[str]:
    """Yield the lines of a page up to its heading, which follows; `style` is added to the style sheet."""
    yield "<!doctype html>"
    yield '<html lang="en"><head><meta charset="utf-8">'
    yield GENERATOR
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{safe(title)}</title>"
    yield f"<style>{part('page.css')}{style}</style></head>"
    yield "<body><main>"


def tiles(numbers: Iterable[tuple[str, str, str]]) -> str:
    """Return the most important numbers of a report: with what each counts, and a class for its colour or none."""
    shown = (
        f'<div><dt>{label}</dt><dd><b class="{colour}">{number}</b></dd></div>' for number, label, colour in numbers
    )
    return f'<dl class="tiles">{"".join(shown)}</dl>'


def facts(rows: Iterable[tuple[str, str]]) -> str:
    """Return a list of names and values, which are HTML."""
    return f'<dl class="facts">{"".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in rows)}</dl>'


def folded(summary: str, content: str) -> str:
    """Return HTML that is hidden until its summary is clicked."""
    return f'<details class="folded"><summary>{summary}</summary>{content}</details>'


def made_by() -> list[tuple[str, str]]:
    """Return with which command and program a page is made, and on which day, for `facts`: the same on one day."""
    context = click.get_current_context()
    command = shlex.join([*context.command_path.split(), *arguments_of(context)])
    date = f"{datetime.now():%Y-%m-%d}"
    return [("Command", f"<code>{safe(command)}</code>"), ("Made", f"{date}, with simhash-doc {__version__}")]


def measure(bits: int, similarity: float | None) -> str:
    """Return the distance and the similarity of a document, from 0 to 1, with a bar."""
    shown = "1 bit" if bits == 1 else f"{bits} bits"
    if similarity is None:
        return f'<span class="measure"><span>{shown}</span></span>'
    return (
        f'<span class="measure"><span>{shown}</span><span>{percent(similarity)}</span>'
        f'<i style="--v:{100 * similarity:.0f}"></i></span>'
    )


def badge(kind: str) -> str:
    """Return the kind of a document as a badge."""
    shown = "exact copy" if kind == "exact" else kind
    return f'<span class="kind {kind}">{shown}</span>'


def named(path: str) -> str:
    """Return a path with its directory muted."""
    folder, slash, name = path.rpartition("/")
    shown = f'<span class="dir">{safe(folder + slash)}</span>' if slash and name else ""
    return f"{shown}{safe(name if shown else path)}"


def percent(similarity: float | None) -> str:
    """Return a similarity as people read it; only equal token counts are 100 %."""
    if similarity is None:
        return ""
    return "100 %" if similarity == 1 else f"{min(99, int(100 * similarity + 0.5))} %"


def safe(text: str) -> str:
    """Return text for the page: invisible characters are escaped, and what UTF-8 cannot hold is replaced."""
    visible = "".join(one if one.isprintable() or one in " \n\t" else repr(one)[1:-1] for one in text)
    return escape(visible.encode("utf-8", "backslashreplace").decode())
