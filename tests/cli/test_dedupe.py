"""`simhash-doc dedupe`: what it reports, what it confirms, and what it lists for removal."""

from __future__ import annotations

import json
import os
import re
import shutil
import string
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from simhash_doc import fingerprint
from simhash_doc.cli import fingerprint as command_of_fingerprints
from simhash_doc.console.sizes import shown_size
from simhash_doc.duplicates import document_texts
from simhash_doc.ingest import extract_documents
from simhash_doc.store import FingerprintStore, folders
from tests.commands import run
from tests.extraction.samples import Response, sample, warc
from tests.reports import parts, plain, report_in, section, tiles
from tests.reports import texts as texts_of

WORDS = (
    "the old lamp was moved inland because every winter the sea took a part of the cliff and nobody in our parish "
    "could say how long its keeper would find enough rock below him to stand upon while ships passed north with coal "
    "timber salted herring or empty barrels so they built another tower behind two farms painted white above "
    "and red beneath"
).split()
TEXT = " ".join(f"{word} {number} {WORDS[-number % len(WORDS)]}" for number, word in enumerate(WORDS * 4))
EDITED = TEXT.replace("cliff", "rock", 1) + " with more"
OTHER = "one more document that has nothing in common with the others, as far as one can see"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    texts = {"a.txt": TEXT, "b.txt": EDITED, "copy.txt": TEXT, "other.txt": OTHER, "twin.txt": OTHER}
    Path("in").mkdir()
    for number, (name, text) in enumerate(texts.items()):
        path = Path("in", name)
        path.write_text(text, encoding="utf-8")
        os.utime(path, (1000 - number, 1000 - number))
    return tmp_path


def clusters(*arguments: str | Path, command: tuple[str, ...] = ("dedupe",)) -> list[dict[str, Any]]:
    done = run(*command, "--json", *arguments)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def kinds(cluster: dict[str, Any]) -> dict[str, str]:
    return {Path(row["path"]).name: row["kind"] for row in cluster["documents"]}


def test_exact_copies_and_near_duplicates_are_told_apart(folder: Path) -> None:
    first, second = clusters("in")
    assert kinds(first) == {"b.txt": "representative", "a.txt": "near-duplicate", "copy.txt": "near-duplicate"}
    assert kinds(second) == {"other.txt": "representative", "twin.txt": "exact"}
    near, copy = first["documents"][1:]
    assert (near["path"], copy) == ("in/a.txt", near | {"path": "in/copy.txt", "copy_of": "in/a.txt"})
    assert 0.9 < near["similarity"] < 1
    assert near["distance"] == fingerprint(TEXT, "sd256").distance(fingerprint(EDITED, "sd256"))
    assert near["differs"] == {"kept": ["rock", "with", "more"], "left_out": ["cliff"], "more": 0}
    assert near["numbers"] == "equal"
    last = run("dedupe", "in").stdout.splitlines()
    assert last[-1] == "1 exact copy, 2 near-duplicates: 2 unique documents"
    assert any(re.search(r"near-duplicate .* 9\d %  in/a.txt", line) for line in last)


def test_the_summaries_count_the_same_documents(folder: Path) -> None:
    Path("in/cut.pdf").write_bytes(b"%PDF-1.4 cut")
    done = run("dedupe", "in")
    assert done.stderr.splitlines()[-1].startswith("simhash-doc: 4 distinct documents: 3 read, 1 failed (")
    assert "\n5 documents, " in done.stdout


def test_the_largest_cluster_is_first_and_its_representative_is_chosen(folder: Path) -> None:
    for number in range(4):
        shutil.copy("in/twin.txt", f"in/twin-{number}.txt")
    for keep, name in [("longest", "b.txt"), ("oldest", "copy.txt"), ("first", "a.txt")]:
        found = [(cluster["size"], cluster["representative"]) for cluster in clusters("--keep", keep, "in")]
        assert [size for size, _ in found] == [6, 3]
        assert found[1][1] == f"in/{name}"


def test_candidates_are_not_removed(folder: Path) -> None:
    for arguments, name, kind in [
        (["--min-similarity", "100"], "b.txt", "candidate"),
        ([], "a.txt", "near-duplicate"),
    ]:
        done = run("dedupe", *arguments, "--json", "--remove-list", "remove", "in")
        found = kinds(json.loads(done.stdout.splitlines()[0]))
        assert found[name] == kind
        listed = Path("remove").read_text(encoding="utf-8").splitlines()
        assert listed == (
            ["in/copy.txt", "in/twin.txt"] if kind == "candidate" else ["in/a.txt", "in/copy.txt", "in/twin.txt"]
        )


def letters(words: int, names: list[str]) -> list[str]:
    """Return letters with one frame to people, numbered."""
    letters = string.ascii_lowercase
    frame = " ".join(f"word{letters[at % 26]}{letters[at // 26]}" for at in range(words))
    return [f"Dear {name}, your order {number} of today {frame}" for number, name in enumerate(names)]


@pytest.mark.parametrize("command", [("dedupe",), ("store", "dedupe", "--db", "near.sqlite")])
def test_letters_with_numbers_of_their_own_are_kept(command: tuple[str, ...], folder: Path) -> None:
    names = [f"{first}{last}" for first in WORDS[:6] for last in WORDS[1:7]]
    Path("letters").mkdir()
    for number, text in enumerate([*letters(300, names), letters(300, names)[0].upper()]):
        Path("letters", f"{number}.txt").write_text(text, "utf-8")
    done = run(*command, "--json", "--remove-list", "remove", "letters")
    (cluster,) = [json.loads(line) for line in done.stdout.splitlines()]
    assert cluster["size"] == len(names) + 1
    assert len(Path("remove").read_text().splitlines()) == 1
    kept = [row for row in cluster["documents"] if row.get("kept_by_numbers")]
    assert all(row["differs"]["kept"] for row in kept if row["kind"] == "candidate")
    told = f"{len(kept)} documents kept because of their numbers; --numbers ignore makes them near-duplicates"
    assert len(kept) == len(names) - 1
    assert told in done.stderr
    dropped = run(*command, "-q", "--numbers", "ignore", "--remove-list", "remove", "letters")
    assert len(Path("remove").read_text().splitlines()) == len(names)
    # Of a list of names alone, nobody sees what is lost: so --quiet does not hide it.
    assert "near-duplicates with numbers that the representative lacks; --numbers keep makes them" in dropped.stderr
    shown = run(*command, "-q", "--numbers", "ignore", "--remove-list", "remove", "--html", "page.html", "letters")
    assert "numbers" not in shown.stderr


def test_words_that_a_remove_list_does_not_show_are_told(folder: Path) -> None:
    Path("letters").mkdir()
    frame = letters(100, [""])[0]
    for name in WORDS[:3]:
        Path("letters", f"{name}.txt").write_text(f"Dear {name}, {frame}", "utf-8")
    told = "2 near-duplicates with other words than the representative; --min-similarity 100 makes them candidates"
    assert told in run("dedupe", "--remove-list", "remove", "letters").stderr
    assert run("dedupe", "letters").stderr == ""  # the report lists the words
    done = run("dedupe", "--min-similarity", "100", "--remove-list", "remove", "letters")
    assert (done.stderr, Path("remove").read_text()) == ("", "")


def test_another_order_or_another_symbol_is_told(folder: Path) -> None:
    Path("leave").mkdir()
    frame = letters(60, ["Ana"])[0]
    for name, mark in (("a", "☑ granted ☐ refused"), ("b", "☐ granted ☑ refused")):
        Path("leave", f"{name}.txt").write_text(f"{frame} {mark}", "utf-8")
    (cluster,) = clusters("leave")
    assert cluster["documents"][1]["differs"] == {"kept": [], "left_out": [], "more": 0, "order_or_symbols": True}
    assert "the same words and numbers, but their order or the symbols differ" in run("dedupe", "leave").stdout
    (cluster,) = clusters("leave", "--min-similarity", "100")
    assert cluster["documents"][1]["kind"] == "candidate"


def test_a_store_does_not_take_the_text_of_a_file_that_has_changed(folder: Path) -> None:
    """The store has the fingerprint of the old text: what the file says now confirms nothing."""
    run("store", "dedupe", "--db", "near.sqlite", "in")
    Path("in/a.txt").write_text(OTHER.upper(), "utf-8")
    Path("in/copy.txt").unlink()
    Path("more").mkdir()
    Path("more/new.txt").write_text(TEXT, "utf-8")
    done = run("store", "dedupe", "--db", "near.sqlite", "--json", "more")
    first = max(map(json.loads, done.stdout.splitlines()), key=lambda cluster: int(cluster["size"]))
    unconfirmed = {Path(row["path"]).name for row in first["documents"] if row.get("unconfirmed")}
    assert {"a.txt", "copy.txt"} <= unconfirmed
    assert f"{len(unconfirmed)} candidates unconfirmed: the text of the document" in done.stderr


def test_a_chain_removes_nothing(folder: Path) -> None:
    """Each of three files is near the next, and the third is not near the first."""
    words = [*map(str.lower, string.ascii_letters), *WORDS]
    Path("chain").mkdir()
    for number in range(3):
        changed = [f"{word}x" for word in words[: 8 * number]]
        Path("chain", f"{number}.txt").write_text(" ".join([*changed, *words[8 * number :]]), encoding="utf-8")
    prints = [fingerprint(Path("chain", f"{number}.txt").read_text(), "sd256") for number in range(3)]
    most = max(prints[0].distance(prints[1]), prints[1].distance(prints[2]))
    assert prints[0].distance(prints[2]) > most
    arguments = ("--scheme", "sd256", "--distance", str(most), "--keep", "first", "--min-similarity", "1")
    for command in (("dedupe",), ("store", "dedupe", "--db", "near.sqlite")):
        (cluster,) = clusters(*arguments, "--remove-list", "remove", "chain", command=command)
        assert kinds(cluster) == {"0.txt": "representative", "1.txt": "near-duplicate"}
        assert [Path(line).name for line in Path("remove").read_text().splitlines()] == ["1.txt"]


@pytest.mark.parametrize("command", ["dedupe", pytest.param("store dedupe", marks=pytest.mark.slow)])
@pytest.mark.parametrize(("keep", "expected"), [("oldest", ["old", "page", "new"]), ("newest", ["new", "page", "old"])])
def test_the_age_of_a_document_of_a_web_archive_is_that_of_its_capture(
    command: str, keep: str, expected: list[str], folder: Path
) -> None:
    """Not that of the file that is older, and not that of a file on the disk that was modified later."""
    page = warc([("https://example.org/", f"<html><body><p>{TEXT}</p></body></html>".encode(), {})], zipped=False)
    for name, year, modified in (("new", b"2021", 0), ("old", b"1999", 10**9), ("none", b"", 1)):
        date = year and year + b"-01-02T03:04:05Z"
        Path(f"{name}.warc").write_bytes(page.replace(b"2020-01-02T03:04:05Z", date))
        os.utime(f"{name}.warc", (modified, modified))
    Path("page.txt").write_text(TEXT, encoding="utf-8")
    seconds = datetime(2010, 1, 1, tzinfo=UTC).timestamp()
    os.utime("page.txt", (seconds, seconds))
    given = ("none.warc", "new.warc", "old.warc", "page.txt", "--keep", keep)
    database = ("--db", "near.sqlite") if command == "store dedupe" else ()
    (cluster,) = clusters(*database, *given, command=tuple(command.split()))
    names = re.findall(r"(\w+)\.(?:warc|txt)", "\n".join(row["path"] for row in cluster["documents"]))
    assert names == [*expected, "none"]


@pytest.mark.parametrize("keep", ["longest", "oldest", "newest", "first"])
@pytest.mark.parametrize("numbers", ["keep", "ignore"])
def test_what_is_listed_for_removal_leaves_every_text(folder: Path, keep: str, numbers: str) -> None:
    Path("in/link.txt").symlink_to("a.txt")
    os.link("in/b.txt", "in/hard.txt")
    before = sorted(os.listdir("in"))
    arguments = ["dedupe", "--keep", keep, "--numbers", numbers, "--remove-list", "remove"]
    done = run(*arguments, "in/link.txt", "in", "./in/../in", "in/b.txt")
    assert done.returncode == 0
    assert sorted(os.listdir("in")) == before
    *paths, rest = Path("remove").read_text(encoding="utf-8").split("\n")
    assert (rest, len(set(paths))) == ("", len(paths))
    for path in paths:
        os.remove(path)
    left = [path.read_text(encoding="utf-8") for path in sorted(Path("in").iterdir()) if path.exists()]
    assert OTHER in left
    assert TEXT in left or EDITED in left
    assert left.count(OTHER) == 1


def test_names_with_line_ends_are_not_listed(folder: Path) -> None:
    Path("in/two\nlines.txt").write_text(TEXT, encoding="utf-8")
    done = run("dedupe", "--remove-list", "remove", "in")
    assert "remove leaves out 1 name with line ends" in done.stderr
    assert "lines.txt" not in Path("remove").read_text(encoding="utf-8")


def test_a_file_that_is_given_twice_counts_once(folder: Path) -> None:
    Path("in/link.txt").symlink_to("other.txt")
    os.link("in/other.txt", "in/hard.txt")
    done = run("dedupe", "in/other.txt", "in/other.txt", "./in/other.txt", "in/link.txt", "in/hard.txt")
    assert done.stdout.splitlines() == ["1 document, 0 of them in 0 clusters", "no duplicates: 1 unique document"]
    assert done.stderr.splitlines() == [
        f"simhash-doc: {path}: the same file as in/other.txt: counted once"
        for path in ("./in/other.txt", "in/link.txt", "in/hard.txt")
    ]
    assert run("dedupe", "--keep", "best", "in").returncode == 2


def test_a_text_from_standard_input_is_compared(folder: Path) -> None:
    done = run("dedupe", "--json", "-", "in/a.txt", stdin=TEXT.encode())
    (cluster,) = map(json.loads, done.stdout.splitlines())
    assert [(row["kind"], row["similarity"]) for row in cluster["documents"]] == [
        ("representative", None),
        ("near-duplicate", 1.0),
    ]


def test_a_named_file_that_is_also_found_counts_once(folder: Path) -> None:
    done = run("dedupe", "in/other.txt", "in")
    assert "5 documents, " in done.stdout
    assert "the same file" not in done.stderr


def test_each_document_is_read_once_while_the_texts_fit(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("crawl.warc").write_bytes(warc([(f"https://example.org/{at}", sample("html"), {}) for at in range(2)]))
    again: list[list[str]] = []

    def extract(files: list[str], **options: Any) -> Any:
        again.append(sorted(files))
        return extract_documents(files, **options)

    monkeypatch.setattr(document_texts, "extract_documents", extract)
    found = clusters("in", "crawl.warc")
    monkeypatch.setattr(document_texts, "_STORED_BYTES", 0)
    assert clusters("in", "crawl.warc") == found
    assert again == [[], ["crawl.warc", "in/a.txt", "in/b.txt", "in/other.txt"]]


def test_documents_of_a_crawl_are_compared_and_not_listed(folder: Path) -> None:
    crawl = warc([(f"https://example.org/{at}", sample("html"), {}) for at in range(2)])
    Path("crawl.warc").write_bytes(crawl)
    Path("copy.warc").write_bytes(crawl)
    Path("page.html").write_bytes(sample("html"))
    (cluster,) = clusters("crawl.warc", "copy.warc", "page.html", "--remove-list", "remove", "--keep", "first")
    assert [(row["path"], row["kind"]) for row in cluster["documents"]] == [
        ("crawl.warc#20200102030405/https://example.org/0", "representative"),
        ("copy.warc#20200102030405/https://example.org/0", "exact"),
        ("crawl.warc#20200102030405/https://example.org/1", "near-duplicate"),
        ("copy.warc#20200102030405/https://example.org/1", "near-duplicate"),
        ("page.html", "near-duplicate"),
    ]
    assert Path("remove").read_text() == "page.html\n"


def report(*arguments: str) -> dict[str, Any]:
    """Return the report that `dedupe` writes as a page."""
    assert run("dedupe", "--keep", "first", "--html", "report.html", *arguments).returncode in (0, 1)
    return report_in(Path("report.html").read_text(encoding="utf-8"))


def test_the_page_has_clusters_differences_and_failures(folder: Path) -> None:
    name = "in/<script>alert(1)<"
    Path(name).write_text(EDITED + " \x1b[31m<b>", encoding="utf-8")
    Path("in/bad.pdf").write_bytes(b"%PDF-1.4 <b>")
    written = report("in")
    assert "\x1b" not in "".join(texts_of(written))
    named = [[plain(row["name"]) for row in rows] for rows in parts(section(written, "Clusters"), "rows")]
    assert named[0] == [name, "in/a.txt", "in/b.txt"]
    assert any("with the same text: copy.txt" in one for one in texts_of(written))
    assert {"ins", "del"} <= {*parts(written, "style")}
    assert [one["id"] for one in parts(written, "groups")[0]] == ["cluster-1", "cluster-2"]
    assert "Nothing has been deleted." in texts_of(written)
    found = tiles(written)
    assert (found["could not be read"], found["clusters"]) == ("1", "2")
    (failure,) = section(written, "Could not be read")["blocks"][0]["rows"]
    assert plain(failure["name"]) == "in/bad.pdf"
    assert written["origin"]["command"].endswith("dedupe --keep first --html report.html in")
    assert written["heading"] == "You keep 2 of 6 documents"


def test_the_page_counts_files_that_can_be_removed_and_their_bytes(folder: Path) -> None:
    shutil.rmtree("in")
    for name, text in (("first", TEXT), ("second", TEXT), ("third", f"{TEXT} more")):
        Path(f"{name}.txt").write_text(text, encoding="utf-8")
    found = tiles(report("first.txt", "second.txt", "third.txt"))
    size = Path("second.txt").stat().st_size + Path("third.txt").stat().st_size
    assert found == {
        "documents": "3",
        "cluster": "1",
        "exact copy": "1",
        "near-duplicate": "1",
        "in 2 removable files": shown_size(size),
    }  # and none of what is zero


BY_NUMBERS = ("kept because of its numbers", "by-numbers")


def test_one_document_has_its_numbers(folder: Path) -> None:
    Path("in/invoice.txt").write_text(f"{TEXT} 17", "utf-8")
    told = run("dedupe", "--keep", "first", "in").stderr
    assert "1 document kept because of its numbers; --numbers ignore makes it a near-duplicate" in told
    told = run("dedupe", "--keep", "first", "--numbers", "ignore", "in").stderr
    assert "1 near-duplicate with numbers that the representative lacks; --numbers keep makes it a candidate" in told
    assert "candidate to look at" in tiles(report("in"))


def test_the_page_names_near_duplicates_with_other_numbers(folder: Path) -> None:
    Path("in/invoice.txt").write_text(f"{TEXT} 17", "utf-8")
    for numbers, label, kind in (("ignore", "with other numbers", "other-numbers"), ("keep", *BY_NUMBERS)):
        written = report("--numbers", numbers, "in")
        assert tiles(written)[label] == "1"
        (marked,) = [row for rows in parts(written, "rows") for row in rows if label in texts_of(row)]
        assert plain(marked["name"]) == "in/invoice.txt"
        assert kind in parts(written, "groups")[0][0]["kinds"]


def test_the_page_folds_equal_texts(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.rmtree("in")
    names = [f"{name}.html" for name in ("first", "second", "third", "fourth")]
    for name in names:
        Path(name).write_text(f"<!doctype html><!-- {name} --><p>{TEXT}</p>", encoding="utf-8")
    found = list(texts_of(report(*names)))
    assert "The text is equal to the kept one." in found
    assert "and 2 more near-duplicates with the same text: third.html, fourth.html" in found
    assert [name for name in names if name not in found] == []
    monkeypatch.setattr("simhash_doc.cli.cluster_page.STORED_CHARACTERS", 20)
    found = list(texts_of(report(*names)))
    assert found.count("The first 20 characters are equal to the kept one.") == 3  # the others may differ later
    assert "with the same text" not in "".join(found)


def test_outputs_of_the_commands_are_not_documents(folder: Path) -> None:
    expected = run("dedupe", "in").stdout
    for name in ("f.txt", "f.jsonl.txt", "f.csv"):
        kind = "json" if "json" in name else "csv" if "csv" in name else "text"
        assert run("fingerprint", "in", f"--{kind}", "-o", name).returncode == 0
    assert run("find-all", "f.txt", "--csv", "-o", "pairs.csv").returncode == 0
    assert run("find-clusters", "f.txt", "--json", "-o", "clusters.txt").returncode == 0
    assert run("find-all", "f.txt", "--json", "-o", "pairs.txt").returncode == 0
    assert run("index", "build", "x.sdix", "f.txt").returncode == 0
    assert run("index", "query", "x.sdix", "f.txt", "-o", "matches.csv").returncode == 0
    shutil.rmtree("x.sdix")
    assert run("dedupe", "in", "-o", "report.txt", "--html", "report.html").returncode == 0
    Path("one").write_text("some words")
    assert run("dedupe", "one", "-o", "none.txt").returncode == 0
    Path("one").unlink()
    members = [f"{'long name ' * 20}{at}" for at in range(30)]
    Path("large.txt").write_text(json.dumps({"cluster": 1, "size": 30, "representative": "x", "members": members}))
    written = [name for name in os.listdir() if name != "in"]
    assert len(written) == 11
    for name in written:
        done = run("dedupe", name)
        assert (done.returncode, done.stderr.count("is an output of simhash-doc, not a document")) == (1, 1), name
        assert run("fingerprint", "--type", "text", name).returncode == 0
        Path("in", name).write_bytes(Path(name).read_bytes())
    for command in (("dedupe", "in"), ("store", "dedupe", "--db", "s.sqlite", "in")):
        done = run(*command)
        assert [line.split()[-1] for line in done.stdout.splitlines()[-2:]] == [
            line.split()[-1] for line in expected.splitlines()[-2:]
        ]
        assert "11 files of other formats skipped: output of simhash-doc (11)" in done.stderr


def test_standard_output_holds_one_output(folder: Path) -> None:
    done = run("dedupe", folder, "--html", "-")
    assert (done.returncode, "standard output (-) is given for several outputs" in done.stderr) == (2, True)
    assert run("dedupe", folder, "--html", "-", "-o", folder / "r.txt").stdout.startswith("<!doctype html>")


def test_no_store_is_created_for_nothing(folder: Path) -> None:
    Path("empty").mkdir()
    Path("bad.pdf").write_bytes(b"%PDF-1.4 cut")
    for path, status in (("empty", 0), ("bad.pdf", 1)):
        assert run("store", "dedupe", "--db", "near.sqlite", path).returncode == status
        assert not [name for name in os.listdir() if name.startswith("near")]
    assert run("store", "dedupe", "--db", "near.sqlite", "--collection", "other", "in").returncode == 0
    assert run("store", "dedupe", "--db", "near.sqlite", "empty").returncode == 0
    with FingerprintStore("near.sqlite") as store:
        assert [one.name for one in store.collections()] == ["other"]


def test_a_store_is_compared_for_a_list(folder: Path) -> None:
    database = folder / "near.sqlite"
    Path("in/link.txt").symlink_to("a.txt")
    first = clusters("--db", database, "in", command=("store", "dedupe"))[0]
    assert sorted(kinds(first).values()) == ["near-duplicate", "near-duplicate", "representative"]
    done = run("store", "dedupe", "--db", database, "--json", "--keep", "first", "--remove-list", "remove", "in")
    first, _ = map(json.loads, done.stdout.splitlines())
    assert kinds(first) == {"a.txt": "representative", "b.txt": "near-duplicate", "copy.txt": "exact"}
    listed = Path("remove").read_text(encoding="utf-8").split()
    assert sorted(Path(path).name for path in listed) == ["b.txt", "copy.txt", "twin.txt"]


def test_an_interrupted_update_keeps_what_it_has_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders, "_SECONDS", 0)
    names: list[str] = []

    def version(path: str, of: Any = folders._version_of) -> Any:
        names.append(path)
        if len(names) == 4:
            raise KeyboardInterrupt
        return of(path)

    with monkeypatch.context() as patched:
        patched.setattr(folders, "_version_of", version)
        done = run("store", "dedupe", "-j", "1", "--db", "s.sqlite", "in")
    assert (done.returncode, done.stdout) == (130, "")
    assert "simhash-doc: interrupted; 3 documents stored; the same command continues with the others" in done.stderr
    with FingerprintStore("s.sqlite") as store:
        assert len(list(store.documents())) == 3  # none is hashed before those before it are stored
    assert "2 added, 0 replaced, 0 removed, 3 unchanged" in run("store", "dedupe", "--db", "s.sqlite", "in").stderr


def test_an_interrupted_run_says_what_is_done(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[object] = []

    def members(*arguments: Any, of: Any = command_of_fingerprints._members) -> Any:
        if len(shown) == 3:
            raise KeyboardInterrupt
        shown.append(arguments)
        return of(*arguments)

    monkeypatch.setattr(command_of_fingerprints, "_members", members)
    done = run("fingerprint", "--json", "in")
    assert done.returncode == 130
    told = "interrupted; 4 documents read; what is finished is printed; `store dedupe --db DATABASE` keeps what it has"
    assert told in done.stderr


@pytest.mark.parametrize(
    ("keep", "command"),
    [
        *((keep, ("dedupe",)) for keep in ("longest", "oldest", "newest", "first")),
        *((keep, ("store", "dedupe", "--db", "near.sqlite")) for keep in ("oldest", "first")),
    ],
)
def test_a_link_is_not_kept_instead_of_a_real_file(folder: Path, keep: str, command: tuple[str, ...]) -> None:
    for name in ("real", "away", "away/below"):
        Path(name).mkdir()
    Path("away/old.txt").write_text(EDITED, encoding="utf-8")
    Path("away/below/other.txt").write_text(OTHER, encoding="utf-8")
    Path("real/text.txt").write_text(TEXT, encoding="utf-8")
    Path("real/other.txt").write_text(OTHER, encoding="utf-8")
    Path("real/a-link.txt").symlink_to("../away/old.txt")
    Path("real/a-folder").symlink_to("../away/below")
    for path in ("away/old.txt", "away/below/other.txt"):
        os.utime(path, (1, 1))
    remove = ("--remove-list", "remove", "--keep", keep, "--follow")
    found = clusters(*remove, "real/a-link.txt", "real/a-folder", "real", command=command)
    assert sorted(Path(cluster["representative"]).name for cluster in found) == ["other.txt", "text.txt"]
    assert all("a-folder" not in cluster["representative"] for cluster in found)
    listed = sorted(os.path.relpath(line) for line in Path("remove").read_text(encoding="utf-8").splitlines())
    assert listed == ["real/a-folder/other.txt", "real/a-link.txt"]


def test_the_file_that_a_link_points_to_counts_and_not_the_link(folder: Path) -> None:
    Path("in/a-link.txt").symlink_to("other.txt")
    done = run("dedupe", "in/a-link.txt", "in/other.txt")
    assert done.stderr == "simhash-doc: in/a-link.txt: the same file as in/other.txt: counted once\n"


@pytest.mark.parametrize(("given", "kept"), [(("master", "inbox"), "master"), (("inbox", "master"), "inbox")])
def test_the_order_of_this_run_decides_which_stored_document_is_first(
    folder: Path, given: tuple[str, str], kept: str
) -> None:
    for number, name in enumerate(("other", "inbox", "master")):
        Path(name).mkdir()
        Path(name, "a.txt").write_text(TEXT + " more" * number, encoding="utf-8")
        run("store", "dedupe", "--db", "near.sqlite", "-q", name)
    arguments = ("--db", "near.sqlite", "--keep", "first", "--remove-list", "remove", *given)
    (cluster,) = clusters(*arguments, command=("store", "dedupe"))
    paths = [os.path.relpath(document["path"]) for document in cluster["documents"]]
    assert paths == [f"{name}/a.txt" for name in (*given, "other")]
    assert paths[0] == f"{kept}/a.txt"
    assert [os.path.relpath(path) for path in Path("remove").read_text().splitlines()] == paths[1:]


@pytest.mark.parametrize("command", [("dedupe", "--keep", "longest"), ("store", "dedupe", "--db", "near.sqlite")])
def test_protected_folders_lose_nothing(folder: Path, command: tuple[str, ...]) -> None:
    for name in ("z-safe", "z-safe/below"):
        Path(name).mkdir()
    shutil.copy("in/a.txt", "z-safe/below/a.txt")
    shutil.copy("in/other.txt", "z-safe/other.txt")
    shutil.copy("in/other.txt", "z-safe/twin.txt")
    arguments = (*command, "--never-remove", "z-safe", "--remove-list", "remove", "--json", "in", "z-safe")
    done = run(*arguments)
    assert done.returncode == 0
    found = [json.loads(line) for line in done.stdout.splitlines()]
    first = sorted(os.path.relpath(cluster["representative"]) for cluster in found)
    assert first == ["z-safe/below/a.txt", "z-safe/other.txt"]
    protected = [
        os.path.relpath(row["path"]) for cluster in found for row in cluster["documents"] if row.get("protected")
    ]
    assert sorted(protected) == ["z-safe/below/a.txt", "z-safe/other.txt", "z-safe/twin.txt"]
    listed = sorted(os.path.relpath(line) for line in Path("remove").read_text(encoding="utf-8").splitlines())
    assert listed == ["in/a.txt", "in/b.txt", "in/copy.txt", "in/other.txt", "in/twin.txt"]
    assert "remove leaves out 1 duplicate in protected places" in done.stderr
    assert run("dedupe", "--never-remove", "absent", "in").returncode == 2


@pytest.mark.parametrize("through_link", [False, True])
def test_one_file_can_be_protected(folder: Path, through_link: bool) -> None:
    shutil.copy("in/a.txt", "in/z.txt")
    Path("link").symlink_to("in")
    place = "link" if through_link else "in"
    done = run("dedupe", "--json", "--never-remove", f"{place}/z.txt", "--remove-list", "remove", "in")
    kept = {json.loads(line)["representative"] for line in done.stdout.splitlines()}
    assert "in/z.txt" in kept
    assert "in/a.txt" in Path("remove").read_text(encoding="utf-8").split()


@pytest.mark.parametrize("command", [("dedupe",), ("store", "dedupe", "--db", "near.sqlite")])
def test_the_report_lists_the_words_that_differ(folder: Path, command: tuple[str, ...]) -> None:
    letter = " ".join(f"w{at // 26:c}{at % 26 + 97:c}" for at in range(97 * 26, 97 * 26 + 60))
    Path("letters").mkdir()
    for name, words in (("a", "Ana Bell"), ("b", "Ida Hill"), ("c", "Ida\tHill")):
        Path(f"letters/{name}.txt").write_text(f"Dear {words}, {letter}", encoding="utf-8")
    lines = run(*command, "letters").stdout.splitlines()
    at = next(number for number, line in enumerate(lines) if line.endswith("b.txt"))
    assert lines[at + 1].strip() == "only in the kept text: ana, bell; only in this one: ida, hill"
    assert run(*command, "--min-similarity", "100", "letters").stdout.splitlines()[-1] == (
        "1 near-duplicate, 1 candidate: 2 unique documents"
    )


def test_letters_of_one_frame_are_compared_by_their_texts(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simhash_doc.duplicates.parts._COMPARISONS", -1)
    letter = " ".join(f"w{at // 26:c}{at % 26 + 97:c}" for at in range(97 * 26, 97 * 26 + 60))
    Path("letters").mkdir()
    for number in (1, 2):
        Path(f"letters/{number}.txt").write_text(f"{letter} {number}", encoding="utf-8")
    Path("letters/again.txt").write_text(f"{letter} 1 more", encoding="utf-8")
    Path("letters/other.txt").write_text(letter.replace("wa", "va"), encoding="utf-8")
    done = run("dedupe", "--json", "--html", "report.html", "letters")
    assert "candidates whose words differ are not listed" in done.stderr
    [cluster] = map(json.loads, done.stdout.splitlines())
    kinds = {Path(one["path"]).stem: (one["kind"], one.get("kept_by_numbers", False)) for one in cluster["documents"]}
    assert kinds == {
        "again": ("representative", False), "1": ("near-duplicate", False), "2": ("candidate", True)
    }  # fmt: skip
    assert "Candidates whose words differ are not listed" in Path("report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["letters.csv", "letters.JSONL.gz", "letters.txt"])
def test_a_table_that_is_given_as_a_document_is_told(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("id,text\n1,the tide mill\n")
    done = run("dedupe", tmp_path / name)
    assert ("is one document; `simhash-doc table dedupe` compares the rows" in done.stderr) == (name != "letters.txt")
    assert "table dedupe" not in run("dedupe", tmp_path).stderr


@pytest.mark.parametrize("command", [("dedupe",), ("store", "dedupe", "--db", "near.sqlite")])
@pytest.mark.parametrize("kind", ["files", "archive"])
def test_pages_that_differ_beside_their_texts_are_kept_at_100(
    folder: Path, kind: str, command: tuple[str, ...]
) -> None:
    article = "".join(f"<p>{(folder / 'in/a.txt').read_text(encoding='utf-8')} Part {part}.</p>" for part in "abc")
    pages = [f"<h1>Bill</h1>{article}<footer>Total {total}</footer>".encode() for total in (120, 150)]
    Path("pages").mkdir()
    if kind == "files":
        for number, page in enumerate(pages):
            Path(f"pages/{number}.html").write_bytes(page)
    else:
        captures: list[Response] = [(f"https://example.org/{number}", page, {}) for number, page in enumerate(pages)]
        Path("pages/a.warc.gz").write_bytes(warc(captures))
    assert run(*command, "pages").stdout.splitlines()[-1] == "1 near-duplicate: 1 unique document"
    done = run(*command, "--min-similarity", "100", "pages")
    assert done.stdout.splitlines()[-1] == "1 candidate: 2 unique documents"
