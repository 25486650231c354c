from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_doc import fingerprint
from simhash_doc.extract import extract
from simhash_doc.extract.detect import decode

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
