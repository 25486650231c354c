"""Reads AsciiDoc: the text of its blocks, with attributes, references and macros resolved.

A line is read as the block around it says: nothing in a listing is mark-up, and nothing in a comment is text.
"""

from __future__ import annotations

import re
from collections import Counter
from html import unescape

from simhash_doc_extraction.base import ExtractedText, Limits, expanded_error
from simhash_doc_extraction.encoding import decoded
from simhash_doc_extraction.html.reader import read_part
from simhash_doc_extraction.markdown import with_closed_tags, without_front_matter


def read_asciidoc(data: bytes, document_format: str, limits: Limits) -> ExtractedText:
    """Read AsciiDoc. Included files are not read, and counted in a warning. Parts under a condition are read."""
    source, _, warnings = decoded(data)
    title, source = without_front_matter(source.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd"))
    reader = _Reader(source.split("\n"), limits)
    reader.read()
    text = "\n".join([*([title, ""] if title else []), *reader.out, *reader.notes]).strip()
    return ExtractedText(text, document_format, warnings=(*warnings, *reader.warnings()))


_DELIMITER = re.compile(r"(?:([-.+=*_/])\1{3,}|--|`{3,}[^`]*|[|,:!]={3,})[ \t]*")
_VERBATIM = frozenset("-.`")
_ATTRIBUTES = re.compile(r"\[(?:|[\w.#\"'%{,:].*|\[(?:|[^\W\d][\w:.-]*(?:, *.+)?)\])\][ \t]*")
_ATTRIBUTE = re.compile(r":(!?)(\w[\w-]*)(!?):(?:[ \t]+(.*))?[ \t]*")
_INCLUDE = re.compile(r"include::([^\s\[](?:[^\[\n]*[^\s\[])?)\[.*\][ \t]*")
_CONDITION = re.compile(r"(ifdef|ifndef|ifeval|endif)::([^\s\[]*)\[(.*)\][ \t]*")
_BLOCK_MACRO = re.compile(r"(?:image|video|audio|toc)::[^\[\n]*\[(.*)\][ \t]*")
_BREAK = re.compile(r"(?:<<<+|'''+|---|- - -|\*\*\*|\* \* \*|\+)[ \t]*")
_UNDERLINE = re.compile(r"([-=~^+])\1{2,}[ \t]*")
_LIST_ITEM = re.compile(
    r"[ \t]*(?:[*.-]+|\d+\.|[a-zA-Z]\.|[ivxIVX]+\)|<[\d.]+>)[ \t]+\S|.*(?:(?<!:):{2,4}|;;)(?:[ \t]|$)"
)
_RESOLVED = re.compile(r"""\bsubs=["']?[^"'=]*(?<!-)\b(?:attributes|normal)\b""")
_TITLE_ATTRIBUTE = re.compile(r"""\btitle=(?:"([^"]*)"|'([^']*)'|([^,\]]*))""")
# The callouts that end a line, read from its end: from its start, each would be the start of all that follow.
_CALLOUTS_REVERSED = re.compile(r"[ \t]*+(?:(?:>--[ \t]*+)?>(?:\d+|\.)<[ \t]*+(?:(?://|#|--!<|--|;;)[ \t]*+)?)+")
_CALLOUT_COMMENT = re.compile(r"<!--(?:\d+|\.)-->")
_CALLOUT_ITEM = re.compile(r"^[ \t]*<(?:\d+|\.)>(?=[ \t])", re.MULTILINE)
_CELL = re.compile(
    r"(?<!\\)(?:(?<![^\s|])(?:\d+(?:\.\d+)?|\.\d+)[+*])?(?:(?<![^\s|+*])[.<^>]{0,3}[adehlmsv]?)?[|!](?!=)"
)


class _Reader:
    """Reads the lines of a document.

    Attributes:
        out: the lines of its text.
        notes: the texts of its footnotes.
    """

    def __init__(self, lines: list[str], limits: Limits) -> None:
        self.out: list[str] = []
        self.notes: list[str] = []
        self._lines = lines
        self._limits = limits
        self._left = limits.expanded_bytes  # for attribute values: a long one can be referenced many times
        self._values = dict(_CHARACTERS)
        self._last = {line.rstrip(): number for number, line in enumerate(lines) if _DELIMITER.fullmatch(line)}
        self._paragraph: list[str] = []
        self._in_header = True
        self._conditions = 0
        self._style = ""
        self._resolves = False
        self._opened: list[str] = []
        self._counts: Counter[str] = Counter()
        self._first: dict[str, str] = {}

    def warnings(self) -> tuple[str, ...]:
        """Return what was not read, with counts."""
        return tuple(f"{kind}: {count:,} (first: {self._first[kind][:200]!r})" for kind, count in self._counts.items())

    def read(self) -> None:
        """Read all lines.

        Raises:
            LimitExceededError: the text is too long with attributes resolved.
        """
        at = 0
        while at < len(self._lines):
            at = self._read_block(at) if not self._paragraph else self._read_line(at)
        self._end_paragraph()

    def _count(self, kind: str, name: str) -> None:
        self._counts[kind] += 1
        self._first.setdefault(kind, name)

    def _is_directive(self, line: str) -> bool:
        """Return True for a line that a preprocessor removes, everywhere; count an included file."""
        if found := _INCLUDE.fullmatch(line):
            self._count("included files not read", found[1])
        elif found := _CONDITION.fullmatch(line):
            content = found[3] if found[1] in ("ifdef", "ifndef") else ""
            if attribute := _ATTRIBUTE.fullmatch(content):
                self._values.setdefault(attribute[2].lower(), self._resolved(attribute[4] or ""))
            elif content:
                self._paragraph.append(content)
            else:
                self._conditions += -1 if found[1] == "endif" else 1
        return bool(found)

    def _read_block(self, at: int) -> int:
        """Read what can stand between paragraphs, and return the number of the next line."""
        line = self._lines[at]
        is_table = self._in_table()
        if not line.strip():
            self._in_header = self._in_header and not self.out
            self.out.append("")
            self._style, self._resolves = "", False
        elif self._is_directive(line) or (line.startswith("//") and not line.startswith("///")):
            pass
        elif _DELIMITER.fullmatch(line):
            return self._read_delimiter(at)
        elif not is_table and (found := _ATTRIBUTE.fullmatch(line)):
            return self._set_attribute(at, found)
        elif _ATTRIBUTES.fullmatch(line) and not (is_table and not self._begins_block(at + 1)):
            self._read_attributes(line.strip()[1:-1])
        elif found := _BLOCK_MACRO.fullmatch(line):
            if title := _TITLE_ATTRIBUTE.search(found[1]):
                self.out.append(self._inline(title[1] or title[2] or title[3] or ""))
        elif _BREAK.fullmatch(line):
            pass
        elif line[0] in " \t" and not _LIST_ITEM.match(line) and not is_table:
            return self._read_verbatim(at, self._end_of_paragraph(at))
        elif self._style in _LITERAL_STYLES:
            return self._read_styled(at, self._end_of_paragraph(at))
        elif line.startswith(".") and len(line) > 1 and line[1] not in ". \t":
            self.out.append(self._inline(line[1:]))
        else:
            return self._read_line(at)
        return at + 1

    def _read_line(self, at: int) -> int:
        """Read a line of a paragraph, and return the number of the next one."""
        line = self._lines[at]
        if self._paragraph and (not line.strip() or _ATTRIBUTES.fullmatch(line) or line.rstrip() == "+"):
            self._end_paragraph()
            return self._read_block(at)
        if self._is_directive(line) or (line.startswith("//") and not line.startswith("///")):
            return at + 1
        is_title = len(self._paragraph) == 1 and not _LIST_ITEM.match(self._paragraph[0])
        if is_title and _UNDERLINE.fullmatch(line) and abs(len(line.rstrip()) - len(self._paragraph[0].rstrip())) <= 1:
            self._end_paragraph()
            return at + 1
        if _DELIMITER.fullmatch(line):
            self._end_paragraph()
            return self._read_delimiter(at)
        if self._in_header and self._paragraph and _ATTRIBUTE.fullmatch(line):
            self._end_paragraph()
            return at
        self._paragraph.append(line)
        return at + 1

    def _end_paragraph(self) -> None:
        if self._paragraph:
            text = "\n".join(self._paragraph)
            if self._in_table():
                text = _CELL.sub(" ", text).replace("\\|", "|")
            self.out.append(self._inline(text))
            self._paragraph.clear()
            self._style, self._resolves = "", False

    def _in_table(self) -> bool:
        return bool(self._opened) and self._opened[-1][0] in "|,:!"

    def _begins_block(self, at: int) -> bool:
        line = self._lines[at].rstrip() if at < len(self._lines) else ""
        return line not in self._opened and _DELIMITER.fullmatch(line) is not None

    def _end_of_paragraph(self, at: int) -> int:
        while at < len(self._lines) and self._lines[at].strip():
            at += 1
        return at

    def _read_delimiter(self, at: int) -> int:
        """Read a block without blocks in it, or note that one begins or ends; return the number of the next line."""
        line = self._lines[at].rstrip()
        mark = line[0]
        is_open_block = line == "--"
        closing = line if mark != "`" else line[: len(line) - len(line.lstrip("`"))]
        style, self._style = self._style, ""
        is_closed = self._last.get(closing, -1) > at
        if mark == "/" or (is_open_block and style == "comment"):
            if is_closed:
                return self._next(closing, at) + 1
            self._count("comments not closed, and read", line)
        elif (mark in _VERBATIM and not is_open_block) or mark == "+" or (is_open_block and style in _LITERAL_STYLES):
            end = self._next(closing, at) if is_closed else len(self._lines)
            self._style = style if style in _SPECIAL_STYLES else "pass" if mark == "+" else "listing"
            self._read_styled(at + 1, end)
            return end + 1
        elif self._opened and self._opened[-1] == line:
            self._opened.pop()
            self.out.append("")
        elif line in self._opened:
            del self._opened[self._opened.index(line) :]
        else:
            self._opened.append(line)
        return at + 1

    def _next(self, closing: str, at: int) -> int:
        at += 1
        while self._lines[at].rstrip() != closing:
            at += 1
        return at

    def _read_styled(self, at: int, end: int) -> int:
        """Read lines as their style says."""
        style, self._style = self._style, ""
        if style == "comment":
            return end
        if style != "pass":
            return self._read_verbatim(at, end)
        lines = [line for line in self._lines[at:end] if not self._is_directive(line)]
        if any(lines):
            self.out += [read_part(with_closed_tags("\n".join(lines)).encode("utf-8", "replace")), ""]
        return end

    def _read_verbatim(self, at: int, end: int) -> int:
        for line in self._lines[at:end]:
            if not self._is_directive(line):
                line = _without_callouts(line.removeprefix("\\") if _ESCAPED.match(line) else line)
                self.out.append(self._resolved(line) if self._resolves else line)
        self._resolves = False
        self.out += self._paragraph
        self._paragraph.clear()
        return end

    def _set_attribute(self, at: int, found: re.Match[str]) -> int:
        before, name, after, value = found.groups()
        values = [value or ""]
        while values[-1].endswith((" \\", " +")) and at + 1 < len(self._lines):
            at += 1
            values[-1] = values[-1][:-2]
            values.append(self._lines[at].strip())
        if self._conditions > 0:  # whether they are met is not known
            self._values.setdefault(name.lower(), self._resolved(" ".join(values)))
        elif before or after:
            self._values.pop(name.lower(), None)
        else:
            self._values[name.lower()] = self._resolved(" ".join(values))
        return at + 1

    def _read_attributes(self, value: str) -> None:
        """Note the style of the next block. Who is quoted is text, and so is the title."""
        if value.startswith("["):
            return
        first, *others = value.split(",")
        self._style = _STYLE_END.split(first.strip(), maxsplit=1)[0]
        self._resolves = _RESOLVED.search(value) is not None
        if self._style in ("quote", "verse"):
            self.out += [self._inline(other.strip(' "')) for other in others[:2] if "=" not in other and other.strip()]
        if title := _TITLE_ATTRIBUTE.search(value):
            self.out.append(self._inline(title[1] or title[2] or title[3] or ""))

    def _resolved(self, text: str) -> str:
        """Return a text with the values of attributes.

        Raises:
            LimitExceededError: the text is too long.
        """
        names = _NAME.findall(text)
        self._left -= sum(len(self._values.get(name.lower(), "")) for name in names)
        if self._left < 0:
            raise expanded_error(self._limits, "with attributes resolved, the text")
        return _NAME.sub(lambda found: self._values.get(found[1].lower(), found[0]), text) if names else text

    def _inline(self, text: str) -> str:
        """Return the text of a paragraph without its mark-up, and keep its footnotes for the end of the document."""
        kept: list[str] = []

        def keep(found: re.Match[str]) -> str:
            literal = next(filter(None, found.groups()), "")
            kept.append(_TAG.sub("", literal) if found[0].startswith(("+++", "pass")) else literal)
            return f"\0{len(kept) - 1}\0"

        text = _PASSTHROUGH.sub(keep, _CALLOUT_ITEM.sub("", text))
        text = self._resolved(_COUNTER.sub("", text)).replace("\\{", "{")
        text = _HIDDEN_TERM.sub("", text)
        text = _SHOWN_TERM.sub(r"\1", text)
        text = _REFERENCE.sub(lambda found: found[2] or found[1], text)
        text = _ROLE.sub("", _ANCHOR.sub(r"\1", text))
        text = _SPACED_MACRO.sub(lambda found: _macro_text(*found.groups()), text)
        notes: list[str] = []
        text = _without_macros(text, notes)
        text, *notes = (_KEPT.sub(lambda found: kept[int(found[1])], _plain(piece)) for piece in (text, *notes))
        self.notes += notes
        return text


def _plain(text: str) -> str:
    """Return a text without the marks that can stand within words, and with its signs."""
    for mark in ("**", "__", "##", "``"):
        if mark in text:
            *parts, last = text.split(mark)
            text = "".join(parts) + (mark if len(parts) % 2 else "") + last
    text = _RAISED.sub(lambda found: found[1] or found[2], text)
    text = text.replace("(C)", "©").replace("(R)", "®").replace("(TM)", "™")
    return unescape(_LONG_NUMBER.sub("\ufffd", _ZEROS.sub(r"\1", text))) if "&" in text else text


_LITERAL_STYLES = frozenset(
    "asciimath comment latexmath listing literal pass source stem plantuml ditaa graphviz mermaid".split()
)
_SPECIAL_STYLES = frozenset({"asciimath", "comment", "latexmath", "pass", "stem"})
_STYLE_END = re.compile(r"[.#%,]")
_ESCAPED = re.compile(r"\\(?:include|ifdef|ifndef|ifeval|endif)::")
_NAME = re.compile(r"(?<!\\)\{(\w[\w-]*)\}")
_COUNTER = re.compile(r"\{(?:set|counter2?):[^{}\n]*\}")
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_PASSTHROUGH = re.compile(
    r"\+\+\+((?:[^+]|\+(?!\+\+))*+)\+\+\+|\$\$((?:[^$]|\$(?!\$))*+)\$\$|(?<!\+)\+\+((?:[^+\n]|\+(?!\+))++)\+\+"
    r"|\b(?:pass|stem|latexmath|asciimath):[a-z,]*+\[((?:[^\[\]\\]|\\.|\[[^\[\]]*+\])*+)\]"
    r"|(?<![\w+])\+([^\s+](?:[^+\n]*[^\s+])?)\+(?![\w+])",
    re.DOTALL,
)
_KEPT = re.compile(r"\0(\d+)\0")
_HIDDEN_TERM = re.compile(r"\(\(\(((?:[^()]|\([^()]*\))*+)\)\)\)")
_SHOWN_TERM = re.compile(r"(?<!\()\(\((?!\()((?:[^()]|\((?!\()[^()]*\))*+)\)\)")
_REFERENCE = re.compile(r"<<([\w#/.:{][^<>,\n]*+)(?:,\s*+([^<>]*))?>>")
_ANCHOR = re.compile(r"\[\[(?:\[([^\W\d][^\[\],]*)(?:,[^\[\]]*)?\]|[^\W\d][^\[\],]*(?:,[^\[\]]*)?)\]\]")
_ROLE = re.compile(r"\[[.#%][\w.#%-]*\](?=([#*_`]{1,2})[^#*_`\n]+\1)|(?<!\w)\[\w[\w -]*\](?=#[^#\n]+#)")
_RAISED = re.compile(r"\^([^\s^]+)\^|~([^\s~]+)~")
_ZEROS = re.compile(r"(&#[xX]?)0+(?=[0-9a-fA-F])")
_LONG_NUMBER = re.compile(r"&#(?:[xX][0-9a-fA-F]{7,}|[0-9]{8,});?")
# A macro is name:target[text] or name::target[text]. Its parts are searched for one after another: an expression for
# all of them would read a long text again from every place where a macro could begin.
_WORDS = re.compile(r"[^\s\[\]]++")
_NAME_AND_COLON = re.compile(r"([\w-]++):{1,2}(?!:)|[\w-]++")
_NAME_START = re.compile(r"(?<![\w:])[a-z]")
_BRACKETS = re.compile(r"\[((?:[^\[\]\\]|\\.|\[[^\[\]]*\])*+)\]", re.DOTALL)
_OPTIONS = re.compile(r"""("[^"]*"|[^,="]*)(?:(?:,|^)\s*[\w-]+=.*)?""", re.DOTALL)
_SPACED_MACRO = re.compile(r"\b(menu|image|icon):([\w&/.{][^\n\[:]*+)\[([^\[\]]*+)\]")
_CHARACTERS = {
    "amp": "&", "apos": "'", "asterisk": "*", "backslash": "\\", "backtick": "`", "brvbar": "¦", "caret": "^",
    "cpp": "C++", "cxx": "C++", "deg": "°", "empty": "", "endsb": "]", "gt": ">", "hat": "^", "ldquo": "“",
    "litdd": "--",
    "lsquo": "‘", "lt": "<", "nbsp": " ", "plus": "+", "quot": '"', "rdquo": "”", "rsquo": "’", "sp": " ", "space": " ",
    "startsb": "[", "tilde": "~", "two-colons": "::", "two-semicolons": ";;", "vbar": "|", "wj": "", "zwsp": "",
    "apostrophe": "'",
}  # fmt: skip
_TEXT_MACROS = frozenset({"link", "xref", "mailto", "footnote", "footnoteref", "kbd", "btn", "indexterm2"})
_ADDRESSES = frozenset({"http", "https", "ftp", "irc"})
_SILENT_MACROS = frozenset({"image", "icon", "anchor", "indexterm", "bibitem", "video", "audio"})
_BLOCK_NAMES = _TEXT_MACROS | _SILENT_MACROS


def _without_callouts(line: str) -> str:
    found = _CALLOUTS_REVERSED.match(line[::-1])
    return _CALLOUT_COMMENT.sub("", line[: len(line) - found.end()] if found else line)


def _without_macros(text: str, notes: list[str] | None = None) -> str:
    """Replace each macro by its text. The texts of footnotes are added to `notes`."""
    pieces: list[str] = []
    end = 0
    for word in _WORDS.finditer(text):
        if not text.startswith("[", word.end()) or word.start() < end:
            continue
        found = _macro_name(text, word.start(), word.end())
        brackets = found and _BRACKETS.match(text, word.end())
        if found and brackets:
            start, colon, target = found
            name, inner = text[start:colon], brackets[1].strip()
            if target - colon == 2 and name not in _BLOCK_NAMES:  # such as std::vector[0]
                continue
            if name in ("footnote", "footnoteref") and notes is not None:
                note = inner.partition(",")[2] if name == "footnoteref" else inner
                notes += [_without_macros(note.strip())] if note else []
                pieces += text[end:start], " "
            else:
                pieces += text[end:start], _macro_text(name, text[target : word.end()], inner)
            end = brackets.end()
    return "".join([*pieces, text[end:]])


def _macro_name(text: str, start: int, end: int) -> tuple[int, int, int] | None:
    """Return the places of the name, the colon and the target of the first macro in a word; None if there is none."""
    for found in _NAME_AND_COLON.finditer(text, start, end):
        if found[1] and (name := _NAME_START.search(text, found.start(), found.end(1))):
            return name.start(), found.end(1), found.end()
    return None


def _macro_text(macro: str, target: str, text: str) -> str:
    text = text.replace("\\]", "]")
    if macro in _SILENT_MACROS:
        return " " if macro != "indexterm" else ""
    if macro == "menu":
        return " > ".join(filter(None, [target, *map(str.strip, text.replace("&gt;", ">").split(">"))]))
    if macro in ("link", "xref", "mailto", *_ADDRESSES) and (found := _OPTIONS.fullmatch(text)):
        text = found[1].strip().strip('"').removesuffix("^")
    if macro in _ADDRESSES:
        return text or f"{macro}:{target}"
    if macro in _TEXT_MACROS:
        return text or target
    return f"{target}({text})" if text else target  # a custom macro, such as a link to a manual page
