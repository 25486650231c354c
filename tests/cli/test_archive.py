"""`simhash-doc archive`: lines of an index get the fingerprints of their captures, and pages their changes."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import random
import re
from collections.abc import Callable
from itertools import islice, pairwise, permutations
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from benchmarks.others import wayback_base64
from simhash_doc import fingerprint
from simhash_doc.cli.archive_page import replay_link
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.ingest import fingerprint_documents
from simhash_doc.integrations.archive import Captures
from tests.commands import run
from tests.extraction import warc_places
from tests.extraction.test_warc_places import FORMS
from tests.reports import parts, report_in, section, texts, tiles

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
    assert {name: value for name, value in records[4].items() if name.startswith("simhash")} == {
        "simhash_error": "no-text"
    }
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


def test_braces_in_a_key_are_no_object(crawl: Path) -> None:
    index = crawl.with_name("crawl.cdxj")
    index.write_text(index.read_text(encoding="utf-8").replace(")/a ", ")/{a} "), encoding="utf-8")
    _, first = annotate(crawl)
    crawl.with_name("annotated").rename(crawl.with_name("again.cdxj"))
    assert annotate(crawl, "again.cdxj")[1] == first


@pytest.mark.parametrize("command", [["changes"], ["annotate", "--index"]])
def test_a_line_that_is_nested_too_deeply_is_named(command: list[str], crawl: Path) -> None:
    index, depth = crawl.with_name("crawl.cdxj"), 100_000
    index.write_text("org,example)/a 20200101000000 " + '{"a":' * depth + "1" + "}" * depth + "\n", encoding="utf-8")
    given = [crawl] if command[0] == "annotate" else []
    done = run("archive", *command, index, *given, "-o", index.with_name("out.cdxj" if given else "out.jsonl"))
    assert (done.returncode, "crawl.cdxj: line 1 is " in done.stderr) == (1, True), done.stderr


def test_an_interrupted_run_goes_on_with_the_finished_files(crawl: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    crawl.with_name("bad.cdxj").write_text("no index\n", encoding="utf-8")
    output = crawl.with_name("annotated")
    arguments = ["archive", "annotate", "--index", str(crawl.with_name("bad.cdxj")), str(crawl), "-o", str(output)]
    done = run(*arguments)
    assert (done.returncode, output.exists()) == (1, False)
    assert "line 1 is b'no index" in done.stderr
    with monkeypatch.context() as patch:
        patch.setattr("simhash_doc.ingest.fingerprint_documents", None)  # nothing is read again
        status, lines = annotate(crawl)
    assert (status, len(lines)) == (1, 6)
    assert not Path(f"{output}.parts").exists()


DAMAGES: dict[str, Callable[[bytes, bytes], bytes]] = {
    "emptied": lambda data, other: b"",
    "cut after a line": lambda data, other: b"".join(data.splitlines(keepends=True)[:-1]),
    "cut within a line": lambda data, other: data[: len(data) // 2],
    "without its first line": lambda data, other: b"".join(data.splitlines(keepends=True)[1:]),
    "changed": lambda data, other: data.replace(b"2021", b"2031", 1),
    "overwritten": lambda data, other: bytes(len(data)),
    "of another WARC file": lambda data, other: other,
}


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(name, marks=[pytest.mark.slow] if 0 < at < len(DAMAGES) - 1 else [])
        for at, name in enumerate(DAMAGES)
    ],
)
def test_a_damaged_part_is_named_and_the_other_parts_are_kept(
    damage: str, crawl: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crawls = [str(crawl), str(crawl.with_name("other.warc.gz"))]
    Path(crawls[1]).write_bytes(crawl.read_bytes())
    index, output = crawl.with_name("crawl.cdxj"), crawl.with_name("annotated")
    lines = index.read_text(encoding="utf-8")
    index.write_text("no index\n", encoding="utf-8")
    arguments = ["archive", "annotate", "--index", str(index), *crawls, "-o", str(output)]
    run(*arguments)  # interrupted
    index.write_text(lines, encoding="utf-8")
    parts = sorted(Path(f"{output}.parts").glob("*.jsonl"))
    part = parts[0]
    part.write_bytes(DAMAGES[damage](part.read_bytes(), parts[1].read_bytes()))
    output.write_text("before", encoding="utf-8")
    done = run(*arguments)
    assert (done.returncode, output.read_text(encoding="utf-8")) == (1, "before")
    (named,) = [one for one in done.stderr.splitlines() if str(part) in one]
    assert "damaged" in named
    assert sum(path in named for path in crawls) == 1
    assert f"delete 1 damaged file in {output}.parts, and repeat the command" in done.stderr
    assert sorted(Path(f"{output}.parts").glob("*.jsonl")) == parts
    part.unlink()
    read = Mock(wraps=fingerprint_documents)
    monkeypatch.setattr("simhash_doc.ingest.fingerprint_documents", read)
    assert run(*arguments).returncode == 1  # the page without text
    assert read.call_count == 1
    assert output.read_text(encoding="utf-8").count('"simhash": ') == 5


@pytest.mark.parametrize("other", [["--scheme", "sd64"], ["--min-tokens", "3"], ["other.warc.gz"]])
def test_parts_of_a_run_with_other_options_are_kept(other: list[str], crawl: Path) -> None:
    index, output = crawl.with_name("crawl.cdxj"), crawl.with_name("annotated")
    lines = index.read_text(encoding="utf-8")
    index.write_text("no index\n", encoding="utf-8")
    arguments = ["archive", "annotate", "--index", str(index), str(crawl), "-o", str(output)]
    run(*arguments)  # interrupted
    index.write_text(lines, encoding="utf-8")
    kept = sorted(os.listdir(f"{output}.parts"))
    crawl.with_name("other.warc.gz").write_bytes(crawl.read_bytes())
    done = run(*arguments, *(str(crawl.with_name(one)) if one.endswith(".gz") else one for one in other))
    assert (done.returncode, output.exists()) == (1, False)
    assert "an unfinished run with other options or input (" in done.stderr
    assert sorted(os.listdir(f"{output}.parts")) == kept


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
    index, output = crawl.with_name("other.cdxj"), crawl.with_name("new.cdxj")
    done = run("archive", "annotate", "--index", index, crawl, "-o", output)
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
        ("a", year) for year in ("2020", "2021", "2022", "2023")
    ]  # not c, which was truncated
    assert all(one["total"] == len(one["captures"]) == 1 and one["status"] == "COMPLETE" for one in years)
    [[[time, simhash]]] = [one["captures"] for one in years[:1]]
    assert time == "20200101000000"
    assert simhash == wayback_base64(fingerprint(f"{MILL} by day.", "sd256").value)
    assert run("archive", "changes", "--wayback", "annotated.cdxj", "-o", "c.html").returncode == 2


@pytest.mark.parametrize(("name", "marks"), [("c.csv", ["url,time,simhash,distance"]), ("c.html", ['"plot"', 'a"'])])
def test_changes_as_a_table_and_as_a_page(crawl: Path, name: str, marks: list[str]) -> None:
    annotate(crawl)
    output = crawl.with_name(name)
    assert run("archive", "changes", str(crawl.with_name("annotated")), "-o", str(output)).returncode == 0
    written = output.read_text(encoding="utf-8")
    assert [mark for mark in marks if mark not in written] == []


def capture(time: str, text: str, *, cut: int = 0, **options: Any) -> bytes:
    """Return the record of a response, with a body from which the last `cut` bytes are missing."""
    body = f"<html><body><p>{text}</p></body></html>".encode()
    block = warc_places.http(body, f"Content-Length: {len(body)}")
    date = f"{time[:4]}-{time[4:6]}-{time[6:8]}T{time[8:10]}:{time[10:12]}:{time[12:]}Z".encode()
    written = warc_places.record(block[: len(block) - cut], uri="https://example.org/a", **options)
    return written.replace(b"2020-01-02T03:04:05Z", date)


LONG = " ".join(f"{MILL}: {''.join(letters)}." for letters in islice(permutations("millstone"), 60))
INCOMPLETE = {
    "truncated": capture("20210101000000", LONG, cut=800, fields="WARC-Truncated: length\r\n"),
    "a long length": capture("20210101000000", LONG, cut=800, length=9999),
    "a short body": capture("20210101000000", LONG, cut=800),
}


CUT = "cut by the end of the file"


@pytest.mark.parametrize(
    ("case", "form", "end"),
    [
        pytest.param(case, form, end, marks=() if (form, end) == ("zipped", b"") else pytest.mark.slow)
        for case in (*INCOMPLETE, CUT)
        for form in FORMS
        for end in (b"\r\n\r\n", b"")
    ],
)
def test_an_incomplete_capture_is_no_change(case: str, end: bytes, form: str, tmp_path: Path) -> None:
    times = [f"20{year}0101000000" for year in (20, 21, 22, 23)]
    records = [capture(time, LONG, end=end) for time in times]
    if case == CUT:
        records[3] = records[3][:-800]
    else:
        records[1] = INCOMPLETE[case].removesuffix(b"\r\n\r\n") + end
    crawl = tmp_path / "crawl.warc.gz"
    crawl.write_bytes(FORMS[form](records))
    (tmp_path / "crawl.cdxj").write_text("".join(line("a", time) for time in times), encoding="utf-8")
    annotate(crawl)
    index = str(tmp_path / "annotated")
    done = run("archive", "changes", index)
    page = json.loads(done.stdout)
    cut = times.pop(3 if case == CUT else 1)
    assert [one["time"] for one in page["captures"]] == times
    assert (page["versions"], page["largest_distance"]) == (1, 0)
    (incomplete,) = page["incomplete"]
    assert incomplete["time"] == cut
    assert incomplete["reason"]
    assert Fingerprint.parse(incomplete["simhash"]).distance(Fingerprint.parse(page["captures"][0]["simhash"])) > 0
    assert "1 incomplete capture not compared" in done.stderr
    assert incomplete["time"] not in run("archive", "changes", "--wayback", index).stdout
    run("archive", "changes", index, "-o", str(tmp_path / "c.csv"))
    rows = list(csv.DictReader((tmp_path / "c.csv").open(encoding="utf-8", newline="")))
    assert [row["time"] for row in rows] == sorted([*times, cut])
    assert [(row["distance"], row["incomplete"]) for row in rows if row["incomplete"]] == [("", incomplete["reason"])]


PAGE = "<title>Two stones</title><h1>Two stones</h1>" + "".join(
    f"<p>The mill had {number} pairs of stones, and rye went first on the market day of that year.</p>"
    for number in ("two", "three", "four")
)
STAND_INS = {
    "error-page": "<title>Page not found</title><h1>Page not found</h1><p>The page that you look for does not exist.",
    "consent": "<title>Mill</title><p>We and our partners use cookies. Accept all cookies, or reject all.",
    "robot-check": "<title>Just a moment...</title><p>Checking your browser before you go on.",
    "script-only": "<title>Mill</title><p>Please enable JavaScript to view this site.",
}


def pages_crawl(folder: Path, pages: list[str], *, cut: int = -1) -> Path:
    """Write a crawl of captures of one page, a year apart, with its index; the last bytes of one can be missing."""
    times = [f"20{year}0101000000" for year in range(20, 20 + len(pages))]
    records = []
    for number, (time, body) in enumerate(zip(times, pages, strict=True)):
        fields = "WARC-Truncated: length\r\n" if number == cut else ""
        written = warc_places.record(
            warc_places.http(f"<html><body>{body}</body></html>".encode()), uri="https://example.org/a", fields=fields
        )
        date = f"{time[:4]}-01-01T00:00:00Z".encode()
        records.append(written.replace(b"2020-01-02T03:04:05Z", date))
    crawl = folder / "crawl.warc.gz"
    crawl.write_bytes(FORMS["zipped"](records))
    (folder / "crawl.cdxj").write_text("".join(line("a", time) for time in times), encoding="utf-8")
    return crawl


def test_what_stands_in_for_a_page_is_no_change(tmp_path: Path) -> None:
    changed = PAGE.replace("rye", "oats")
    crawl = pages_crawl(tmp_path, [PAGE, *STAND_INS.values(), changed])
    status, lines = annotate(crawl)
    assert status == 0
    assert [json.loads(one.split(" ", 2)[2]).get("simhash_warning") for one in lines] == [None, *STAND_INS, None]
    page = json.loads(run("archive", "changes", str(tmp_path / "annotated")).stdout)
    assert [one["warning"] for one in page["warned"]] == list(STAND_INS)
    found = [Fingerprint.parse(one["simhash"]) for one in page["captures"]]
    assert len(found) == 2
    assert page["captures"][1]["distance"] == page["largest_distance"] == found[1].distance(found[0]) > 0
    run("archive", "changes", str(tmp_path / "annotated"), "-o", str(tmp_path / "c.csv"))
    rows = list(csv.DictReader((tmp_path / "c.csv").open(encoding="utf-8", newline="")))
    assert [(row["warning"], row["distance"] != "") for row in rows] == [
        ("", False), *((warning, False) for warning in STAND_INS), ("", True)
    ]  # fmt: skip
    assert '"total": 1' in run("archive", "changes", "--wayback", str(tmp_path / "annotated")).stdout
    report = report_of(tmp_path / "annotated")
    assert len(*parts(section(report, "Captures by"), "rows")) == 1
    assert len(*parts(section(report, "Captures that are not"), "rows")) == len(STAND_INS)


def test_a_truncated_capture_without_text_is_incomplete_too(tmp_path: Path) -> None:
    _, lines = annotate(pages_crawl(tmp_path, [PAGE, "<script>var mill = 1"], cut=1))
    record = json.loads(lines[1].split(" ", 2)[2])
    assert record["simhash_error"] == "no-text"
    assert "WARC-Truncated" in record["simhash_incomplete"]


def test_captures_with_few_tokens_are_too_short_if_asked(tmp_path: Path) -> None:
    crawl = pages_crawl(tmp_path, [PAGE, "<p>The mill is closed.</p>"])
    output = tmp_path / "annotated"
    for least, errors in ((0, [None, None]), (10, [None, "too-short"])):
        done = run(
            "archive", "annotate", "--min-tokens", str(least), "--index", str(tmp_path / "crawl.cdxj"), str(crawl),
            "-o", str(output),
        )  # fmt: skip
        assert done.returncode == 0
        records = [json.loads(one.split(" ", 2)[2]) for one in output.read_text(encoding="utf-8").splitlines()]
        assert [record.get("simhash_error") for record in records] == errors
        assert ["simhash" in record for record in records] == [error is None for error in errors]


@pytest.mark.parametrize(
    ("extractors", "expected"),
    [(("a 1", "a 1", "a 1"), 0), (("a 1", "a 2", "a 2"), 1), (("a 1", "b 1", "a 1"), 2), (("", "a 1", ""), 0)],
)
def test_captures_of_different_extractors_are_noticed(
    extractors: tuple[str, ...], expected: int, tmp_path: Path
) -> None:
    index = tmp_path / "a.cdxj"
    with index.open("w") as file:
        for day, extractor in enumerate(extractors, 1):
            record = {
                "url": "https://example.org/",
                "simhash": str(Fingerprint(day, "sd256")),
                "simhash_extractor": extractor,
            }
            file.write(f"key 202601{day:02}000000 {json.dumps(record)}\n")
    done = run("archive", "changes", str(index))
    captures = json.loads(done.stdout)["captures"]
    assert [capture.get("extractor", "") for capture in captures] == [*extractors]
    noticed = re.search(r"([0-9]+) captures? compared with the text of another extractor", done.stderr)
    assert int(noticed[1] if noticed else 0) == expected
    assert ("other extractor" in "".join(texts(report_of(index)))) == bool(expected)


def test_a_revisit_is_marked(crawl: Path) -> None:
    annotate(crawl)
    page = json.loads(run("archive", "changes", str(crawl.with_name("annotated"))).stdout.splitlines()[0])
    assert [one["revisit"] for one in page["captures"]] == [False, False, False, True]
    assert page["captures"][3]["distance_from_first"] == 0 < page["captures"][3]["distance"]


def write_index(
    path: Path, pages: int, captures: int, *, changed: float = 1.0, url: str = "https://example.org/"
) -> None:
    """Write an annotated index of random fingerprints; `changed` is the share of pages that change."""
    numbers = random.Random(1)
    with path.open("w", encoding="utf-8") as file:
        for page in range(pages):
            value = numbers.getrandbits(256)
            for at in range(captures):
                if page < changed * pages and at % 3:
                    value ^= 1 << numbers.randrange(256)
                record = {"url": f"{url}{page}", "simhash": str(Fingerprint(value, "sd256"))}
                if at % 7 == 6:
                    record["simhash_incomplete"] = "truncated"
                time = f"{2000 + at // 300}{1 + at // 25 % 12:02}{1 + at % 25:02}000000"
                file.write(f"key{page:06} {time} {json.dumps(record)}\n")


def report_of(index: Path, *options: str) -> dict[str, Any]:
    output = index.with_suffix(".html")
    done = run("archive", "changes", *options, str(index), "-o", str(output))
    assert done.returncode == 0, done.stderr
    return report_in(output.read_text(encoding="utf-8"))


def test_the_page_begins_with_an_overview_and_has_all_pages_once(tmp_path: Path) -> None:
    write_index(tmp_path / "a.cdxj", 30, 8, changed=0.5)
    report = report_of(tmp_path / "a.cdxj")
    changed = section(report, "Pages whose words changed")
    assert parts(changed, "id") == [f"page-{number}" for number in range(1, 16)]
    assert len(parts(changed, "block", "plot")) == len(parts(changed, "strip")) == 15
    assert len(*parts(section(report, "Pages without"), "items")) == 15
    assert len(*parts(section(report, "Captures that are not"), "rows")) == 30
    assert report["about"].endswith("30 pages, 240 captures")
    assert report["origin"]["command"] == f"simhash-doc archive changes {tmp_path}/a.cdxj -o {tmp_path}/a.html"
    assert list(tiles(report).items())[:2] == [
        ("pages with changed words", "15"),
        ("pages without a change found", "15"),
    ]
    assert "not listed" not in "".join(texts(report))


@pytest.mark.parametrize(
    ("pages", "captures", "left"),
    [
        (1, 1, []),
        (1, 500, ["captures with smaller changes are not listed", "larger change are not drawn"]),
        (1200, 4, ["500 pages with smaller changes are not listed", "100 pages are not listed"]),
    ],
)
def test_the_size_of_the_page_is_limited_and_it_says_what_is_left_out(
    pages: int, captures: int, left: list[str], tmp_path: Path
) -> None:
    write_index(tmp_path / "a.cdxj", pages, captures, changed=0.5 if pages > 1 else 1)
    found = "".join(texts(report_of(tmp_path / "a.cdxj")))
    assert (tmp_path / "a.html").stat().st_size < 1_000_000
    assert [one for one in left if one not in found] == []
    assert ("not listed" in found) == bool(left)


def test_the_page_links_to_captures_in_a_replay_service(tmp_path: Path) -> None:
    write_index(tmp_path / "a.cdxj", 1, 8, url="https://example.org/?q='\"<b>é&n=#")
    assert parts(report_of(tmp_path / "a.cdxj"), "href") == []
    report = report_of(tmp_path / "a.cdxj", "--replay", "https://replay.example.net/{time}/{url}")
    links = parts(report, "href")
    assert links[0] == "https://replay.example.net/20000101000000/https://example.org/?q='%22%3Cb%3E%C3%A9&n=%230"
    assert len(links) == 8 + 1 + 5  # the incomplete one, and those with a change, are listed twice
    assert all(link.startswith("https://replay.example.net/") for link in links)
    assert replay_link("/r?u={url}&t={time}", "2020", "https://a.org/?b=1&c={time}") == (
        "/r?u=https%3A%2F%2Fa.org%2F%3Fb%3D1%26c%3D%7Btime%7D&t=2020"
    )


@pytest.mark.parametrize("template", ["javascript:alert({url})", "https://replay.example.net/{time}", "replay", ""])
def test_a_template_that_is_no_address_is_refused(template: str, tmp_path: Path) -> None:
    done = run("archive", "changes", "--replay", template, str(tmp_path / "a.cdxj"), "-o", str(tmp_path / "a.html"))
    assert done.returncode == 2
    assert "{url}" in done.stderr


def test_the_page_can_be_shown_whatever_its_index_holds(tmp_path: Path) -> None:
    write_index(tmp_path / "a.cdxj", 1, 2, url="https://example.org/\ud800\x1b")
    written = (tmp_path / "a.cdxj").read_text(encoding="utf-8")
    (tmp_path / "a.cdxj").write_text(written.replace("2000010", "0000000"), encoding="utf-8")  # no months
    report = report_of(tmp_path / "a.cdxj", "--replay", "/{time}/{url}")
    assert r"https://example.org/\ud800\x1b0" in texts(report)


def test_an_index_that_is_not_sorted_is_refused(tmp_path: Path) -> None:
    index = tmp_path / "index.cdxj"
    index.write_text(line("b", "20200101000000") + line("a", "20200101000000"), encoding="utf-8")
    done = run("archive", "changes", str(index))
    assert done.returncode == 1
    assert "not sorted" in done.stderr


@pytest.mark.parametrize("command", ["annotate", "changes"])
def test_an_index_that_cannot_be_read_is_named_and_not_the_output(command: str, crawl: Path) -> None:
    index = crawl.parent / "cut.cdxj.gz"
    lines = sorted(crawl.with_name("crawl.cdxj").read_bytes().splitlines(keepends=True))
    index.write_bytes(gzip.compress(b"".join(100 * line for line in lines))[:-20])
    arguments = ["--index", index, crawl] if command == "annotate" else [index]
    done = run("archive", command, *arguments, "-o", crawl.parent / "out.jsonl")
    assert done.returncode == 1
    assert f"{index}: cannot be read: the gzip data are damaged" in done.stderr
