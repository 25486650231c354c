"""How much PDFium reads to show the pages of a file: a form object counts as often as it is drawn.

PDFium reads a form (form XObject, ISO 32000-2, 8.10) again for each time that it is drawn, and cannot be stopped. So
the sizes are added up before a page is loaded.
"""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from simhash_doc_extraction.base import Limits, expanded_error
from simhash_doc_extraction.pdf.objects import Objects, Reference

_LEVELS = 40
"""PDFium draws forms in forms of no more levels."""

_DRAWN = 1024
"""Bytes that a drawn form counts in addition to its content: it takes memory and time even if it is empty."""

_MOST_PARENTS = 50  # of a page
_SPACE = b"\0\t\n\f\r "
_MARK = re.compile(rb"[BE][MD]C\b(?<!\w[BE][MD]C)")  # a word: BMC, BDC or EMC
_MARKED = 8
"""Bytes that each mark around another one counts: PDFium copies them for each mark that begins."""

_DRAW = re.compile(rb"Do(?![^\0\s/<>\[\](){}%])")
_OPERAND = re.compile(rb"/([^\0\s/<>\[\](){}%]*)\Z")
_LONGEST_OPERAND = 256
_ESCAPE = re.compile(r"#([0-9A-Fa-f]{2})")

_Key = tuple[int, int]
"""The number of a stream, and the number of the object whose resources its names are in."""


def check_drawn(objects: Objects, pages: int, limits: Limits) -> None:
    """Check that the contents of so many pages, with the forms that they draw, are at most `limits.expanded_bytes`.

    Forms that draw each other, or themselves, count as often as the levels allow.

    Raises:
        LimitExceededError: they are more.
    """
    if _Contents(objects, limits.expanded_bytes).size(pages) > limits.expanded_bytes:
        raise expanded_error(limits, "the content of the pages, with what they draw repeatedly,")


@dataclass(slots=True)
class _Content:
    size: int
    draws: Counter[_Key]
    marks: int = 0
    left: int = 0  # marks that do not end


class _Contents:
    """What the pages and the forms of a file draw."""

    def __init__(self, objects: Objects, most: int) -> None:
        self._objects = objects
        self._most = most
        self._forms: dict[int, dict[str, Any]] = {}  # by the number of the object that has the resources
        self._known: dict[Reference, Any] = {}
        self._contents: dict[_Key, _Content] = {}
        self._with_appearance = frozenset(objects.having(b"/AP"))

    def size(self, pages: int) -> int:
        """Return the size of what so many pages draw, in bytes, or any size over the limit.

        A page that is shown more than once is not known: it could be the largest.
        """
        shown = [roots for number in self._objects.having(b"/Contents") if (roots := self._page(number))]
        characters = Counter(root for number in self._objects.having(b"/Type3") for root in self._characters(number))
        totals = self._totals({root for roots in [*shown, characters] for root in roots})
        sizes = [
            sum(totals[root] * count for root, count in roots.items()) + self._marks_of(roots)
            for roots in [characters, *shown]
        ]
        return sum(sizes) + max(0, pages - len(shown)) * max(sizes)

    def _marks_of(self, roots: Counter[_Key]) -> int:
        """Return what the marks of several contents count that do not end with theirs."""
        contents = [self._contents[root] for root in roots.elements() if root in self._contents]
        if len(contents) < 2:
            return 0
        return _MARKED * sum(content.marks for content in contents) * sum(content.left for content in contents)

    def _get(self, found: Any, *keys: str) -> Any:
        """Return what is in dictionaries in a dictionary; None if there is none."""
        found = self._resolved(found)
        for key in keys:
            found = self._resolved(found.get(key)) if isinstance(found, dict) else None
        return found

    def _resolved(self, value: Any) -> Any:
        if not isinstance(value, Reference):
            return value
        if value not in self._known:
            self._known[value] = self._objects.get(value)
        return self._known[value]

    def _page(self, number: int) -> Counter[_Key]:
        """Return what a page draws by itself: its contents and its annotations; nothing of another object."""
        page = self._get(Reference(number))
        if not isinstance(page, dict) or page.get("Type") not in ("Page", None) or "Contents" not in page:
            return Counter()
        context = self._context(number)
        drawn = Counter((int(part), context) for part in self._references(page["Contents"]))
        annotations = self._get(page, "Annots")
        for annotation in annotations if isinstance(annotations, list) else ():
            if isinstance(annotation, Reference) and annotation not in self._with_appearance:
                continue  # a link: pages can have many
            appearance = self._get(annotation, "AP")
            normal = appearance.get("N") if isinstance(appearance, dict) else None
            states = self._get(normal)
            for state in [normal, *(states.values() if isinstance(states, dict) else ())]:
                if isinstance(state, Reference):
                    drawn[int(state), context] += 1
        return drawn

    def _references(self, value: Any) -> list[Reference]:
        found = self._get(value)
        values = found if isinstance(found, list) else [value]
        return [value for value in values if isinstance(value, Reference)]

    def _context(self, number: int) -> int:
        """Return the number of the object whose resources a page uses: its own, or those of a parent."""
        at: Any = Reference(number)
        for _ in range(_MOST_PARENTS):
            node = self._get(at)
            if not isinstance(node, dict) or "Resources" in node or not isinstance(node.get("Parent"), Reference):
                break
            at = node["Parent"]
        return int(at)

    def _characters(self, number: int) -> Iterable[_Key]:
        """Return the contents of the characters that a font in an object draws."""
        for font in self._objects.dictionaries(number, b"/Type3"):
            procedures = self._get(font, "CharProcs")
            for procedure in procedures.values() if isinstance(procedures, dict) else ():
                if isinstance(procedure, Reference):
                    yield int(procedure), number

    def _totals(self, roots: Iterable[_Key]) -> dict[_Key, int]:
        """Return the sizes of contents with all that they draw, at most one more than the limit."""
        contents = self._contents
        waiting, read = list(roots), 0
        while waiting:
            key = waiting.pop()
            if key not in contents:
                contents[key] = self._content(key)
                read += contents[key].size
                if read > self._most:
                    return dict.fromkeys([*contents, *waiting], self._most + 1)
                waiting += contents[key].draws
        totals = {key: content.size for key, content in contents.items()}
        for _ in range(_LEVELS):
            before = totals
            totals = {
                key: min(
                    self._most + 1,
                    content.size + sum((_DRAWN + before[form]) * count for form, count in content.draws.items()),
                )
                for key, content in contents.items()
            }
            if totals == before:
                break
        return totals

    def _content(self, key: _Key) -> _Content:
        """Return a content, and the forms that it draws."""
        number, context = key
        if "Resources" in (self._get(Reference(number)) or ()):
            context = number
        content, draws = self._decoded(number), Counter[_Key]()
        forms = self._forms_of(context)
        for found in _DRAW.finditer(content):
            before = content[max(0, found.start() - _LONGEST_OPERAND) : found.start()]
            operand = before.rstrip(_SPACE)
            name = _OPERAND.search(operand)
            if name:
                drawn = [forms.get(_plain(name[1].decode("latin-1")))]
            else:  # a word of a text, or an operand that PDFium reads as a name
                is_operand = not operand or operand[-1:] in b")>" or b"\n" in before or b"\r" in before
                drawn = list(forms.values()) if is_operand else []
            for form in drawn:
                if isinstance(form, Reference) and self._get(form, "Subtype") == "Form":
                    draws[int(form), context] += 1
        marks = depth = around = 0
        for mark in _MARK.findall(content):
            if mark in (b"BMC", b"BDC"):
                marks, around, depth = marks + 1, around + depth, depth + 1
            elif mark == b"EMC":
                depth = max(0, depth - 1)
        return _Content(len(content) + _MARKED * around, draws, marks, depth)

    def _forms_of(self, number: int) -> dict[str, Any]:
        if number not in self._forms:
            found = self._get(Reference(number), "Resources", "XObject")
            found = found if isinstance(found, dict) else {}
            self._forms[number] = {_plain(name): form for name, form in found.items()}
        return self._forms[number]

    def _decoded(self, number: int) -> bytes:
        """Return what a stream holds, at most one byte more than the limit."""
        filters = self._get(Reference(number), "Filter")
        content = self._objects.stream(number)
        for name in filters if isinstance(filters, list) else [filters]:
            content = _decode(content, _plain(str(self._get(name))), self._most + 1)
        return content


def _plain(name: str) -> str:
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), name)


def _decode(stored: bytes, coding: str, most: int) -> bytes:
    """Return what a filter decodes, as far as it can, at most so many bytes; of an unknown one, what is stored."""
    with suppress(ValueError, zlib.error):
        if coding in ("FlateDecode", "Fl"):
            return _inflated(stored, most)
        if coding in ("ASCIIHexDecode", "AHx"):
            digits = b"".join(stored.partition(b">")[0].split())
            return binascii.unhexlify(digits + b"0" * (len(digits) % 2))
        if coding in ("ASCII85Decode", "A85"):
            return base64.a85decode(stored.strip().removeprefix(b"<~").partition(b"~")[0])[:most]
        if coding in ("RunLengthDecode", "RL"):
            return _run_lengths(stored, most)
        if coding in ("LZWDecode", "LZW"):
            return _lzw(stored, most)
    return stored


def _inflated(stored: bytes, most: int) -> bytes:
    inflate, content = zlib.decompressobj(), bytearray()
    with suppress(zlib.error):
        while stored and not inflate.eof and len(content) < most:
            content += inflate.decompress(stored, min(1 << 20, most - len(content)))
            stored = inflate.unconsumed_tail
    return bytes(content)


def _run_lengths(stored: bytes, most: int) -> bytes:
    content, at = bytearray(), 0
    while at < len(stored) and stored[at] != 128 and len(content) < most:
        length = stored[at]
        content += stored[at + 1 : at + 2 + length] if length < 128 else stored[at + 1 : at + 2] * (257 - length)
        at += 2 + length if length < 128 else 2
    return bytes(content)


def _lzw(stored: bytes, most: int) -> bytes:
    """Return what LZW decodes (ISO 32000-2, 7.4.4), with codes that grow early."""
    first = [bytes([byte]) for byte in range(256)] + [b"", b""]
    table, content, last = list(first), bytearray(), b""
    bits = held = 0
    for byte in stored:
        held, bits = (held << 8 | byte) & 0xFFFFFF, bits + 8
        width = min(12, max(9, (len(table) + 1 if last else len(table)).bit_length()))
        if bits < width:
            continue
        bits -= width
        code = held >> bits & ((1 << width) - 1)
        if code == 256:
            table, last = list(first), b""
            continue
        if code == 257 or code > len(table) or len(content) > most:
            break
        entry = table[code] if code < len(table) else last + last[:1]
        content += entry
        if last and len(table) < 4096:
            table.append(last + entry[:1])
        last = entry
    return bytes(content[:most])
