"""Provenance between commands: lines that are searched, indexed and stored."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from simhash_doc.lookup import Corpus
from simhash_doc.lookup.array_file import read
from tests.commands import run
from tests.provenance import EXTRACTOR_VERSION, extracted, provenance

OLD = extracted("trafilatura", "2.0")
CUSTOM = provenance(customization={"description": "MeCab"})
OTHER_EXTRACTOR = (
    f"warning: extracted by trafilatura 2.0, earlier entries by simhash-doc {EXTRACTOR_VERSION}: "
    "distances between them are less reliable"
)


def lines(*written: object, fingerprint: str = "sd64:aaaaaaaaaaaa{}") -> bytes:
    """Return lines of one fingerprint each, with the given provenances; those that are None have none."""
    rows: list[dict[str, Any]] = []
    for number, value in enumerate(written):
        text = fingerprint.format("aceg"[number % 4])
        if isinstance(value, dict) and value.get("customization"):
            text = text.replace(":", "+custom:")
        rows.append({"id": f"d{number}", "fingerprint": text} | ({} if value is None else {"provenance": value}))
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def warnings(stderr: str) -> list[str]:
    """Return what standard error says about provenance, without the program and the name of the input."""
    return [line.partition("standard input: ")[2] for line in stderr.splitlines() if "standard input" in line]


@pytest.fixture(params=["find-all", "index build", "store add"])
def command(request: pytest.FixtureRequest, tmp_path: Path) -> list[str | Path]:
    """Each command that combines the fingerprints of its input."""
    more: dict[str, list[str | Path]] = {
        "index build": [tmp_path / "new.sdix"],
        "store add": ["--db", tmp_path / "new.sqlite"],
    }
    name: str = request.param
    return [*name.split(), *more.get(name, [])]


def test_another_extractor_is_reported_once(command: list[str | Path]) -> None:
    done = run(*command, stdin=lines(None, provenance(), extracted(), None, OLD, extracted(), OLD))
    assert warnings(done.stderr) == [f"line 5: {OTHER_EXTRACTOR}"]
    assert done.returncode == 0


def test_invalid_and_incomparable_lines_are_reported_and_all_others_used(command: list[str | Path]) -> None:
    faulty = [extracted(), {"scheme": "sd64"}, provenance("sd128"), extracted(specification="2.0.0"), OLD]
    done = run(*command, stdin=lines(*faulty))
    assert warnings(done.stderr) == [
        "line 2: 'specification' of the provenance is missing; expected a version, such as '1.0.0'",
        "line 3: the provenance is of scheme sd128, the fingerprint of sd64",
        f"line 5: {OTHER_EXTRACTOR}",
    ]
    assert done.returncode == 1


def test_a_first_line_of_another_scheme_than_its_provenance_does_not_decide_the_scheme() -> None:
    wide = lines(provenance("sd128"), fingerprint="sd128:" + "a" * 25 + "{}")
    done = run("find-all", stdin=lines(provenance("sd128")) + wide + wide)
    assert (warnings(done.stderr), done.returncode) == (
        ["line 1: the provenance is of scheme sd128, the fingerprint of sd64"],
        1,
    )
    assert json.loads(done.stdout) == {"a": "d0", "b": "d0", "distance": 0}


def test_customized_fingerprints_are_compared_with_canonical_ones_under_a_warning() -> None:
    done = run("find-all", stdin=lines(provenance(), CUSTOM))
    assert warnings(done.stderr) == [
        "line 2: warning: customized (MeCab), earlier entries not customized: distances between them are less reliable"
    ]


def test_an_index_keeps_the_provenances_of_its_entries(tmp_path: Path) -> None:
    index = tmp_path / "a.sdix"
    assert run("index", "build", index, stdin=lines(provenance(), None, extracted())).returncode == 0
    information = json.loads(run("index", "info", "--format", "json", index).stdout)
    assert information["provenance"] == [provenance(), extracted()]
    query = run("index", "query", index, stdin=lines(OLD))
    assert (warnings(query.stderr), query.returncode) == ([f"line 1: {OTHER_EXTRACTOR}"], 0)
    assert json.loads(query.stdout)["matches"]
    added = run("index", "add", index, stdin=lines(OLD))
    assert warnings(added.stderr) == [f"line 1: {OTHER_EXTRACTOR}"]
    run("index", "remove", index, stdin=lines(extracted()))
    information = json.loads(run("index", "info", "--format", "json", index).stdout)
    assert information["provenance"] == [provenance(), extracted(), OLD]
    assert run("index", "verify", index).returncode == 0


def test_an_index_without_provenance_is_written_as_before_and_can_be_used(tmp_path: Path) -> None:
    old, new = tmp_path / "old.sdix", tmp_path / "new.sdix"
    corpus = Corpus()
    corpus.insert_bulk([0, 7], ["a", "b"])
    corpus.save(old)
    assert "provenance" not in read(old, "permuted-tables").parameters
    assert json.loads(run("index", "info", "--format", "json", old).stdout)["provenance"] == []
    assert warnings(run("index", "query", old, stdin=lines(OLD)).stderr) == []
    assert warnings(run("index", "add", old, stdin=lines(OLD)).stderr) == []
    run("index", "build", new, stdin=lines(OLD))
    parameters = dict(read(new, "permuted-tables").parameters)
    assert parameters.pop("provenance") == [OLD]
    assert parameters.keys() == read(new, "permuted-tables").parameters.keys() - {"provenance"}


def test_queries_of_a_store_are_checked(tmp_path: Path) -> None:
    database = tmp_path / "a.sqlite"
    run("store", "add", "--db", database, stdin=lines(extracted()))
    found = run("store", "find", "--db", database, stdin=lines(OLD, extracted(), {"scheme": "sd64"}))
    assert warnings(found.stderr) == [
        f"line 1: {OTHER_EXTRACTOR}",
        "line 3: 'specification' of the provenance is missing; expected a version, such as '1.0.0'",
    ]
    assert (len(found.stdout.splitlines()), found.returncode) == (2, 1)


def test_collections_of_a_store_are_checked_one_by_one(tmp_path: Path) -> None:
    rows = [
        {"id": "a", "collection": "one", "fingerprint": "sd64:aaaaaaaaaaaaa", "provenance": OLD},
        {"id": "b", "collection": "two", "fingerprint": "sd64:aaaaaaaaaaaaa", "provenance": extracted()},
        {"id": "c", "collection": "wide", "fingerprint": "sd128:" + "a" * 26, "provenance": extracted(scheme="sd128")},
        {"id": "d", "collection": "two", "fingerprint": "sd64:aaaaaaaaaaaaa", "provenance": OLD},
        {"id": "e", "collection": "one", "fingerprint": "sd64:aaaaaaaaaaaaa", "provenance": extracted()},
    ]
    text = "".join(json.dumps(row) + "\n" for row in rows).encode()
    done = run("store", "add", "--existing", "replace", "--db", tmp_path / "a.sqlite", stdin=text)
    assert (warnings(done.stderr), done.returncode) == ([f"line 4: {OTHER_EXTRACTOR}"], 0)


def test_a_store_keeps_the_provenances_of_its_collections(tmp_path: Path) -> None:
    database, copy = tmp_path / "a.sqlite", tmp_path / "b.sqlite"
    run("store", "add", "--db", database, stdin=lines(provenance(), None, extracted()))
    assert warnings(run("store", "add", "--db", database, "--existing", "replace", stdin=lines(OLD)).stderr) == [
        f"line 1: {OTHER_EXTRACTOR}"
    ]
    exported = run("store", "export", "--db", database).stdout
    assert run("store", "add", "--existing", "replace", "--db", copy, stdin=exported.encode()).returncode == 0
    for path in (database, copy):
        stats = json.loads(run("store", "stats", "--db", path, "--format", "json").stdout)
        assert stats["provenance"] == [provenance(), extracted(), OLD]


def test_the_database_of_a_folder_has_its_provenance(tmp_path: Path) -> None:
    database, folder = tmp_path / "a.sqlite", tmp_path / "documents"
    folder.mkdir()
    (folder / "one.md").write_text("a few words")
    run("store", "add", "--db", database, stdin=lines(OLD))
    done = run("dedupe", "--db", database, folder)
    assert (
        f"one.md: warning: extracted by simhash-doc {EXTRACTOR_VERSION}, earlier entries by trafilatura 2.0"
        in done.stderr
    )
    assert "warning" not in run("dedupe", "--db", database, folder).stderr
    stats = json.loads(run("store", "stats", "--db", database, "--format", "json").stdout)
    assert stats["provenance"] == [OLD, extracted()]


def test_the_output_of_fingerprint_is_combined_without_a_warning(tmp_path: Path) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "a.txt").write_text("one two three four", encoding="utf-8")
    (folder / "b.html").write_text("<html><body><p>one two three four</p></body></html>", encoding="utf-8")
    written = run("fingerprint", "--format", "json", folder).stdout
    assert [json.loads(line)["provenance"] for line in written.splitlines()] == [provenance(), extracted()]
    done = run("find-all", stdin=written.encode())
    pair = {"a": str(folder / "a.txt"), "b": str(folder / "b.html"), "distance": 0}
    assert (json.loads(done.stdout), done.stderr) == (pair, "")


def test_rows_without_a_fingerprint_have_no_provenance(tmp_path: Path) -> None:
    path = tmp_path / "digits.txt"
    path.write_text("12 34", encoding="utf-8")
    traced = json.loads(run("fingerprint", "--trace", "--format", "json", path).stdout)
    assert (traced["fingerprint"], "provenance" in traced) == (None, False)
