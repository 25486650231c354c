"""Reads AsciiDoc: its text without attributes, delimiters and macros. Included files are not read."""

from __future__ import annotations

import re
from html import unescape

from simhash_doc.extract.charset import decode
from simhash_doc.extract.limits import Limits
from simhash_doc.extract.result import ExtractedText

_COMMENT_BLOCK = re.compile(r"^(/{4,})[ \t]*\n.*?(?:^\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_ATTRIBUTE = re.compile(r"^:([\w][\w-]*)!?:(?:[ \t]+(.*))?$")
_INCLUDE = re.compile(r"^include::\S*\[.*\]\s*$")
_NO_TEXT = re.compile(
    r"^(?://(?!/).*"  # a comment
    r"|(?:ifdef|ifndef|ifeval|endif|image|video|audio|toc)::\S*\[.*\]"
    r"|\[[^\]\n]*\]|\[\[.*\]\]"  # attributes and the anchor of a block
    r"|([-=.*_+~^/`])\1{3,}|--|[|,:!]={3,}|<<<|'''|\+"  # delimiters and underlines of titles
    r")\s*$"
)
_REFERENCE = re.compile(r"<<([^<>,\n]+)(?:,\s*([^<>]*))?>>")
_MACRO = re.compile(r"(?<![\w:])([a-z][\w-]*):{1,2}([^\s\[\]:][^\s\[\]]*)?\[((?:[^\[\]\\\n]|\\.|\[[^\[\]\n]*\])*)\]")
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


def read(data: bytes, *, document_format: str, name: str | None, limits: Limits) -> ExtractedText:
    """Read AsciiDoc: the text of its blocks, with attributes and references resolved."""
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
                raise limits.expanded_error("with attributes resolved, the text", name)
            out.append(_inline(line, attributes))
    warnings = (f"{includes} include directives were not followed",) if includes else ()
    return ExtractedText(unescape("\n".join(out)).strip(), document_format, name, warnings)


def _inline(line: str, attributes: dict[str, str]) -> str:
    line = _NAME.sub(lambda found: attributes.get(found[1].lower(), found[0]), line)
    line = _REFERENCE.sub(lambda found: found[2] or found[1], line)
    return _MACRO.sub(_macro_text, line)


def _macro_text(found: re.Match[str]) -> str:
    macro, target, text = found[1], found[2] or "", found[3].strip()
    if macro in _SILENT_MACROS:
        return " "
    if macro in ("http", "https", "ftp", "irc"):
        return text or f"{macro}:{target}"
    if macro in _TEXT_MACROS:
        return text or target
    return f"{target}({text})" if text else target  # a custom macro, such as a link to a manual page
