"""Lines that cannot be stored: each is reported, and every other line is stored."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pcsv
import pyarrow.parquet as pq
import pytest

from simhash_doc import Fingerprint
from simhash_doc.entries.json_lines import JsonObject
from simhash_doc.store import BadDocumentError, Document, FingerprintStore
from simhash_doc.store.loading import Loader
from simhash_doc.store.objects import read_objects
from tests.commands import run

FIELDS = '"id": "x", "fingerprint": "larqgiqsckcca"'
BAD = {
    "year 0": f'{{{FIELDS}, "time": "0001-01-01T00:00:00+14:00"}}',
    "year 10000": f'{{{FIELDS}, "time": "9999-12-31T23:59:59-14:00"}}',
    "time without a zone": f'{{{FIELDS}, "time": "2020-01-01T00:00:00"}}',
    "no time": f'{{{FIELDS}, "time": "yesterday"}}',
    "time of another type": f'{{{FIELDS}, "time": [1]}}',
    "unknown scheme of a collection": '{"collection": "q", "scheme": "zzz", "slices": 4}',
    "too many slices": '{"collection": "q", "scheme": "sd64", "slices": 100000000000000000000000}',
    "no slices": '{"collection": "q", "scheme": "sd64", "slices": 0}',
    "boolean slices": '{"collection": "q", "scheme": "sd64", "slices": true}',
    "surrogate in a collection": '{"collection": "\\ud800", "scheme": "sd64", "slices": 4}',
    "NUL in a collection": '{"collection": "\\u0000", "scheme": "sd64", "slices": 4}',
    "empty collection": f'{{{FIELDS}, "collection": ""}}',
    "surrogate in the collection of a document": f'{{{FIELDS}, "collection": "\\ud800"}}',
    "surrogate in a scheme": '{"collection": "q", "scheme": "\\ud800", "slices": 4}',
    "surrogate in the fingerprint": '{"id": "x", "fingerprint": "\\ud800"}',
    "surrogate in an id": '{"id": "\\ud800", "fingerprint": "larqgiqsckcca"}',
    "surrogate in metadata": f'{{{FIELDS}, "metadata": {{"a": ["\\ud800"]}}}}',
    "NUL in metadata": f'{{{FIELDS}, "metadata": {{"a": {{"\\u0000": 1}}}}}}',
    "infinite metadata": f'{{{FIELDS}, "metadata": {{"a": 1e999}}}}',
    "long integer": f'{{{FIELDS}, "metadata": {{"a": {"9" * 5000}}}}}',
    "no id": '{"fingerprint": "larqgiqsckcca"}',
    "long id": f'{{"id": "{"e" * 3000}", "fingerprint": "larqgiqsckcca"}}',
    "fingerprint of another scheme": '{"id": "d", "scheme": "sd128", "fingerprint": "larqgiqsckcca"}',
    "metadata of another type": f'{{{FIELDS}, "metadata": 7}}',
    "no object": "[]",
    "deep line": f'{{{FIELDS}, "metadata": {{"a": {"[" * 100_000}{"]" * 100_000}}}}}',
    **{
        f"{n} levels as {name}": f'{{{FIELDS}, "{name}": {"[" * n}{"]" * n}}}'
        for n in (900, 960, 980)
        for name in ("id", "metadata", "uri", "time", "collection", "fingerprint")
    },
    **{f"{n} levels": f'{{{FIELDS}, "metadata": {{"a": {"[" * n}{"]" * n}}}}}' for n in (100, 400, 900, 981, 1200)},
}


def test_every_bad_line_is_reported_and_stops_no_other(store: FingerprintStore) -> None:
    """Load all with a good line before and after."""
    good = [f'{{"id": "{name}", "fingerprint": "larqgiqsckcca"}}' for name in ("first", "last")]
    lines = io.BytesIO("\n".join([good[0], *BAD.values(), good[1]]).encode())
    reported: list[str] = []
    records: list[tuple[str, JsonObject]] = []
    for place, record in read_objects(lines):
        if isinstance(record, dict):
            records.append((place, record))
        else:
            reported.append(place)
    Loader(store, lambda: store).load(records, lambda place, _: reported.append(str(place)))
    named = {f"line {number}": name for number, name in enumerate(BAD, 2)}
    assert sorted(reported) == sorted(named)
    assert sorted(document.id for document in store.documents()) == ["first", "last"]


KINDS = ("year 0", "no slices", "empty collection", "surrogate in an id", "no id", "deep line")


@pytest.mark.parametrize("line", ["", *(BAD[kind] for kind in KINDS), '{"id": "x"}', "larqgiqsckcca"])
def test_a_database_is_created_only_for_what_can_be_stored(line: str, tmp_path: Path) -> None:
    done = run("store", "add", "--db", tmp_path / "near.sqlite", stdin=line.encode())
    assert done.returncode == (1 if line else 0)
    assert list(tmp_path.iterdir()) == []
    good = b'{"id": "a", "fingerprint": "larqgiqsckcca"}'
    done = run("store", "add", "--db", tmp_path / "near.sqlite", stdin=line.encode() + b"\n" + good)
    assert "1 document added" in done.stderr
    with FingerprintStore(tmp_path / "near.sqlite", create=False) as store:
        assert [document.id for document in store.documents()] == ["a"]


@pytest.mark.parametrize("options", [["--slices", "65"], ["--collection", "\0"], ["--collection", ""]])
def test_options_that_do_not_fit_leave_no_database(options: list[str], tmp_path: Path) -> None:
    done = run("store", "add", "--db", tmp_path / "near.sqlite", *options, stdin=b"larqgiqsckcca  a")
    assert done.returncode == 1
    assert list(tmp_path.iterdir()) == []


def test_other_slices_than_those_of_the_collection_are_refused(tmp_path: Path) -> None:
    command = ("store", "add", "--db", tmp_path / "near.sqlite", "--existing", "skip", "--slices")
    for slices, status, message in (("6", 0, "1 document added"), ("4", 2, "has 6 slices"), ("6", 0, "1 skipped")):
        done = run(*command, slices, stdin=b"larqgiqsckcca  a")
        assert (done.returncode, message in done.stderr) == (status, True)


def test_metadata_is_stored_up_to_the_documented_depth(store: FingerprintStore) -> None:
    def nested(levels: int) -> dict[str, object]:
        value: object = {"name": 1}
        for _ in range(levels - 2):
            value = [value]
        return {"a": value}

    document = Document("x", Fingerprint(1), metadata=nested(100))
    store.add(document)
    stored = store.get("x")
    assert stored is not None
    assert stored.metadata == document.metadata
    assert store.find(Fingerprint(1), where={"b": 1}) == []
    with pytest.raises(BadDocumentError, match="100 levels"):
        store.add(Document("y", Fingerprint(1), metadata=nested(101)))


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("column", ["id", "path"])
def test_paths_in_a_table_are_those_of_files_and_ids_are_as_they_are(
    ending: str, column: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = pa.table({column: ["a.txt", "b#1"], "fingerprint": [str(Fingerprint(1)), str(Fingerprint(2))]})
    path = tmp_path / f"names.{ending}"
    (pcsv.write_csv if ending == "csv" else pq.write_table)(table, path)
    (tmp_path / "a.txt").touch()
    (tmp_path / "b").touch()
    monkeypatch.chdir(tmp_path)
    assert run("store", "add", "--db", "s.sqlite", path).returncode == 0
    with FingerprintStore("s.sqlite") as store:
        assert [document.id for document in store.documents()] == [
            name if column == "id" else str(tmp_path / name) for name in ("a.txt", "b#1")
        ]


@pytest.mark.parametrize("is_committed", [True, False])
@pytest.mark.parametrize("command", ["add", "add --existing skip", "add --existing replace", "dedupe"])
def test_an_interruption_beside_a_commit_counts_what_the_database_has(
    command: str, is_committed: bool, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A signal may arrive when a batch is durable, and is not counted yet, or just before."""
    (tmp_path / "in").mkdir()
    lines = [f'{{"id": "d{number}", "fingerprint": "{Fingerprint(number)}"}}\n' for number in range(7)]
    for number in range(4):
        (tmp_path / "in" / f"{number}.txt").write_text(f"the ferry to island {'abcdefgh'[number] * 3}")
    (tmp_path / "in.jsonl").write_text("".join(lines[:3]))
    assert run("store", "add", "--db", url, "--collection", "c", tmp_path / "in.jsonl").returncode == 0
    (tmp_path / "in.jsonl").write_text("".join(lines[0 if "replace" in command else 3 :]))
    original = FingerprintStore._write_batch

    def interrupted(self: FingerprintStore, documents: Sequence[Document], *, replace: bool) -> None:
        if is_committed:
            original(self, documents, replace=replace)
        raise KeyboardInterrupt

    monkeypatch.setattr(FingerprintStore, "_write_batch", interrupted)
    source = tmp_path / ("in" if command == "dedupe" else "in.jsonl")
    done = run("store", *command.split(), "--db", url, "--collection", "c", source)
    # Not "nothing is kept": the collection may be new.
    said = f"{(7 if 'replace' in command else 4) if is_committed else 0} documents stored; the same command"
    assert (done.returncode, f"simhash-doc: interrupted; {said}" in done.stderr) == (130, True), done.stderr
