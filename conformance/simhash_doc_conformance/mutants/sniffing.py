"""Mutants of section 3 that take bytes for another encoding or format than UTF-8, or text for markup."""

from __future__ import annotations

import base64
import bz2
import gzip
import lzma
import re
import zlib
from collections.abc import Callable
from contextlib import suppress

from simhash_doc_conformance.mutants import after, table

_Decode = Callable[..., str]


def _marked(mark: bytes, encoding: str) -> _Decode:
    """Return the step that reads what follows a mark in another encoding."""
    return lambda step, data: data[len(mark) :].decode(encoding, "replace") if data.startswith(mark) else step(data)


def _stripped(*marks: bytes) -> _Decode:
    """Return the step that removes one of these marks at the start."""
    return lambda step, data: step(next((data[len(mark) :] for mark in marks if data.startswith(mark)), data))


def _refused(*starts: bytes) -> _Decode:
    """Return the step that reads nothing of what begins like a file format."""
    return lambda step, data: "" if data.startswith(starts) else step(data)


def _guessed(*encodings: str) -> _Decode:
    """Return the step that reads bytes that are not UTF-8 in the first encoding that has all of them."""

    def decoded(step: Callable[[bytes], str], data: bytes) -> str:
        for encoding in ("utf-8-sig", *encodings):
            with suppress(UnicodeDecodeError):
                return data.decode(encoding)
        return step(data)

    return decoded


def _unpacked(unpack: Callable[[bytes], bytes], start: bytes = b"") -> _Decode:
    def decoded(step: Callable[[bytes], str], data: bytes) -> str:
        if data.startswith(start):
            with suppress(Exception):  # of a program that is given anything
                return step(unpack(data))
        return step(data)

    return decoded


def _declared(pattern: bytes, most: int = 1024) -> _Decode:
    """Return the step that follows the declaration of an encoding in the first bytes."""

    def decoded(step: Callable[[bytes], str], data: bytes) -> str:
        found = re.search(pattern, data[:most], re.IGNORECASE | re.MULTILINE)
        with suppress(LookupError, UnicodeDecodeError):
            return data.decode(found[1].decode()) if found else step(data)
        return step(data)

    return decoded


def _by_zeros(width: int, orders: dict[int, str]) -> _Decode:
    """Return the step that takes text for UTF-16 or UTF-32 by the places of its zeros."""

    def decoded(step: Callable[[bytes], str], data: bytes) -> str:
        zeros = {at % width for at, byte in enumerate(data) if not byte}
        found = next(
            (name for place, name in orders.items() if len(data) >= width and zeros and place not in zeros), None
        )
        full = found and len(zeros) == width - 1 and not len(data) % width
        return data.decode(found, "replace") if found and full else step(data)

    return decoded


_XML = rb"^\s*<\?xml[^>]*\bencoding\s*=\s*[\"']([\w-]+)"
table("SD-INPUT-1", decode_utf8={
    "sniff-utf-32-be": ("reads UTF-32 after the mark 00 00 FE FF", _marked(b"\0\0\xfe\xff", "utf-32-be")),
    "sniff-utf-32-le": ("reads UTF-32 after the mark FF FE 00 00", _marked(b"\xff\xfe\0\0", "utf-32-le")),
    "sniff-utf-16-be": ("reads UTF-16 after the mark FE FF", _marked(b"\xfe\xff", "utf-16-be")),
    "sniff-utf-16-le": ("reads UTF-16 after the mark FF FE", _marked(b"\xff\xfe", "utf-16-le")),
    "sniff-utf-7": ("reads UTF-7 after the mark +/v8-", _marked(b"+/v8-", "utf-7")),
    "sniff-gb18030": ("reads GB18030 after the mark 84 31 95 33", _marked(b"\x84\x31\x95\x33", "gb18030")),
    "sniff-strips-utf-7": ("strips the mark of UTF-7", _stripped(b"+/v8-", b"+/v8", b"+/v9", b"+/v+", b"+/v/")),
    "sniff-strips-scsu": ("strips the mark of SCSU", _stripped(b"\x0e\xfe\xff")),
    "sniff-strips-bocu": ("strips the mark of BOCU-1", _stripped(b"\xfb\xee\x28")),
    "sniff-strips-utf-1": ("strips the mark of UTF-1", _stripped(b"\xf7\x64\x4c")),
    "sniff-strips-ebcdic": ("strips the mark of UTF-EBCDIC", _stripped(b"\xdd\x73\x66\x73")),
    "sniff-strips-gb18030": ("strips the mark of GB18030", _stripped(b"\x84\x31\x95\x33")),
    "sniff-strips-twice": ("strips two byte order marks, and one that was encoded twice",
        _stripped(b"\xef\xbb\xbf\xef\xbb\xbf", b"\xc3\xaf\xc2\xbb\xc2\xbf")),
    "sniff-zeros-16": ("takes text for UTF-16 if every other byte is zero",
    _by_zeros(2, {0: "utf-16-le", 1: "utf-16-be"})),
    "sniff-zeros-32": ("takes text for UTF-32 if three of four bytes are zero",
    _by_zeros(4, {0: "utf-32-le", 3: "utf-32-be"})),
    "sniff-zeros-dropped": ("drops bytes of value 0", lambda step, data: step(data.replace(b"\0", b""))),
    "sniff-zero-ends": ("ends bytes at a zero", lambda step, data: step(data.partition(b"\0")[0])),
    "sniff-sub-ends": ("ends bytes at 1A (Ctrl-Z)", lambda step, data: step(data.partition(b"\x1a")[0])),
    "sniff-eot-ends": ("ends bytes at 04 (Ctrl-D)", lambda step, data: step(data.partition(b"\x04")[0])),
    "sniff-page-ends": ("ends bytes at 0C (form feed)", lambda step, data: step(data.partition(b"\x0c")[0])),
    "sniff-controls-dropped": ("drops control bytes", lambda step,
    data: step(re.sub(rb"[\0-\x08\x0b\x0c\x0e-\x1f\x7f]", b"", data))),
    "sniff-binary": ("reads nothing of bytes with a control that no text has",
        lambda step, data: "" if re.search(rb"[\0-\x08\x0e-\x1a\x1c-\x1f]", data) else step(data)),
    "sniff-gzip": ("unpacks gzip", _unpacked(gzip.decompress, b"\x1f\x8b")),
    "sniff-zlib": ("unpacks zlib", _unpacked(zlib.decompress, b"\x78")),
    "sniff-deflate": ("unpacks deflated bytes", _unpacked(lambda data: zlib.decompress(data, wbits=-15), b"\xcb")),
    "sniff-bzip2": ("unpacks bzip2", _unpacked(bz2.decompress, b"BZh")),
    "sniff-xz": ("unpacks xz", _unpacked(lzma.decompress, b"\xfd7zXZ")),
    "sniff-base64": ("decodes base64", _unpacked(lambda data: base64.b64decode(data, validate=True))),
    "sniff-hexadecimal": ("decodes hexadecimal", _unpacked(lambda data: bytes.fromhex(data.decode()))),
    "sniff-archives": ("reads nothing of archives",
    _refused(b"PK", b"Rar!", b"7z\xbc\xaf", b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\x04\x22\x4d\x18", b"\x1f\x9d", b"BZh",
    b"\xfd7zXZ")),
    "sniff-images": ("reads nothing of images",
    _refused(b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"II*\0", b"MM\0*", b"RIFF", b"\0\0\1\0")),
    "sniff-programs": ("reads nothing of programs", _refused(b"MZ", b"\x7fELF", b"\xca\xfe\xba\xbe", b"\0asm")),
    "sniff-documents": ("reads nothing of documents of other programs",
        _refused(b"%PDF-", b"%!PS", b"{\\rtf", b"\xd0\xcf\x11\xe0", b"SQLite format 3")),
    "sniff-media": ("reads nothing of sounds and films", _refused(b"OggS", b"ID3", b"\0\0\0\x18ftyp")),
    "sniff-latin-1": ("reads bytes that are not UTF-8 as Latin-1", _guessed("latin-1")),
    "sniff-windows-1252": ("reads bytes that are not UTF-8 as Windows-1252", _guessed("cp1252")),
    "sniff-windows-1251": ("reads bytes that are not UTF-8 as Windows-1251", _guessed("cp1251")),
    "sniff-koi8": ("reads bytes that are not UTF-8 as KOI8-R", _guessed("koi8-r")),
    "sniff-japanese": ("reads bytes that are not UTF-8 as EUC-JP or Shift-JIS", _guessed("euc-jp", "shift-jis")),
    "sniff-chinese": ("reads bytes that are not UTF-8 as GB18030", _guessed("gb18030")),
    "sniff-big5": ("reads bytes that are not UTF-8 as Big5", _guessed("big5")),
    "sniff-korean": ("reads bytes that are not UTF-8 as EUC-KR", _guessed("euc-kr")),
    "sniff-escapes-jp": ("reads ISO-2022-JP by its escapes",
    _unpacked(lambda data: data.decode("iso2022-jp").encode() if b"\x1b$" in data else data)),
    "sniff-escapes-kr": ("reads ISO-2022-KR by its escapes",
    _unpacked(lambda data: data.decode("iso2022-kr").encode(), b"\x1b$)C")),
    "sniff-hz": ("reads HZ by its escapes",
    _unpacked(lambda data: data.decode("hz").encode() if b"~{" in data else data)),
    "sniff-ebcdic": ("takes text for EBCDIC if it has no ASCII space but 40",
        lambda step,
        data: data.decode("cp500") if b"\x40" in data and b" " not in data and max(data) > 0x80 else step(data)),
    "sniff-utf-7-words": ("decodes UTF-7 in every text",
    _unpacked(lambda data: data.decode("utf-7").encode() if re.search(rb"\+[A-Za-z0-9+/]+-", data) else data)),
    "sniff-xml": ("follows the encoding of an XML declaration", _declared(_XML)),
    "sniff-meta": ("follows the charset of a <meta> element", _declared(rb"<meta[^>]*charset\s*=\s*[\"']?\s*([\w-]+)")),
    "sniff-css": ("follows @charset", _declared(rb"\A@charset \"([\w-]+)\"")),
    "sniff-coding": ("follows coding: in the first two lines", _declared(rb"\A(?:.*\n)?.*coding[:=]\s*([-\w.]+)", 200)),
    "sniff-vim": ("follows the fileencoding of a modeline", _declared(rb"vim:.*fileencoding=([\w-]+)")),
    "sniff-header": ("follows charset in a header", _declared(rb"^Content-Type:.*charset=([\w-]+)")),
    "sniff-tex": ("follows inputenc", _declared(rb"\\usepackage\[([\w-]+)\]\{inputenc\}")),
})  # fmt: skip


def _swapped(text: str) -> str:
    """Return code units that begin with a swapped byte order mark in the other order, without it."""
    if not text.startswith("\ufffe"):
        return text
    units = text[1:].encode("utf-16-be", "surrogatepass")
    return units.decode("utf-16-le", "surrogatepass")


def _swapped_by_zeros(text: str) -> str:
    units = text.encode("utf-16-be", "surrogatepass")
    return units.decode("utf-16-le", "surrogatepass") if units and not any(units[1::2]) else text


def _given(change: Callable[[str], str]) -> Callable[..., str]:
    """Return the step that changes the code units of a text before it reads them."""
    return lambda step, text: step(change(text))


table("SD-INPUT-1", scalar_values={
    "units-swapped-mark": ("reads code units in the other order after the mark FFFE", _given(_swapped)),
    "units-swapped-zeros": ("reads code units in the other order if all their low bytes are 0",
    _given(_swapped_by_zeros)),
    "units-mark-dropped": ("drops FFFE at the start of code units", _given(lambda text: text.removeprefix("\ufffe"))),
    "units-utf-8": ("reads code units below 256 as bytes of UTF-8",
        _given(lambda text: text.encode("latin-1").decode("utf-8",
        "replace") if text and max(text) <= "\xff" and not text.isascii() else text)),
})  # fmt: skip


def _without(pattern: str, by: str = "") -> Callable[..., str]:
    """Return the step that removes what matches a pattern, in lines."""
    compiled = re.compile(pattern, re.MULTILINE | re.DOTALL)
    return after(lambda text: compiled.sub(by, text))


# Constructs of markup languages by the name of the mutant that strips them: what it strips, the pattern, what is left.
_STRIPPED = {
    "comments-html": ("HTML comments", r"<!--.*?-->", ""), "comments-c": ("comments of C", r"/\*.*?\*/", ""),
    "comments-line": ("lines that begin with //", r"^//[^\n]*\n?", ""),
    "comments-line-end": ("what follows // in a line", r"//[^\n]*", ""),
    "comments-hash": ("lines that begin with #", r"^#[^\n]*\n?", ""),
    "comments-hash-end": ("what follows # in a line", r"#[^\n]*", ""),
    "comments-sql": ("lines that begin with --", r"^-- [^\n]*\n?", ""),
    "comments-semicolon": ("lines that begin with ;", r"^;[^\n]*\n?", ""),
    "comments-percent": ("what follows % in a line", r"%[^\n]*", ""),
    "comments-quote": ("lines that begin with '", r"^'[^\n]*\n?", ""),
    "comments-rem": ("lines that begin with REM", r"^REM [^\n]*\n?", ""),
    "comments-bang": ("lines that begin with !", r"^![^\n]*\n?", ""),
    "comments-braces": ("what is in braces", r"\{[^{}]*\}", ""),
    "comments-pascal": ("comments of Pascal", r"\(\*.*?\*\)", ""),
    "comments-lua": ("long comments of Lua", r"--\[\[.*?\]\]", ""),
    "comments-docstrings": ("docstrings", r'""".*?"""', ""),
    "comments-asciidoc": ("comments of AsciiDoc", r"^////\n.*?^////\n?", ""),
    "comments-rst": ("comments of reStructuredText", r"^\.\. [^\n]*\n?", ""),
    "comments-templates": ("comments of templates", r"\{#.*?#\}|<%#.*?%>|\{\{!.*?\}\}", ""),
    "comments-pod": ("POD", r"^=\w+\n.*?^=(?:cut|end)\n?", ""),
    "comments-end": ("what follows __END__", r"^__END__$.*", ""),
    "comments-org": ("comments of Org", r"^#\+BEGIN_COMMENT.*?^#\+END_COMMENT\n?", ""),
    "comments-link": ("comments of Markdown", r"^\[//\]: # \([^\n]*\)\n?", ""),
    "comments-batch": ("lines that begin with ::", r"^::[^\n]*\n?", ""),
    "comments-troff": ("comments of troff", r'^\.\\"[^\n]*\n?', ""),
    "comments-matlab": ("comments of MATLAB", r"^%\{\n.*?^%\}\n?", ""),
    "front-yaml": ("front matter of YAML", r"\A---\n.*?^---\n", ""),
    "front-toml": ("front matter of TOML", r"\A\+\+\+\n.*?^\+\+\+\n", ""),
    "front-json": ("front matter of JSON", r"\A\{\n.*?^\}\n", ""),
    "quotes": ("lines that begin with >", r"^>[^\n]*\n?", ""),
    "quotes-wrote": ("the line before a quotation", r"^On [^\n]*wrote:\n", ""),
    "signature": ("an e-mail signature", r"^-- \n.*", ""),
    "headings": ("headings", r"^#+ [^\n]*\n?", ""), "setext": ("underlined headings", r"^[^\n]+\n(?:=+|-+)\n", ""),
    "fences": ("fenced code", r"^(```|~~~).*?^\1\n?", ""),
    "fence-language": ("the language of fenced code", r"^```\w+$", "```"),
    "indented": ("indented code", r"^    [^\n]*\n?", ""), "tables": ("tables", r"^\|[^\n]*\|\n?", ""),
    "footnotes": ("footnotes", r"^\[\^\w+\]:[^\n]*\n?", ""), "footnote-marks": ("marks of footnotes", r"\[\^\w+\]", ""),
    "references": ("definitions of links", r"^\[[^\]^]+\]: [^\n]*\n?", ""),
    "directives": ("directives", r"^\.\. \w+::[^\n]*\n?", ""), "fields": ("fields", r"^:\w+:[^\n]*\n?", ""),
    "lists": ("numbers and letters of lists", r"^(?:[0-9]+|[a-z]+)[.)] ", ""),
    "tasks": ("boxes of tasks", r"\[[x ]\]", ""),
    "wiki-tables": ("tables of a wiki", r"^\{\|.*?^\|\}", ""),
    "textile": ("marks of Textile", r"^(?:h[1-6]|bq|p)(?:\(\w+\))?\. ", ""),
    "org-keywords": ("keywords of Org", r"^#\+\w+:[^\n]*\n?", ""), "todo": ("TODO", r"\bTODO\b", ""),
    "macros": ("macros of troff", r"^\.[A-Z]{1,2} ", ""),

    "vtt": ("notes of WebVTT", r"^(?:WEBVTT|NOTE)[^\n]*\n", ""),
    "lyrics": ("times of lyrics", r"\[[^\]]*[:.][^\]]*\]", ""),
    "logs": ("levels of logs", r"^[\d-]+ [\d:]+ [A-Z]+ ", ""), "scripts": ("scripts", r"<script>.*?</script>", ""),
    "styles": ("styles", r"<style>.*?</style>", ""), "titles": ("titles", r"<title>.*?</title>", ""),
    "cdata": ("CDATA", r"<!\[CDATA\[.*?\]\]>", ""),
    "instructions": ("processing instructions", r"<\?.*?\?>", ""),
    "declarations": ("declarations", r"<![A-Za-z][^>]*>", ""),
    "here": ("here documents", r"<<EOF\n.*?^EOF\n", ""), "sections": ("names of sections", r"^\[\w+\]\n", ""),
    "hunks": ("removed lines of a patch", r"^-[^\n]*\n?", ""),
    "bold": ("two asterisks", r"\*\*", ""), "bold-underscores": ("two underscores", r"__", ""),
    "asterisks": ("asterisks inside of words", r"(?<=\w)\*(?=\w)", ""),
    "italic": ("underscores around a letter", r"(?<=\w)_(\w)_(?=\w)", r"\1"), "strike": ("two tildes", r"~~", ""),
    "code": ("backticks", r"`", ""), "code-spans": ("code in backticks", r"`[^`\n]+`", ""),
    "link-urls": ("targets of links", r"\]\([^)]*\)", "]"),
    "link-text": ("brackets of links", r"(?<=\w)\[(\w+)\]\((\w+)\)", r"\1"),
    "images": ("images", r"!\[[^\]]*\]\([^)]*\)", ""),
    "autolinks": ("what is between angle brackets", r"<[^<>]*>", ""),
    "wiki-links": ("targets of wiki links", r"\[\[[^\]|]*\|", "[["),
    "wiki-brackets": ("brackets of wiki links", r"\[\[|\]\]", ""),
    "wiki-quotes": ("two or three apostrophes", r"'{2,3}", ""), "templates": ("templates", r"\{\{.*?\}\}", ""),
    "statements": ("statements of templates", r"\{%.*?%\}", ""),
    "expressions": ("expressions in strings", r"[$#]\{[^}]*\}", ""),
    "formats": ("fields of formats", r"%\(\w+\)s|%[sd]|\{\w*\}", ""), "math": ("formulas", r"\$[^$]+\$", ""),
    "math-brackets": ("formulas in brackets", r"\\\(.*?\\\)|\\\[.*?\\\]", ""),
    "commands": ("commands of TeX", r"\\[a-z]+\{([^}]*)\}", r"\1"), "command-hyphens": ("hyphens of TeX", r"\\-", ""),
    "backslashes": ("escaping backslashes", r"\\(?=[*_])", ""),
    "roles": ("roles", r":\w+:(?=`)", ""), "bars": ("substitutions", r"\|\w+\|", ""),
    "bbcode": ("BBCode", r"\[/?\w+(?:=\w+)?\]", ""), "jira": ("macros in braces", r"\{code\}|\{\*\}", ""),
    "emoji": ("names of emoji", r":[a-z+0-9]+:", ""), "mentions": ("mentions", r"@\w+", ""),
    "hashtags": ("hashtags", r"#\w+", ""),
    "citations": ("citations", r"\[[@\d][^\]]*\]", ""), "ruby": ("readings", r"\u300a[^\u300b]*\u300b", ""),
    "readings": ("readings in parentheses", r"\([\u3040-\u309f]+\)", ""),
    "parentheses": ("what is in parentheses", r"\([^()]*\)", ""),
    "brackets": ("what is in brackets", r"\[[^\[\]]*\]", ""),
    "carets": ("carets and what follows", r"\^\{?\w+\}?", ""),
    "critic": ("changes of CriticMarkup", r"\{--.*?--\}|\{>>.*?<<\}", ""),
    "attributes": ("attributes in braces", r"\{\.[^}]*\}", ""), "highlight": ("two equals signs", r"==", ""),
    "spoilers": ("two bars", r"\|\|", ""), "breaks": ("elements of line ends", r"<br/?>", ""),
    "soft-hyphens": ("names of soft hyphens", r"&shy;", ""),
    "overstrike": ("overstruck characters", r".\x08", ""), "irc": ("colours of IRC", r"\x03\d{0,2}|\x02", ""),
    "terminal": ("control sequences", r"\x1b(?:\[[0-9;]*m|\]8;;[^\x1b]*\x1b\\)", ""),
    "isolates": ("isolated text", r"[\u2066-\u2068].*?\u2069", ""),
    "interlinear": ("interlinear annotations", r"\ufffa.*?\ufffb", ""),
    "interlinear-marks": ("marks of interlinear annotations", r"[\ufff9-\ufffb]", ""),
    "objects": ("U+FFFC", "\ufffc", ""), "keycaps": ("key caps", r"[0-9]\ufe0f?\u20e3", "x"),
    "continued": ("backslashes at line ends", r"\\\n", ""), "soft-breaks": ("equals signs at line ends", r"=\n", ""),
    "trigraphs": ("trigraphs", r"\?\?/", ""),
    "placeholders": ("placeholders", r"@\w+@|<<\w+>>|%\w+%", ""),
    "letters-repeated": ("letters that are repeated over twice", r"(\w)\1{2,}", r"\1\1"),
    "letters-dotted": ("full stops between single letters", r"(?<=\b\w)\.(?=\w\b)", ""),
    "letters-hyphened": ("hyphens between single letters", r"(?<=\b\w)-(?=\w\b)", ""),
    "letters-spaced": ("spaces between single letters", r"(?<=\b\w) (?=\w\b)", ""),
}  # fmt: skip
table(
    "SD-INPUT-1",
    read={
        f"markup-{name}": (f"strips {what}", _without(pattern, by)) for name, (what, pattern, by) in _STRIPPED.items()
    },
)
