"""Reads plain text, and text with light markup: Markdown and AsciiDoc."""

from __future__ import annotations

import re
from html import unescape

from simhash_doc.extract.base import ExtractedText, Limits
from simhash_doc.extract.detect import decode


def read_plain(data: bytes, document_format: str, limits: Limits) -> ExtractedText:
    """Read plain text: its characters, unchanged."""
    text, encoding = decode(data)
    warnings = () if encoding == "utf-8" else (f"read as {encoding}",)
    return ExtractedText(text, document_format, warnings=warnings)


_TITLE = re.compile(r"^title:(.+)$", re.MULTILINE)


def read_markdown(data: bytes, document_format: str, limits: Limits) -> ExtractedText:
    """Read Markdown: the text of its rendered form, after the title from its front matter.

    CommonMark with tables, footnotes, definition lists and front matter.
    """
    from markdown_it import MarkdownIt
    from mdit_py_plugins.deflist import deflist_plugin
    from mdit_py_plugins.footnote import footnote_plugin
    from mdit_py_plugins.front_matter import front_matter_plugin

    from simhash_doc.extract.html.reader import read_part

    source, _ = decode(data)
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    parser.use(front_matter_plugin).use(footnote_plugin).use(deflist_plugin)
    tokens = parser.parse(source)
    text = read_part(parser.renderer.render(tokens, parser.options, {}).encode("utf-8", "replace"))
    if tokens and tokens[0].type == "front_matter" and (found := _TITLE.search(tokens[0].content)):
        text = f"{_unquoted(found[1])}\n\n{text}"
    return ExtractedText(text, document_format)


def _unquoted(value: str) -> str:
    """Return the value of a line of front matter without the spaces and quotation marks around it."""
    title = value.strip(" \t")
    if len(title) > 2 and title[0] in "\"'" and title[0] == title[-1]:
        return title[1:-1]
    return title or value[-1]


_COMMENT_BLOCK = re.compile(r"^(/{4,})[ \t]*\n.*?(?:^\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_ATTRIBUTE = re.compile(r"^:([\w][\w-]*)!?:(?:[ \t]+(.*))?$")
_INCLUDE = re.compile(r"^include::[^\s\[]*\[.*\]\s*$")
_NO_TEXT = re.compile(
    r"^(?://(?!/).*"  # a comment
    r"|(?:ifdef|ifndef|ifeval|endif|image|video|audio|toc)::[^\s\[]*\[.*\]"
    r"|\[[^\]\n]*\]|\[\[.*\]\]"  # attributes and the anchor of a block
    r"|([-=.*_+~^/`])\1{3,}|--|[|,:!]={3,}|<<<|'''|\+"  # delimiters and underlines of titles
    r")\s*$"
)
_REFERENCE = re.compile(r"<<([^<>,\n]+)(?:,\s*+([^<>]*))?>>")
# A macro is name:target[text] or name::target[text]. Its parts are searched for one after another: an expression for
# all of them would read a long text again from every place where a macro could begin.
_WORDS = re.compile(r"[^\s\[\]]++")
_NAME_AND_COLON = re.compile(r"([\w-]++):{1,2}(?!:)|[\w-]++")
_NAME_START = re.compile(r"(?<![\w:])[a-z]")
_BRACKETS = re.compile(r"\[((?:[^\[\]\\\n]|\\.|\[[^\[\]\n]*\])*)\]")
_NAME = re.compile(r"\{([\w-]+)\}")
_CHARACTERS = {
    "amp": "&", "apos": "'", "asterisk": "*", "backslash": "\\", "backtick": "`", "caret": "^", "empty": "",
    "gt": ">", "litdd": "--", "lt": "<", "nbsp": " ", "plus": "+", "quot": '"', "rsquo": "’", "lsquo": "‘", "sp": " ",
    "startsb": "[", "endsb": "]", "tilde": "~", "two-colons": "::", "vbar": "|", "zwsp": "", "apostrophe": "'",
}  # fmt: skip
_TEXT_MACROS = frozenset(
    {"link", "xref", "mailto", "footnote", "kbd", "btn", "menu", "pass", "stem", "latexmath", "asciimath"}
)
_SILENT_MACROS = frozenset({"image", "icon", "anchor", "indexterm", "bibitem", "video", "audio"})


def read_asciidoc(data: bytes, document_format: str, limits: Limits) -> ExtractedText:
    """Read AsciiDoc: the text of its blocks, with attributes and references resolved.

    Attributes, delimiters and macros are left out. Included files are not read.
    """
    source, _ = decode(data)
    attributes = dict(_CHARACTERS)
    out: list[str] = []
    includes = 0
    left = limits.expanded_bytes  # for attribute values: a long one can be referenced many times
    for line in _COMMENT_BLOCK.sub("", source.replace("\r\n", "\n")).split("\n"):
        if found := _ATTRIBUTE.match(line):
            attributes.setdefault(found[1].lower(), found[2] or "")
        elif _INCLUDE.match(line):
            includes += 1
        elif not _NO_TEXT.match(line):
            left -= sum(len(attributes.get(attribute.lower(), "")) for attribute in _NAME.findall(line))
            if left < 0:
                raise limits.expanded_error("with attributes resolved, the text")
            line = _NAME.sub(lambda found: attributes.get(found[1].lower(), found[0]), line)
            out.append(_without_macros(_REFERENCE.sub(lambda found: found[2] or found[1], line)))
    warnings = (f"{includes} include directives were not followed",) if includes else ()
    return ExtractedText(unescape("\n".join(out)).strip(), document_format, warnings=warnings)


def _without_macros(line: str) -> str:
    """Replace each macro by its text."""
    pieces: list[str] = []
    end = 0
    for word in _WORDS.finditer(line):
        if not line.startswith("[", word.end()) or word.start() < end:
            continue
        found = _macro_name(line, word.start(), word.end())
        brackets = found and _BRACKETS.match(line, word.end())
        if found and brackets:
            start, colon, target = found
            pieces += line[end:start], _macro_text(line[start:colon], line[target : word.end()], brackets[1].strip())
            end = brackets.end()
    return "".join([*pieces, line[end:]])


def _macro_name(line: str, start: int, end: int) -> tuple[int, int, int] | None:
    """Return the places of the name, the colon and the target of the first macro in a word; None if there is none."""
    for found in _NAME_AND_COLON.finditer(line, start, end):
        if found[1] and (name := _NAME_START.search(line, found.start(), found.end(1))):
            return name.start(), found.end(1), found.end()
    return None


def _macro_text(macro: str, target: str, text: str) -> str:
    if macro in _SILENT_MACROS:
        return " "
    if macro in ("http", "https", "ftp", "irc"):
        return text or f"{macro}:{target}"
    if macro in _TEXT_MACROS:
        return text or target
    return f"{target}({text})" if text else target  # a custom macro, such as a link to a manual page
