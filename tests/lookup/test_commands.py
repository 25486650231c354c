"""The search commands as a user runs them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from simhash_doc import Fingerprint, fingerprint
from simhash_doc.lookup import Corpus, find_all, find_clusters
from simhash_doc.lookup.directory import MANIFEST
from tests.commands import COMMAND, objects, run
from tests.lookup.distributions import close_positions, seeded
from tests.provenance import provenance
from tests.signals import InterruptedProcess

TEXT = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "a.txt").write_text(TEXT, encoding="utf-8")
    (folder / "b.txt").write_text(TEXT.upper(), encoding="utf-8")
    (folder / "c.txt").write_text("something else altogether", encoding="utf-8")
    return folder


@pytest.fixture
def lines(folder: Path) -> bytes:
    return run("fingerprint", "--json", folder).stdout.encode()


def pairs(text: str) -> list[object]:
    return [[row["a"], row["b"]] for row in map(json.loads, text.splitlines())]


def groups(text: str) -> list[object]:
    rows = [json.loads(line) for line in text.splitlines()]
    assert [row["cluster"] for row in rows] == list(range(1, len(rows) + 1))
    assert all((row["size"], row["representative"]) == (len(row["members"]), row["members"][0]) for row in rows)
    return [row["members"] for row in rows]


def shown(value: int, form: str) -> int | str:
    if form == "decimal":
        return value
    return f"{value:016x}" if form == "hex" else str(Fingerprint(value))


@pytest.mark.parametrize("form", ["decimal", "hex", "base32"])
def test_answers_have_the_format_of_the_input(form: str) -> None:
    values = seeded("clustered", 200)
    text = "\r\n".join(str(shown(value, form)) for value in values.tolist()).encode()
    done = run("find-all", stdin=text)
    found = find_all(values)
    expected = [
        {"a": shown(a, form), "b": shown(b, form), "distance": distance}
        for (a, b), distance in zip(found.value_pairs.tolist(), found.value_distances.tolist(), strict=True)
    ]
    assert (objects(done.stdout), done.stderr, done.returncode) == (expected, "", 0)
    clusters = run("find-clusters", "--blocks", "auto", stdin=text)
    members = [[shown(value, form) for value in values[members].tolist()] for members in find_clusters(values)]
    assert (groups(clusters.stdout), clusters.stderr, clusters.returncode) == (members, "", 0)


def test_customized_fingerprints_keep_their_suffix() -> None:
    lines = b"sd64+custom:larqgiqsckcca\nsd64+custom:larqgiqsckcce\n"
    assert pairs(run("find-all", stdin=lines).stdout) == [["sd64+custom:larqgiqsckcca", "sd64+custom:larqgiqsckcce"]]


@pytest.mark.parametrize("text", [b"", b"\n\n"])
def test_an_input_without_fingerprints_gives_no_output(text: bytes) -> None:
    for command in ("find-all", "find-clusters"):
        done = run(command, stdin=text)
        assert (done.stdout, done.stderr, done.returncode) == ("", "simhash-doc: no fingerprints found\n", 0)


@pytest.mark.parametrize(
    ("arguments", "status", "reason"),
    [
        (["find-all", "--blocks", "3"], 2, "blocks is 3 for distance 3"),
        (["find-all", "--blocks", "many"], 2, "'many' is neither a number from 1 to 512 nor auto"),
        (["find-all", "absent"], 1, "absent: cannot be read: No such file"),
        (["find-all", "absent.npy"], 1, "absent.npy: cannot be read: No such file"),
        (["find-clusters", "--output", "no/such/place"], 1, "no/such/place: cannot be written"),
        (["index", "query", "absent", "larqgiqsckcca"], 1, "absent: cannot be read"),
        (["index", "info", "absent"], 1, "absent: cannot be read"),
        (["dedupe", "absent"], 1, "absent: cannot be read"),
    ],
)
def test_usage_errors_are_reported(arguments: list[str], status: int, reason: str) -> None:
    done = run(*arguments)
    assert done.returncode == status
    assert reason in done.stderr
    assert "Traceback" not in done.stderr


def test_the_nearest_of_an_index_are_shown_at_any_distance(tmp_path: Path) -> None:
    index, values = tmp_path / "index.sdix", [0b111, 0, 0b1, 0b1, 0b1100, 1 << 60]
    lines = "".join(f"{Fingerprint(value, 'sd64')}  doc{at}\n" for at, value in enumerate(values))
    assert run("index", "build", index, stdin=lines.encode()).returncode == 0
    done = run("index", "query", "--nearest", "4", "--csv", index, "0")
    assert [line.split(",")[1:3] for line in done.stdout.splitlines()[1:]] == [
        ["doc1", "0"],
        ["doc2", "1"],
        ["doc3", "1"],
        ["doc5", "1"],
        ["doc4", "2"],
    ]
    [farthest] = objects(run("index", "query", "--nearest", "40", index, str(2**64 - 1)).stdout)
    assert [match["distance"] for match in farthest["matches"]] == [61, 62, 63, 63, 64]
    assert "is not" in run("index", "query", "--nearest", "0", index, "0").stderr
    run("index", "remove", index, stdin=lines.encode())
    assert objects(run("index", "query", "--nearest", "3", index, "larqgiqsckcca").stdout)[0]["matches"] == []


def test_an_index_is_built_changed_and_queried(folder: Path, lines: bytes, tmp_path: Path) -> None:
    index = tmp_path / "index.sdix"
    assert run("index", "build", index, stdin=lines).returncode == 0
    made = fingerprint(TEXT)
    match = {"fingerprint": str(made), "distance": 0, "paths": [str(folder / "a.txt"), str(folder / "b.txt")]}
    asked = run("index", "query", index, str(made), made.hex, "0")
    answers: list[object] = [{"fingerprint": str(made), "matches": [match]}] * 2
    assert objects(asked.stdout) == [*answers, {"fingerprint": "sd64:aaaaaaaaaaaaa", "matches": []}]
    assert asked.returncode == 0

    first, *others = lines.splitlines(keepends=True)
    assert "1 path removed" in run("index", "remove", index, stdin=first).stderr
    match["paths"] = [str(folder / "b.txt")]
    answer = {"fingerprint": str(made), "path": str(folder / "b.txt"), "matches": [match]}
    assert objects(run("index", "query", index, "--trust", stdin=others[0]).stdout) == [answer]
    run("index", "remove", index, stdin=made.base32.encode())
    assert "1 fingerprint and 2 paths added, 2 now" in run("index", "add", index, stdin=lines).stderr
    information = json.loads(run("index", "info", "--json", index).stdout)
    assert information == {
        "scheme": "sd64",
        "fingerprints": 2,
        "paths": 3,
        "distance": 3,
        "blocks": 5,
        "tables": 10,
        "bytes": sum(path.stat().st_size for path in index.iterdir()),
        "segments": 2,
        "removed": 0,
        "provenance": [provenance()],
    }
    assert run("index", "verify", index).stdout == f"{index}: valid: 2 fingerprints in 2 segments\n"


def wait_for(path: Path) -> None:
    """Wait until a process that was started has created a file, and the few instructions after it."""
    end = time.monotonic() + 30
    while not path.exists():
        assert time.monotonic() < end
        time.sleep(0.01)
    time.sleep(0.2)


def test_a_corrupt_index_is_rejected(lines: bytes, tmp_path: Path) -> None:
    index = tmp_path / "index.sdix"
    run("index", "build", index, stdin=lines)
    assert run("index", "build", "--force", index, stdin=b"1\nx\n").returncode == 1
    assert "1 fingerprint" in run("index", "add", index, stdin=b"1\n2\n").stderr
    segment = min(index.glob("segment-*"))
    segment.write_bytes(segment.read_bytes()[:-1] + b"\x55")
    for command in ("verify", "query"):
        done = run("index", command, index)
        assert (done.returncode, "checksum differs" in done.stderr) == (1, True)


def test_a_degenerate_input_gives_a_warning() -> None:
    text = "\n".join(str(value & 0xFFFFFFFF) for value in seeded("random", 5000).tolist()).encode()
    done = run("find-all", "--blocks", "4", stdin=text)
    assert done.returncode == 0
    assert "warning: the fingerprints share blocks too often" in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_an_interruption_leaves_no_partial_output(tmp_path: Path) -> None:
    source, output = tmp_path / "values", tmp_path / "pairs"
    # All of them near each other: 600,000 pairs, so that writing is interrupted in its midst.
    source.write_text("\n".join(str(value) for value in range(1 << 12)), encoding="ascii")
    output.write_text("before\n", encoding="ascii")
    command = [*COMMAND, "find-all", str(source), "--output", str(output)]
    with InterruptedProcess[bytes](command, stderr=subprocess.PIPE) as process:
        while process.poll() is None and not list(tmp_path.glob(".pairs.*.part")):
            time.sleep(0.001)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert (process.returncode, b"Traceback" in errors) == (130, False)
    assert output.read_text(encoding="ascii") == "before\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pairs", "values"]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="a limit of the address space is kept on Linux only")
def test_too_many_pairs_for_the_memory_are_one_error(tmp_path: Path) -> None:
    (tmp_path / "lines").write_text("".join(f"{value:016x}\n" for value in range(1 << 14)))
    command = [*COMMAND, "find-all", "--distance", "14", str(tmp_path / "lines"), "-o", str(tmp_path / "pairs")]
    limited = ["bash", "-c", 'ulimit -v 1500000; exec "$@"', "bash", *command]
    done = subprocess.run(limited, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("simhash-doc: not enough memory")
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "pairs").exists()


def test_pairs_are_searched_by_the_first_lane(tmp_path: Path) -> None:
    wide = [Fingerprint(value, "sd256") for value in (0, 7 << 192, (7 << 192) + (1 << 20) - 1, 15 << 192, 1 << 5)]
    (tmp_path / "lines").write_text("\n".join(map(str, wide)))
    shared = ("--sd64-distance", "3", "--distance", "20", str(tmp_path / "lines"))
    rows = [json.loads(line) for line in run("find-all", *shared).stdout.splitlines()]
    near = [(0, 1), (0, 4), (1, 3), (1, 4), (1, 2)]
    assert {frozenset((row["a"], row["b"])) for row in rows} == {
        frozenset((str(wide[a]), str(wide[b]))) for a, b in near
    }
    assert len(rows) == len(near)
    assert run("find-clusters", *shared, "--memory", "300M", "-o", str(tmp_path / "out")).returncode == 0
    narrow = run("find-all", "--sd64-distance", "3", stdin=b"sd64:larqgiqsckcca")
    assert narrow.returncode == 2
    assert "a distance of sd64 needs wider fingerprints" in narrow.stderr


def test_the_parts_of_an_index_are_counted_and_merged(tmp_path: Path) -> None:
    index = tmp_path / "d"
    assert run("index", "build", index, stdin=b"1\n2\n3\n").stderr == f"{index}: 3 fingerprints\n"
    assert run("index", "add", index, stdin=b"4\n1\n").stderr == f"{index}: 1 fingerprint added, 4 now\n"
    assert run("index", "remove", index, stdin=b"2\n").stderr == f"{index}: 1 fingerprint removed, 3 fingerprints now\n"
    info = json.loads(run("index", "info", "--json", index).stdout)
    assert (info["segments"], info["removed"], info["provenance"]) == (3, 1, [])
    assert run("index", "verify", index).stdout == f"{index}: valid: 3 fingerprints in 3 segments\n"
    assert run("index", "merge", index).stderr == f"{index}: 3 segments merged, 3 fingerprints\n"
    assert run("index", "verify", index).stdout == f"{index}: valid: 3 fingerprints in 1 segment\n"


def test_an_index_is_not_replaced_by_mistake(tmp_path: Path) -> None:
    index, file, foreign = tmp_path / "d", tmp_path / "f", tmp_path / "foreign"
    run("index", "build", index, stdin=b"1\n")
    file.touch()
    foreign.mkdir()
    (foreign / "0000.sdix").touch()
    refused = {
        (index,): "exists; add to it with `index add`, or replace it with --force",
        ("--force", file): "is a file; INDEX, the first argument, is a directory",
        ("--force", foreign): "cannot be written: is a directory with another file, '0000.sdix'",
    }
    for arguments, reason in refused.items():
        done = run("index", "build", *arguments, stdin=b"2\n")
        assert (done.returncode in (1, 2), reason in done.stderr) == (True, True), done.stderr
    done = run("index", "verify", foreign)
    assert (done.returncode, "is a directory without an index: it has no manifest" in done.stderr) == (1, True)
    assert Corpus.open(index).values().tolist() == [1]
    assert run("index", "build", "--force", index, stdin=b"2\n").returncode == 0
    assert Corpus.open(index).values().tolist() == [2]


@pytest.mark.skipif(os.name == "nt", reason="locks of POSIX")
@pytest.mark.parametrize(("holder", "other"), [("remove", ["add"]), ("add", ["build", "--force"])])
def test_two_commands_do_not_write_one_index(holder: str, other: list[str], tmp_path: Path) -> None:
    index = tmp_path / "index"
    run("index", "build", index, stdin=b"1\n2\n")
    with subprocess.Popen([*COMMAND, "index", holder, str(index)], stdin=subprocess.PIPE) as process:
        try:
            wait_for(index / f".{MANIFEST}.lock")
            done = run("index", *other, index, stdin=b"3\n")
            expected = f"simhash-doc: {index}: another process is writing this index; wait until it has finished\n"
            assert (done.returncode, done.stdout, done.stderr) == (1, "", expected)
            assert Corpus.open(index).values().tolist() == [1, 2]
        finally:
            process.kill()
            process.wait()
    assert run("index", *other, index, stdin=b"3\n").returncode == 0
    assert sorted(os.listdir(index)) == sorted(Corpus.open(index).files())


VALUES = seeded("clustered", 2000)


@pytest.fixture(params=["npy", "jsonl", "base32"])
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / f"values.{request.param}"
    texts = [str(Fingerprint(value)) for value in VALUES.tolist()]
    if request.param == "npy":
        np.save(path, VALUES)
    elif request.param == "jsonl":
        path.write_text("\n".join(json.dumps({"path": f"p{at}", "fingerprint": t}) for at, t in enumerate(texts)))
    else:
        path.write_text("\n".join(texts))
    return path


def test_positions_are_shown_on_request(source: Path, tmp_path: Path) -> None:
    expected = [(*pair, int(VALUES[pair[0]] ^ VALUES[pair[1]]).bit_count()) for pair in close_positions(VALUES, 3)]
    for options in ((), ("--memory", "300M", "-o", tmp_path / "out.jsonl")):
        done = run("find-all", "--positions", source, *options)
        rows = objects(Path(options[-1]).read_text() if options else done.stdout)
        assert sorted((row["a"], row["b"], row["distance"]) for row in rows) == expected
    members = [one["members"] for one in objects(run("find-clusters", "--positions", source).stdout)]
    assert members == [group.tolist() for group in find_clusters(VALUES)]


@pytest.mark.parametrize("command", ["find-all", "find-clusters"])
def test_output_is_that_of_a_search_in_memory(command: str, source: Path, tmp_path: Path) -> None:
    expected, output = tmp_path / "expected.csv", tmp_path / "out.csv"
    assert run(command, source, "-o", expected).returncode == 0
    assert expected.stat().st_size > 10_000
    output.write_text("replaced")
    done = run(command, source, "--memory", "300M", "-o", output)
    assert (done.returncode, done.stderr) == (0, "")
    assert output.read_bytes() == expected.read_bytes()
    assert sorted(os.listdir(tmp_path)) == sorted([expected.name, output.name, source.name])


def test_usage_errors_of_searches_on_disk(tmp_path: Path) -> None:
    np.save(tmp_path / "values.npy", VALUES)
    assert "--memory requires --output FILE" in run("find-all", tmp_path / "values.npy", "--memory", "1G").stderr
    narrowed = run("find-all", tmp_path / "values.npy", "--scheme", "sd128")
    assert "has sd64 fingerprints; --scheme sd128 cannot narrow a .npy file" in narrowed.stderr
    assert narrowed.returncode == 2
    header = b"(" * 500 + b"\n"
    (tmp_path / "header.npy").write_bytes(b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header)
    damaged = run("find-all", tmp_path / "header.npy")
    assert (damaged.returncode, "is not a .npy file" in damaged.stderr, damaged.stderr.count("\n")) == (1, True, 1)
    done = run("find-all", tmp_path / "values.npy", "--memory", "100M", "-o", tmp_path / "out.jsonl")
    assert done.returncode == 2
    assert "the limit of the memory is 100 MiB; more than 256 MiB are needed" in done.stderr


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet", "txt"])
def test_positions_count_every_row_as_in_python(form: str, tmp_path: Path) -> None:
    forms = [None, "sd64:aaaaaaaaaaaac", None, "sd64:aaaaaaaaaaaae", "sd64:aaaaaaaaaaaac", None, "sd64:aaaaaaaaaaaac"]
    path = tmp_path / f"in.{form}"
    if form == "parquet":
        pq.write_table(pa.table({"fingerprint": forms}), path)
    elif form == "txt":  # which has a line that cannot be read for each missing one, and blank lines
        path.write_text("\n\n".join(one or "!" for one in forms))
    else:
        table = pa.table({"fingerprint": forms, "note": ["x"] * len(forms)})
        rows = [json.dumps(row) for row in table.to_pylist()]
        lines = rows if form == "jsonl" else ["fingerprint,note", *(f"{one or ''},x" for one in forms)]
        path.write_text("\n".join(lines))
    found = objects(run("find-all", "--json", "--positions", "--distance", "0", path).stdout)
    assert [(one["a"], one["b"]) for one in found] == [(a, b) for a, b, _ in find_all(forms, distance=0)]
    clusters = objects(run("find-clusters", "--json", "--positions", "--distance", "0", path, path).stdout)
    assert [one["members"] for one in clusters] == [[1, 4, 6, 8, 11, 13], [3, 10]]
    (tmp_path / "one.txt").write_text("sd64:aaaaaaaaaaaae\n")
    found = objects(
        run("find-all", "--json", "--positions", "--distance", "0", tmp_path / "one.txt", "--against", path).stdout
    )
    assert [(one["a"], one["b"]) for one in found] == [(0, 3)]


@pytest.mark.parametrize("command", ["find-all", "find-clusters", "index query"])
def test_ids_with_lone_surrogates_are_shown_or_refused_in_every_format(command: str, tmp_path: Path) -> None:
    r"""JSON can have them; CSV has the bytes of paths in their place, where ED A0 80 would not differ from \ud800."""
    ids = ["a\ud800", "a\udbff", "a\udc00", "a\udcff", "a\udd00", "a\udfff", "a\\ud800"]
    file, index = tmp_path / "in.jsonl", tmp_path / "index"
    file.write_text("".join(json.dumps({"id": one, "fingerprint": str(fingerprint(TEXT))}) + "\n" for one in ids))
    assert run("index", "build", index, file).returncode == 0
    inputs = [index, file] if command == "index query" else [file]
    for form in ("--json", "--text"):
        done = run(*command.split(), *inputs, form)
        assert done.returncode == 0, done.stderr
        assert all(json.dumps(one)[1:-1].replace("\\\\", "\\") in done.stdout for one in ids if one != "a\udcff")
    parquet = tmp_path / "out.parquet"
    assert run(*command.split(), *inputs, "-o", parquet).returncode == 0
    columns = pq.read_table(parquet).to_pydict().values()
    assert len({json.dumps(one) for column in columns for one in column if "a" in str(one)}) >= len(ids)
    done = run(*command.split(), *inputs, "--csv")
    assert done.returncode == 2
    assert r"an id has the lone surrogate '\ud800', which CSV does not hold" in done.stderr
