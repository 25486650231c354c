from __future__ import annotations

import codecs
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from webencodings.labels import LABELS

from simhash_doc import fingerprint
from simhash_doc_extraction import extract
from simhash_doc_extraction.encoding import _codec, _prescan, decode
from tests.extraction.warning_kinds import undocumented

GREEK = "Ο φάρος μετακινήθηκε προς τη στεριά, γιατί η θάλασσα έτρωγε κάθε χειμώνα τον γκρεμό. " * 4
POLISH = "Latarnię morską przeniesiono w głąb lądu, gdyż morze co zimę zabierało część urwiska. " * 4
JAPANESE = "灯台は毎年の冬に崖が海に削られるため、内陸へ移されました。港の人々は喜びました。" * 6
RUSSIAN = "Маяк перенесли вглубь суши, потому что море каждую зиму забирало часть обрыва. " * 4


@given(st.text().filter(lambda text: text[:1] != "\ufeff" and "\x00" not in text))
def test_well_formed_utf8_is_never_read_in_another_encoding(text: str) -> None:
    assert decode(text.encode()) == (text, "utf-8")


@given(st.binary(max_size=200))
def test_any_bytes_give_characters(data: bytes) -> None:
    text, encoding = decode(data, markup=True)
    assert not any(0xD800 <= ord(character) < 0xE000 for character in text)
    codecs.lookup(encoding)


@pytest.mark.parametrize(
    "encoding", ["utf-8-sig", "utf-16", "utf-32", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"]
)
@pytest.mark.parametrize("text", ["Plain words, nothing else.", POLISH, RUSSIAN])
def test_unicode_with_and_without_a_mark(encoding: str, text: str) -> None:
    assert decode(text.encode(encoding))[0] == text


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize(
    "text", [JAPANESE, GREEK, "Some words, then 灯台は毎年の冬に.", "नमस्ते दुनिया, कैसे हो तुम", "hello"]
)
def test_utf16_of_any_script_is_recognised_without_a_mark(encoding: str, text: str) -> None:
    assert decode(f"{text} \n".encode(encoding)) == (f"{text} \n", encoding)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize(
    "text", ["连络船每天早上六点离开港口，", "连络船每天早上六点离开港口，船上装着牛奶和报纸。" * 300]
)
def test_utf16_of_chinese_alone_is_recognised_without_a_mark(encoding: str, text: str) -> None:
    assert decode(text.encode(encoding)) == (text, encoding)
    for other in ("gb18030", "big5hkscs", "shift_jis", "euc-jp", "cp949", "cp1251", "koi8-r"):
        for sample in (text, JAPANESE, RUSSIAN, GREEK):
            assert "utf-16" not in decode(sample.encode(other, "ignore") or b"a")[1]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_of_a_page_can_have_characters_with_the_other_byte_zero(encoding: str) -> None:
    page = "<html><body><p>一航船离开港口</p></body></html>"
    assert decode(page.encode(encoding)) == (page, encoding)


@pytest.mark.parametrize(
    "data",
    [b"\0one two three four", b"word word\0word word\0", b"one, two and three\0four five six\0", b"\0a small odd file",
     b"one\0two\0\0\0three", "Straße\0Straße und Weg\0".encode(), b"aaaaaaaaaaa\0", b"tab\tsep\0ara\tted fields"],
)  # fmt: skip
def test_zero_bytes_do_not_make_a_small_text_utf16(data: bytes) -> None:
    for padded in (data, data + b".", b"." + data, data + b"\n"):
        assert decode(padded) == (padded.decode(), "utf-8")


@pytest.mark.parametrize("data", [b"caf\xe9\0 au lait bon et chaud", b"le caf\xe9 au lait bon et chaud\0"])
def test_zero_bytes_do_not_make_a_text_in_another_encoding_utf16(data: bytes) -> None:
    for padded in (data, data + b"."):
        assert "utf-16" not in decode(padded)[1]


@pytest.mark.parametrize(
    ("encoding", "text"),
    [("iso8859-7", GREEK), ("cp1250", POLISH), ("iso8859-2", POLISH), ("cp1251", RUSSIAN), ("koi8-r", RUSSIAN),
     ("shift_jis", JAPANESE), ("euc-jp", JAPANESE), ("iso-2022-jp", JAPANESE)],
)  # fmt: skip
def test_a_declared_encoding_is_used(encoding: str, text: str) -> None:
    page = f"<html><head><meta charset='{encoding}'></head><body><p>{text}</p></body></html>"
    assert extract(page.encode(encoding)).text == text.strip()
    document = f"<?xml version='1.0' encoding='{encoding}'?><note><p>{text}</p></note>"
    assert extract(document.encode(encoding)).text == text.strip()


@pytest.mark.parametrize(("encoding", "text"), [("iso8859-7", GREEK), ("cp1251", RUSSIAN), ("shift_jis", JAPANESE)])
def test_an_undeclared_encoding_is_guessed_and_named(encoding: str, text: str) -> None:
    extracted = extract(text.encode(encoding), name="letter.txt")
    assert fingerprint(extracted.text).distance(fingerprint(text)) <= 3
    assert extracted.warnings[0].startswith("read as ")


def test_a_wrong_declaration_does_not_affect_utf8() -> None:
    page = f"<html><head><meta charset='iso-8859-1'></head><body><p>{GREEK}</p></body></html>"
    assert extract(page.encode()).text == GREEK.strip()


@pytest.mark.parametrize("label", ["hex", "rot13", "base64", "no-such", "utf-16", "x" * 40, "utf-8"])
def test_an_invalid_label_is_ignored(label: str) -> None:
    page = f"<html><head><meta charset='{label}'></head><body><p>caf\xe9 au lait</p></body></html>"
    assert "au lait" in extract(page.encode("latin-1")).text


def test_ill_formed_utf8_keeps_its_encoding() -> None:
    data = (POLISH.encode() * 3)[:-1] + b"\xff end"
    text, encoding = decode(data)
    assert encoding == "utf-8"
    assert text.startswith("Latarnię")
    assert text.endswith("\ufffd end")


QUOTES = "The ferry’s left, said “the captain” — it’s late. "


@pytest.mark.parametrize("bad", [b"\xff", b"\xe2\x80", b"\x92", b"\xe9t\xe9"])
@pytest.mark.parametrize(
    "head",
    ['<meta charset="utf-8">', '<meta http-equiv="Content-Type" content="text/html; charset=UTF-8">', "<meta charset=utf8>",
     '<meta charset="windows-1252">', "<meta charset=latin1>", "<?xml version='1.0' encoding='utf-8'?>"],
)  # fmt: skip
def test_a_bad_byte_does_not_change_the_encoding(head: str, bad: bytes) -> None:
    for count in (1, 30) if "utf" in head.lower() else (30,):
        for data in (bad + QUOTES.encode() * count, QUOTES.encode() * count + bad):
            text, encoding = decode(head.encode() + data, markup=True)
            assert encoding == "utf-8"
            assert QUOTES * count in text


def test_a_declaration_of_utf8_is_wrong_if_most_sequences_are() -> None:
    assert decode(b"<meta charset=utf-8>" + (RUSSIAN * 3).encode("cp1251"), markup=True)[0].endswith(RUSSIAN * 3)
    assert decode((RUSSIAN * 3).encode("cp1251"), declared="utf-8")[0] == RUSSIAN * 3


def test_a_declaration_that_does_not_fit_gives_way_to_the_next() -> None:
    data = b"<meta charset=shift_jis>" + JAPANESE.encode("shift_jis")
    assert decode(data, declared="euc-jp", markup=True)[0].endswith(JAPANESE)
    assert decode(data, declared="utf-8", markup=True)[0].endswith(JAPANESE)


REAL = "<meta charset='koi8-r'>"
PRESCANNED = {  # what is before the declaration, and what the HTML Standard (section 13.2.3.2) makes of it
    "<!-- <meta charset=cp866> -->": "koi8-r", "<!--><meta charset=cp866>": "cp866", "<!---><meta charset=cp866>": "cp866",
    "<!-- <meta charset=cp866> ": "", "<meta name=description content='charset=cp866'>": "koi8-r",
    "<meta content='text/html; charset=cp866'>": "koi8-r", "<meta data-charset=cp866>": "koi8-r",
    "<meta http-equiv=content-type content='text/html;charset=cp866'>": "cp866", "<META CHARSET = 'CP866' >": "cp866",
    "<meta content='a; charset = \"cp866\"' HTTP-EQUIV='Content-Type'>": "cp866", "<meta/charset=cp866/>": "koi8-r",
    "<meta/charset=cp866 />": "cp866", "<meta charset=' cp866 '>": "cp866", "<metadata charset=cp866>": "koi8-r",
    "<meta http-equiv=refresh content='0; charset=cp866'>": "koi8-r", "<meta charset=nonsense>": "koi8-r",
    "<meta charset=nonsense http-equiv=content-type content='charset=cp866'>": "koi8-r", "<meta charset=''>": "koi8-r",
    "<meta http-equiv=content-type content='charset charset=cp866'>": "cp866", "<p title='<meta charset=cp866>'>": "koi8-r",
    "<meta http-equiv=content-type content='charset=\"cp866'>": "koi8-r", "<meta charset>": "koi8-r",
    "</p title='>' <meta charset=cp866>": "koi8-r", "<!doctype html '<meta charset=cp866>'": "koi8-r", "<?a <meta charset=cp866>": "koi8-r",
    "</ <meta charset=cp866>": "koi8-r", "< <meta charset=cp866>": "cp866", "a<meta charset=cp866>": "cp866",
    "<meta charset=cp866 charset=cp1251>": "cp866", "<meta charset=utf-16>": "utf-8", "<meta charset=utf-16be>": "utf-8",
    "<meta charset=x-user-defined>": "cp1252", "<a b='": "", "<meta charset='cp866": "", "<script>'<meta charset=cp866>'": "cp866",
}  # fmt: skip


@pytest.mark.parametrize("before", PRESCANNED)
def test_a_declaration_is_found_as_in_the_html_standard(before: str) -> None:
    label = _prescan(f"<html>{before}{REAL}".encode())
    assert (label and _codec(label)) == (PRESCANNED[before] or None)


def test_a_declaration_after_a_long_script_is_found() -> None:
    script = "<script>" + "a('<meta charset=cp866>');" * 200 + "</script>"
    text, encoding = decode(
        f"<html>{script[:8] + ' ' * 1024 + script[8:]}{REAL}{RUSSIAN}".encode("koi8-r"), markup=True
    )
    assert encoding == "koi8-r"
    assert text.endswith(RUSSIAN)


def test_all_labels_of_the_encoding_standard_are_known() -> None:
    unknown = {label for label, name in LABELS.items() if name != "replacement" and not _codec(label)}
    assert (len(LABELS), unknown) == (228, set())
    for label in (
        "x-cp1250",
        "windows-874",
        "x-sjis",
        "windows-949",
        "mac",
        "x-mac-ukrainian",
        "dos-874",
        "csisolatin1",
    ):
        assert _codec(f" {label.upper()}\n")


@pytest.mark.parametrize(
    ("encoding", "text"),
    [("iso2022_jp", JAPANESE), ("iso2022_jp_ext", "ﾃｽﾄ" * 9), ("iso2022_jp_2004", "俱" * 9 + JAPANESE), ("hz", "渡轮每天早上六点离开港口。" * 4),
     ("iso2022_kr", "연락선은 매일 아침 여섯 시에 항구를 떠났다. " * 4), ("iso2022_jp_2", "渡轮每天早上 Ελλάδα")],
)  # fmt: skip
def test_escape_sequences_are_recognised(encoding: str, text: str) -> None:
    data = f"Subject: ferry\n\n{text}\nEnd\n".encode(encoding)
    assert text in decode(data)[0]
    assert text in extract(data, name="letter.txt").text
    assert text in decode(data, declared="us-ascii")[0]


@pytest.mark.parametrize(
    "data",
    [b"\x1b[31mred\x1b[0m text", b"\x1b$ a prompt", b"echo ~{a,b}", b"~{some~} words", b"~{}~}", b"x = ~{y} # ~}", b"\x1b(B plain",
     b"In HZ, ~{ begins and ~} ends.", b"\x1b$B is how it begins"],
)  # fmt: skip
def test_other_escape_sequences_are_ascii(data: bytes) -> None:
    assert decode(data) == (data.decode(), "utf-8")


UKRAINIAN = "Доглядач маяка щовечора писав у журналі, і ніхто не питав його, чому сторінки пахнуть їжею та смолою. "
FRENCH = "Le gardien du phare a noté chaque soir l’état de la mer, où les bateaux rentraient très tard, à l’été. "


@pytest.mark.parametrize("change", [str, str.upper, str.title], ids=["as written", "capitals", "titles"])
@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        *((encoding, RUSSIAN) for encoding in ("cp1251", "koi8-r", "iso8859-5", "cp866", "mac-cyrillic")),
        ("cp1251", UKRAINIAN), ("koi8-u", UKRAINIAN), ("iso8859-5", UKRAINIAN), ("iso8859-7", GREEK), ("cp1253", GREEK),
        ("mac-roman", FRENCH), ("cp1252", FRENCH),
    ],
)  # fmt: skip
def test_letters_of_any_case_tell_the_encoding(encoding: str, text: str, change: Callable[[str], str]) -> None:
    changed = change(text)
    found = extract(changed.encode(encoding), name="letter.txt")
    assert found.text == changed
    assert found.warnings[0].startswith("read as ")


def test_a_guess_is_a_warning_in_every_format() -> None:
    data = RUSSIAN.upper().strip().encode("cp1251")
    pages = {
        "html": b"<!DOCTYPE html><p>%s</p>",
        "xml": b"<note><p>%s</p></note>",
        "markdown": b"# %s",
        "asciidoc": b"= %s",
    }
    for form, page in pages.items():
        found = extract(page % data, format=form)
        assert RUSSIAN.upper().strip() in found.text
        assert [warning[:8] for warning in found.warnings] == ["read as "], form
        assert not undocumented(found)


@pytest.mark.parametrize("bad", [b"\xbe\xde", b"\xe9", b"\x92\x93"])
@pytest.mark.parametrize("count", [1, 4])
def test_a_few_bad_bytes_do_not_contradict_a_declaration(bad: bytes, count: int) -> None:
    words = b"The harbour master wrote every evening in a ledger bound with green cloth. "
    page = b"<meta charset=utf-8><p>" + (words + b"x" + bad + b"z ") * count + b"</p>"
    found = extract(page)
    assert "x\ufffd" in found.text
    assert found.warnings[0].startswith("not well-formed UTF-8: ")
    assert not undocumented(found)
