"""Links in folded text as UTF-8, which `re` searches only where one may be."""

from __future__ import annotations

import re
from collections.abc import Iterator

from simhash_doc.tokens import POSSESSIVE_LINK

# Between documents: no byte of UTF-8, and so in no word and no link.
SEPARATOR = b"\xff"

_LINK = re.compile(POSSESSIVE_LINK.pattern.encode("ascii"))
_DENSE = 64  # bytes for each mark, from which on the whole text is searched at once
# Every link holds one of these, or "www.", or "10.", or is a row of 32 hexadecimal digits or more.
_ADDRESS = re.compile(rb"@[a-z0-9-]{1,63}+\.[a-z0-9-]")
_COLON = re.compile(rb":(?://|(?<=doi:)|(?<=urn:)|(?<=hdl:)|(?<=arxiv:))")
_UUID_END = re.compile(rb"-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_DIGEST = re.compile(rb"(?<![a-z0-9_])[0-9a-f]{32,128}(?![a-z0-9_])")

_WHITE = bytes(byte if 0x20 < byte < 0xFF else 0x20 for byte in range(256))


def without_links(text: bytes) -> bytes:
    """Return folded texts, `SEPARATOR` between them, with a space for each link but digests (SD-LINK-1)."""
    places = {place for place in _found(text, b"@") if _ADDRESS.match(text, place)}
    places.update(match.start() for match in _COLON.finditer(text))
    places.update(match.start() for match in _UUID_END.finditer(text))
    places.update(_found(text, b"www."), _found(text, b"10."))
    if not places:
        return text
    if len(places) > len(text) // _DENSE:
        return _LINK.sub(b" ", text)
    white = text.translate(_WHITE)
    parts = []
    done = 0
    for place in sorted(places):
        if place < done:
            continue
        start = max(white.rfind(b" ", done, place) + 1, done)
        end = white.find(b" ", place)
        end = len(white) if end < 0 else end
        parts += [text[done:start], _LINK.sub(b" ", text[start:end])]
        done = end
    return b"".join((*parts, text[done:]))


def digests(word: bytes) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of the digests in a run of word characters (SD-LINK-8)."""
    return (match.span() for match in _DIGEST.finditer(word))


def _found(text: bytes, mark: bytes) -> Iterator[int]:
    place = text.find(mark)
    while place >= 0:
        yield place
        place = text.find(mark, place + 1)
