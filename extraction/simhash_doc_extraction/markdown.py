"""Reads Markdown: CommonMark with tables, strikethrough, task lists, footnotes, definition lists and front matter.

Tags in Markdown are often meant as text. A tag that would hide what follows, and is not closed in its block, is text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from html import escape
from itertools import chain
from typing import Any, cast

from markdown_it import MarkdownIt
from markdown_it.helpers import parseLinkDestination, parseLinkLabel, parseLinkTitle
from markdown_it.parser_block import ParserBlock
from markdown_it.rules_block import StateBlock, html_block, paragraph
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline, html_inline
from markdown_it.token import Token
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote import footnote_plugin

from simhash_doc_extraction.base import ExtractedText, Limits
from simhash_doc_extraction.encoding import decoded
from simhash_doc_extraction.html.reader import read_part

_DEEPEST = 100
"""Nested lists and quotations: twice the lists that are nested, as their items count."""

_PIECE = 1 << 18
"""Characters that are parsed at once: a token for each few characters takes a thousand times their memory."""

_MOST_SEARCHED = 1 << 26
"""Characters that are searched in vain for the ends of brackets; all later brackets are text."""


def read_markdown(data: bytes, document_format: str, limits: Limits) -> ExtractedText:
    """Read Markdown: the text of its rendered form, after the title from its front matter."""
    source, _, warnings = decoded(data)
    title, source = without_front_matter(source.replace("\r\n", "\n").replace("\r", "\n"))
    parser = _parser()
    environment: dict[str, object] = {}
    pieces = _pieces(source.replace("\0", "\ufffd"), parser, environment)
    if "]:" in source:  # definitions of links and notes, which can stand after their use
        pieces = iter(list(pieces))
        environment.pop("blocks", None)
    notes: list[str] = []
    texts = [title, *(_text(piece, parser, environment, notes) for piece in pieces)]
    texts.append(read_part("".join(notes).encode()))
    return ExtractedText("\n\n".join(filter(None, texts)), document_format, warnings=warnings)


def _parser() -> MarkdownIt:
    parser = MarkdownIt()
    parser.block = _Blocks()
    parser.configure("commonmark", {"maxNesting": _DEEPEST}).enable(["table", "strikethrough"])
    parser.use(footnote_plugin).use(deflist_plugin)
    parser.block.ruler.at("html_block", _html_block, {"alt": ["paragraph", "reference", "blockquote"]})
    parser.inline.ruler.at("html_inline", _html_inline)
    parser.helpers = cast("Any", _Helpers())
    parser.block.ruler.before("table", "short_paragraph", _short_paragraph)
    parser.core.ruler.at("block", _set_blocks)
    parser.core.ruler.at("footnote_tail", _set_notes_apart)
    return parser


def _text(piece: str, parser: MarkdownIt, environment: dict[str, object], notes: list[str]) -> str:
    """Return the text of a part of a document, and add the HTML of its notes to `notes`."""
    set_apart: list[Token] = []
    environment["notes"] = set_apart
    tokens = parser.parse(piece, environment)
    for token in [*tokens, *set_apart]:
        if token.type == "html_block":
            token.content = with_closed_tags(token.content)
        elif token.children:
            _close_tags(token.children)
    notes.append(parser.renderer.render(set_apart, parser.options, environment).encode("utf-8", "replace").decode())
    return read_part(parser.renderer.render(tokens, parser.options, environment).encode("utf-8", "replace"))


# Blocks


class _Blocks(ParserBlock):
    """The block parser, which reads what is nested too deeply as paragraphs, where the original would drop it."""

    def tokenize(self, state: StateBlock, first: int, last: int) -> None:
        if state.level < _DEEPEST:
            super().tokenize(state, first, last)
            return
        line = first
        while (line := state.skipEmptyLines(line)) < last and state.sCount[line] >= state.blkIndent:
            paragraph(state, line, last, False)
            line = state.line
        state.line = line


def _short_paragraph(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """Read a line that begins with a letter, and is alone, as most paragraphs are. No other rule needs to be tried."""
    after = first + 1
    if (
        silent
        or state.is_code_block(first)
        or not state.src[state.bMarks[first] + state.tShift[first]].isalpha()
        or (after < last and not state.isEmpty(after))
        or (after + 1 < last and state.src.startswith((":", "~"), state.bMarks[after + 1] + state.tShift[after + 1]))
    ):
        return False  # it can be a heading, a table, or a term with its definition
    return paragraph(state, first, last, silent)


def _set_blocks(state: StateCore) -> None:
    """Take the blocks of a part from the environment, or read them."""
    if "blocks" in state.env:
        state.tokens = state.env.pop("blocks")
    else:
        state.md.block.parse(state.src, state.md, state.env, state.tokens)


def _pieces(source: str, parser: MarkdownIt, environment: dict[str, object]) -> Iterator[str]:
    """Yield a document in parts between two of its blocks. The definitions of links are kept in `environment`.

    So are the blocks of the part, if there are several parts. A block that is longer than a part is cut between two
    lines or words, unless it is code or HTML.
    """
    start, size = 0, _PIECE
    while len(source) - start > size:
        last = start + size
        end = source.rfind("\n", start, last) + 1 or source.rfind(" ", start, last) + 1 or last
        part = source[start:end]
        tokens: list[Token] = []
        parser.block.parse(part, parser, environment, tokens)
        blocks = [number for number, token in enumerate(tokens) if token.map and not token.level]
        last_block = tokens[blocks[-1]] if blocks else None
        line = last_block.map[0] if last_block and last_block.map else 0
        if line:
            end = start + len("\n".join(part.split("\n", line)[:line])) + 1
            del tokens[blocks[-1] :]
        elif last_block and last_block.type in ("fence", "code_block", "html_block"):
            size *= 2
            continue
        environment["blocks"] = tokens
        yield source[start:end]
        start, size = end, _PIECE
    if start:
        environment["blocks"] = tokens = []
        parser.block.parse(source[start:], parser, environment, tokens)
    yield source[start:]


_FRONT_MATTER = re.compile(r"\ufeff?(---|\+\+\+)[ \t]*\n(.*?)^(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_FIELD = re.compile(r"[ \t]+\S|[ \t]*$|#|-[ \t]|[\]}]|\[|[\w.\"'$-]++[ \t]*+(?:[=:][ \t]|[=:]$|=\S)")
_KEY = re.compile(r"[a-z_\"'$][\w.\"'$-]*+[ \t]*+[=:]")  # not "Note:", which begins a sentence
_TITLE = re.compile(r"^title:(.+)$", re.MULTILINE | re.IGNORECASE)
_TOML_TITLE = re.compile(r"^title[ \t]*+=(.+)$", re.MULTILINE)
_FOLDED = re.compile(r"^title:[ \t]*[>|][+-]?[ \t]*\n((?:[ \t]+\S.*(?:\n|\Z))+)", re.MULTILINE)


def without_front_matter(source: str) -> tuple[str, str]:
    """Return the title in the metadata before a text, and the text. What is between two rules can be text, too."""
    found = _FRONT_MATTER.match(source)
    if not found:
        return "", source
    lines = found[2].split("\n")
    if not all(map(_FIELD.match, lines)) or not any(map(_KEY.match, lines)) or not lines[0].strip():
        return "", source
    rest = source[found.end() :]
    if folded := _FOLDED.search(found[2]):
        return " ".join(folded[1].split()), rest
    title = (_TITLE if found[1] == "---" else _TOML_TITLE).search(found[2])
    return _unquoted(title[1]) if title else "", rest


def _unquoted(value: str) -> str:
    """Return the value of a line of front matter without the spaces and quotation marks around it."""
    title = value.strip(" \t")
    if len(title) > 2 and title[0] in "\"'" and title[0] == title[-1]:
        return title[1:-1]
    return title or value[-1]


_TASK = re.compile(r"\[[ xX]\][ \t]+")


def _set_notes_apart(state: StateCore) -> None:
    """Move the notes out of the text, as they stand at its end. Leave out the boxes of tasks."""
    kept: list[Token] = []
    notes: list[Token] = state.env["notes"]
    depth = 0
    before = ""
    for token in state.tokens:
        if token.type in ("footnote_reference_open", "footnote_reference_close"):
            depth += token.nesting
            continue
        (notes if depth else kept).append(token)
        if before == "list_item_open paragraph_open" and token.children:
            token.children[0].content = _TASK.sub("", token.children[0].content, count=1)
        before = f"{before.rpartition(' ')[2]} {token.type}"
    for note in state.env.get("footnotes", {}).get("list", {}).values():
        if children := note.pop("tokens", None):
            text = Token("inline", "", 0, content=note["content"], children=children)
            notes += Token("paragraph_open", "p", 1), text, Token("paragraph_close", "p", -1)
    state.tokens = kept


# Tags

_RAW_TEXT = frozenset("iframe noembed noframes plaintext script style textarea title xmp".split())
"""Elements that hide all that follows if they are not closed: GitHub Flavored Markdown shows their tags (6.11)."""

_HIDING = _RAW_TEXT | frozenset(
    "applet audio button canvas command datalist frameset map noscript object optgroup option progress rp rt select "
    "svg template video".split()
)
_OPENING = re.compile(r"<(?:!--|/?[a-zA-Z])")
_TAG = re.compile(r"""<(/?)([a-zA-Z][^\s/>]*+)(?:[^"'>]|"[^"]*+"|'[^']*+')*+>""")
_ENDS = (("<!--", "-->"), ("<![CDATA[", "]]>"), ("<!", ">"), ("<?", "?>"))
_RAW_BLOCK = re.compile(r"<(script|pre|style|textarea)(?=[\s>]|$)", re.IGNORECASE)


@lru_cache(maxsize=8)
def _last(source: str, mark: str) -> int:
    """Return the last place of a mark in a text, whatever its case, or -1."""
    return max((found.start() for found in re.finditer(re.escape(mark), source, re.IGNORECASE)), default=-1)


def _is_open(source: str, start: int, end: int) -> bool:
    """Return True if a comment, an instruction or raw text that begins at a place never ends."""
    mark = next((mark for opening, mark in _ENDS if source.startswith(opening, start)), None)
    if not mark and (found := _RAW_BLOCK.match(source, start, end)):
        mark = f"</{found[1].lower()}"
    return mark is not None and _last(source, mark) < start


def _html_block(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """Read a block of HTML, but not one that would reach to the end of the document because it is not closed."""
    start, end = state.bMarks[first] + state.tShift[first], state.eMarks[first]
    return not _is_open(state.src, start, end) and html_block(state, first, last, silent)


def _html_inline(state: StateInline, silent: bool) -> bool:
    """Read a tag. The expression of the original would read the rest again for each comment that is not closed."""
    return not _is_open(state.src, state.pos, state.pos) and html_inline(state, silent)


class _Helpers:
    """The helpers of the parser, which search no further for the ends of brackets where most are not closed.

    The original searches the rest of the block for each bracket: images that are not closed take quadratic time.
    """

    parseLinkDestination = staticmethod(parseLinkDestination)  # noqa: N815
    parseLinkTitle = staticmethod(parseLinkTitle)  # noqa: N815

    def __init__(self) -> None:
        self._left = _MOST_SEARCHED

    def parseLinkLabel(self, state: StateInline, start: int, disableNested: bool = False) -> int:  # noqa: N802, N803
        if self._left < 0:
            return -1
        end = parseLinkLabel(state, start, disableNested)
        if end < 0:
            self._left -= state.posMax - start
        return end


def _close_tags(tokens: list[Token]) -> None:
    """Make text of tags in a paragraph that hide what follows and have no end, or no beginning."""
    opened: dict[str, list[Token]] = {}
    alone: list[Token] = []
    for token in tokens:
        found = _TAG.match(token.content) if token.type == "html_inline" else None
        if found and (name := found[2].lower()) in _HIDING:
            if not found[1]:
                opened.setdefault(name, []).append(token)
            elif not opened.get(name):
                alone.append(token)
            elif name != "plaintext":
                opened[name].pop()
    alone += chain.from_iterable(opened.values())
    for token in alone:
        token.type, token.content = "html_inline", _shown(token.content)


def _shown(tag: str) -> str:
    """Return what is shown of a tag that is not closed."""
    found = _TAG.match(tag)
    return escape(tag) if found and found[2].lower() in _RAW_TEXT else ""


def with_closed_tags(html: str) -> str:
    """Return a block of HTML in which no tag, comment or raw text hides what follows the block."""
    pieces: list[str] = []
    opened: dict[str, list[int]] = {}
    endless: set[str] = set()
    position = 0

    def end_of(mark: str, start: int) -> int:
        found = None if mark in endless else re.compile(mark, re.IGNORECASE).search(html, start)
        if not found:
            endless.add(mark)
        return found.start() if found else -1

    while found := _OPENING.search(html, position):
        start = found.start()
        pieces.append(html[position:start])
        if found[0] == "<!--":
            end = end_of("-->", start + 2)
            pieces.append("" if end >= 0 else "&lt;!--")
            position = end + 3 if end >= 0 else found.end()
            continue
        tag = _TAG.match(html, start)
        if not tag:
            return _joined(pieces, opened) + html[start:].replace("<", "&lt;")
        position = tag.end()
        pieces.append(tag[0])
        name = tag[2].lower()
        if name in _RAW_TEXT:
            end = -1 if tag[1] or name == "plaintext" else end_of(f"</{name}(?=[\\s/>])", position)
            closing = _TAG.match(html, end) if end >= 0 else None
            if closing:
                pieces.append(html[position : closing.end()])
                position = closing.end()
            else:
                pieces[-1] = escape(tag[0])
        elif name in _HIDING and not tag[1]:
            opened.setdefault(name, []).append(len(pieces) - 1)
        elif name in _HIDING and opened.get(name):
            opened[name].pop()
    return _joined(pieces, opened) + html[position:]


def _joined(pieces: list[str], opened: dict[str, list[int]]) -> str:
    """Return the pieces of HTML without the tags that are not closed."""
    for places in opened.values():
        for place in places:
            pieces[place] = ""
    return "".join(pieces)
