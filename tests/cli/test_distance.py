"""The option `--distance` has one meaning, and its defaults come from the registry and the recommendation."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from simhash_doc import fingerprint
from simhash_doc.cli import cli
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.schemes import get_scheme, get_schemes
from simhash_doc.thresholds import SHORTEST, recommended
from tests.commands import run

ROOT = Path(__file__).parents[2]
TEXT = " ".join(f"word{chr(97 + at % 26)}{chr(97 + at // 26)}" for at in range(300))


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, int]:
    """Write fingerprints at the distances 0 to 7 from the first, and return the file and the recommended distance."""
    values = [(1 << bits) - 1 for bits in range(8)]
    path = tmp_path / "fingerprints.txt"
    path.write_text("".join(f"{Fingerprint(value, 'sd64')}\n" for value in values), encoding="utf-8")
    return path, recommended("sd64", len(values))


def said(stderr: str) -> int:
    (found,) = re.findall(r"--distance auto is (\d+), recommended for [\d,]+ \w+ fingerprints? of texts of", stderr)
    return int(found)


def test_auto_is_the_recommended_distance_of_pairs(files: tuple[Path, int]) -> None:
    path, best = files
    done = run("find-all", "--distance", "auto", "--json", path)
    assert done.stdout == run("find-all", "--distance", str(best), "--json", path).stdout
    assert max(json.loads(line)["distance"] for line in done.stdout.splitlines()) == best
    assert said(done.stderr) == best
    assert "of texts of 25 tokens or more (specification, search.md, section 3)" in done.stderr
    assert "auto" not in run("--quiet", "find-all", "--distance", "auto", path).stderr


def test_an_index_keeps_the_distance_that_auto_was_when_it_was_built(files: tuple[Path, int], tmp_path: Path) -> None:
    path, best = files
    assert said(run("index", "build", "--distance", "auto", tmp_path / "new.sdix", path).stderr) == best
    assert json.loads(run("index", "info", "--json", tmp_path / "new.sdix").stdout)["distance"] == best


def test_compare_says_whether_two_texts_are_within_a_distance(tmp_path: Path) -> None:
    (tmp_path / "long.txt").write_text(TEXT, encoding="utf-8")
    (tmp_path / "short.txt").write_text("one two three", encoding="utf-8")
    same = fingerprint(TEXT, "sd256")
    far = Fingerprint(same.value ^ (1 << 40) - 1, "sd256")
    done = run("compare", "--distance", "auto", "--json", tmp_path / "long.txt", str(far))
    best = recommended("sd256", 2, tokens=300)
    assert json.loads(done.stdout).items() >= {"distance": 40, "maximum_distance": best, "within": False}.items()
    assert said(done.stderr) == best
    assert run("compare", "--distance", "40", str(same), str(far)).stdout.endswith(", within 40\n")
    assert "within" not in run("compare", str(same), str(far)).stdout
    refused = run("compare", "--distance", "auto", tmp_path / "long.txt", tmp_path / "short.txt")
    assert (refused.returncode, "among 2 texts of 3 tokens or more" in refused.stderr) == (2, True)


def test_the_default_is_reported_if_less_is_recommended(
    files: tuple[Path, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, _ = files
    assert run("find-all", path).stderr == ""
    monkeypatch.setattr("simhash_doc.thresholds.recommended", lambda scheme, size, **_: recommended(scheme, 10**6))
    done = run("find-all", path)
    assert "the default distance is 3; 2 is recommended for 8 sd64 fingerprints" in done.stderr
    assert done.stdout == run("find-all", "--distance", "3", path).stdout


@pytest.mark.parametrize("value", ["-1", "512", "Auto", "", "3.0", "\u0663"])
def test_other_values_are_usage_errors(value: str, files: tuple[Path, int]) -> None:
    done = run("find-all", f"--distance={value}", files[0])
    assert (done.returncode, "is neither a number from 0 to 511 nor auto" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "half"),
    [
        (("find-all", "lines.txt"), 32),
        (("find-clusters", "wide.txt"), 128),
        (("index", "build", "new.sdix", "lines.txt"), 32),
        (("dedupe", "--scheme", "sd64", "a.txt"), 32),
        (("dedupe", "a.txt"), 128),
        (("store", "dedupe", "--db", "wide.sqlite", "a.txt"), 128),
        (("table", "dedupe", "rows.csv", "-o", "kept.csv"), 128),
        (("compare", "a.txt", "b.txt"), 32),
    ],
)
def test_half_of_the_bits_is_a_usage_error(
    arguments: tuple[str, ...], half: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in {"a": TEXT, "b": f"{TEXT} more"}.items():
        Path(f"{name}.txt").write_text(text, encoding="utf-8")
    Path("rows.csv").write_text(f"text\n{TEXT}\n", encoding="utf-8")
    for name, scheme in {"lines": "sd64", "wide": "sd256"}.items():
        Path(f"{name}.txt").write_text(f"{fingerprint(TEXT, get_scheme(scheme))}\n", encoding="utf-8")
    assert run("store", "dedupe", "--db", "wide.sqlite", "--scheme", "sd256", "b.txt").returncode == 0
    before = sorted(tmp_path.iterdir())
    refused = run(*arguments, "--distance", str(half))
    assert (refused.returncode, refused.stdout, sorted(tmp_path.iterdir())) == (2, "", before)
    assert f"--distance is {half}; expected less than {half} for sd" in refused.stderr
    assert f"unrelated texts differ in about half of its {2 * half} bits" in refused.stderr
    assert "unrelated" not in run(*arguments, "--distance", str(half - 1)).stderr


def commands(group: click.Group = cli, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        assert command
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield " ".join((*path, name)), command


def test_each_command_with_a_distance_names_the_same_default_and_source() -> None:
    options = {
        name: parameter for name, command in commands() for parameter in command.params if parameter.name == "distance"
    }
    for name in ("dedupe", "store dedupe", "table dedupe", "spark dedupe"):
        assert "loose threshold of the scheme, 36 for sd256" in str(options.pop(name).help)
    default = f"[default: close threshold of the scheme, {get_schemes()['sd64'].close} for sd64]"
    for name, option in options.items():
        assert isinstance(option, click.Option)
        assert name == "compare" or str(option.help).endswith(default)
        assert name == "store find" or "(specification, search.md, section 3)" in str(option.help)
    assert {"compare", "find-all", "index build", "spark query"} <= options.keys()


def test_the_pages_name_the_same_defaults() -> None:
    """A sentence about the command line's default distance has the close threshold."""
    close = get_schemes()["sd64"].close
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"the fingerprint stays within {close} bits in only" in readme
    for name in ("deduplicate-a-crawl", "archives"):
        guide = (ROOT / f"docs/how-to/{name}.md").read_text(encoding="utf-8")
        ((size, distance),) = re.findall(r"# up to 10\^(\d) documents\n +simhash-doc find-all --distance (\d+) ", guide)
        assert int(distance) == recommended("sd256", 10 ** int(size), tokens=100)
    search = (ROOT / "docs/search.md").read_text(encoding="utf-8")
    assert f"The default is {close} bits for `sd64` and {get_schemes()['sd256'].close} for `sd256`," in search
    auto = f"according to the number of fingerprints, for texts of {SHORTEST} tokens"
    assert f"`--distance auto` chooses the distance {auto}" in " ".join(search.split())
