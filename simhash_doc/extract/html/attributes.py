"""A limit on the attributes of an element: the parser compares each with all others of its element."""

from __future__ import annotations

import re

from simhash_doc.extract.errors import LimitExceededError

MOST_ATTRIBUTES = 5000
_SHORTEST = 2 * MOST_ATTRIBUTES  # characters of a tag with more
_TAG = re.compile(r"""<[a-zA-Z](?:[^<>"']++|"[^"]*+"|'[^']*+')*+""")
_QUOTED = re.compile(r""""[^"]*+"|'[^']*+'""")


def check_attributes(text: str) -> None:
    """Reject a page with an element that has too many attributes.

    Raises:
        LimitExceededError: an element has more than `MOST_ATTRIBUTES`.
    """
    if len(text) < _SHORTEST:
        return
    for tag in _TAG.finditer(text):
        if tag.end() - tag.start() > _SHORTEST and len(_QUOTED.sub(" ", tag[0]).split()) > MOST_ATTRIBUTES:
            raise LimitExceededError(f"an element has more than {MOST_ATTRIBUTES:,} attributes")
