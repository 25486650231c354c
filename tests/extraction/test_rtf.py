"""RTF: characters in the encodings that a file names, and files that are not as they should be."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import pytest

from simhash_doc_extraction import LimitExceededError, NoTextError, detect, extract

RUSSIAN, CZECH, GREEK, JAPANESE = (
    "Паром ходит на рассвете",
    "Příliš žluťoučký kůň",
    "Το πλοίο φεύγει",
    "ソ表能の予定ボマ",
)
FRENCH = "Le café naïf « à côté »"


def escaped(text: str, codec: str) -> bytes:
    """Return all bytes of a text as numbers."""
    return b"".join(b"\\'%02x" % byte for byte in text.encode(codec))


def raw(text: str, codec: str) -> bytes:
    """Return a text as it is in an encoding, with only the signs of RTF escaped."""
    return text.encode(codec)


def half_escaped(text: str, codec: str) -> bytes:
    """Return a text with bytes over 7F as numbers."""
    return b"".join(b"\\'%02X" % byte if byte > 0x7F else bytes((byte,)) for byte in text.encode(codec))


def document(body: bytes, header: str = "\\ansi", fonts: str = "{\\f0 A;}{\\f1 B;}") -> bytes:
    return b"{\\rtf1" + header.encode() + b"{\\fonttbl" + fonts.encode() + b"}\\pard " + body + b"\\par}"


DOCUMENT_CODES = [
    ("\\ansi", "cp1252", FRENCH),
    ("\\ansi\\ansicpg0", "cp1252", FRENCH),
    ("\\ansi\\ansicpg99999", "cp1252", FRENCH),
    ("\\ansi\\ansicpg1200", "cp1252", FRENCH),
    ("\\mac", "mac_roman", FRENCH),
    ("\\mac\\ansicpg0", "mac_roman", FRENCH),
    ("\\mac\\ansicpg10000", "mac_roman", FRENCH),
    ("\\ansi\\ansicpg10000", "mac_roman", FRENCH),
    ("\\pc", "cp437", "Le café naïf à côté"),
    ("\\pca", "cp850", "Le café naïf à côté"),
    ("\\ansi\\ansicpg437", "cp437", "Le café naïf à côté"),
    ("\\ansi\\ansicpg1250", "cp1250", CZECH),
    ("\\ansi\\ansicpg852", "cp852", CZECH),
    ("\\ansi\\ansicpg10029", "mac_latin2", CZECH),
    ("\\ansi\\ansicpg1251", "cp1251", RUSSIAN),
    ("\\ansicpg1251\\ansi", "cp1251", RUSSIAN),
    ("\\ansi\\ansicpg10007", "mac_cyrillic", RUSSIAN),
    ("\\ansi\\ansicpg20866", "koi8_r", RUSSIAN),
    ("\\ansi\\ansicpg866", "cp866", RUSSIAN),
    ("\\ansi\\ansicpg1253", "cp1253", GREEK),
    ("\\ansi\\ansicpg28597", "iso8859_7", GREEK),
    ("\\ansi\\ansicpg932", "cp932", JAPANESE),
    ("\\ansi\\ansicpg10001", "cp932", JAPANESE),
    ("\\ansi\\ansicpg936", "gbk", "渡轮在黎明时分启航"),
    ("\\ansi\\ansicpg54936", "gb18030", "渡轮𠀀黎明"),
    ("\\ansi\\ansicpg950", "big5", "渡輪許功蓋在黎明時分啟航"),
    ("\\ansi\\ansicpg949", "cp949", "나룻배는 새벽에"),
    ("\\ansi\\ansicpg1361", "johab", "나룻배는 새벽에"),
    ("\\ansi\\ansicpg1255", "cp1255", "המעבורת יוצאת"),
    ("\\ansi\\ansicpg1256", "cp1256", "تغادر العبارة عند الفجر"),
    ("\\ansi\\ansicpg874", "cp874", "เรือข้ามฟาก"),
    ("\\ansi\\ansicpg65001", "utf-8", "ferryâ€™s → 渡輪"),
]
CHARSETS = [
    (0, "cp1252", FRENCH), (77, "mac_roman", FRENCH), (78, "cp932", JAPANESE), (88, "mac_latin2", CZECH),
    (89, "mac_cyrillic", RUSSIAN), (128, "cp932", JAPANESE), (129, "cp949", "나룻배는"), (130, "johab", "나룻배는"),
    (134, "gbk", "渡轮在黎明"), (136, "big5", "渡輪在黎明"), (161, "cp1253", GREEK), (162, "cp1254", "Işık ağaç"),
    (163, "cp1258", "Đông ơi"), (177, "cp1255", "המעבורת"), (178, "cp1256", "العبارة"), (186, "cp1257", "Keltas plaukia šįryt"),
    (204, "cp1251", RUSSIAN), (222, "cp874", "เรือข้ามฟาก"), (238, "cp1250", CZECH), (254, "cp437", "café à côté"),
    (255, "cp850", "café à côté"),
]  # fmt: skip


@pytest.mark.parametrize("write", [escaped, raw, half_escaped])
@pytest.mark.parametrize(("header", "codec", "text"), DOCUMENT_CODES)
def test_bytes_have_the_code_page_of_the_document(
    header: str, codec: str, text: str, write: Callable[[str, str], bytes]
) -> None:
    if write is half_escaped and codec in ("cp932", "big5", "gb18030", "johab"):
        text = text.translate(
            dict.fromkeys(map(ord, "ソ表能ボマ許功蓋予"))
        )  # an escaped first byte is followed by an escaped sign
    assert extract(document(write(text, codec), header)).text == text
    assert extract(document(write(text, codec), header, "{\\f0\\fcharset1 A;}")).text == text


@pytest.mark.parametrize(("charset", "codec", "text"), CHARSETS)
def test_bytes_have_the_character_set_of_the_font(charset: int, codec: str, text: str) -> None:
    fonts = f"{{\\f0\\fnil\\fcharset{charset} A;}}{{\\f1\\fnil\\fcharset0 B;}}"
    for written in (escaped(text, codec), raw(text, codec)):
        for body in (
            b"\\f0 " + written,
            b"\\f1 {\\f0 " + written + b"}",
            b"\\f1 a\\par\\plain " + written,
            b"{\\f1 b}" + written,
        ):
            for header in ("\\ansi\\ansicpg1252\\deff0", "\\ansi\\ansicpg1251"):
                found = extract(document(body, header, fonts)).text
                assert text in found, (charset, body)
        flat = fonts.replace("{", "").replace("}", "")
        assert extract(document(b"\\f0 " + written, fonts=flat)).text == text
        other = document(written, "\\ansi\\deff7", fonts.replace("\\f0", "\\f7"))
        assert extract(other).text == text


def test_a_code_page_of_a_font_is_before_its_character_set() -> None:
    for entry in ("\\fcharset0\\cpg1251", "\\cpg1251\\fcharset0", "\\cpg1251", "\\fcharset204\\cpg0"):
        assert extract(document(b"\\f0 " + escaped(RUSSIAN, "cp1251"), fonts=f"{{\\f0{entry} A;}}")).text == RUSSIAN


def test_fonts_without_windows_have_the_code_page_of_the_document() -> None:
    assert extract(document(escaped(FRENCH, "mac_roman"), "\\mac", "{\\f0\\fcharset0 A;}")).text == FRENCH


def test_fonts_that_are_all_declared_as_western_say_nothing() -> None:
    western, other = "{\\f0\\fcharset0 A;}{\\f1\\fcharset2 Symbol;}", "{\\f0\\fcharset0 A;}{\\f1\\fcharset204 B;}"
    for codec, code_page, text in (
        ("cp1251", 1251, f"и в {RUSSIAN}"),
        ("gbk", 936, "渡轮在黎明"),
        ("cp1253", 1253, GREEK),
    ):
        for written in (escaped(text, codec), raw(text, codec)):
            body = document(b"\\f0 " + written, f"\\ansi\\ansicpg{code_page}", western)
            assert extract(body).text == text
    for fonts in (western, other):  # as Word writes French on a Russian system
        body = document(b"\\f0 " + escaped(FRENCH, "cp1252"), "\\ansi\\ansicpg1251\\deff1", fonts)
        assert extract(body).text == FRENCH


def test_raw_bytes_are_utf_8_if_all_are_well_formed() -> None:
    for header in ("\\ansi\\ansicpg1252", "\\ansi\\ansicpg932", "\\mac"):
        assert extract(document(f"“{RUSSIAN}” 渡輪".encode(), header)).text == f"“{RUSSIAN}” 渡輪"
    assert extract(document("\\u1087п\\u1072а".encode() + b" b")).text == "па b"
    assert extract(document(b"\\'e9 " + "é".encode())).text == "é é"


def test_characters_are_whole_across_escapes_and_line_ends() -> None:
    assert extract(document(b"\\'83\r\n\\'5c\\'95\\\\", "\\ansi\\ansicpg932")).text == "ソ表"
    assert extract(document(b"\\'83{\\b\\'5c}a", "\\ansi\\ansicpg932")).text.endswith("a")
    assert extract(document(b"caf\xe9}{ \\b x}".replace(b"}{", b"{") + b"}")).text == "café x"
    assert extract(document(b"caf\xe9\\par x")).text == "café\n\nx"


def test_fonts_of_symbols_show_their_characters() -> None:
    fonts = "{\\f0\\fcharset0 A;}{\\f1\\fcharset2 Symbol;}{\\f2\\fcharset2 Wingdings;}{\\f3\\fcharset2 Other;}"
    body = b"{\\f1 ab\\'67\\u-3998?} {\\f2 J\\'4a\\u-4021?}{\\f3 c\\u-4000?}"
    assert extract(document(body, fonts=fonts)).text == "αβγβ c`"
    fields = b'{\\field{\\*\\fldinst SYMBOL 97 \\\\f "Symbol" \\\\s 10}{\\fldrslt}} {\\field{\\*\\fldinst{SYMBOL 233}}}'
    assert extract(document(fields)).text == "α é"


def test_words_that_stand_for_characters() -> None:
    body = rb"\lquote a\rquote\ldblquote b\rdblquote\emdash c\endash\bullet d\~e\_f\-g\emspace h\enspace i\qmspace j\zwj\zwnj\ltrmark k"
    expected = "‘a’“b”—c–•d\xa0e\u2011f\xadg\u2003h\u2002i\u2005j\u200d\u200c\u200ek"
    assert extract(document(body)).text == expected
    assert extract(document(rb"\u8212\emdash a\u8226\'95b\u8217\\c\u12354\uc2\u12356\'82\'a2d")).text == "—a•b’cあいd"
    assert extract(document(rb"\u128512?\u-10179\'3f\u-8704\'3f\u55357?")).text == "😀😀\ufffd"


def test_marks_of_notes_are_not_part_of_words() -> None:
    notes = (
        rb"ferry{\super\chftn}{\footnote\pard\plain{\super\chftn} A note.} m{\super 2}{\super\chftn{\footnote Squared.}} ",
        rb"ferry{\super 1{\footnote {\super 1}A note.}} m{\super 2}{\super\chftn{\footnote Squared.}} ",
        rb"ferry{\up6 *}{\footnote {\up6 *}A note.} m{\super 2}{\cs1\super\chftn {\footnote\ftnalt\plain Squared.}} ",
    )
    for body in notes:
        assert extract(document(body + b"end")).text == "ferry m2 end\n\nA note.\n\nSquared."


def test_a_note_in_a_note_and_in_a_text_box_is_read() -> None:
    box = rb"{\shp{\*\shpinst{\shptxt box{\footnote in a box{\footnote in a note}}\par more}}}"
    assert extract(document(b"a" + box + rb"b\par c")).text.split("\n\n") == [
        "ab", "box", "more", "in a box", "in a note", "c",
    ]  # fmt: skip


def test_a_hidden_end_of_a_paragraph_does_not_end_it() -> None:
    assert extract(document(rb"fer{\v\par}ry{\deleted x\par} \v a\v0\par b")).text == "ferry\n\nb"
    assert extract(document(rb"\trowd\cellx9 a{\v\cell}b\cell\row")).text == "a\n\nb"


def test_a_first_letter_set_large_belongs_to_its_word() -> None:
    for start in (rb"\pard\dropcapli3\dropcapt1 {\fs90 T\par}\pard ", rb"{\dropcapli2\dropcapt2\pvpara T\par}"):
        assert extract(document(b"a\\par" + start + rb"he ferry\par end")).text == "a\n\nThe ferry\n\nend"


def test_more_hidden_than_shown_is_a_warning() -> None:
    assert extract(document(rb"a{\v hidden words}")).warnings == (
        "hidden text is left out: 12 characters, more than are shown",
    )
    with pytest.raises(NoTextError, match="hidden"):
        extract(document(rb"{\v hidden words}"))


@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf", b"\r\n ", b"\n\xef\xbb\xbf"[:1]])
def test_the_start_of_a_file_is_recognised(start: bytes) -> None:
    for head in (b"{\\rtf1\\ansi", b"{\\rtf\\ansi", b"{ \\rtf1\\ansi", b"{\\rtf0", b"{\n\\rtf1"):
        found = extract(start + head + b" words}", name="a.txt")
        assert (found.format, found.text, found.warnings) == ("rtf", "words", ())
    assert extract("\ufeff{\\rtf1 café}".encode("utf-16-le")).text == "café"
    assert detect(b"{\\rtfoo is not the start of a file}") == "text"


DAMAGED = [
    (b"{\\rtf1 a {b c", "a b c", "truncated"),
    (b"{\\rtf1 a {\\b b} c", "a b c", "truncated"),
    (b"{\\rtf1 a{\\header x}{\\v b{\\footnote c", "a", "the last 1 bytes are in \\footnote, which is not text"),
    (b"{\\rtf1{\\info{\\title t}}a{\\field{\\*\\fldinst b c", "a", "the last 3 bytes are in \\fldinst, which is"),
    (b"{\\rtf1{\\fonttbl{\\f0 A;}\\pard\\f0 a\\par b{\\header x} c}", "a\n\nb c", "truncated"),
    (b"{\\rtf1{\\fonttbl{\\f0 A;\\f1 B;}{\\colortbl;\\red0;\\pard a\\par b c}}", "a\n\nb c", "truncated"),
    (b"{\\rtf1{\\stylesheet{\\s0\\pard Normal;}\\par a{\\footnote c}b}", "ab\n\nc", "truncated"),
    (b"{\\rtf1 a b c}}}}\0\0", "a b c", None),
    (b"{\\rtf1 a}{\\rtf1 b}", "a", "after the end of the document: 8 bytes not read"),
    (b"{\\rtf1 a {\\pict\\bin5000 \x00\x01} b c}", "a b c", "binary data that are not as long as stated: 1"),
    (b"{\\rtf1 a {\\pict\\bin2 \x00\x01\x02\x03} b c}", "a b c", "binary data that are not as long as stated: 1"),
    (b"{\\rtf1 a {\\pict\\bin} b c}", "a b c", None),
    (b"{\\rtf1 a {\\pict\\bin0 } b c}", "a b c", None),
    (b"{\\rtf1 a {\\pict\\bin-5 } b c}", "a b c", None),
    (b"{\\rtf1 a {\\pict\\bin4 }{}\\} b c}", "a b c", None),
    (b"{\\rtf1 a {\\pict\\bin4 }{}\\\r\n} b c}", "a b c", None),
    (b"{\\rtf1 a \\bin3 xyz\\b b c}", "a b c", None),
    (b"{\\rtf1 a \\u8217\\bin3 x}{\\b0 b c}", "a ’b c", None),
    (b"{\\rtf1 a \\'zz b c\\'}", "a zz b c", None),
    (b"{\\rtf1 a \\u b \\u99999999999999999999? c}", "a b \ufffd c", None),
    (b"{\\rtf1\\uc99999 a\\u8217?b \\uc-1\\u8217?c}", "a’b ’c", None),
    (b"{\\rtf1\\ansicpg\\deff\\f\\fcharset2 a b c}", "a b c", None),
    (b"{\\rtf1\\f99999999999999999999 a b c}", "a b c", None),
    (b"{\\rtf1 a b c\\", "a b c", "truncated"),
    (b"{\\rtf1 a\\~b c}", "a\xa0b c", None),
    (b"{\\rtf1{\\fldrslt a}{\\result b}{\\ud c}{\\sv d}{\\sn e}{\\ffl f}{\\objclass g}}", "abc", None),
    (b"\\rtf1 a {\\b b} c", "a b c", None),
    (b"{\\rtf1{\\info{\\title t}\\pard a b c}", "a b c", "truncated"),
    (b"{\\pard a\\par}{\\pard b{\\footnote c}\\par}", "a\n\nb\n\nc", None),
]  # fmt: skip


@pytest.mark.parametrize(("data", "text", "warning"), DAMAGED)
def test_a_damaged_file_keeps_its_text(data: bytes, text: str, warning: str | None) -> None:
    found = extract(data, format="rtf")
    assert found.text == text
    assert (found.warnings == ()) is (warning is None), found.warnings
    assert warning is None or warning in found.warnings[0]


@pytest.mark.parametrize(
    "empty", [b"{\\shp}", *(pytest.param(empty, marks=pytest.mark.slow) for empty in (b"{\\do}", b"{\\footnote}"))]
)
def test_empty_shapes_and_notes_take_no_memory(empty: bytes) -> None:
    data = b"{\\rtf1 words " + empty * 20_000 + b"}"
    tracemalloc.start()
    assert extract(data).text.strip() == "words"
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2_000_000


@pytest.mark.slow
def test_groups_that_nest_too_deeply_are_over_a_limit() -> None:
    with pytest.raises(LimitExceededError, match="250,000"):
        extract(b"{\\rtf1 words " + b"{\\v" * 250_000)


@pytest.mark.parametrize("depth", [2_000, pytest.param(100_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("group", ["{", "{\\b ", "{\\v0 ", "{\\footnote ", "{\\field{\\fldrslt ", "{\\shp{\\shptxt "])
def test_deep_groups_are_read(group: str, depth: int) -> None:
    for end in ("}" * (2 * depth + 1), ""):
        found = extract(f"{{\\rtf1 words {group * depth}more{end}".encode())
        assert found.text.split() == ["words", "more"]
        assert (found.warnings == ()) is (end != "")
