"""AsciiDoc: its text without attributes, delimiters and macros. Files that it names are not read."""

from __future__ import annotations

import re
from html import unescape

from simhash_doc.extract.decoding import decode
from simhash_doc.extract.document import Extracted
from simhash_doc.extract.errors import OverLimit
from simhash_doc.extract.limits import Limits

_COMMENT_BLOCK = re.compile(r"^(/{4,})[ \t]*\n.*?(?:^\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_ATTRIBUTE = re.compile(r"^:([\w][\w-]*)!?:(?:[ \t]+(.*))?$")
_INCLUDE = re.compile(r"^include::\S*\[.*\]\s*$")
_NO_TEXT = re.compile(
    r"^(?://(?!/).*"  # a comment
    r"|(?:ifdef|ifndef|ifeval|endif|image|video|audio|toc)::\S*\[.*\]"
    r"|\[[^\]\n]*\]|\[\[.*\]\]"  # attributes and the name of a block
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
_SHOWS_TEXT = frozenset(
    {"link", "xref", "mailto", "footnote", "kbd", "btn", "menu", "pass", "stem", "latexmath", "asciimath"}
)
_SHOWS_NOTHING = frozenset({"image", "icon", "anchor", "indexterm", "bibitem", "video", "audio"})


def read(data: bytes, *, medium: str, name: str | None, limits: Limits) -> Extracted:
    """Read AsciiDoc."""
    source, _ = decode(data)
    attributes = dict(_CHARACTERS)
    out: list[str] = []
    includes = 0
    left = limits.expanded_bytes  # for the values of attributes, which may be named again and again
    for line in _COMMENT_BLOCK.sub("", source.replace("\r\n", "\n")).split("\n"):
        if found := _ATTRIBUTE.match(line):
            attributes.setdefault(found[1].lower(), found[2] or "")
        elif _INCLUDE.match(line):
            includes += 1
        elif not _NO_TEXT.match(line):
            left -= sum(len(attributes.get(attribute.lower(), "")) for attribute in _NAME.findall(line))
            if left < 0:
                raise OverLimit(f"its text is over the limit expanded_bytes={limits.expanded_bytes:,}", name=name)
            out.append(_inline(line, attributes))
    warnings = (f"{includes} include directives were not followed",) if includes else ()
    return Extracted(unescape("\n".join(out)).strip(), medium, name, warnings)


def _inline(line: str, attributes: dict[str, str]) -> str:
    line = _NAME.sub(lambda found: attributes.get(found[1].lower(), found[0]), line)
    line = _REFERENCE.sub(lambda found: found[2] or found[1], line)
    return _MACRO.sub(_shown, line)


def _shown(found: re.Match[str]) -> str:
    macro, target, text = found[1], found[2] or "", found[3].strip()
    if macro in _SHOWS_NOTHING:
        return " "
    if macro in ("http", "https", "ftp", "irc"):
        return text or f"{macro}:{target}"
    if macro in _SHOWS_TEXT:
        return text or target
    return f"{target}({text})" if text else target  # a macro of the project's own, such as a manual page
