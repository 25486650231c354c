"""All pairs out of core: those of `find_all`, whatever the memory and however often the run is killed."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simhash_doc.lookup import BadValueError, LookupParameterError, PairFile, external, find_all, joins
from simhash_doc.lookup.planning.join import Nearness, plan_join
from tests.commands import run
from tests.lookup.distributions import KINDS, seeded
from tests.values import positions


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(external, "OVERHEAD", 0)
    monkeypatch.setattr(joins, "_BUCKET_BITS", 5)


def saved(folder: Path, values: np.ndarray) -> Path:
    np.save(folder / "values.npy", values)
    return folder / "values.npy"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.usefixtures("engine")
def test_pairs_are_those_of_find_all(kind: str, tmp_path: Path) -> None:
    values = seeded(kind, 60_000 if kind != "sharing a block" else 3000)
    parts: list[int] = []

    def progress(done: int, total: int | None) -> None:
        assert total == 4 * len(values)
        parts.append(done)

    path = saved(tmp_path, values)
    memory = 10_000_000 if kind in ("all equal", "sharing a block") else 400_000
    found = find_all(path, output=PairFile(path=tmp_path / "pairs.npy", memory=memory, progress=progress), distance=3)
    expected = find_all(values, distance=3)
    assert np.array_equal(found.value_pairs, expected.value_pairs)
    assert np.array_equal(found.value_distances, expected.value_distances)
    assert parts[-1] == 4 * len(values)
    assert parts == sorted(parts)
    assert len(parts) >= 8 or memory > 400_000
    assert sorted(os.listdir(tmp_path)) == ["pairs.npy", "values.npy"]


def search(folder: Path, kill_at: int = 0) -> None:
    """Find all pairs; this process is killed before so many changes of files."""
    remaining = kill_at

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal remaining
        writes = event == "open" and str(arguments[1])[:1] in ("w", "x")
        if (writes or event in ("os.rename", "os.remove", "os.rmdir", "os.mkdir")) and str(folder) in str(arguments[0]):
            remaining -= 1
            if not remaining:
                os.kill(os.getpid(), signal.SIGKILL)

    if kill_at:
        sys.addaudithook(watch)
    find_all(folder / "values.npy", blocks=5, output=PairFile(path=folder / "pairs.npy", memory=60_000))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills copies of this process")
@pytest.mark.parametrize("step", [19, pytest.param(3, marks=pytest.mark.slow)])
def test_killed_before_each_change_of_a_file(step: int, tmp_path: Path) -> None:
    values = seeded("clustered", 3000)
    expected = find_all(values, blocks=5).value_pairs
    for number in range(1, 300, step):
        folder = tmp_path / str(number)
        folder.mkdir()
        saved(folder, values)
        process = multiprocessing.get_context("fork").Process(target=search, args=(folder, number))
        process.start()
        process.join()
        if process.exitcode != -signal.SIGKILL:
            break
        search(folder)
        assert np.array_equal(np.load(folder / "pairs.npy"), expected)
        assert sorted(os.listdir(folder)) == ["pairs.npy", "values.npy"]
    assert 20 < number < 299


@pytest.mark.parametrize(("before", "after"), [(60_000, 200_000), (200_000, 60_000)])
@pytest.mark.usefixtures("engine")
def test_a_run_resumes_with_another_limit_of_the_memory(
    before: int, after: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = seeded("clustered", 3000)
    path, output = saved(tmp_path, values), tmp_path / "pairs.npy"
    expected = find_all(values).value_pairs
    kind: Any = joins.SortedJoin
    if plan_join(values[:, None], Nearness(3)).compiled:
        from simhash_doc.lookup.bucket_join import BucketJoin

        kind = BucketJoin
    join, calls = kind.join, []

    def counted(self: Any, group: Any, bits: int, low: int, counts: np.ndarray, **kinds: bool) -> Any:
        calls.append(int(counts.sum()))
        return join(self, group, bits, low, counts, **kinds)

    def stop(done: int, total: int | None) -> None:
        if len(calls) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(kind, "join", counted)
    with pytest.raises(KeyboardInterrupt):
        find_all(path, output=PairFile(path=output, memory=before, progress=stop))
    advanced: list[tuple[int, int | None]] = []
    progress = lambda done, total: advanced.append((done, total))  # noqa: E731
    found = find_all(path, output=PairFile(path=output, memory=after, progress=progress))
    assert np.array_equal(found.value_pairs, expected)
    assert sum(calls) == 4 * len(values)
    assert advanced[-1] == (4 * len(values), 4 * len(values))


def _flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


DAMAGES: dict[str, Callable[[Path], object]] = {
    "a changed byte": _flip,
    "cut off": lambda path: os.truncate(path, path.stat().st_size - 8),
    "cut off by a pair": lambda path: path.write_bytes(path.read_bytes()[16:]),
    "empty": lambda path: path.write_bytes(b""),
    "too long": lambda path: path.write_bytes(path.read_bytes() * 2),
    "another part": lambda path: path.write_bytes(sorted(path.parent.glob("pairs-*"))[0].read_bytes()),
    "missing": Path.unlink,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_parts_are_found_again(damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    values = seeded("clustered", 3000)
    path, output = saved(tmp_path, values), tmp_path / "pairs.npy"
    with monkeypatch.context() as patch:
        patch.setattr(external, "_write_sorted", interrupted)
        with pytest.raises(KeyboardInterrupt):
            find_all(path, output=PairFile(path=output, memory=1 << 20))
    parts = sorted(Path(f"{output}.partial").glob("pairs-*"))
    assert len(parts) >= 4
    parts[-1].with_name("output").write_bytes(b"a file of sorted pairs that is damaged")
    DAMAGES[damage](parts[-1])
    found = find_all(path, output=PairFile(path=output, memory=1 << 20))
    assert np.array_equal(found.value_pairs, find_all(values).value_pairs)


def test_a_part_of_another_run_is_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    near, far = seeded("clustered", 3000), np.random.default_rng(1).integers(0, 1 << 63, 3000, np.uint64)
    parts = []
    for name, values in (("far", far), ("near", near)):
        with monkeypatch.context() as patch:
            patch.setattr(external, "_write_sorted", interrupted)
            with pytest.raises(KeyboardInterrupt):
                find_all(values, output=PairFile(path=tmp_path / name, memory=1 << 20))
        parts.append(sorted((tmp_path / f"{name}.partial").glob("pairs-*")))
    assert [part.name for part in parts[0]] == [part.name for part in parts[1]]
    for other, part in zip(*parts, strict=True):
        part.write_bytes(other.read_bytes())
    found = find_all(near, output=PairFile(path=tmp_path / "near", memory=1 << 20))
    assert np.array_equal(found.value_pairs, find_all(near).value_pairs)


def interrupted(*arguments: object) -> None:
    raise KeyboardInterrupt


def test_a_larger_limit_completes_a_run_whose_limit_was_too_small(tmp_path: Path) -> None:
    values = np.concatenate((seeded("clustered", 3000), seeded("all equal", 2000)))
    path, output = saved(tmp_path, values), tmp_path / "pairs.npy"
    with pytest.raises(LookupParameterError, match=r"[\d,]+ items share their first bits .* raise the limit"):
        find_all(path, output=PairFile(path=output, memory=20_000))
    assert (tmp_path / "pairs.npy.partial").exists()
    found = find_all(path, output=PairFile(path=output, memory=1 << 20))
    assert np.array_equal(found.value_pairs, find_all(values).value_pairs)


def test_another_run_does_not_resume(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, output = saved(tmp_path, seeded("clustered", 3000)), tmp_path / "pairs.npy"

    def stop(done: int, total: int | None) -> None:
        if done > 3000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        find_all(path, output=PairFile(path=output, memory=60_000, progress=stop))
    assert sorted(os.listdir(tmp_path)) == ["pairs.npy.partial", "values.npy"]
    with pytest.raises(LookupParameterError, match=r"unfinished run with other options .*distance"):
        find_all(path, blocks=5, distance=2, output=PairFile(path=output, memory=60_000))
    before = path.stat()
    np.save(path, seeded("clustered", 3000)[::-1])
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(LookupParameterError, match=r"\(input\)"):
        find_all(path, output=PairFile(path=output, memory=60_000))


@pytest.mark.parametrize("first", ["one input", "two inputs"])
def test_a_run_across_two_inputs_is_not_one_of_all_of_them(first: str, tmp_path: Path) -> None:
    values, output = seeded("clustered", 3000), tmp_path / "pairs.npy"
    runs: dict[str, dict[str, Any]] = {
        "one input": {"values": values},
        "two inputs": {"values": values[:1000], "against": values[1000:]},
    }

    def stop(done: int, total: int | None) -> None:
        if done > len(values):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        find_all(**runs.pop(first), output=PairFile(path=output, memory=60_000, progress=stop))
    (second,) = runs.values()
    with pytest.raises(LookupParameterError, match=r"\(sides\)"):
        find_all(**second, output=PairFile(path=output, memory=60_000))


def test_a_folder_that_is_replaced_while_pairs_are_searched_yields_none(tmp_path: Path) -> None:
    """The output would lack the pairs of the parts in the old folder."""
    path, output = saved(tmp_path, seeded("clustered", 3000)), tmp_path / "pairs.npy"
    folder = Path(f"{output}.partial")

    def replace(done: int, total: int | None) -> None:
        if done == total:
            folder.rename(tmp_path / "aside")
            shutil.copytree(tmp_path / "aside", folder)
            sorted(folder.glob("pairs-*"))[0].unlink()

    with pytest.raises(LookupParameterError, match="was replaced"):
        find_all(path, output=PairFile(path=output, memory=60_000, progress=replace))
    assert not output.exists()
    assert len(os.listdir(folder)) > 3


@pytest.mark.parametrize("dtype", ["<i8", ">i8", ">u8"])
@pytest.mark.parametrize("lanes", [1, 4])
@pytest.mark.parametrize("memory", [None, 1 << 20])
def test_integers_of_64_bits_are_fingerprints(dtype: str, lanes: int, memory: int | None, tmp_path: Path) -> None:
    values = np.random.default_rng(1).integers(0, 2**64, (1000, lanes), np.uint64)
    values[500:] = values[:500] ^ np.uint64((1 << 63) + 1)
    values = values[:, 0] if lanes == 1 else values
    np.save(tmp_path / "in.npy", values.view("<i8" if "i" in dtype else "<u8").astype(dtype))
    output = None if memory is None else PairFile(path=tmp_path / "pairs.npy", memory=memory)
    found = find_all(tmp_path / "in.npy", distance=2 * lanes, output=output)
    assert positions(found) == positions(find_all(values, distance=2 * lanes)) != []
    done = run("find-all", "--positions", "--distance", str(2 * lanes), tmp_path / "in.npy")
    assert len(done.stdout.splitlines()) == 500


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (np.zeros(3), "holds float64"),
        (np.zeros((3, 3), np.uint64), "not that of fingerprints"),
        (np.zeros((3, 2, 2), np.uint64), "expected integers of 64 bits, of shape"),
        (np.asfortranarray(np.ones((3, 2), np.uint64)), "Fortran order"),
        (b"", r"is not a \.npy file"),
        (b"1\n2\n", r"is not a \.npy file"),
        (b"\x93NUMPY\x01\x00", r"is not a \.npy file"),
    ],
)
def test_other_files_are_rejected(content: np.ndarray | bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "values.npy"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        saved(tmp_path, content)
    with pytest.raises(BadValueError, match=message):
        find_all(path, output=PairFile(path=tmp_path / "pairs.npy", memory=1 << 20))
