"""`find_all` of one input against another: the pairs across the two, as by comparing each with each."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simhash_doc import Fingerprint, SchemeMismatchError
from simhash_doc.arrays import ints_from_lanes, values_from_lanes
from simhash_doc.lookup import (
    Corpus,
    LookupParameterError,
    PairFile,
    find_all,
    joins,
)
from simhash_doc.schemes import get_scheme
from tests.commands import run
from tests.lookup.distributions import clustered_lanes, seeded
from tests.values import positions, to_ints


def across(new: list[int], old: list[int], distance: int) -> list[list[int]]:
    return [[i, j] for i, a in enumerate(new) for j, b in enumerate(old) if (a ^ b).bit_count() <= distance]


@pytest.mark.usefixtures("engine")
def test_larger_sides_with_equal_values_within_a_first_lane() -> None:
    values = clustered_lanes(600, 4, 26)
    new, old = to_ints(values[:200]), to_ints(values[100:])
    assert positions(find_all(values[:200], distance=26, against=values[100:])) == across(new, old, 26)
    near = [row for row in across(new, old, 26) if ((new[row[0]] ^ old[row[1]]) >> 192).bit_count() <= 3]
    found = find_all(values[:200], distance=26, sd64_distance=3, against=values[100:])
    assert positions(found) == near


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("memory", [None, 600 << 20])
@pytest.mark.parametrize("lanes", [1, pytest.param(4, marks=pytest.mark.slow)])
def test_pairs_within_a_side_take_no_time(
    lanes: int, memory: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A template on both sides: there are far more pairs within the sides than across them."""
    rng = np.random.default_rng(4)
    bits = rng.random((2500, 64 * lanes)) < 3 / (64 * lanes)
    template = np.packbits(bits, axis=1).view(">u8").astype(np.uint64) ^ rng.integers(0, 2**64, lanes, np.uint64)
    others = rng.integers(0, 2**64, (3000, lanes), np.uint64)
    new, old = np.concatenate((template[:20], others[:40])), np.concatenate((template[10:], others ^ np.uint64(1)))
    joined, blocks, distance = list[int](), 2 * lanes + 4, 4 * lanes
    real, reported, dropped = joins.matches_between, joins.Searched.reported, list[int]()

    def counted(*arguments: Any) -> Any:
        for pair in real(*arguments):
            joined.append(len(pair[0]))
            yield pair

    def seen(searched: joins.Searched, pairs: Any) -> Any:
        for pair in pairs:
            dropped.append(len(pair[0]))
            yield from reported(searched, [pair])

    monkeypatch.setattr(joins, "_DROPPED", 1000)
    monkeypatch.setattr(joins, "matches_between", counted)
    monkeypatch.setattr(joins.Searched, "reported", seen)
    output = PairFile(path=tmp_path / "pairs.npy", memory=memory) if memory else None
    found = find_all(
        values_from_lanes(new), blocks=blocks, distance=distance, against=values_from_lanes(old), output=output
    )
    assert sum(dropped) < 1_000_000 < 2500 * 2499 // 2
    assert positions(found) == across(ints_from_lanes(new), ints_from_lanes(old), distance)
    assert sum(joined) == len(found.value_pairs)


def test_masked_entries_files_and_other_forms(tmp_path: Path) -> None:
    np.save(tmp_path / "new.npy", np.array([4, 0], np.uint64))
    masked = np.ma.MaskedArray(np.array([7, 0, 4], np.uint64), [True, False, False])
    assert positions(find_all(tmp_path / "new.npy", distance=0, against=masked)) == [[0, 2], [1, 1]]
    assert positions(find_all(masked, distance=0, against=[4, 9])) == [[2, 0]]
    corpus = Corpus()
    corpus.insert(5)
    assert positions(find_all(iter([None, Fingerprint(4, "sd64")]), against=corpus.values())) == [[1, 0]]


def test_a_side_without_fingerprints_has_no_pairs_and_no_scheme() -> None:
    wide = clustered_lanes(10, 4, 2)
    none = np.empty(0, np.uint64)
    for new, old in ((none, wide), (wide, none), (none, none)):
        assert positions(find_all(new, against=old)) == []
    with pytest.raises(SchemeMismatchError, match="are of sd64, those of `against` of sd256"):
        find_all([1], against=wide)


def test_the_command_names_the_ids_of_both_sides(tmp_path: Path) -> None:
    def lines(name: str, rows: dict[str, int]) -> Path:
        path = tmp_path / name
        path.write_text("".join(f"{Fingerprint(value, 'sd64')}  {row}\n" for row, value in rows.items()))
        return path

    new = lines("new.txt", {"a": 0, "b": 1 << 40, "same": 0xFFFF})
    old = lines("old.txt", {"x": 1, "y": 0xFFFF << 20, "same": 0xFFFF})
    assert run("index", "build", tmp_path / "old", old).returncode == 0
    expected = [{"a": "a", "b": "x", "distance": 1}, {"a": "same", "b": "same", "distance": 0}]
    expected.insert(1, {"a": "b", "b": "x", "distance": 2})
    for other in ("old.txt", "old"):
        done = run("find-all", new, "--against", tmp_path / other)
        assert (done.returncode, sorted(map(json.loads, done.stdout.splitlines()), key=str)) == (0, expected)
    on_disk = tmp_path / "pairs.jsonl"
    assert run("find-all", new, "--against", old, "--memory", "300M", "-o", on_disk).returncode == 0
    assert [json.loads(line) for line in on_disk.read_text().splitlines()] == expected
    shown = run("find-all", new, "--against", old, "--positions").stdout.splitlines()
    assert [json.loads(line) for line in shown] == [
        {"a": 0, "b": 0, "distance": 1},
        {"a": 1, "b": 0, "distance": 2},
        {"a": 2, "b": 2, "distance": 0},
    ]
    assert run("find-all", "--against", "-").returncode == 2
    more = lines("more.txt", {"x": 1, "nearest": 0, "also": 0, "same": 0xFFFF})
    nearest = run("find-all", new, "--against", more, "--nearest", "1", "--distance", "3").stdout.splitlines()
    assert [tuple(json.loads(line).values()) for line in nearest] == [
        ("a", "nearest", 0),
        ("b", "nearest", 1),
        ("same", "same", 0),
    ]
    assert run("find-all", new, "--nearest", "1").returncode == 2


@pytest.mark.parametrize("scheme", ["sd64", "sd256"])
@pytest.mark.parametrize("named", [True, False])
def test_the_nearest_at_any_distance_are_those_of_sorting_all(tmp_path: Path, scheme: str, named: bool) -> None:
    """Without ids, a fingerprint counts once, however often it is there."""
    chosen = random.Random(3)
    sides = [[Fingerprint(chosen.getrandbits(6) << 55, get_scheme(scheme)) for _ in range(size)] for size in (20, 90)]
    for name, side in zip(("new", "old"), sides, strict=True):
        lines = (f"{one}  {name}{at}\n" if named else f"{one}\n" for at, one in enumerate(side))
        (tmp_path / name).write_text("".join(lines))
    if not named:
        sides = [sorted({*side}, key=lambda one: one.value) for side in sides]
    expected = []
    for at, one in enumerate(sides[0]):
        order = sorted(range(len(sides[1])), key=lambda place: (one.distance(sides[1][place]), place))
        for place in order[:7]:
            ends = (f"new{at}", f"old{place}") if named else (str(one), str(sides[1][place]))
            expected.append((*ends, one.distance(sides[1][place])))
    command: tuple[str | Path, ...] = ("find-all", tmp_path / "new", "--against", tmp_path / "old", "--nearest")
    assert [tuple(json.loads(line).values()) for line in run(*command, "7").stdout.splitlines()] == expected
    assert len(run(*command, "1000").stdout.splitlines()) == len(sides[0]) * len(sides[1])
    within = run(*command, "7", "--distance", "1").stdout.splitlines()
    assert [tuple(json.loads(line).values()) for line in within] == [row for row in expected if row[2] <= 1]


def test_the_nearest_of_nothing_are_none(tmp_path: Path) -> None:
    (tmp_path / "some").write_text(f"{Fingerprint(7, 'sd256')}\n")
    (tmp_path / "none").write_text("")
    for new, old in (("some", "none"), ("none", "some"), ("none", "none")):
        done = run("find-all", tmp_path / new, "--against", tmp_path / old, "--nearest", "3")
        assert (done.returncode, done.stdout) == (0, "")


def test_options_of_the_search_within_a_distance_need_one(tmp_path: Path) -> None:
    (tmp_path / "some").write_text("7\n")
    output = tmp_path / "pairs.jsonl"
    for option in (("--memory", "300M"), ("--blocks", "5")):
        some: tuple[str | Path, ...] = (tmp_path / "some", "--against", tmp_path / "some", "-o", output)
        command = ("find-all", *some, "--nearest", "1", *option)
        assert "give --distance" in run(*command).stderr
        assert run(*command, "--distance", "3").returncode == 0


@pytest.mark.parametrize(
    ("new", "old", "options"), [("sd256", "sd64", []), ("sd64", "sd256", []), ("sd256", "sd64", ["--scheme", "sd256"])]
)
def test_sides_of_different_schemes_end_with_what_to_do(tmp_path: Path, new: str, old: str, options: list[str]) -> None:
    for name, scheme in (("new", new), ("old", old)):
        (tmp_path / name).write_text("".join(f"{Fingerprint(value, get_scheme(scheme))}\n" for value in range(30)))
    new_file, pairs = tmp_path / "new", tmp_path / "pairs.jsonl"
    command: tuple[str | Path, ...] = ("find-all", *options, new_file, "-o", pairs, "--against")
    refused = run(*command, tmp_path / "old")
    expected = "fingerprints of sd64 and sd256 cannot be compared: --scheme sd64 narrows all of them"
    assert (refused.returncode, refused.stderr.splitlines()[-1]) == (1, f"simhash-doc: {expected}")
    assert not pairs.exists()
    with (tmp_path / "old").open("a") as file:
        file.write(f"{Fingerprint(7, get_scheme(new))}\n")
    mixed = run(*command, tmp_path / "old")
    assert (mixed.returncode, expected in mixed.stderr, pairs.exists()) == (1, True, True)
    assert run(*command, tmp_path / "old", "--scheme", "sd64").returncode == 0


def test_an_interrupted_search_resumes_with_the_same_sides(tmp_path: Path) -> None:
    values, output = seeded("clustered", 2000), tmp_path / "pairs.npy"
    new, old = values[:700], values[700:]
    kept = PairFile(path=output, memory=1 << 30)
    find = partial(find_all, distance=3, output=kept)
    parts: list[int] = []

    def interrupt(done: int, total: int | None) -> None:
        parts.append(done)
        if len(parts) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        find(new, against=old, output=replace(kept, progress=interrupt))
    with pytest.raises(LookupParameterError, match="unfinished run"):
        find(values[:600], against=values[600:])
    assert np.array_equal(find(new, against=old).value_pairs, find_all(new, distance=3, against=old).value_pairs)
