"""The control words of RTF that matter for its text (Microsoft, RTF Specification 1.9.1), and its code pages."""

from __future__ import annotations

import codecs

CHARACTERS = {
    "tab": "\t", "line": "\n", "lbr": "\n", "emdash": "—", "endash": "–", "bullet": "•", "lquote": "‘", "rquote": "’",
    "ldblquote": "“", "rdblquote": "”", "emspace": "\u2003", "enspace": "\u2002", "qmspace": "\u2005", "zwj": "\u200d",
    "zwnj": "\u200c", "zwbo": "\u200b", "zwnbo": "\u2060", "ltrmark": "\u200e", "rtlmark": "\u200f",
    "~": "\u00a0", "-": "\u00ad", "_": "\u2011", "\t": "\t",
}  # fmt: skip
"""Control words and symbols that stand for a character."""

ESCAPED = frozenset("\\{}")
"""Control symbols that are bytes of the text."""

BREAKS = frozenset({"par", "sect", "page", "column", "cell", "nestcell", "row", "nestrow", "\r", "\n"})
"""Control words and symbols that end a paragraph or a cell."""

PARAGRAPH_MARKS = frozenset({"par", "\r", "\n"})

SILENT = frozenset(
    # Tables of formats.
    "colortbl stylesheet listtable listoverridetable listpicture list listlevel listoverride lfolevel leveltext "
    "levelnumbers listname liststylename revtbl rsidtbl pgptbl pgp latentstyles lsdlockedexcept themedata "
    "colorschememapping datastore defchp defpap expandedcolortbl expandedfonttbl fontemb fontfile filetbl file "
    "pgdsctbl abitableprops abicellprops formatConverter listtag keycode gridtbl xmlnstbl mmathPr "
    "wgrffmtfilter panose falt fname "
    # Metadata and settings.
    "info title subject author manager company operator category keywords comment doccomm hlinkbase creatim revtim "
    "printim buptim userprops propname staticval linkval docvar generator template windowcaption nextfile password "
    "passwordhash writereservation writereservhash private protusertbl protstart protend ebcstart ebcend oleclsid "
    "xmlname xmlopen xmlclose xmlattrname xmlattrvalue factoidname "
    # Page headers, page footers, the lines above notes, and the page behind the text.
    "header headerl headerr headerf footer footerl footerr footerf ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn "
    "background "
    # Comments of readers, marks of places, parts of entries of indexes.
    "annotation atnid atnauthor atntime atndate atnicn atnref atnparent atrfstart atrfend bkmkstart bkmkend "
    "mvfmf mvfml mvtof mvtol rxe txe pxe yxe "
    # Old properties of what was formatted, numbers of lists, fallbacks for other readers.
    "oldcprops oldpprops oldtprops oldsprops pn pnseclvl pntxta pntxtb nonshppict nonesttables nesttableprops "
    "mmathPict fchars lchars "
    # Data of objects, pictures, fields, mail merge and embedded mark-up.
    "objname objalias objsect objtime objdata blipuid svb hsv datafield fldtitle "
    "fldtype ffname ffdeftext ffformat ffhelptext ffstattext ffentrymcr ffexitmcr xform hl hlfr hlloc hlsrc "
    "mailmerge mmconnectstr mmconnectstrdata mmquery mmdatasource mmheadersource mmaddfieldname mmmailsubject "
    "mmodso htmltag mhtmltag".split()
)
"""Destinations with content that the document does not show."""

FORMATS = frozenset("cs ds ts s fs b i ul scaps caps strike cf cb highlight lang pard".split())
"""Control words of formats. Some writers put the mark of a destination before one of them."""

_CODECS = {
    708: "iso8859_6", 819: "cp1252", 936: "gb18030", 950: "big5hkscs", 1361: "johab", 10000: "mac_roman",
    10001: "cp932", 10002: "big5hkscs", 10003: "cp949", 10004: "mac_arabic", 10006: "mac_greek",
    10007: "mac_cyrillic", 10008: "gb18030", 10010: "mac_romanian", 10017: "mac_cyrillic", 10021: "cp874",
    10029: "mac_latin2", 10079: "mac_iceland", 10081: "mac_turkish", 10082: "mac_croatian", 20127: "cp1252",
    20866: "koi8_r", 20932: "euc_jp", 20936: "gb18030", 20949: "cp949", 21866: "koi8_u", 28591: "cp1252",
    28599: "cp1254", 51932: "euc_jp", 51936: "gb18030", 51949: "cp949", 54936: "gb18030", 65001: "utf-8",
}  # fmt: skip
_CHARSETS = {
    0: 1252, 77: 10000, 78: 932, 79: 949, 80: 936, 81: 950, 83: 1255, 84: 10004, 85: 10006, 86: 10081, 87: 874,
    88: 10029, 89: 10007, 128: 932, 129: 949, 130: 1361, 134: 936, 136: 950, 161: 1253, 162: 1254, 163: 1258, 177: 1255,
    178: 1256, 179: 1256, 180: 1256, 181: 1255, 186: 1257, 204: 1251, 222: 874, 238: 1250, 254: 437, 255: 850,
}  # fmt: skip

SYMBOL_CHARSET = 2


def codec(code_page: int) -> str | None:
    """Return the codec of a Windows code page, or None if it is unknown or 0, which means that of the system."""
    if 28592 <= code_page <= 28606:
        return f"iso8859_{code_page - 28590}"
    name = _CODECS.get(code_page, f"cp{code_page}")
    try:
        is_known = b"{\\}".decode(name) == "{\\}"  # not EBCDIC, nor UTF-16
        codecs.getincrementaldecoder(name)
    except (LookupError, UnicodeError):
        return None
    return name if is_known else None


def codec_of_charset(charset: int) -> str | None:
    """Return the codec of the character set of a font, or None if it is the default or unknown."""
    return codec(_CHARSETS[charset]) if charset in _CHARSETS else None
