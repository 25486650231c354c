"""The page of a report: the template with its style and its script, and the report as JSON in it."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import is_dataclass, replace
from functools import cache
from hashlib import sha256
from html import escape
from importlib import resources
from typing import Any

from simhash_doc.own_outputs import GENERATOR
from simhash_doc.report.document import Block, Groups, Report, Section, plain
from simhash_doc.unseen import escape_unseen

_PLACE = re.compile(r"\{\{(\w+)\}\}")
# What could end the element around the JSON, or begin a comment in it.
_IN_SCRIPT = {ord(character): f"\\u{ord(character):04x}" for character in "<>&"}


def html_page(report: Report) -> Iterator[str]:
    """Yield the lines of a page that shows a report; groups and rows may be iterators, which are read once.

    The page loads nothing. Its policy lets it run only its own script and use only its own style. Tiles that count
    nothing are left out, because the heading and the other tiles say it.
    """
    report = replace(report, tiles=[tile for tile in report.tiles if tile.value])
    style, script = part("page.css"), part("page.js")
    head = {
        "generator": GENERATOR,
        "policy": f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'",
        "title": _escaped(report.title),
        "style": style,
        "tone": report.tone,
        "about": _escaped(report.about),
        "heading": _escaped(report.heading),
        "summary": "\n".join(_summary(report)),
        "script": script,
    }
    before, after = part("page.html").split("{{document}}")
    yield _filled(before.rstrip("\n"), head)
    yield from _lines(_json(report))
    yield _filled(after.strip("\n"), head)


@cache
def part(name: str) -> str:
    """Return a file beside this module."""
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def visible(text: str) -> str:
    r"""Return a text with invisible characters escaped, and what UTF-8 cannot hold; spaces and line ends stay.

    >>> print(visible("soft\u00adhyphen, \u202ereversed, \x1b[31m, \ud800"))
    soft\xadhyphen, \u202ereversed, \x1b[31m, \ud800
    """
    if not text.isprintable():
        text = "".join(one if one.isprintable() or one in " \n\t" else repr(one)[1:-1] for one in text)
    return escape_unseen(text)


def _filled(template: str, values: Mapping[str, str]) -> str:
    return _PLACE.sub(lambda place: values[place[1]], template)


def _digest(content: str) -> str:
    return f"sha256-{b64encode(sha256(content.encode()).digest()).decode()}"


def _escaped(text: str) -> str:
    return escape(visible(text))


def _summary(report: Report) -> Iterator[str]:
    """Yield what a page shows without its script: what was found, and the tiles."""
    yield from (f"<p>{_escaped(plain(line))}</p>" for line in report.lines)
    if report.tiles:
        yield "<ul>"
        yield from (f"<li>{_escaped(f'{_shown(tile.value)} {tile.label}')}</li>" for tile in report.tiles)
        yield "</ul>"
    if report.origin:
        yield f"<p>Made by <code>{_escaped(report.origin.command)}</code> on {report.origin.date}.</p>"


def _shown(value: int | str) -> str:
    return value if isinstance(value, str) else f"{value:,}"


def _json(value: Any) -> Iterator[str]:
    """Yield a part of a report as JSON: ASCII, without characters that mean something in HTML, a line per group."""
    if isinstance(value, (Report, Section, Groups)):
        yield "{"
        for number, (name, member) in enumerate(_attributes(value).items()):
            yield f"{',' * bool(number)}{json.dumps(name)}:"
            yield from _json(member)
        yield "}"
    elif isinstance(value, Iterable) and not isinstance(value, (str, Mapping)):
        yield "["
        for number, item in enumerate(value):
            yield ",\n" * bool(number)
            yield from _json(item)
        yield "]"
    else:
        yield json.dumps(_values(value)).translate(_IN_SCRIPT)


def _values(value: Any) -> Any:
    """Return a part of a report as values that JSON can hold, with visible texts."""
    if isinstance(value, str):
        return visible(value)
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, Mapping):
        return {name: _values(member) for name, member in value.items()}
    if is_dataclass(value):
        return {name: _values(member) for name, member in _attributes(value).items()}
    return [_values(item) for item in value]


def _attributes(value: Any) -> dict[str, Any]:
    """Return the attributes of a part of a report, without empty ones; a block begins with its name."""
    found = {"block": type(value).__name__.lower()} if isinstance(value, Block) else {}
    members = ((name, getattr(value, name)) for name in value.__slots__)
    return found | {name: member for name, member in members if not _is_empty(member)}


def _is_empty(member: Any) -> bool:
    """Return True for what JSON leaves out; zero is a number like others."""
    return member is None or member is False or (isinstance(member, (str, Sequence, Mapping)) and not member)


def _lines(pieces: Iterable[str]) -> Iterator[str]:
    line: list[str] = []
    for piece in pieces:
        line.append(piece.rstrip("\n"))
        if piece.endswith("\n"):
            yield "".join(line)
            line.clear()
    yield "".join(line)
