"""ODT: OpenDocument text (OASIS OpenDocument 1.0 to 1.4)."""

from __future__ import annotations

from simhash_doc.extract.archive import Archive
from simhash_doc.extract.document import Extracted
from simhash_doc.extract.errors import Damaged, Encrypted
from simhash_doc.extract.flow import Flow
from simhash_doc.extract.limits import Limits
from simhash_doc.extract.xml_events import elements, local, parse

_CONTENT = "content.xml"
_MANIFEST = "META-INF/manifest.xml"
_BLOCKS = frozenset({"p", "h", "list-item", "table-cell", "table-row", "note", "note-body", "text-box", "section"})
# tracked-changes: what was deleted. note-citation and bookmarks: numbers. ruby-text: reading aids over a word.
_DROPPED = frozenset(
    "tracked-changes annotation annotation-end note-citation ruby-text forms scripts font-face-decls automatic-styles "
    "sequence-decls variable-decls user-field-decls table-of-content-source index-title-template page-number "
    "page-count title desc script event-listeners".split()
)
_NAMESPACE = ":xmlns:text:1.0"
_DRAWING = ":xmlns:svg-compatible:1.0"
_SPACES = {"s": " ", "tab": "\t", "line-break": "\n", "soft-page-break": ""}


def read(data: bytes, *, medium: str, name: str | None, limits: Limits) -> Extracted:
    """Read an ODT file: body, tables, text boxes, notes where they stand. Tracked changes count as accepted."""
    archive = Archive(data, name=name, limits=limits)
    if _MANIFEST in archive:
        manifest = elements(archive.read(_MANIFEST), part=_MANIFEST, name=name)
        if any(tag == "encryption-data" for tag, _ in manifest):
            raise Encrypted("the document is encrypted: save it without a password", name=name)
    if _CONTENT not in archive:
        raise Damaged(f"no text in the ODT file: the archive has no part {_CONTENT!r}", name=name)
    flow = Flow()
    _add(archive.read(_CONTENT), flow, name)
    return Extracted(flow.text(), medium, name)


def _add(data: bytes, flow: Flow, name: str | None) -> None:
    dropped = 0
    paragraphs = 0

    def start(tag: str, _: dict[str, str]) -> None:
        nonlocal dropped, paragraphs
        short = local(tag)
        # svg:title and svg:desc of a picture are no text; text:title is a field that is.
        if dropped or (short in _DROPPED and (short not in ("title", "desc") or _is(tag, _DRAWING))):
            dropped += 1
            return
        if short in _BLOCKS:
            flow.cut()
        if short in ("p", "h"):
            paragraphs += 1
        elif _is(tag, _NAMESPACE):
            flow.add(_SPACES.get(short))

    def end(tag: str) -> None:
        nonlocal dropped, paragraphs
        short = local(tag)
        if dropped:
            dropped -= 1
            return
        if short in _BLOCKS:
            flow.cut()
        if short in ("p", "h"):
            paragraphs -= 1

    def text(characters: str) -> None:
        if paragraphs and not dropped:
            flow.add(characters)

    parse(data, part=_CONTENT, name=name, start=start, end=end, text=text)


def _is(tag: str, namespace: str) -> bool:
    return tag.rpartition(" ")[0].endswith(namespace)
