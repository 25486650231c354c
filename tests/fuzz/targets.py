"""What is fuzzed: each target reads bytes, and raises nothing but documented errors.

A target also checks what holds for every input: engines agree, a text form that was read is written again.
"""

from __future__ import annotations

import io
import json
import os
import socket
import struct
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from functools import cache, partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from simhash_doc import Fingerprint, SimhashDocError, fingerprint, reference
from simhash_doc.console.messages import escape_path
from simhash_doc.engines.select import ENGINES, get_engine
from simhash_doc.entries.csv_files import write_csv
from simhash_doc.entries.entry import escaped_name, unescaped_name
from simhash_doc.entries.entry_files import EntryReader
from simhash_doc.entries.json_lines import json_line
from simhash_doc.entries.parquet_files import record_batches, write_parquet
from simhash_doc.errors import EngineUnavailableError
from simhash_doc.ingest import EXTRACTOR
from simhash_doc.ingest.options import ReadOptions
from simhash_doc.ingest.results import FingerprintResult, Result
from simhash_doc.ingest.tasks import FingerprintTask, Task, TextTask, UnparsedDocument
from simhash_doc.ingest.workers import _Answers
from simhash_doc.parallel.channel import BadAnswerError, Channel, NoResultError, WorkerDiedError
from simhash_doc.provenance import Provenance
from simhash_doc.store.objects import parse_item, parse_query, read_objects
from simhash_doc_conformance.adapters.adapter import Adapter
from simhash_doc_conformance.adapters.implementation import Implementation
from simhash_doc_conformance.adapters.package import PackageImplementation
from simhash_doc_conformance.errors import PeerError
from simhash_doc_conformance.protocol import check_outcome, read_handshake, read_line
from simhash_doc_extraction import CONTAINERS, ExtractedText, ExtractionError, Limits, extract_each, get_reader
from tests.extraction import samples
from tests.extraction.samples import FORMATS, archive, file_name, sample
from tests.lookup.test_segment_file import save_corpus, use_segment, with_header

PROVENANCE = Provenance.of_package("sd64", extractor=EXTRACTOR).to_dict()
FORM = str(fingerprint("one two three"))
ENTRY = {"id": "a", "path": "a", "scheme": "sd64", "fingerprint": FORM, "provenance": PROVENANCE}
LIMITS = Limits(expanded_bytes=16 << 20)
OFFICE: dict[str, tuple[Callable[[], dict[str, bytes | str]], str]] = {
    "docx": (samples.docx_parts, "word/document.xml"),
    "odt": (samples.odt_parts, "content.xml"),
    "epub": (samples.epub_parts, "OPS/one.xhtml"),
}  # the parts of an archive, and the one with the text
TEXTS = (
    "The ﬁrst _CAFÉ_ opens; see https://example.org/menu. 東京 2024",
    "ann@example.org 10.1000/182 123e4567-e89b-12d3-a456-426614174000 d41d8cd98f00b204e9800998ecf8427e",
    "ภาษาไทย a\u0301\u0327",
    "word " * 200,
)


def text_form(data: bytes) -> None:
    """Read a text form; write it, and read that."""
    with suppress(SimhashDocError):
        read = Fingerprint.parse(data.decode("utf-8", "surrogateescape"))
        assert Fingerprint.parse(str(read)) == read
        assert Fingerprint.parse(str(read).upper().replace("+CUSTOM", "+custom")) == read


def engines(data: bytes) -> None:
    """Compare the engines with the reference, for a text as bytes and as a str with surrogates."""
    for text in (data, data.decode("utf-16-le", "surrogatepass") if len(data) % 2 == 0 else data):
        tokens = reference.tokens(reference.decode_utf8(text) if isinstance(text, bytes) else text)
        capped = reference.capped_counts(tokens)
        lanes = 1 + len(data) % 2
        expected = reference.bit_sums(capped, lanes) if capped else [0] * 64 * lanes
        for name in available_engines():
            measured = get_engine(name).measure(text, lanes)
            found = measured.tokens, measured.distinct_tokens, list(measured.sums)
            assert found == (len(tokens), len(capped), expected), name


@cache
def available_engines() -> tuple[str, ...]:
    """Return the engines that are installed."""
    found = []
    for name in ENGINES:
        with suppress(EngineUnavailableError):
            get_engine(name)
            found.append(name)
    return tuple(found)


def requests(data: bytes) -> None:
    """Answer the requests of a runner, as the reference and as the package; a recipe may be for a text of any size."""
    if b"recipe" not in data:
        for implementation in (Implementation(), PackageImplementation()):
            with suppress(SimhashDocError):
                Adapter(implementation).serve(io.BytesIO(data), io.BytesIO())


def answers(data: bytes) -> None:
    """Read the answer of an adapter, and its handshake."""
    with suppress(PeerError):
        answer = read_line(data)
        with suppress(PeerError):
            check_outcome(answer)
        read_handshake(answer)


def entries(data: bytes) -> None:
    """Read fingerprints of any format: text lines, JSON lines, CSV, Parquet."""
    with suppress(SimhashDocError):
        reader = EntryReader()
        reader.read(io.BytesIO(data), lambda place, error: None)
        reader.entries()


def store_lines(data: bytes) -> None:
    """Read documents of a store, and queries."""
    with suppress(SimhashDocError):
        for _, record in read_objects(io.BytesIO(data)):
            for parse in (parse_item, parse_query):
                with suppress(SimhashDocError):
                    if isinstance(record, dict):
                        parse(record)


def index_header(data: bytes) -> None:
    """Open and use an index with a header of which the checksum is right."""
    with_content(with_header(index(), data))


def index_file(data: bytes) -> None:
    """Open and use an index."""
    with_content(data)


def with_content(data: bytes) -> None:
    path = folder() / "index.sdix"
    path.write_bytes(data)
    with suppress(SimhashDocError):
        use_segment(path)


@cache
def folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="simhash-doc-fuzz-"))


@cache
def index() -> bytes:
    return save_corpus(folder(), "sd64").read_bytes()


def header() -> bytes:
    """Return the header of an index."""
    start = index().index(b"{")
    return json.dumps(json.JSONDecoder().raw_decode(index()[start:].decode("latin-1"))[0]).encode()


def read_document(document_format: str, data: bytes) -> None:
    """Call the reader directly: `extract` would turn an unexpected error into an `ExtractionError`."""
    if document_format in CONTAINERS:
        for found in extract_each(io.BytesIO(data), name=file_name(document_format), limits=LIMITS):
            assert isinstance(found, ExtractedText | ExtractionError)
        return
    with suppress(ExtractionError):
        extracted = get_reader(document_format)(data, document_format, LIMITS)
        extracted.text.encode("utf-8")
        assert len(extracted.text) <= LIMITS.expanded_bytes


def read_part(document_format: str, data: bytes) -> None:
    """Read an archive with this part."""
    make, name = OFFICE[document_format]
    read_document(document_format, archive({**make(), name: data}))


def record_lengths(data: bytes) -> None:
    """Read three records whose lengths are the lines of the data: no document is a part of one that says nothing.

    A length may reach to the end of a later record, and then the document has that one's header.
    """
    lengths = (data.split(b"\n") + [b""] * 3)[:3]
    found = extract_each(io.BytesIO(b"".join(map(_record, range(3), lengths))), name="a.warc", limits=LIMITS)
    for one in found:
        if isinstance(one, ExtractedText) and not one.incomplete:
            assert one.text.strip().encode() in map(_body, range(3)) or "WARC/1.1" in one.text, one.text


def _record(number: int, length: bytes) -> bytes:
    head = b"WARC/1.1\r\nWARC-Type: resource\r\nWARC-Target-URI: http://x/%d\r\nContent-Type: text/plain\r\n" % number
    return b"%sContent-Length: %s\r\n\r\n%s\r\n\r\n" % (head, length, _body(number))


def _body(number: int) -> bytes:
    return b" ".join(b"%s%d" % (word, number) for word in b"some words of the record with the number".split())


_DOCUMENT = UnparsedDocument("a", 1)
_TASKS: tuple[Task[Any], ...] = (FingerprintTask(ReadOptions(), "sd64"), TextTask(ReadOptions(explain=True)))
_ANSWER = struct.Struct("!QQQ")


def channel(data: bytes) -> None:
    """Take the answers of a worker that was taken over, to two documents; then it is silent, or its connection ends.

    The first byte chooses the task, the end, and whether true headers are sent before the lines. A result is one that
    every format can store.
    """
    chosen, sent = (data or b"\0")[0], data[1:]
    task = _TASKS[chosen & 1]
    if chosen & 2:
        sent = b"\n" + b"".join(answer(number, line) for number, line in enumerate(sent.split(b"\n")))
    own_end, end = socket.socketpair()
    sentinel, other = socket.socketpair()
    with own_end, end, sentinel, other:
        end.sendall(sent)
        if chosen & 4:
            end.close()
        asked = Channel(own_end, sentinel.fileno())
        with suppress(BadAnswerError, NoResultError, TimeoutError, WorkerDiedError):
            for number in range(2):
                result, _ = asked.ask(number, _DOCUMENT, _Answers(task), time.monotonic() + 0.01)
                assert_storable(result)


def answer(number: int, line: bytes) -> bytes:
    """Return the answer to an item: a line of JSON and, after a tab, of text."""
    value, _, text = line.partition(b"\t")
    return _ANSWER.pack(number, len(value), len(text)) + value + text


def assert_storable(result: Result) -> None:
    """Check that a result has a value or an error, and that Parquet and JSON can store it."""
    value = result.fingerprint if isinstance(result, FingerprintResult) else getattr(result, "extracted", None)
    assert (value is None) != (result.error is None)
    json.dumps(asdict(result), default=str, allow_nan=False)
    if isinstance(result, FingerprintResult):
        pa.array([result.tokens, result.distinct_tokens], pa.int64())


def file_names(data: bytes) -> None:
    """Write a name of a file, which may be no UTF-8, in each format, and read it: it is the same."""
    name = os.fsdecode(data.replace(b"\0", b"") or b"a")
    escaped_name(name).encode("utf-8")
    assert unescaped_name(escaped_name(name)) == name
    assert name in (escaped_name(name), "") or escaped_name(escaped_name(name)) != escaped_name(name)
    columns = {"path": "string", "fingerprint": "string"}
    files = {form: io.BytesIO() for form in ("json", "csv", "text", "parquet")}
    files["json"].write(json_line({"path": name, "fingerprint": FORM}))
    files["text"].write(f"{FORM}  {escape_path(name)}\n".encode("utf-8", "surrogateescape"))
    write_csv(files["csv"], columns, [(name, FORM)])
    schema = pa.schema([(column, pa.string()) for column in columns])
    write_parquet(files["parquet"], schema, record_batches(schema, [(name, FORM)]))
    for form, file in files.items():
        reader = EntryReader()
        reader.read(io.BytesIO(file.getvalue()), lambda place, error: None)
        assert reader.entries().names == [name], form


def json_lines(*records: Mapping[str, Any]) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode()


TARGETS: dict[str, Callable[[bytes], None]] = {
    "text-form": text_form,
    "engines": engines,
    "requests": requests,
    "answers": answers,
    "entries": entries,
    "store-lines": store_lines,
    "record-lengths": record_lengths,
    "channel": channel,
    "file-names": file_names,
    "index-header": index_header,
    "index-file": index_file,
    **{name: partial(read_document, name) for name in FORMATS},
    **{f"{name}-part": partial(read_part, name) for name in OFFICE},
}


def results() -> Iterator[bytes]:
    """Yield the results of documents as workers send them."""
    extracted = ExtractedText("some words", "html", "a", ("kind: details",))
    for task in _TASKS:
        for result in (task.of_extracted("a", extracted), task.failed("a", OSError("gone"))):
            value, text = task.pack(result)
            yield json.dumps([True, value]).encode() + b"\t" + text.encode()


# A guess of the encoding takes ten times as long as UTF-8.
_UNDECLARED = "Маяк на северном рифе горит всю ночь, и рыбаки видят его издалека.\n\n".encode("cp1251") * 5


def seeds(target: str) -> list[bytes]:
    """Return ordinary inputs of a target."""
    if target in FORMATS:
        more = {"warc": samples.warc(zipped=False), "text": _UNDECLARED}
        return [sample(target), *([more[target]] if target in more else [])]
    if target.endswith("-part"):
        make, name = OFFICE[target.removesuffix("-part")]
        return [str(make()[name]).encode()]
    collection = {"collection": "c", "scheme": "sd64", "slices": 4, "provenance": [PROVENANCE]}
    asked = [
        {"op": "hello", "protocol": 1, "suite": "1"},
        *({"id": 1, "op": op, "text": text, "scheme": "sd64"} for op in ("fold", "trace", "buckets") for text in TEXTS),
        {"id": 2, "op": "decode", "text": FORM, "scheme": "sd64"},
        {"id": 3, "op": "query", "entries": [["a", FORM]], "queries": [FORM], "distance": 3},
    ]
    handshake = Adapter(Implementation()).answer({"op": "hello", "protocol": 1, "suite": "1"})
    made: dict[str, Callable[[], list[bytes]]] = {
        "text-form": lambda: [str(Fingerprint(7, scheme)).encode() for scheme in ("sd64", "sd128", "sd256", "sd512")],
        "engines": lambda: [encoded for text in TEXTS for encoded in (text.encode(), text.encode("utf-16-le"))],
        "requests": lambda: [json.dumps(one).encode() for one in asked],
        "answers": lambda: [json.dumps(one).encode() for one in (handshake, {"id": 1, "result": [1, "x", {}]})],
        "entries": lambda: [
            json_lines(ENTRY, ENTRY),
            f"{FORM}  a\n{FORM}\n".encode(),
            f"path,fingerprint\na,{FORM}\n".encode(),
        ],
        "store-lines": lambda: [
            json_lines({**ENTRY, "metadata": {"k": [1]}, "time": "2024-01-01T00:00:00Z"}, collection)
        ],
        "record-lengths": lambda: [b"%d\n%d\n%d" % ((len(_body(0)),) * 3), b"1\n-1\n99999", b"\n 7 \n+7"],
        "channel": lambda: [bytes([kind]) + one + b"\n" + one for kind in range(8) for one in results()],
        "file-names": lambda: [b"a b.txt", b"caf\xe9", rb"caf\udce9", "a\xa0東京\n\u202e".encode(), b'\\\xff\r,"'],
        "index-header": lambda: [header()],
        "index-file": lambda: [index()],
    }
    return made[target]()
