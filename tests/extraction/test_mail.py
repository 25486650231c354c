"""Mail, mailboxes and WACZ files: every word that a reader sees, and a warning for each thing that is not read."""

from __future__ import annotations

import gzip
import io
import re
import struct
from base64 import b64encode, encodebytes
from contextlib import suppress
from email.message import EmailMessage
from email.policy import SMTP
from itertools import product
from pathlib import Path
from quopri import encodestring
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_LZMA, ZIP_STORED, ZipFile

import pytest

from simhash_doc.ingest import fingerprint_documents
from simhash_doc_extraction import (
    CorruptDocumentError,
    EncryptedDocumentError,
    ExtractedText,
    ExtractionError,
    LimitExceededError,
    Limits,
    detect,
    extract,
    extract_each,
    get_reader,
    zip_directory,
)
from simhash_doc_extraction.detection import is_wacz
from tests.extraction.archives import mhtml
from tests.extraction.samples import html, mail, mbox, sample, wacz, warc
from tests.extraction.warning_kinds import undocumented

WORD = "zebrawood"


def message(subject: str = "Ferry") -> EmailMessage:
    found = EmailMessage()
    found["From"], found["To"], found["Subject"] = "Anna <anna@example.org>", "boris@example.org", subject
    found["Date"], found["Message-ID"] = "Mon, 2 Nov 2026 10:00:00 +0000", "<secret@example.org>"
    return found


def text(found: EmailMessage) -> ExtractedText:
    return extract(found.as_bytes(policy=SMTP))


@pytest.mark.parametrize("coding", ["quoted-printable", "base64", "8bit", "7bit"])
@pytest.mark.parametrize("charset", ["utf-8", "iso-8859-1"])
@pytest.mark.parametrize("kind", ["plain", "html"])
def test_a_body_is_decoded(coding: str, charset: str, kind: str) -> None:
    given = message("Grüße" if coding != "7bit" else "Ferry")
    body = "The harbour trägt zebrawood." if coding != "7bit" else "The harbour carries zebrawood."
    given.set_content(f"<p>{body}</p>" if kind == "html" else body, subtype=kind, charset=charset, cte=coding)
    found = text(given)
    assert (found.format, found.warnings) == ("eml", ())
    assert found.text.split() == [str(given["Subject"]), *body.split()]


def test_the_best_alternative_is_read_once() -> None:
    given = message()
    given.set_content("secret")
    given.add_alternative(f"<p>The <b>{WORD}</b></p>", subtype="html")
    given.get_payload()[1].add_related(b"\x89PNG", "image", "png", cid="<picture>")  # type: ignore[index,union-attr]
    assert text(given).text == f"Ferry\n\nThe {WORD}"


def test_attachments_are_named() -> None:
    given = message()
    given.set_content(WORD)
    given.add_attachment("secret", filename="notes.txt")
    given.add_attachment(b"%PDF-1.7", "application", "pdf", filename="scan.pdf")
    found = text(given)
    assert found.text == f"Ferry\n\n{WORD}"
    assert found.warnings == ("attachments not read: 2 (first: 'notes.txt')",)
    assert not undocumented(found)


def test_a_status_of_delivery_is_counted() -> None:
    status = b"Content-Type: message/delivery-status\n\nReporting-MTA: dns; a.example\n\nAction: failed\n"
    found = extract(RAW_HEAD + MIXED + parts(PLAIN, status), name="a.eml")
    assert found.text.split() == ["Ferry", "plain", "kettle"]
    assert found.warnings == ("attachments not read: 1 (first: 'message/delivery-status')",)


def test_a_forwarded_message_is_read() -> None:
    inner = message("Lamp")
    inner.set_content(WORD)
    given = message("Fwd")
    given.set_content("See below.")
    given.add_attachment(inner, disposition="inline")
    assert text(given).text.split() == ["Fwd", "See", "below.", "Lamp", WORD]


RAW_HEAD = b"From: a@example.org\nTo: b@example.org\nDate: Mon, 2 Nov 2026 10:00:00 +0000\nMIME-Version: 1.0\n"
INNER = RAW_HEAD + b"Subject: Inner\n\ninner kettle\n"
MIXED = b"Subject: Ferry\nContent-Type: multipart/mixed; boundary=x\n\n"
ALTERNATIVE = MIXED.replace(b"mixed", b"alternative")


def parts(*given: bytes) -> bytes:
    return b"".join(b"--x\n%s\n" % part for part in given) + b"--x--\n"


# Forwarded messages: the complete message is encoded, only its body, or nothing.
FORWARDED = b"Content-Type: message/rfc822\nContent-Transfer-Encoding: %s\n\n"
INNER_HEAD = RAW_HEAD + b"Subject: Inner\n"
ENCODED = [
    INNER_HEAD + b"\ninner= kettle\n",
    INNER_HEAD + b"X-Long: " + b"long " * 40 + b"\nContent-Type: text/plain; charset=utf-8\n\ninner= kettle\n",
    INNER_HEAD + b'Content-Type: multipart/mixed; boundary="=y"\n\n--=y\n\ninner= kettle\n--=y--\n',
    INNER_HEAD + b"Content-Transfer-Encoding: base64\n\n" + b64encode(b"inner= kettle"),
]
BODY_IN_BASE64 = INNER_HEAD + b"\n" + b64encode(b"inner= kettle")
QUOTED = INNER_HEAD + b'Content-Type: text/plain; charset="utf-8"\n\ninner=3D kettle\n'
QUOTED_BODY = INNER_HEAD + b"Content-Transfer-Encoding: quoted-printable\n\ninner=3D kettle\n"
PLAIN, PAGE = b"Content-Type: text/plain\n\nplain kettle", b"Content-Type: text/html\n\n<p>page kettle</p>"


@pytest.mark.parametrize(
    ("rest", "expected"),
    [
        ("Subject: Grüße\n\nkettle".encode(), "Grüße kettle"),
        ("Subject: Grüße\nContent-Type: text/plain; charset=iso-8859-1\n\nkettle".encode("latin-1"), "Grüße kettle"),
        (b"Subject: =?x-unknown?Q?Ferry_boat?=\n\nkettle", "Ferry boat kettle"),
        (ALTERNATIVE + parts(PLAIN, b"Content-Type: text/html\n\n<p></p>"), "Ferry plain kettle"),
        (ALTERNATIVE + parts(PLAIN, PAGE, b"Content-Type: text/calendar\n\nBEGIN:VCALENDAR"), "Ferry page kettle"),
        (ALTERNATIVE + parts(PAGE, PLAIN), "Ferry plain kettle"),
        (b'Subject: Ferry\nContent-Type: text/plain; name="a.txt"\n\nkettle', "Ferry kettle"),
        (
            MIXED + parts(b"Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n" + b64encode(INNER)),
            "Ferry Inner inner kettle",
        ),
        *(
            (MIXED + parts(FORWARDED % coding + encode(inner)), "Ferry Inner inner= kettle")
            for coding, encode in ((b"base64", encodebytes), (b"Quoted-Printable", encodestring))
            for inner in ENCODED
        ),
        (MIXED + parts(FORWARDED % b"base64" + BODY_IN_BASE64), "Ferry Inner inner= kettle"),
        (MIXED + parts(FORWARDED % b"quoted-printable" + QUOTED), "Ferry Inner inner= kettle"),
        (MIXED + parts(FORWARDED % b"base64" + QUOTED_BODY), "Ferry Inner inner= kettle"),
        (MIXED + parts(b"Content-Type: message/rfc822\n\n" + INNER), "Ferry Inner inner kettle"),
        (MIXED + parts(b"Content-Type: message/global\n\n" + INNER), "Ferry Inner inner kettle"),
        (MIXED + parts(b"Content-Type: message/rfc<22\n\n" + INNER), "Ferry Inner inner kettle"),
        (b"Subject: Ferry\nContent-Type: multipart/mixed\n\nkettle", "Ferry kettle"),
        (b"Subject: Ferry\nContent-Type: text/plain; charset=utf-7\n\nsch+APY-ne Tage", "Ferry schöne Tage"),
        (
            b"Subject: Ferry\nContent-Type: text/plain; format=flowed; delsp=yes\n\na long wo \nrd \n> quo \n> ted\n-- \nA",
            "Ferry a long word > quoted -- A",
        ),
        (b"Subject: Ferry\nContent-Type: text/plain; format=flowed\n\na long \nword", "Ferry a long word"),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_message_is_read_as_programs_for_mail_show_it(rest: bytes, expected: str, end: str) -> None:
    for before in (b"", b"\n", b"\xef\xbb\xbf"):
        data = (before + RAW_HEAD + rest).replace(b"\n", end.encode())
        assert extract(data, name="a.eml").text.split() == expected.split()


@pytest.mark.parametrize(
    "body",
    [
        parts(PLAIN, PAGE) + b"list footer\n",
        parts(PLAIN, PAGE).replace(b"--x\n", b"-x\n", 1),
        b"This is a message in MIME format.\n" + parts(PLAIN, PAGE).replace(b"--x\n", b"--\n", 1),
    ],
)
def test_parts_outside_of_the_boundaries_are_counted(body: bytes) -> None:
    found = extract(RAW_HEAD + MIXED + body, name="a.eml")
    assert found.warnings == ("parts outside of the boundaries not read: 1 (first: 'multipart/mixed')",)
    assert not undocumented(found)
    usual = extract(RAW_HEAD + MIXED + b"This is a message in MIME format.\n" + parts(PLAIN, PAGE), name="a.eml")
    assert not usual.warnings


@pytest.mark.parametrize("lost", [b"\r", b"\r!", b"\r \t"])
def test_a_soft_line_break_without_its_line_feed_loses_nothing(lost: bytes) -> None:
    coding = b"Content-Transfer-Encoding: quoted-printable\n\n"
    body = coding + b"one =\r\ntwo =\r\n three\r\nfour".replace(b"\r\n", lost, 1)
    page = mhtml(b"<p>one two three four").replace(b"one two", b"one =" + lost + b"two")
    for found in (extract(RAW_HEAD + body, name="a.eml"), extract(page)):
        assert {"one", "two", "three", "four"} <= set(re.findall(r"\w+", found.text))


@pytest.mark.parametrize("at", ["ferry", "mixed", "--x", "Content"])
def test_a_message_that_ends_in_its_header_or_at_no_boundary_is_named(at: str) -> None:
    data = RAW_HEAD + b"Subject: The ferry leaves\n" + MIXED + parts(PLAIN, PAGE)
    found = extract(data[: data.index(at.encode())], format="eml")
    assert found.warnings
    assert not undocumented(found)


def test_a_line_in_the_header_that_is_no_field_is_named() -> None:
    found = extract(RAW_HEAD + b"\0Subject: Ferry\nContent-Type: text/plain\n\nIt leaves at noon.", format="eml")
    assert found.warnings[0].startswith("damaged parts read as far as possible: 1")


def test_damage_to_a_forwarded_message_is_named() -> None:
    inner = RAW_HEAD + MIXED + parts(PLAIN, PAGE)
    coded = encodebytes(inner)
    for given, warning in (
        (coded.replace(b"\n", b"*\n", 1), "damaged parts read as far as possible: 1"),
        (encodebytes(inner[:-5]), "messages cut off, the last part as far as possible: 1"),
    ):
        found = extract(RAW_HEAD + MIXED + parts(FORWARDED % b"base64" + given), name="a.eml")
        assert any(one.startswith(warning) for one in found.warnings), found.warnings


def test_a_second_text_of_parts_that_belong_together_is_named() -> None:
    data = RAW_HEAD + MIXED.replace(b"mixed", b"related") + parts(PAGE, PLAIN, b"Content-Type: image/png\n\nx")
    assert extract(data, name="a.eml").warnings == ("attachments not read: 1 (first: 'text/plain')",)


def test_an_encrypted_body_is_an_error_although_the_subject_is_plain() -> None:
    data = RAW_HEAD + b"Subject: Ferry\nContent-Type: application/pkcs7-mime; smime-type=%s\n\nabcd\n"
    with pytest.raises(EncryptedDocumentError):
        extract(data % b"enveloped-data")
    assert extract(data % b"signed-data").warnings == ("attachments not read: 1 (first: 'Ferry')",)


def test_an_encrypted_message_is_an_error() -> None:
    data = b"From: a@e.org\nTo: b@e.org\nDate: x\nMIME-Version: 1.0\nContent-Type: application/pkcs7-mime\n\nabcd\n"
    with pytest.raises(EncryptedDocumentError):
        extract(data)


def test_parts_that_are_nested_deeply_are_an_error() -> None:
    data = b"From: a@e.org\nTo: b@e.org\nDate: x\n" + b"".join(
        b'Content-Type: multipart/mixed; boundary="b%d"\n\n--b%d\n' % (at, at) for at in range(3000)
    )
    with pytest.raises(LimitExceededError, match="nested too deeply"):
        extract(data + b"Content-Type: text/plain\n\nwords")


HEAD = "From: a@example.org\nTo: b@example.org\n"


@pytest.mark.parametrize(
    ("data", "name", "expected"),
    [
        (f"{HEAD}Date: Mon\n\nwords", None, "eml"),
        (f"{HEAD}Date: Mon\r\n\r\nwords", "letter", "eml"),
        (f"{HEAD}Date: Mon\n\nA letter in a book.", "letter.txt", "text"),
        (f"{HEAD}MIME-Version: 1.0\n\nwords", "letter.txt", "eml"),
        (f"{HEAD}\nwords", None, "text"),
        (f"{HEAD}\nwords", "a.eml", "eml"),
        ("Subject: x\n\nwords", "a.eml", "eml"),
        ("From: here to there\nit is a long way\n\nwords", None, "text"),
        ("From: a book\nDate: unknown\n\nwords", None, "text"),
        (f"From a@example.org Mon Nov  2 10:00:00 2026\n{HEAD}\nwords", None, "mbox"),
        ("From Monday to Friday\nthe shop is open: always", None, "text"),
    ],
)
def test_mail_is_told_from_text(data: str, name: str | None, expected: str) -> None:
    assert detect(data.encode(), name) == expected


def test_a_declared_message_is_mail() -> None:
    assert detect(b"Subject: x\n\nwords", media_type="message/rfc822") == "eml"


def each(data: bytes, limits: Limits | None = None) -> list[ExtractedText | ExtractionError]:
    return list(extract_each(io.BytesIO(data), limits=limits or Limits()))


def test_a_mailbox_has_many_documents() -> None:
    given = [mail(number=1), b"Subject: two\n\nFrom here on\n>From there\n\nFrom nothing\nelse\n", mail(number=3)]
    for data in (mbox(given), mbox(given).replace(b"\n", b"\r\n")):
        first, second, third = each(data)
        assert isinstance(first, ExtractedText)
        assert isinstance(second, ExtractedText)
        assert isinstance(third, ExtractedText)
        assert (first.name, third.name) == ("message 1", "message 3")
        assert first.text == third.text
        assert second.text.split("\n") == ["two", "", "From here on", ">From there", "", "From nothing", "else"]


def test_a_line_that_begins_with_from_is_no_message_without_a_time() -> None:
    given = [b"Subject: one\n\nwords\n\nFrom nothing comes\nNote: this\n", mail(number=2)]
    first, second = each(mbox(given))
    assert isinstance(first, ExtractedText)
    assert first.text.split()[-6:] == "words From nothing comes Note: this".split()
    assert isinstance(second, ExtractedText)


def test_a_compressed_mailbox_is_read_up_to_damage() -> None:
    plain = mbox([mail(number=at) for at in range(50)])
    data = gzip.compress(plain)
    assert [str(one) for one in each(data)] == [str(one) for one in each(plain)]
    *read, error = each(data[:-30])
    assert read
    assert isinstance(error, CorruptDocumentError)
    assert "damaged after message" in error.message


def test_a_message_over_the_limit_is_an_error_of_its_own() -> None:
    large = b"Subject: x\n\n" + b"words and words\n" * 2000
    found = each(mbox([mail(), large, mail()]), Limits(input_bytes=8000))
    assert [type(one).__name__ for one in found] == ["ExtractedText", "LimitExceededError", "ExtractedText"]


def test_a_wacz_file_has_the_documents_of_its_crawls() -> None:
    other = warc([("https://example.org/two", html(), {})])
    found = each(wacz([warc(), other]))
    assert [one.name for one in found] == ["https://example.org/lamp", "https://example.org/two"]
    assert {one.text for one in found if isinstance(one, ExtractedText)} == {extract(html()).text}


def test_a_damaged_wacz_file_is_an_error() -> None:
    (found,) = each(wacz()[:-60])
    assert isinstance(found, ExtractionError)


def test_a_damaged_crawl_does_not_hide_the_next_one() -> None:
    data = wacz([warc(), warc([("https://example.org/two", html(), {})])])
    at = data.find(b".warc.gz") + 60
    damaged, whole = each(data[:at] + b"\xff" * 8 + data[at + 8 :])
    assert isinstance(damaged, CorruptDocumentError)
    assert "archive/data0.warc.gz" in damaged.message
    assert whole.name == "https://example.org/two"


@pytest.mark.parametrize("over", [False, True])
@pytest.mark.parametrize("is_large", [False, True])
def test_a_wacz_file_has_at_most_so_many_members(over: bool, is_large: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before, each took a tenth of a millisecond in the process of the command, which has no limit."""
    file = io.BytesIO()
    with ZipFile(file, "w") as crawl:
        for number in range(50 + over):
            crawl.writestr(f"archive/{number}.warc", b"")
    data = file.getvalue()
    if is_large:  # with the record that files over 4 GiB have
        end = data.rindex(b"PK\5\6")
        start = data.index(b"PK\1\2")
        record = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, 50 + over, 50 + over, end - start, start)
        locator = struct.pack("<4sLQL", b"PK\6\7", 0, end, 1)
        data = data[:end] + record + locator + data[end : end + 8] + b"\xff" * 12 + data[end + 20 :]
    monkeypatch.setattr(zip_directory, "MAX_ENTRIES", 50)
    found = list(extract_each(io.BytesIO(data), name="a.wacz"))
    assert [type(one) for one in found] == [LimitExceededError] * over
    assert all("over 50 entries" in str(one) for one in found)
    assert is_wacz(io.BytesIO(data))


@pytest.mark.parametrize("method", [ZIP_STORED, ZIP_DEFLATED, ZIP_BZIP2, ZIP_LZMA])
def test_a_wacz_file_with_any_changed_byte_has_texts_and_errors(method: int) -> None:
    """Names that are not UTF-8, too, and content that the library for a method calls invalid."""
    file = io.BytesIO()
    record = (
        b"WARC/1.1\r\nWARC-Type: resource\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\r\nsix words\r\n\r\n"
    )
    with ZipFile(file, "w", method) as crawl:
        crawl.writestr("archive/\xe4.warc", record)
    whole = file.getvalue()
    for at, value in product(range(len(whole)), (0, 0xCA, 0xFF)):
        changed = io.BytesIO(whole[:at] + bytes([value]) + whole[at + 1 :])
        assert all(isinstance(one, ExtractedText | ExtractionError) for one in extract_each(changed, name="a.wacz"))


@pytest.mark.parametrize(
    "charset",
    [
        b"charset*=us-ascii'en'utf-8",  # RFC 2231
        b'charset="a\0b"',
        b"charset*0=undefined",
        b"charset*=a\0b'en'utf-8",
        b"charset*=undefined'en'utf-8",
        b"charset*=utf-8'en'a; charset*0=b",  # one piece has a number, the other has none
        b"charset=idna",
        b"charset=punycode",
        b"charset*=\xff'en'\xff",
    ],
)
@pytest.mark.parametrize("kind", ["text/plain", "text/html", "multipart/mixed", "multipart/related"])
def test_no_encoding_that_a_part_names_hides_its_words(kind: str, charset: bytes) -> None:
    boundary = charset.replace(b"charset", b"boundary")
    types = b"; ".join((kind.encode(), charset, boundary, charset.replace(b"charset", b"name")))
    head = b"From: a@b\r\nSubject: s\r\nMIME-Version: 1.0\r\nContent-Type: " + types
    data = head + b"\r\n\r\n<p>caf\xc3\xa9 " + WORD.encode() + b"\r\n"
    assert f"caf\xe9 {WORD}" in get_reader("eml")(data, "eml", Limits()).text
    with suppress(ExtractionError):  # a page that is no page
        get_reader("mhtml")(data, "mhtml", Limits())


@pytest.mark.parametrize("name", ["mbox", "wacz"])
def test_members_have_fingerprints(name: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.{name}"
    path.write_bytes(sample(name))
    for given in (path, tmp_path):
        (result,) = fingerprint_documents([str(given)])
        assert result.error is None
        assert result.path.startswith(f"{path}#")


def test_a_message_that_is_cut_off_is_a_warning() -> None:
    found = extract(mail()[:-60])
    assert found.warnings[0].startswith("messages cut off, the last part as far as possible: 1")
    assert not undocumented(found)
