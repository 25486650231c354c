"""Links in folded text as UTF-8, which `re` searches only where one may be (SD-LINK-1 to SD-LINK-8)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from simhash_doc.reference import LINK

# Bytes that are not in UTF-8, and so in no word and no link: between documents, and where a link was.
SEPARATOR = b"\xff"
REMOVED = b"\xfe"

# Possessive, so that a failed attempt is not tried again in every shorter form; the result is the same (section 5).
_LINK = re.compile(re.sub(r"(\{\d+,\d+\}|\*)", r"\1+", LINK.pattern).encode("ascii"))
_DENSE = 64  # bytes for each mark, from which on the whole text is searched at once
# Every link holds one of these, or "www.", or "10.", or is a digest.
_ADDRESS = re.compile(rb"@[a-z0-9-]{1,63}+\.[a-z0-9-]")
_COLON = re.compile(rb":(?://|(?<=doi:)|(?<=urn:)|(?<=hdl:)|(?<=arxiv:))")
_UUID_END = re.compile(rb"-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
# What is behind a link that ended at a bound is not at the start of a word.
_DIGEST = re.compile(rb"(?<![a-z0-9_\xfe])[0-9a-f]{32,128}(?![a-z0-9_])")

_WHITE = bytes(byte if 0x20 < byte < SEPARATOR[0] else 0x20 for byte in range(256))


def remove_links(folded: str) -> str:
    """Return a folded text with a space for each link, as `reference.remove_links`."""
    text = folded.encode("utf-8", "surrogatepass")
    marked = without_marked_links(text)
    prepared = _DIGEST.sub(b" ", marked)
    if prepared is text:
        return folded
    return prepared.replace(REMOVED, b" ").decode("utf-8", "surrogatepass")


def without_marked_links(text: bytes) -> bytes:
    """Return folded texts, which may have `SEPARATOR` between them, with `REMOVED` for each link but digests."""
    places = {place for place in _found(text, b"@") if _ADDRESS.match(text, place)}
    places.update(match.start() for match in _COLON.finditer(text))
    places.update(match.start() for match in _UUID_END.finditer(text))
    places.update(_found(text, b"www."), _found(text, b"10."))
    if not places:
        return text
    if len(places) > len(text) // _DENSE:
        return _LINK.sub(REMOVED, text)
    white = text.translate(_WHITE)
    parts = []
    done = 0
    for place in sorted(places):
        if place < done:
            continue
        start = max(white.rfind(b" ", done, place) + 1, done)
        end = white.find(b" ", place)
        end = len(white) if end < 0 else end
        parts += [text[done:start], _LINK.sub(REMOVED, text[start:end])]
        done = end
    return b"".join((*parts, text[done:]))


def digests(text: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield where digests begin and end in a run of word characters, in a text without other links (SD-LINK-8)."""
    return (match.span() for match in _DIGEST.finditer(text, start, end))


def _found(text: bytes, mark: bytes) -> Iterator[int]:
    place = text.find(mark)
    while place >= 0:
        yield place
        place = text.find(mark, place + 1)
