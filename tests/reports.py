"""Reading a report from its page, as programs do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any


def report_in(page: str) -> dict[str, Any]:
    """Return the report that a page holds, on the lines between two tags."""
    lines = page.splitlines()
    start = lines.index('<script id="report" type="application/json">')
    report: dict[str, Any] = json.loads("\n".join(lines[start + 1 : lines.index("</script>", start)]))
    return report


def parts(part: Any, name: str, value: Any = None) -> list[Any]:
    """Return what a report has under a name, at any depth; with a value, the objects in which the name has it."""
    if isinstance(part, list):
        return [found for one in part for found in parts(one, name, value)]
    if not isinstance(part, dict):
        return []
    own = [part[name] if value is None else part] if name in part and value in (None, part[name]) else []
    return own + [found for one in part.values() for found in parts(one, name, value)]


def section(report: Any, title: str) -> dict[str, Any]:
    """Return the section whose title begins so."""
    (found,) = [one for one in parts(report, "block", "section") if one["title"].startswith(title)]
    return dict(found)


def plain(text: Any) -> str:
    """Return a text without its styles."""
    return text if isinstance(text, str) else "".join(one if isinstance(one, str) else one["text"] for one in text)


def texts(part: Any) -> Iterator[str]:
    """Yield all texts of a report."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, (list, dict)):
        for one in part.values() if isinstance(part, dict) else part:
            yield from texts(one)


def tiles(report: Any) -> dict[str, str]:
    """Return the numbers at the top of a report by what they count."""
    return {one["label"]: str(one["value"]) for one in report["tiles"]}
