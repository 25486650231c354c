"""The documents of a crawl come out whatever their records say of them, and what is damaged or left out is named."""

from __future__ import annotations

import gzip
import io
import random
import re
from collections.abc import Callable, Sequence

import pytest

from simhash_doc_extraction import ExtractedText, ExtractionError, Limits, extract_each
from simhash_doc_extraction.base import SkippedRecordError
from simhash_doc_extraction.payload import Payload
from simhash_doc_extraction.warc import Records
from tests.extraction import warc_places
from tests.extraction.warc_places import Build, http, page, record

WORD = "zebrawood"
LIMITS = Limits()


class Pipe(io.BytesIO):
    """A file that cannot be read again."""

    def seekable(self) -> bool:
        return False


def plain(records: Sequence[bytes]) -> bytes:
    return b"".join(records)


def zipped(records: Sequence[bytes]) -> bytes:
    return b"".join(map(gzip.compress, records))


def one_member(records: Sequence[bytes]) -> bytes:
    return gzip.compress(plain(records), mtime=0)


FORMS = {form.__name__: form for form in (plain, zipped, one_member)}
SOURCES = {"file": io.BytesIO, "pipe": Pipe}


def read(data: bytes, source: Callable[[bytes], io.BytesIO] = io.BytesIO) -> list[ExtractedText | ExtractionError]:
    return list(extract_each(source(data), name="crawl"))


def texts(found: Sequence[ExtractedText | ExtractionError]) -> str:
    return "\n".join(one.text for one in found if isinstance(one, ExtractedText))


@pytest.mark.parametrize("place", warc_places.SHOWN)
def test_a_word_in_a_document_is_in_its_text(place: str) -> None:
    for form in (plain, zipped):
        (found,) = read(form(warc_places.SHOWN[place](WORD)))
        assert isinstance(found, ExtractedText), found
        assert found.text.split().count(WORD) == 1, found.text
        assert "secret" not in found.text
        assert found.warnings == ()


@pytest.mark.parametrize(
    ("build", "kind"), [pytest.param(*case, id=name) for name, case in warc_places.COUNTED.items()]
)
def test_a_record_without_a_document_is_counted(build: Build, kind: str) -> None:
    records = Records(io.BytesIO(zipped(build(WORD))), name=None, limits=LIMITS)
    for found in records:
        assert isinstance(found, Payload), found
        with pytest.raises(SkippedRecordError) as caught:
            found.extract("a", LIMITS)
        records.skipped[caught.value.message] += 1
    assert records.skipped == {kind: 1}


@pytest.mark.parametrize("place", warc_places.NOT_SHOWN)
def test_a_word_outside_of_documents_is_in_no_text(place: str) -> None:
    found = read(zipped([*warc_places.NOT_SHOWN[place](WORD), *response("other")]))
    assert WORD not in texts(found)
    assert not any(isinstance(one, ExtractionError) for one in found)


def response(word: str, length: int | str | None = None) -> list[bytes]:
    """Return a record that says it has a length; a negative one is that many bytes less than the true one."""
    block = http(page(word) + b"<p>The end of it.</p>")
    if isinstance(length, int) and length < 0:
        length += len(block)
    return [record(block, length=length, uri=f"http://example.org/{word}")]


LENGTHS: dict[str, int | str] = {
    "no": "", "word": "many", "negative": "-5", "fraction": "1e3", "zero": 0, "within the headers": 20, "short by one": -1,
    "short": -60, "long": 400, "longer than the file": 10**6, "longer than any file": 10**17, "of 100 digits": "9" * 100,
}  # fmt: skip


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("length", LENGTHS)
def test_a_wrong_length_is_named_and_nothing_is_lost(length: str, form: str, source: str) -> None:
    data = FORMS[form](
        [*response("first"), *response("liar", LENGTHS[length]), *response("second"), *response("third")]
    )
    found = read(data, SOURCES[source])
    assert [one.text.split()[2] for one in found if isinstance(one, ExtractedText)] == [
        "first",
        "liar",
        "second",
        "third",
    ]
    first, liar, *others = found
    assert isinstance(liar, ExtractedText)
    assert liar.text.endswith("The end of it.")
    assert "length" in str(liar.incomplete).lower()
    assert all(isinstance(one, ExtractedText) and not one.warnings for one in (first, *others))


@pytest.mark.parametrize("form", [plain, zipped, one_member, lambda own: zipped([*own[:1], plain(own[1:3]), *own[3:]])])
@pytest.mark.parametrize("more", [*range(5, 40, 3), 300, 10**6])
def test_a_record_that_ends_in_the_next_header_is_named_and_nothing_is_lost(
    more: int, form: Callable[[Sequence[bytes]], bytes]
) -> None:
    """The length reaches over the two line ends into the record after it, or beyond, in any member."""
    block = http(page("liar"))
    liar = record(block, length=len(block) + more, uri="http://example.org/liar")
    found = read(form([*response("first"), liar, *response("second"), *response("third")]))
    assert [one.text.split()[2] for one in found if isinstance(one, ExtractedText)] == [
        "first", "liar", "second", "third",
    ]  # fmt: skip
    assert [one.text.count("word") for one in found if isinstance(one, ExtractedText)] == [1] * 4
    assert [isinstance(one, ExtractedText) and one.incomplete is not None for one in found] == [0, 1, 0, 0]


def test_no_record_is_lost_between_members_and_bytes_as_they_are() -> None:
    for more in range(5, 60, 5):
        block = http(page("liar"))
        liar = record(block, length=len(block) + more, uri="http://example.org/liar")
        found = read(plain([*response("first"), liar, zipped(response("second")), *response("third")]))
        assert [one.text.split()[2] for one in found if isinstance(one, ExtractedText)] == [
            "first", "liar", "second", "third",
        ]  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "length", ["%d", "+%d", "%d,0", "%d.0", "2%d", "9" * 40, "1_0", "%d  ", "-%d", *range(2, 90, 8)]
)
def test_a_wrong_length_in_an_arc_file_is_named_and_nothing_is_lost(length: str | int, form: str) -> None:
    """Not named is only what changes no text: spaces after a length that is right."""

    def line(word: str, length: str | int = 0) -> bytes:
        block = http(page(word))
        said = length.replace("%d", str(len(block))) if isinstance(length, str) else len(block) + length
        return f"http://example.org/{word} 1.2.3.4 20200101000000 text/html {said}\n".encode() + block + b"\n"

    head = b"filedesc://a.arc 0.0.0.0 20200101000000 text/plain 66\n1 0 here\nURL IP-address Archive-date Content-type Archive-length\n\n"
    found = read(FORMS[form]([head, line("first"), line("liar", length), line("second"), line("third")]))
    assert [one.text.split()[2] for one in found if isinstance(one, ExtractedText)] == [
        "first", "liar", "second", "third",
    ]  # fmt: skip
    wrong = length not in ("%d", "%d  ")
    assert [isinstance(one, ExtractedText) and one.incomplete is not None for one in found] == [0, wrong, 0, 0]


JUNK = b"<html><body>502 Bad Gateway</body></html>\n"
_STRAY = "bytes that are no record"
_UNREADABLE = "cannot be read"


def _damaged_checksum(data: bytes) -> bytes:
    return data[:-8] + bytes([data[-8] ^ 255]) + data[-7:]


(_A,), (_B,), (_C,) = response("first"), response("middle"), response("last")
_ZA, _ZB, _ZC = map(gzip.compress, (_A, _B, _C))
BETWEEN: dict[str, tuple[bytes, tuple[str, ...]]] = {
    "nothing": (_ZA + _ZC, ()),
    "zero bytes": (_ZA + bytes(10_000) + _ZC + bytes(100_000), ()),
    "zero bytes in a plain file": (_A + bytes(10_000) + _C + bytes(100_000), ()),
    "empty members": (gzip.compress(b"") * 3 + _ZA + gzip.compress(b"") + _ZC + gzip.compress(b""), ()),
    "an error page": (_ZA + JUNK + _ZC, (_STRAY,)),
    "an error page in a plain file": (_A + JUNK + _C, (_STRAY,)),
    "an error page in a member": (_ZA + gzip.compress(JUNK) + _ZC, (_STRAY,)),
    "error pages": (_ZA + JUNK + _ZC + JUNK, (_STRAY, _STRAY)),
    "many stray bytes": (_ZA + b"x\n" * 200_000 + _ZC, (_STRAY,)),
    "one byte": (_ZA + b"x" + _ZC, (_STRAY,)),
    "a byte at the end": (_ZA + _ZC + b"x", (_STRAY,)),
    "zero bytes and others at the end": (_ZA + _ZC + bytes(500) + b"x", (_STRAY,)),
    "the magic number": (_ZA + b"\x1f\x8b" + _ZC, (_UNREADABLE,)),
    "the magic number at the end": (_ZA + _ZC + b"\x1f\x8b", (_UNREADABLE,)),
    "a member in zstd": (_ZA + b"\x28\xb5\x2f\xfd" + b"x" * 50 + _ZC, (_STRAY,)),
    "a quarter of a member": (_ZA + _ZB[: len(_ZB) // 4] + _ZC, (_UNREADABLE,)),
    "the rest of a member": (_ZA + _ZB[len(_ZB) // 2 :] + _ZC, (_STRAY,)),
    "half of a header in a plain file": (_A + _B[:50] + _C, (_STRAY,)),
}
"""What is between two records -> the file, and what its errors say."""


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("case", BETWEEN)
def test_what_is_between_records_is_named_and_the_others_follow(case: str, source: str) -> None:
    data, expected = BETWEEN[case]
    found = read(data, SOURCES[source])
    assert [one.text.split()[2] for one in found if isinstance(one, ExtractedText)] == ["first", "last"]
    errors = [str(one) for one in found if isinstance(one, ExtractionError)]
    assert len(errors) == len(expected)
    assert all(part in error for part, error in zip(expected, errors, strict=True)), errors


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize(
    "junk", [JUNK, b"x", b"\r\n", bytes(1000), b"\x1f\x8b", gzip.compress(JUNK, mtime=0), _ZB[60:]]
)
def test_what_is_before_the_first_record_is_named_and_the_others_follow(junk: bytes, source: str) -> None:
    for name, data in {"a.warc.gz": _ZA + _ZC, "a.warc": _A + _C}.items():
        found = list(extract_each(SOURCES[source](junk + data), name=name))
        assert [one.text.split()[2] for one in found if isinstance(one, ExtractedText)] == ["first", "last"]
        assert len(found) == (3 if junk.strip(b"\r\n\0") else 2), found


@pytest.mark.parametrize("data", [_ZA + _B + _ZC, _A + _ZB + _C, _A + _B + _ZC, _ZA + bytes(9) + _B + bytes(9) + _ZC])
@pytest.mark.parametrize("source", SOURCES)
def test_compressed_and_uncompressed_records_can_follow_one_another(data: bytes, source: str) -> None:
    found = read(data, SOURCES[source])
    assert [one.text.split()[2] for one in found if isinstance(one, ExtractedText)] == ["first", "middle", "last"]
    assert len(found) == 3


@pytest.mark.parametrize("source", SOURCES)
def test_a_record_with_a_wrong_checksum_is_read_and_named(source: str) -> None:
    first, middle, error, last = read(_ZA + _damaged_checksum(_ZB) + _ZC, SOURCES[source])
    assert isinstance(middle, ExtractedText)
    assert "incorrect data check" in str(middle.incomplete)
    assert "incorrect data check" in str(error)
    assert (first.name, last.name) == ("http://example.org/first", "http://example.org/last")


@pytest.mark.parametrize("coding", ["rot13", "compress", "x"])
def test_an_unknown_coding_is_an_error_unless_the_body_is_a_document(coding: str) -> None:
    header = f"Content-Encoding: {coding}"
    document, encoded = read(
        plain([record(http(page(WORD), header)), record(http(bytes(range(256)) * 9, header), uri="http://a/")])
    )
    assert isinstance(document, ExtractedText)
    assert WORD in document.text
    assert document.warnings == (f"unknown content coding, the body is read as it is: {coding!r}",)
    assert isinstance(encoded, ExtractionError)
    assert coding in str(encoded)


def _changed(rng: random.Random, data: bytearray) -> bytes:
    """Return a file with one or two changes: a byte is another one, bytes are missing, inserted or repeated."""
    for _ in range(rng.randint(1, 2)):
        at, source = rng.randrange(len(data)), rng.randrange(len(data))
        change, size = rng.randrange(4), rng.choice([1, 2, 5, 50, 500])
        if change == 0:
            data[at] = rng.randrange(256)
        elif change == 1 and size < len(data):
            del data[at : at + size]
        elif change == 2:
            data[at:at] = rng.choice(
                [bytes(9), b"\r\n\r\n", b"WARC/1.0\r\n", b"\x1f\x8b\x08\0", b"9", rng.randbytes(30)]
            )
        else:
            data[at:at] = data[source : source + size]
    return bytes(data)


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 9))])
def test_every_word_of_a_changed_crawl_is_in_a_text_or_explained(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(20):
        records = [record(http(page(f"zq{at}x")), uri=f"http://example.org/{at}") for at in range(rng.randint(2, 5))]
        form = rng.choice(list(FORMS.values()))
        data = _changed(rng, bytearray(form(records)))
        crawl = Records(io.BytesIO(data), name=None, limits=LIMITS)
        found: list[ExtractedText | ExtractionError] = []
        for payload in crawl:
            try:
                found.append(payload if isinstance(payload, ExtractionError) else payload.extract("a", LIMITS))
            except ExtractionError as error:
                found.append(error)
        stored = data if form is plain else plain(records)
        missing = set(re.findall(r"zq\d+x", stored.decode("latin-1"))) - set(re.findall(r"zq\d+x", texts(found)))
        reasons = [one for one in found if isinstance(one, ExtractionError) or one.warnings]
        assert not missing or reasons or crawl.skipped or crawl.revisits, data


def test_lengths_that_lie_do_not_make_the_time_quadratic() -> None:
    """Each record says that it holds the rest of the file: few bytes are read more than a few times."""

    class Counted(Pipe):
        given = 0

        def read(self, size: int | None = -1, /) -> bytes:
            data = super().read(size)
            self.given += len(data)
            return data

    data = plain([one for number in range(2000) for one in response(f"w{number}", 10**6)])
    source = Counted(data)
    found = list(Records(source, name=None, limits=LIMITS))
    assert source.given == len(data)
    held = sum(len(one.body) for one in found if isinstance(one, Payload))
    assert held < 10 * len(data)
