"""Provenance between commands: lines that are searched, indexed and stored."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.commands import run
from tests.provenance import EXTRACTOR_VERSION, extracted, provenance

OLD = extracted("trafilatura", "2.0")
CUSTOM = provenance(customization={"description": "MeCab"})
FORMS = ("txt", "jsonl")
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


def test_incomparable_lines_are_reported_and_another_extractor_once(command: list[str | Path]) -> None:
    valid = [provenance(), None, OLD, extracted(), OLD]
    faulty = [extracted(), {"scheme": "sd64"}, provenance("sd128"), extracted(specification="2.0.0"), *valid]
    done = run(*command, stdin=lines(*faulty))
    assert warnings(done.stderr) == [
        "line 2: 'specification' of the provenance is missing; expected a version, such as '1.0.0'",
        "line 3: the provenance is of scheme sd128, the fingerprint of sd64",
        f"line 7: {OTHER_EXTRACTOR}",
    ]
    assert done.returncode == 1


def test_an_index_keeps_the_provenances_of_its_entries(tmp_path: Path) -> None:
    index = tmp_path / "a.sdix"
    assert run("index", "build", index, stdin=lines(provenance(), None, extracted())).returncode == 0
    information = json.loads(run("index", "info", "--json", index).stdout)
    assert information["provenance"] == [provenance(), extracted()]
    query = run("index", "query", index, stdin=lines(OLD))
    assert (warnings(query.stderr), query.returncode) == ([f"line 1: {OTHER_EXTRACTOR}"], 0)
    assert json.loads(query.stdout)["matches"]
    added = run("index", "add", index, stdin=lines(OLD))
    assert warnings(added.stderr) == [f"line 1: {OTHER_EXTRACTOR}"]
    run("index", "remove", index, stdin=lines(extracted()))
    information = json.loads(run("index", "info", "--json", index).stdout)
    assert information["provenance"] == [provenance(), extracted(), OLD]
    assert run("index", "verify", index).returncode == 0


def test_queries_of_a_store_are_checked(tmp_path: Path) -> None:
    database = tmp_path / "a.sqlite"
    run("store", "add", "--db", database, stdin=lines(extracted()))
    found = run("store", "find", "--db", database, stdin=lines(OLD, extracted(), {"scheme": "sd64"}))
    assert warnings(found.stderr) == [
        f"line 1: {OTHER_EXTRACTOR}",
        "line 3: 'specification' of the provenance is missing; expected a version, such as '1.0.0'",
    ]
    assert (len(found.stdout.splitlines()), found.returncode) == (2, 1)


def test_a_store_keeps_the_provenances_of_its_collections(tmp_path: Path) -> None:
    database, copy = tmp_path / "a.sqlite", tmp_path / "b.sqlite"
    run("store", "add", "--db", database, stdin=lines(provenance(), None, extracted()))
    assert warnings(run("store", "add", "--db", database, "--existing", "replace", stdin=lines(OLD)).stderr) == [
        f"line 1: {OTHER_EXTRACTOR}"
    ]
    exported = run("store", "export", "--db", database).stdout
    assert run("store", "add", "--existing", "replace", "--db", copy, stdin=exported.encode()).returncode == 0
    for path in (database, copy):
        stats = json.loads(run("store", "stats", "--db", path, "--json").stdout)
        assert stats["provenance"] == [provenance(), extracted(), OLD]


def test_the_database_of_a_folder_has_its_provenance(tmp_path: Path) -> None:
    database, folder = tmp_path / "a.sqlite", tmp_path / "documents"
    folder.mkdir()
    (folder / "one.md").write_text("a few words")
    run("store", "add", "--db", database, stdin=lines(OLD))
    done = run("store", "dedupe", "--db", database, folder)
    assert (
        f"one.md: warning: extracted by simhash-doc {EXTRACTOR_VERSION}, earlier entries by trafilatura 2.0"
        in done.stderr
    )
    assert "warning" not in run("store", "dedupe", "--db", database, folder).stderr
    stats = json.loads(run("store", "stats", "--db", database, "--json").stdout)
    assert stats["provenance"] == [OLD, extracted()]


def test_rows_without_a_fingerprint_have_no_provenance(tmp_path: Path) -> None:
    path = tmp_path / "digits.txt"
    path.write_text("12 34", encoding="utf-8")
    traced = json.loads(run("fingerprint", "--trace", "--json", path).stdout)
    assert (traced["fingerprint"], "provenance" in traced) == (None, False)


def test_a_mark_is_compared_also_without_a_provenance(tmp_path: Path) -> None:
    canonical, customized = "sd64:aaaaaaaaaaaac", "sd64+custom:aaaaaaaaaaaae"
    files = {
        "canonical.txt": canonical, "customized.txt": customized, "mixed.txt": f"{canonical}\n{customized}",
        "canonical.jsonl": lines(provenance()).decode(), "customized.jsonl": lines(CUSTOM).decode(),
    }  # fmt: skip
    for name, content in files.items():
        (tmp_path / name).write_text(content + "\n")
    canonical_index, customized_index = tmp_path / "canonical.sdix", tmp_path / "customized.sdix"
    run("index", "build", canonical_index, tmp_path / "canonical.jsonl")
    run("index", "build", customized_index, tmp_path / "customized.jsonl")

    def warned(*arguments: str | Path) -> int:
        return run(*arguments).stderr.count("distances between them are less reliable")

    for command in (
        ("find-all", "mixed.txt"),
        ("find-clusters", "mixed.txt"),
        *(("find-all", f"canonical.{one}", "--against", f"customized.{other}") for one in FORMS for other in FORMS),
        *(("find-all", f"customized.{form}", "--against", canonical_index) for form in FORMS),
        *(("index", "query", canonical_index, f"customized.{form}") for form in FORMS),
        ("index", "query", canonical_index, customized),
        ("index", "query", customized_index, canonical),
        ("compare", canonical, customized),
    ):
        paths = [tmp_path / one if isinstance(one, str) and one in files else one for one in command]
        assert warned(*paths) == 1, command
    assert not warned("index", "query", customized_index, tmp_path / "customized.jsonl")
    assert not warned("find-all", tmp_path / "customized.txt", "--against", customized_index)
    assert not warned("compare", customized, customized)


def test_an_index_keeps_the_mark_of_its_fingerprints(tmp_path: Path) -> None:
    index, customized = tmp_path / "i.sdix", b"sd64+custom:aaaaaaaaaaaae  a"
    run("index", "build", index, stdin=customized)
    (tmp_path / "query.txt").write_bytes(b"sd64:aaaaaaaaaaaae  q")
    for form in ("--json", "--csv", "--text"):
        shown = run("index", "query", form, index, "sd64+custom:aaaaaaaaaaaae").stdout
        assert shown.count("sd64+custom:aaaaaaaaaaaae") == 2, shown
    assert "less reliable" in run("find-all", tmp_path / "query.txt", "--against", index).stderr
    assert json.loads(run("index", "info", "--json", index).stdout)["scheme"] == "sd64+custom"
    (tmp_path / "own.txt").write_bytes(customized)
    for command in (("add", index), ("build", "--force", index, tmp_path / "own.txt")):
        done = run("index", *command, tmp_path / "query.txt")
        assert (done.returncode, "cannot share an index" in done.stderr) == (1, True)
    assert "1 fingerprint and 1 path added" in run("index", "add", index, stdin=b"sd64+custom:aaaaaaaaaaaaa  b").stderr
