"""Documents of every format on the command line: their results, their limits, and the errors of the others."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import brotli
import pyarrow.parquet as pq
import pytest

from simhash_doc import fingerprint
from simhash_doc.provenance import METADATA_KEY
from simhash_doc_extraction import CorruptDocumentError, InternalError, extract
from tests.commands import run
from tests.extraction import malicious
from tests.extraction.malicious import write_mixed
from tests.extraction.samples import FORMATS, file_name, pdf, sample, warc

URI = "https://example.org/lamp"


def write(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


@pytest.fixture
def lamps(tmp_path: Path) -> list[Path]:
    """One file of each name."""
    folder = tmp_path / "lamps"
    folder.mkdir()
    return [write(folder, f"{name}-{file_name(name)}", sample(name)) for name in FORMATS]


def test_extract_explains_what_is_kept_of_a_web_page(tmp_path: Path) -> None:
    words = "Words of the article that a reader came for, with a sentence that ends. " * 8
    page = f"<nav><a href='/'>Home</a></nav><main><h1>The title</h1><p>{words}</p></main>"
    path = write(tmp_path, "a.html", page.encode())
    shown = run("extract", "--explain", path).stdout
    assert [line[:1] for line in shown.splitlines() if line[:1] in "+-"] == ["-", "+", "+"]
    assert "Words of the article" in shown
    (row,) = map(json.loads, run("extract", "--explain", "--json", path).stdout.splitlines())
    assert [block["kept"] for block in row["blocks"]] == [False, True, True]
    assert row["text"] == "\n\n".join(block["text"] for block in row["blocks"] if block["kept"])


def test_extract_shows_the_text_that_is_fingerprinted(lamps: list[Path]) -> None:
    found = [json.loads(line) for line in run("extract", "--json", *lamps[:3]).stdout.splitlines()]
    assert [one["format"] for one in found] == list(FORMATS[:3])
    computed = [line.split("  ")[0] for line in run("fingerprint", *lamps[:3]).stdout.splitlines()]
    assert [str(fingerprint(one["text"])) for one in found] == computed
    one = run("extract", lamps[0])
    assert one.stdout == f"{found[0]['text']}\n"
    two = run("extract", lamps[0], lamps[1]).stdout
    assert two == f"==> {lamps[0]} <==\n{found[0]['text']}\n\n==> {lamps[1]} <==\n{found[1]['text']}\n"


def test_compare_and_dedupe_read_every_format(lamps: list[Path]) -> None:
    pdf_file, docx_file = (next(path for path in lamps if path.suffix == suffix) for suffix in (".pdf", ".docx"))
    assert run("compare", pdf_file, docx_file).stdout.startswith("close: ")
    report = run("dedupe", "--json", lamps[0].parent)
    (cluster,) = map(json.loads, report.stdout.splitlines())
    assert len(cluster["documents"]) == len(FORMATS)
    crawl = write(lamps[0].parent, "two.warc", warc([(f"{URI}/{at}", sample("html"), {}) for at in range(2)]))
    refused = run("compare", crawl, docx_file)
    assert (refused.returncode, "holds several documents" in refused.stderr) == (2, True)
    first, second = run("fingerprint", crawl).stdout.splitlines()
    capture = run("compare", "--explain", first.split("  ")[1], docx_file)
    assert (capture.returncode, f"which `simhash-doc fingerprint {crawl}` prints" in capture.stderr) == (2, True)
    assert run("compare", first.split("  ")[0], second.split("  ")[0]).returncode == 0


@pytest.mark.parametrize(("data", "reason"), [(b"", "is empty"), (b" \n\t\n", "contains only white space")])
def test_a_file_without_text_is_a_failure_of_extract(data: bytes, reason: str, tmp_path: Path) -> None:
    path = write(tmp_path, "blank.txt", data)
    done = run("extract", path)
    assert (done.stdout, done.stderr) == ("", f"simhash-doc: {path}: no text: the document {reason}\n")
    assert done.returncode == 1


def test_format_can_be_set(tmp_path: Path) -> None:
    page = write(tmp_path, "page.html", sample("html"))
    assert run("fingerprint", "--type", "text", page).stdout == f"{fingerprint(sample('html'))}  {page}\n"
    note = write(tmp_path, "note.txt", b"a <b>word</b>")
    assert run("extract", "--type", "html", note).stdout == "a word\n"
    assert run("extract", "--type", "nothing", note).returncode == 2


@pytest.mark.parametrize("name", ["text", "html", "pdf", "docx", "warc", "gzip"])
def test_documents_are_read_from_standard_input(name: str) -> None:
    done = run("fingerprint", "-", stdin=sample(name))
    expected = extract(sample("html" if name == "warc" else name)).text
    assert done.stdout == f"{fingerprint(expected)}  {f'-#20200102030405/{URI}' if name == 'warc' else '-'}\n"


def test_files_that_are_not_regular_are_skipped_in_a_folder(tmp_path: Path) -> None:
    write(tmp_path, "a.txt", b"one two three")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "device").symlink_to("/dev/zero")
    (tmp_path / "loop").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "self").symlink_to(tmp_path / "self")
    (tmp_path / "gone").symlink_to(tmp_path / "nothing")
    done = run("fingerprint", tmp_path)
    assert done.stdout == f"{fingerprint('one two three')}  {tmp_path / 'a.txt'}\n"
    assert done.returncode == 1
    for name, what in (
        ("pipe", "skipped: not a regular file"),
        ("device", "skipped: not a regular file"),
        ("self", "links"),
        ("gone", "No such"),
    ):
        assert any(name in line and what in line for line in done.stderr.splitlines())
    assert "loop" not in done.stderr


def test_each_failure_has_one_line_and_a_summary_ends_the_run(lamps: list[Path]) -> None:
    folder = lamps[0].parent
    for kind, data in malicious.encrypted():
        write(folder, f"secret.{kind}", data)
    write(folder, "scanned.pdf", pdf([]))
    write(folder, "picture.png", b"\x89PNG\r\n\x1a\n" + bytes(100))
    write(folder, "cut.docx", sample("docx")[:-30])
    write(folder, "empty.txt", b"")
    write(folder, "digits.txt", b"12 34")
    write(folder, "moved.warc.gz", warc(status="301 Moved"))
    done = run("fingerprint", folder)
    assert done.returncode == 1
    assert len(done.stdout.splitlines()) == len(FORMATS)
    *failures, summary = done.stderr.splitlines()
    assert len(failures) == 10
    assert "1 file of other formats skipped: image (1)" in failures.pop()
    assert "documents: 20 read, 9 failed (" in summary
    counted = dict(part.split(" ", 1)[::-1] for part in summary.split("(")[1].split(")")[0].split(", "))
    assert counted == {"encrypted": "4", "no-token": "2", "no-text": "2", CorruptDocumentError.code: "1"}
    assert summary.endswith("1 WARC record without a document skipped: status 301 (1)")


def test_limits_are_options(tmp_path: Path) -> None:
    page = write(tmp_path, "page.html", sample("html"))
    pages = write(tmp_path, "pages.pdf", pdf(["word"], pages=5))
    done = run("fingerprint", "--max-pages=4", pages)
    assert (done.returncode, "5 pages are over the limit pages=4" in done.stderr) == (1, True), done.stderr
    for wrong in ("input-size=-1", "pages=1.5", "seconds=0", "seconds=nan", "memory=1T"):
        done = run("fingerprint", f"--max-{wrong}", page)
        assert (done.returncode, done.stdout) == (2, ""), wrong


def test_plain_text_has_no_limit_on_its_size(tmp_path: Path) -> None:
    text = write(tmp_path, "a.txt", b"one two three four " * 100)
    assert run("fingerprint", "--max-input-size", "100", text).returncode == 0


def test_a_document_that_takes_too_long_names_the_option(tmp_path: Path) -> None:
    path = write(tmp_path, "a.html", sample("html"))
    done = run("fingerprint", "--max-seconds", "0.000001", path)
    reason = "the time to read it is over the limit of 1e-06 seconds, plus 1 per MiB; --max-seconds changes it"
    assert (done.returncode, done.stderr) == (1, f"simhash-doc: {path}: {reason}\n")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the memory of a process may not be limited")
def test_a_document_that_needs_too_much_memory_does_not_affect_others(tmp_path: Path) -> None:
    page = b"<html><body>" + b"<p>word</p>" * 2_000_000
    names = [write(tmp_path, "a.html", page), write(tmp_path, "b.html", sample("html"))]
    done = run("fingerprint", "--max-memory", "200MiB", *names)
    assert [line.split("  ")[1] for line in done.stdout.splitlines()] == [str(names[1])]
    assert f"{names[0]}: " in done.stderr
    assert done.returncode == 1


CRASHING = """
import ctypes, os, socket, sys, types
from pathlib import Path
from simhash_doc.cli import main
from simhash_doc_extraction import READERS

def read(data, document_format, limits):
    if b"crash" in data:
        ctypes.string_at(0)
    if b"leave" in data:
        os._exit(0)
    if b"fail" in data:
        raise KeyError("unexpected")
    if b"network" in data:
        socket.create_connection(("127.0.0.1", 9))

sys.modules["simhash_doc_extraction.crashing"] = types.ModuleType("crashing")
sys.modules["simhash_doc_extraction.crashing"].read = read
READERS["rtf"] = "crashing:read"
main()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the crashing reader is inherited by fork")
def test_a_crash_of_a_reader_affects_one_document(tmp_path: Path) -> None:
    names = []
    for kind in ("crash", "leave", "fail", "network"):
        names += [write(tmp_path, f"{kind}.rtf", b"{\\rtf1 " + kind.encode()), write(tmp_path, f"{kind}.txt", b"word")]
    command = [sys.executable, "-c", CRASHING, "fingerprint", *map(str, names)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert [line.split("  ")[1] for line in done.stdout.splitlines()] == [str(name) for name in names[1::2]]
    said = done.stderr.splitlines()
    assert [line for line in said if line.startswith("simhash-doc: ")] == said
    for line, what in zip(said, ("died twice", "died twice", "KeyError", "not allowed while a document"), strict=False):
        assert what in line
    internal = InternalError.code
    assert (done.returncode, said[-1]) == (
        1,
        f"simhash-doc: 8 documents: 4 read, 4 failed (2 worker-failed, 2 {internal})",
    )


def test_without_the_extra_text_is_read_and_the_others_say_what_to_install(tmp_path: Path) -> None:
    libraries = "brotli charset_normalizer lxml markdown_it mdit_py_plugins pypdfium2 selectolax warcio"
    absent = [*libraries.split(), "zstandard"]
    code = f"import sys; sys.modules.update(dict.fromkeys({absent})); from simhash_doc.cli import main; main()"
    kinds = ("text", "docx", "html", "markdown", "warc", "pdf")
    text, office, *others = (write(tmp_path, file_name(kind), sample(kind)) for kind in kinds)
    command = [sys.executable, "-c", code, "fingerprint", *map(str, (text, office, *others))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    # DOCX needs the standard library only.
    assert [line.split("  ")[1] for line in done.stdout.splitlines()] == [str(text), str(office)]
    assert (done.returncode, "(4 missing-extra)" in done.stderr) == (1, True)
    assert f"{others[0]}: " in done.stderr
    assert done.stderr.count("pip install 'simhash-doc[extract]'") == 2  # the first, and how many more


def test_records_without_a_document_are_counted_by_kind(tmp_path: Path) -> None:
    kinds = ["image/png", "image/gif", "text/css", "text/html"]
    responses = [(f"{URI}/{at}", b"other words", {"Content-Type": kind}) for at, kind in enumerate(kinds)]
    drawn = (
        f"{URI}/drawn",
        brotli.compress(b"p { color: red }"),
        {"Content-Type": "text/css", "Content-Encoding": "br"},
    )
    crawl = write(tmp_path, "a.warc.gz", warc([*responses, drawn]) + warc(status="404 Not Found"))
    *warnings, said = run("fingerprint", crawl).stderr.splitlines()
    skipped = "image (2), text/css (2), status 404 (1)"
    assert said == f"simhash-doc: 1 document: 1 read, 5 WARC records without a document skipped: {skipped}"
    assert [line.endswith("it has no tags, and its type is text/html") for line in warnings] == [True]


def test_warnings_are_counted_by_kind_and_are_in_the_provenance(tmp_path: Path) -> None:
    body = "<p>The old ferry left the harbour every morning.</p>"
    small = f'{body * 3}<iframe srcdoc="&lt;p&gt;word&lt;/p&gt;"></iframe>'
    names = ["a.html", "b.html", "c.html"]
    paths = [write(tmp_path, name, page.encode()) for name, page in zip(names, [small, small, body], strict=True)]
    cut = write(tmp_path, "d.mht", sample("mhtml")[:-30])
    kinds = {"frames with less text than the page not read": 2, "archives cut off, the last part as far as possible": 1}
    done = run("fingerprint", "--json", *paths, cut)
    assert done.stderr.splitlines()[-1] == (
        "simhash-doc: 3 documents with warnings: " + ", ".join(f"{kind} ({count})" for kind, count in kinds.items())
    )
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row.get("provenance", {}).get("warnings") for row in rows] == [None, None, None, kinds]
    output = tmp_path / "a.parquet"
    run("fingerprint", *paths, cut, "-o", output)
    stored = pq.ParquetFile(output)
    for metadata in (stored.metadata.metadata, stored.schema_arrow.metadata):
        assert json.loads(metadata[METADATA_KEY])["warnings"] == kinds
    lines = write(tmp_path, "a.jsonl", done.stdout.encode())
    assert run("find-all", lines).returncode == run("find-all", output).returncode == 0


def shown_at_a_terminal(*arguments: str) -> tuple[bytes, int]:
    """Return what a command prints to standard error at a terminal, and its status."""
    at_once = (
        "from simhash_doc.cli import main; from simhash_doc.console import messages; messages._INTERVAL = 0; main()"
    )
    command = [sys.executable, "-c", at_once, *arguments]
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=theirs) as process:
        os.close(theirs)
        seen = b""
        try:
            while data := os.read(ours, 4096):
                seen += data
        except OSError:  # the terminal is gone with the process
            pass
    os.close(ours)
    return seen, process.returncode


def test_a_terminal_shows_progress(tmp_path: Path) -> None:
    for at in range(40):
        write(tmp_path, f"{at}.txt", b"ordinary words")
    write(tmp_path, "empty.txt", b"")
    seen, status = shown_at_a_terminal("fingerprint", str(tmp_path))
    assert status == 1
    assert b"40 of 41 documents (97 %)" in seen
    assert b"simhash-doc: 41 documents: 40 read, 1 failed" in seen


@pytest.fixture
def searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fingerprints to search, an index of them, and a store."""
    write(tmp_path, "lines", b"\n".join(b"%016x" % at for at in range(100)))
    write(tmp_path, "named", b"sd64:larqgiqsckcca  a\nsd64:larqgiqsckcca  b\n")
    monkeypatch.chdir(tmp_path)
    assert run("index", "build", "i", "lines").returncode == 0
    assert run("store", "add", "--db", "s.sqlite", "named").returncode == 0


@pytest.mark.usefixtures("searched")
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("find-all lines", [b"100 fingerprints read", b"searching 100 fingerprints"]),
        pytest.param("index build j lines", [b"building the tables of 100 fingerprints"], marks=pytest.mark.slow),
        pytest.param("index verify i", [b"verifying "], marks=pytest.mark.slow),
        pytest.param("store add --db t.sqlite named", [b"documents stored\r\x1b[K"], marks=pytest.mark.slow),
        pytest.param("store find --db s.sqlite named", [b"2 queries answered"], marks=pytest.mark.slow),
    ],
)
def test_a_terminal_shows_what_a_search_does(arguments: str, expected: list[bytes]) -> None:
    seen, _ = shown_at_a_terminal(*arguments.split())
    assert all(text in seen for text in expected), seen
    assert b"\x1b" not in shown_at_a_terminal(*arguments.split(), "-q")[0]


@pytest.mark.parametrize("count", [50, pytest.param(300, marks=pytest.mark.slow)])
def test_a_folder_of_many_mixed_files(count: int, tmp_path: Path) -> None:
    computed = write_mixed(tmp_path, count)
    done = run("fingerprint", "--json", "--max-seconds=20", "--max-expanded-size=16M", tmp_path)
    *failures, summary = done.stderr.splitlines()
    read = {json.loads(line)["path"].partition("#")[0] for line in done.stdout.splitlines()}
    warned = [line for line in failures if ": warning: " in line]
    failed = {line.split(": ")[1].partition("#")[0] for line in failures if line not in warned}
    assert done.returncode == 1
    assert read | failed == {str(tmp_path / name) for name in computed}
    assert {str(tmp_path / name) for name, good in computed.items() if good} <= read
    assert f" {len(failed)} failed (" in summary
