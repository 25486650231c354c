"""`simhash-doc archive`: lines of an index get the fingerprints of their captures, and pages their changes."""

from __future__ import annotations

import io
import json
from itertools import pairwise
from pathlib import Path

import pytest

from benchmarks.others import wayback_base64
from simhash_doc import fingerprint
from simhash_doc.cli import archive as command
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.integrations.archive import Captures
from tests.commands import run

pytest.importorskip("warcio")
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

MILL = "The tide mill of the bay ground flour for the parish whenever the sea allowed it"
# Time, path, text, headers of the record.
CAPTURES = [
    ("20200101000000", "a", f"{MILL} by day.", {}),
    ("20210101000000", "a", f"{MILL} by night.", {}),
    ("20220101000000", "a", f"{MILL} by night.", {}),
    ("20200101000000", "b", "", {}),
    ("20200101000000", "c", MILL, {"WARC-Truncated": "length"}),
]


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    """Return a WARC file of `CAPTURES`; `crawl.cdxj` beside it has a line for each, and for a revisit of b's twin."""
    path = tmp_path / "crawl.warc.gz"
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=True)
        for time, name, text, headers in CAPTURES:
            date = f"{time[:4]}-{time[4:6]}-{time[6:8]}T{time[8:10]}:{time[10:12]}:{time[12:]}Z"
            http = StatusAndHeaders("200 OK", [("Content-Type", "text/html; charset=utf-8")], protocol="HTTP/1.1")
            page = io.BytesIO(f"<html><body><p>{text}</p></body></html>".encode())
            record = writer.create_warc_record(
                f"https://example.org/{name}", "response", page, http_headers=http,
                warc_headers_dict={"WARC-Date": date, **headers},
            )  # fmt: skip
            writer.write_record(record)
    lines = [line(name, time, digest=text) for time, name, text, _ in CAPTURES]
    lines.insert(3, line("a", "20230101000000", digest=CAPTURES[0][2], mime="warc/revisit"))
    (tmp_path / "crawl.cdxj").write_text("".join(lines), encoding="utf-8")
    return path


def line(name: str, time: str, **members: str) -> str:
    return f"org,example)/{name} {time} {json.dumps({'url': f'https://example.org/{name}', **members})}\n"


def annotate(crawl: Path, index: str = "crawl.cdxj") -> tuple[int, list[str]]:
    output = crawl.with_name("annotated")
    done = run("archive", "annotate", "--index", str(crawl.with_name(index)), str(crawl), "-o", str(output))
    return done.returncode, output.read_text(encoding="utf-8").splitlines()


def test_each_line_gets_its_fingerprint_and_keeps_its_bytes(crawl: Path) -> None:
    status, lines = annotate(crawl)
    assert status == 1  # the page without text
    before = crawl.with_name("crawl.cdxj").read_text(encoding="utf-8").splitlines()
    records = [json.loads(one.split(" ", 2)[2]) for one in lines]
    for old, new, record in zip(before, lines, records, strict=True):
        assert new.startswith(old[:-1])
        assert {name: value for name, value in record.items() if not name.startswith("simhash")} == json.loads(
            old.split(" ", 2)[2]
        )
    texts = [CAPTURES[at][2] for at in (0, 1, 2, 0)]  # the revisit has what its digest had
    assert [record.get("simhash") for record in records[:4]] == [str(fingerprint(text, "sd256")) for text in texts]
    assert (records[4]["simhash_error"], "simhash" in records[4]) == ("no-text", False)
    assert "WARC-Truncated" in records[5]["simhash_incomplete"]
    assert "simhash_incomplete" not in records[0]
    assert records[0]["simhash_extractor"].startswith("simhash-doc ")


def test_pages_of_wacz(crawl: Path) -> None:
    header = '{"format": "json-pages-1.0", "id": "pages"}\n'
    page = '{"id": "1", "url": "https://example.org/a", "ts": "2020-01-01T00:00:00.000Z", "title": "\\u00e9"}\n'
    crawl.with_name("pages.jsonl").write_text(header + page, encoding="utf-8")
    _, lines = annotate(crawl, "pages.jsonl")
    assert lines[0] + "\n" == header
    assert lines[1].startswith(page[:-2])
    assert json.loads(lines[1])["simhash"] == str(fingerprint(CAPTURES[0][2], "sd256"))


def test_an_annotated_index_can_be_annotated_again(crawl: Path) -> None:
    _, first = annotate(crawl)
    crawl.with_name("annotated").rename(crawl.with_name("again.cdxj"))
    assert [json.loads(one.split(" ", 2)[2]) for one in annotate(crawl, "again.cdxj")[1]] == [
        json.loads(one.split(" ", 2)[2]) for one in first
    ]


def test_an_interrupted_run_goes_on_with_the_finished_files(crawl: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    crawl.with_name("bad.cdxj").write_text("no index\n", encoding="utf-8")
    output = crawl.with_name("annotated")
    arguments = ["archive", "annotate", "--index", str(crawl.with_name("bad.cdxj")), str(crawl), "-o", str(output)]
    done = run(*arguments)
    assert (done.returncode, output.exists()) == (1, False)
    assert "line 1 is b'no index" in done.stderr
    with monkeypatch.context() as patch:
        patch.setattr(command, "fingerprint_documents", None)  # nothing is read again
        status, lines = annotate(crawl)
    assert (status, len(lines)) == (1, 6)
    assert not Path(f"{output}.parts").exists()


def test_a_folder_of_the_user_is_not_deleted(crawl: Path) -> None:
    parts = crawl.with_name("annotated.parts")
    parts.mkdir()
    (parts / "notes.txt").write_text("mine", encoding="utf-8")
    arguments = ["--index", str(crawl.with_name("crawl.cdxj")), str(crawl), "-o", str(crawl.with_name("annotated"))]
    done = run("archive", "annotate", *arguments)
    assert (done.returncode, "was not created by simhash-doc" in done.stderr) == (1, True)
    assert (parts / "notes.txt").read_text(encoding="utf-8") == "mine"


def test_captures_that_the_index_cannot_tell_apart_are_counted(crawl: Path) -> None:
    captures = Captures()
    for text in ("one", "one", "two"):
        captures.put("20200101000000", "https://example.org/", {"simhash": text})
    assert captures.ambiguous == 1


def test_an_index_of_another_crawl_is_noticed(crawl: Path) -> None:
    crawl.with_name("other.cdxj").write_text(line("z", "20200101000000"), encoding="utf-8")
    done = run("archive", "annotate", "--index", str(crawl.with_name("other.cdxj")), str(crawl), "-o", str(crawl) + "2")
    assert done.returncode == 1
    assert "is it their index?" in done.stderr


def test_changes_are_the_distances_of_successive_captures(crawl: Path) -> None:
    annotate(crawl)
    done = run("archive", "changes", str(crawl.with_name("annotated")))
    pages = [json.loads(one) for one in done.stdout.splitlines()]
    assert [page["url"][-1] for page in pages] == ["a", "c"]
    assert "1 page without a fingerprint left out" in done.stderr
    found = [Fingerprint.parse(one["simhash"]) for one in pages[0]["captures"]]
    distances = [second.distance(first) for first, second in pairwise(found)]
    assert [one["distance"] for one in pages[0]["captures"]] == [None, *distances]
    assert distances[1] == 0 < distances[0] == distances[2] == pages[0]["largest_distance"]
    assert pages[0]["versions"] == 3


def test_changes_as_answers_of_wayback_discover_diff(crawl: Path) -> None:
    annotate(crawl)
    done = run("archive", "changes", "--wayback", str(crawl.with_name("annotated")))
    years = [json.loads(one) for one in done.stdout.splitlines()]
    assert [(one["url"][-1], one["year"]) for one in years] == [
        *(("a", year) for year in ("2020", "2021", "2022", "2023")),
        ("c", "2020"),
    ]
    assert all(one["total"] == len(one["captures"]) == 1 and one["status"] == "COMPLETE" for one in years)
    [[[time, simhash]]] = [one["captures"] for one in years[:1]]
    assert time == "20200101000000"
    assert simhash == wayback_base64(fingerprint(f"{MILL} by day.", "sd256").value)
    assert run("archive", "changes", "--wayback", "annotated.cdxj", "-o", "c.html").returncode == 2


@pytest.mark.parametrize(("name", "marks"), [("c.csv", ["url,time,simhash,distance"]), ("c.html", ["<svg", "a</h2>"])])
def test_changes_as_a_table_and_as_a_page(crawl: Path, name: str, marks: list[str]) -> None:
    annotate(crawl)
    output = crawl.with_name(name)
    assert run("archive", "changes", str(crawl.with_name("annotated")), "-o", str(output)).returncode == 0
    written = output.read_text(encoding="utf-8")
    assert [mark for mark in marks if mark not in written] == []


def test_an_index_that_is_not_sorted_is_refused(tmp_path: Path) -> None:
    index = tmp_path / "index.cdxj"
    index.write_text(line("b", "20200101000000") + line("a", "20200101000000"), encoding="utf-8")
    done = run("archive", "changes", str(index))
    assert done.returncode == 1
    assert "not sorted" in done.stderr
