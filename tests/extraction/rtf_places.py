"""RTF files with a word at one place: where a document shows it, where it is not read but counted, and where not shown.

The places follow the Rich Text Format Specification 1.9.1 and the destinations in it.
"""

from __future__ import annotations

from collections.abc import Callable

FONTS = (
    rb"{\fonttbl{\f0\froman\fcharset0 Times New Roman;}{\f1\fswiss\fcharset204 Arial Cyr;}{\f2\fnil\fcharset2 Symbol;}}"
)


def rtf(body: str, header: str = r"\ansi\ansicpg1252\deff0") -> bytes:
    """Return a document with another paragraph before what is given."""
    return b"{\\rtf1" + header.encode() + FONTS + b"\\pard\\plain page\\par\n" + body.encode("latin-1") + b"}"


def _in(template: str) -> Callable[[str], bytes]:
    """Return a builder that puts the word in place of @."""
    return lambda word: rtf(template.replace("@", word))


def _escaped(word: str) -> str:
    return "".join(f"\\'{ord(letter):02x}" for letter in word)


def _in_unicode(word: str) -> str:
    return "".join(f"\\u{ord(letter)}?" for letter in word)


def field(code: str, result: str = "") -> str:
    """Return a field with its code and its result."""
    return rf"{{\field{{\*\fldinst {code}}}{{\fldrslt {result}}}}}\par"


def shape(content: str, properties: str = "", fallback: str = "") -> str:
    """Return a shape of Word 97 and later."""
    return rf"{{\shp{{\*\shpinst\shpleft0\shpwr2 {properties}{content}}}{fallback}}}after\par"


def prop(name: str, value: str) -> str:
    """Return a property of a shape."""
    return rf"{{\sp{{\sn {name}}}{{\sv {value}}}}}"


def obj(content: str, kind: str = "objemb") -> str:
    """Return an object of another program."""
    return rf"{{\object\{kind}\objw90\objh90\objscalex100\objscaley100{{\*\objclass Excel.Sheet.8}}{{\*\objdata 0105000002}}{content}}} after\par"


_PICTURE = r"{\pict\pngblip 89504e470d0a1a0a}"
_BOX = shape(r"{\shptxt\plain @}")
_RESULT = obj(r"{\result\plain @}")
_OLD_BOX = r"{\*\do\dobxmargin\dptxbx{\dptxbxtext \pard\plain @\par}\dpx0}"

SHOWN: dict[str, Callable[[str], bytes]] = {
    "paragraph": _in(r"\pard @\par"),
    "paragraph without an end": _in("@"),
    "group": _in(r"{\b\i {{@}}}\par"),
    "formatted inside a word": lambda word: rtf(rf"{word[:3]}{{\b {word[3:6]}}}\i {word[6:]}\par"),
    "on two lines of the file": lambda word: rtf(f"{word[:4]}\r\n{word[4:]}\\par"),
    "character style with a mark": _in(r"{\f0\fs24\*\cs7 @}\par"),
    "character style with a mark at the start": _in(r"{\*\cs7 @}\par"),
    "unknown control word": _in(r"{\futureword12 @}\par"),
    "bytes": lambda word: rtf(_escaped(word)),
    "Unicode": lambda word: rtf(_in_unicode(word)),
    "Unicode with long fallback": lambda word: rtf(r"{\uc2 " + _in_unicode(word).replace("?", r"\'81\'40") + "}"),
    "Unicode without fallback": lambda word: rtf(r"{\uc0 " + _in_unicode(word).replace("?", "") + "}"),
    "after Unicode without its fallback": _in(r"\u8212{ @}\par"),
    "after Unicode, paragraph instead of the fallback": _in(r"\u8217\par @\par"),
    "impossible length of fallbacks": _in(r"\uc99999 \u8212? @\par"),
    "cell": _in(r"\trowd\cellx1000\cellx2000\intbl cell\cell @\cell\row"),
    "cell of a nested table": _in(
        r"\trowd\cellx1000\intbl\itap2 @\nestcell{\*\nesttableprops\trowd\cellx500\nestrow}{\nonesttables\par}\cell\row"
    ),
    "tab": _in(r"page\tab @\par"),
    "line": _in(r"page\line @\par"),
    "section": _in(r"\sect\sectd @\par"),
    "page break": _in(r"\page @"),
    "column": _in(r"\column @"),
    "escaped line end": _in("page\\\n@\\\r\n"),
    "footnote": _in(r"page{\super\chftn}{\footnote\pard\plain {\super\chftn} @\par}\par"),
    "endnote": _in(r"page{\super\chftn}{\footnote\ftnalt\pard\plain {\super\chftn} @\par}\par"),
    "footnote with its own mark": _in(r"page{\super 1{\footnote\pard\plain {\super 1} @\par}} page\par"),
    "text of a footnote that is raised": _in(r"page{\super\chftn{\footnote @}}\par"),
    "before a footnote with its own mark": _in(r"@{\super 12}{\footnote {\super 12}note} page\par"),
    "result of a field": _in(field(r'HYPERLINK "https://example.org/secret"', r"\ul @")),
    "result of a field without the mark": _in(r"{\field{\fldinst secret}{\fldrslt @}}"),
    "result of a field that is locked": _in(r"{\field\fldlock\fldpriv{\*\fldinst {secret}}{\fldrslt {@}}}"),
    "result of a field in a result": _in(field("TOC", field("PAGEREF secret", "@"))),
    "field with a field in its code": _in(field(r"IF {\field{\*\fldinst secret}{\fldrslt secret}} = 1 secret", "@")),
    "button": _in(field("MACROBUTTON secret_macro @")),
    "button with a switch": _in(field(r"MACROBUTTON secret_macro @ \\* secret")),
    "form: text": _in(r"{\field{\*\fldinst FORMTEXT{\*\formfield{\fftype0{\*\ffname secret}}}}{\fldrslt @}}"),
    "form: choice": _in(
        r"{\field{\*\fldinst FORMDROPDOWN{\*\formfield{\fftype2\ffres1{\*\ffl other}{\*\ffl @}}}}{\fldrslt}}"
    ),
    "form: default choice": _in(
        r"{\field{\*\fldinst FORMDROPDOWN{\*\formfield{\ffdefres1{\*\ffname a}{\*\ffl other}{\*\ffl @}}}}{\fldrslt}}"
    ),
    "form: first choice, not the default": _in(
        r"{\field{\*\fldinst FORMDROPDOWN{\*\formfield{\ffres0\ffdefres1{\*\ffl @}{\*\ffl other}}}}{\fldrslt}}"
    ),
    "form: nobody chose": _in(
        r"{\field{\*\fldinst FORMDROPDOWN{\*\formfield{\ffres25\ffdefres1{\*\ffl other}{\*\ffl @}}}}{\fldrslt}}"
    ),
    "result of an object": _in(obj(r"{\result \pard @}")),
    "result of a linked object": _in(obj(r"{\*\objname secret}{\result {\f0 @}}", "objlink")),
    "text box": _in(shape(r"{\shptxt \pard\plain @\par}")),
    "text box after its properties": _in(shape(r"{\shptxt \pard\plain @\par}", prop("wzDescription", "secret"))),
    "text box with a fallback": _in(shape(r"{\shptxt @\par}", "", r"{\shprslt{\*\do{\dptxbxtext secret\par}}}")),
    "text box without a mark": _in(r"{\shp{\shpinst{\shptxt @}}}"),
    "text box in a group of shapes": _in(rf"{{\shpgrp{{\*\shpinst {prop('wzName', 'secret')}{_BOX}}}}}"),
    "text box of Word 95": _in(_OLD_BOX),
    "text box of Word 95, only fallback": _in(rf"{{\shp{{\shprslt {_OLD_BOX}}}}}"),
    "WordArt": _in(shape(prop("gtextUNICODE", "@"))),
    "WordArt in the line": _in(
        rf"{{\*\shppict{{\pict{{\*\picprop\shplid1{prop('gtextUNICODE', '@')}}}\pngblip 8950}}}}{{\nonshppict {_PICTURE}}}"
    ),
    "formula": _in(r"{\mmath{\*\moMath{\mf{\mfPr{\mtype secret}}{\mnum{\mr\mscr0 @}}{\mden{\mr  2}}}}{\mmathPict x}}\par"),
    "formula on its own": _in(r"{\*\moMathPara{\moMathParaPr{\mjc secret}}{\*\moMath{\mr @}}}\par"),
    "Unicode twin": _in(r"{\upr{secret}{\*\ud{@}}}\par"),
    "twin of a note": _in(r"page{\upr{\footnote secret}{\*\ud{\footnote @}}}\par"),
    "text without a Unicode twin": _in(r"{\upr{@}}\par"),
    "inserted by a reviewer": _in(r"{\revised\revauth1 @}\par"),
    "moved to here": _in(r"{\mvt @}\par"),
    "after hidden text": _in(r"{\v secret} @\par"),
    "after hidden text in the group": _in(r"\v secret\v0  @\par"),
    "after hidden text, plain": _in(r"\v secret\plain  @\par"),
    "after deleted text": _in(r"{\deleted secret} @\par"),
    "only on paper": _in(r"{\webhidden @}\par"),
    "list item": _in(r"{\listtext\f2\'b7\tab}@\par"),
    "list item of Word 95": _in(r"{\pntext\f2\'b7\tab}{\*\pn\pnlvlblt{\pntxtb secret}}@\par"),
    "number of a list with a word": _in(r"{\listtext @ 1.\tab}page\par"),
    "number of a list with a word, Word 95": _in(r"{\pntext @ 1.\tab}page\par"),
    "HTML in RTF": _in(r"\htmlrtf {\htmlrtf0 {\*\htmltag64 <p class=secret>}@\htmlrtf\par}\htmlrtf0 {\*\htmltag72 </p>}"),
    "HTML in RTF, for RTF readers only": _in(r"{\*\htmltag84 &#9733;}\htmlrtf @\htmlrtf0"),
    "after a picture": _in(rf"{_PICTURE}@\par"),
    "after binary data": lambda word: rtf("{\\pict\\wmetafile8\\bin9 \\}{\x00\x80\\'z }" + word),
    "after binary data without a length": _in(r"{\pict\bin}@\par"),
    "after a bookmark": _in(r"{\*\bkmkstart secret}@{\*\bkmkend secret}\par"),
    "after an unknown destination without words": _in(r"{\*\future 0a0b0c;}@\par"),
    "in a file without a version": lambda word: rb"{\rtf\ansi page " + word.encode() + b"}",
    "in a file with a byte order mark": lambda word: b"\xef\xbb\xbf" + rtf(word),
    "in a file of two-byte characters": lambda word: b"\xff\xfe" + rtf(word).decode("latin-1").encode("utf-16-le"),
}  # fmt: skip

COUNTED: dict[str, tuple[Callable[[str], bytes], str]] = {
    "object": (_in(obj(rf"{{\*\objname @}}{{\result {_PICTURE}}}")), "embedded objects not read: 1 (first: 'Excel.Sheet.8')"),
    "object without a result": (_in(obj(r"{\*\objalias @}")), "embedded objects not read: 1"),
    "form control": (_in(obj(r"{\*\objname @}", "objocx")), "form controls not read: 1"),
    "formula in the code of a field": (_in(field(r"EQ \\f(@,2)")), "formulas in field codes not read: 1"),
    "entry of an index that is not hidden": (_in(r"{\xe @{\*\rxe x}}{\xe a}"), "entries of indexes not read: 2 (first: 'zeb"),
    "entry of a table of contents that is not hidden": (_in(r"{\b {\tc {@}\tcl1}}"), "entries of indexes not read: 1"),
    "sub-document": (_in(r"{\subdocument1 }{\filetbl{\file\fid1 @}}"), "documents in other files not read: 1"),
    "unknown destination": (_in(r"{\*\future a @}"), r"destinations of unknown kinds not read: 1 (first: '\\future')"),
    "after the document": (lambda word: rtf("") + b"{" + word.encode() + b"}", "after the end of the document: 10 bytes"),
    "in a destination without an end": (
        lambda word: rtf(rf"page\par{{\info{{\title {word}"),
        "the file does not end with a closing brace: it may be truncated; the last 18 bytes are in \\info, which is not text",
    ),
}  # fmt: skip

NOT_SHOWN: dict[str, Callable[[str], bytes]] = {
    "hidden": _in(r"{\v @}\par"),
    "hidden in the group": _in(r"\v @\v0 other\par"),
    "hidden, as number": _in(r"{\v1 @}"),
    "hidden in a formatted group": _in(r"{\b\v\i {\ul @}}"),
    "hidden note": _in(r"other{\v\super\chftn{\footnote\pard\plain @}}"),
    "hidden text box": _in(shape(r"{\shptxt @}", prop("fHidden", "1"))),
    "text box hidden after its text": _in(shape(r"{\shptxt @}" + prop("fHidden", "1"))),
    "text box in hidden text": _in(rf"{{\v {_BOX}}}"),
    "hidden result of a field": _in(rf"{{\v {field('secret', '@')}}}"),
    "hidden result of an object": _in(rf"{{\v {_RESULT}}}"),
    "deleted": _in(r"{\deleted\revauthdel1 @}"),
    "deleted note": _in(r"other{\deleted\chftn{\footnote\pard\plain @}}"),
    "moved away": _in(r"{\mvf @}"),
    "code of a field": _in(field("HYPERLINK @", "other")),
    "code of a field without a mark": _in(r"{\field{\fldinst @}{\fldrslt other}}"),
    "code in the code of a field": _in(field(r"IF {\field{\*\fldinst @}{\fldrslt @}}", "other")),
    "form: other choice": _in(
        r"{\field{\*\fldinst FORMDROPDOWN{\*\formfield{\fftype2\ffres1{\*\ffl @}{\*\ffl other}}}}{\fldrslt}}"
    ),
    "form: result is a choice": _in(
        r"{\field{\*\fldinst FORMDROPDOWN{\*\formfield{\ffres0{\*\ffl @}}}}{\fldrslt other}}"
    ),
    **{
        f"metadata: {name}": _in(rf"{{\info{{\{name} @}}}}")
        for name in ("title", "subject", "author", "keywords", "doccomm", "company", "operator", "hlinkbase")
    },
    **{
        name: _in(rf"{{\{name} \pard @\par}}")
        for name in ("header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf", "ftnsep",
                     "ftnsepc", "ftncn", "aftnsep", "aftnsepc", "aftncn")
    },
    "field in a header": _in(rf"{{\header {field('PAGE', '@')}}}"),
    "note in a header": _in(r"{\header{\footnote @}}"),
    "text box in a header": _in(rf"{{\header {_BOX}}}"),
    "object in a header": _in(rf"{{\header {_RESULT}}}"),
    "background": _in(rf"{{\*\background {shape(prop('gtextUNICODE', '@'))}}}"),
    "comment": _in(r"{\*\atnid @}{\*\atnauthor @}\chatn{\*\annotation{\*\atnref 1}\pard\plain @\par}"),
    "comment without a mark": _in(r"{\annotation\pard\plain @\par}"),
    "bookmark": _in(r"{\*\bkmkstart @}other{\*\bkmkend @}"),
    "entry of an index": _in(r"{\xe\v @}{\xe {\v @}{\*\rxe @}{\txe @}}{\v {\xe @}}"),
    "entry of a table of contents": _in(r"{\tc\v @\tcf1}{\v{\tcn @}}"),
    "entry in a header": _in(r"{\header{\xe @}{\tc @}}"),
    "font": _in(r"{\fonttbl{\f9\fnil\fcharset0 @{\*\falt @};}}"),
    "font without a group": _in(r"{\fonttbl\f9\fnil @;}"),
    "table of fonts in twins": _in(r"{\upr{\fonttbl{\f9 @;}}{\*\ud{\fonttbl{\f9 @;}}}}"),
    "style": _in(r"{\stylesheet{\s9 @;}{\*\cs8 @;}}"),
    "list": _in(r"{\*\listtable{\list{\listlevel{\leveltext\'05@.;}}{\listname @;}}}"),
    "override of a list": _in(r"{\*\listoverridetable{\listoverride{\lfolevel{\leveltext @}}}}"),
    "old numbers": _in(r"{\*\pn\pnlvlbody{\pntxta @}{\pntxtb @}}{\*\pnseclvl1{\pntxta @}}"),
    "roman number of a list": lambda word: rtf(rf"{{\listtext xviii.\tab}}{{\v {word}}}page"),
    "reviewers": _in(r"{\*\revtbl{Unknown;}{@;}}"),
    "old properties": _in(r"{\*\oldcprops @}{\*\oldpprops @}"),
    "variable": _in(r"{\*\docvar {@}{@}}"),
    "properties": _in(r"{\*\userprops{\propname @}\proptype30{\staticval @}{\linkval @}}"),
    "program": _in(r"{\*\generator @;}{\*\template @}{\*\passwordhash @}{\*\nextfile @}"),
    "theme": _in(r"{\*\themedata @}{\*\colorschememapping @}{\*\datastore @}{\*\latentstyles @}{\*\xmlnstbl{\xmlns1 @;}}"),
    "mail merge": _in(r"{\*\mailmerge{\mmconnectstr @}{\mmquery @}{\*\mmodso{\*\mmodsoudl @}}}{\*\datafield @}"),
    "picture": _in(r"{\pict\wmetafile8 @}{\*\shppict{\pict @{\*\blipuid @}}}{\nonshppict{\pict @}}"),
    "binary data": lambda word: rtf(rf"{{\pict\bin{len(word)} {word}}}"),
    "binary data alone": lambda word: rtf(rf"{{\bin{len(word)} {word}}}"),
    "property of a shape": _in(shape("", prop("wzName", "@") + prop("wzDescription", "@") + prop("pihlShape", "@"))),
    "fallback of a shape": _in(shape(r"{\shptxt other}", "", r"{\shprslt{\*\do{\dptxbxtext @}}}")),
    "fallback of a character": lambda word: rtf(rf"\uc{len(word[:8])} \u9733 {word[:8]} {{\v {word}}}"),
    "property of a formula": _in(r"{\mmath{\*\moMath{\md{\mdPr{\mbegChr @}}{\me{\mr x}}}}{\mmathPict @}}"),
    "twin for old readers": _in(r"{\upr{@}{\*\ud{other}}}"),
    "nested table for old readers": _in(r"other\nestcell{\*\nesttableprops @}{\nonesttables @\par}"),
    "HTML tag": _in(r"{\*\htmltag241 <style>@</style>}{\*\mhtmltag64 @}"),
    "name of XML": _in(r"{\*\xmlopen\xmlns1{\factoidname @}{\*\xmlattr{\xmlname @}{\xmlattrvalue @}}}other{\*\xmlclose}"),
    "protected ranges": _in(r"{\*\protusertbl{@}}{\*\protstart @}other{\*\protend @}"),
    "embedded font": _in(r"{\fonttbl{\f9{\*\fontemb{\*\fontfile @}} Name;}}"),
}  # fmt: skip
