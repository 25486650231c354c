"""A limit on the attributes of an element: the parser compares each with all others of its element."""

from __future__ import annotations

import re
from collections.abc import Iterator

from simhash_doc.extract.errors import LimitExceededError

MOST_ATTRIBUTES = 5000
_SHORTEST = 2 * MOST_ATTRIBUTES  # characters of a tag with more
_TAG = re.compile(r"""<([a-zA-Z](?:[^<>"'\s/]*+))(?:[^<>"']++|"[^"]*+"|'[^']*+')*+|<!--""")
_QUOTED = re.compile(r""""[^"]*+"|'[^']*+'""")
_ENDS = {
    name: re.compile(rf"</{name}\b", re.IGNORECASE)
    for name in ("script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes")
}
"""Elements whose content is characters, and how it ends."""

_CODE = frozenset({"script", "style"})


def check_attributes(text: str, *, xhtml: bool = False) -> None:
    """Reject a page with an element that has too many attributes.

    Args:
        text: the page.
        xhtml: the page may be parsed as XML, in which scripts are not special.

    Raises:
        LimitExceededError: an element has more than `MOST_ATTRIBUTES`.
    """
    if len(text) < _SHORTEST:
        return
    for tag in _TAG.finditer(text) if xhtml else _tags(text):
        if tag.end() - tag.start() > _SHORTEST and len(_QUOTED.sub(" ", tag[0]).split()) > MOST_ATTRIBUTES:
            raise LimitExceededError(f"an element has more than {MOST_ATTRIBUTES:,} attributes")


def _tags(text: str) -> Iterator[re.Match[str]]:
    """Yield what may be a tag. Scripts and styles are skipped, except inside comments and the like.

    Parsers disagree on where a comment ends, so nothing is skipped in one.
    """
    position = 0
    while tag := _TAG.search(text, position):
        yield tag
        position = tag.end()
        name = (tag[1] or "").lower()
        if tag[0] == "<!--":
            end = text.find("-->", position)
        elif name in _ENDS and not tag[0].endswith("/"):
            closing = _ENDS[name].search(text, position)
            end = closing.start() if closing else -1
        else:
            continue
        end = len(text) if end < 0 else end
        if name not in _CODE:
            yield from _TAG.finditer(text, position, end)
        position = end
