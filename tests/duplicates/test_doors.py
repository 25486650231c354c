"""Every door leaves out what the definition says, by its defaults and with each option, with and without the core."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from simhash_doc import Policy
from simhash_doc.duplicates import confirmation, parts
from tests.duplicates.doors import DOORS, OPTIONS, TEXTS, Texts, by_brute_force, generated, has_words

pytest.importorskip("pyarrow")


@pytest.fixture(params=["near first", "texts first", "without the core"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Search near fingerprints first, or compare the texts at once, or let Python confirm."""
    if request.param == "texts first":
        monkeypatch.setattr(parts, "_COMPARISONS", -1)
    if request.param == "without the core":
        monkeypatch.setattr(confirmation, "select_name", lambda size: "numpy")
    return str(request.param)


def check(door: str, folder: Path, texts: Texts, options: list[str], policy: Policy) -> None:
    """Compare what a door leaves out with brute force."""
    if door == "stream":
        policy = replace(policy, keep="first")
    if door == "crawl":
        # Captures are no files. Those without a word are not compared, and equal ones with too few words stay.
        names = {text: name for name, text in texts.items()} if policy.min_tokens else None
        texts = {name: text for name, text in texts.items() if has_words(text) and (not names or names[text] == name)}
    assert sorted(DOORS[door](folder, texts, options, policy)) == sorted(by_brute_force(texts, policy))


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    "name", [name if name == "defaults" else pytest.param(name, marks=pytest.mark.slow) for name in OPTIONS]
)
@pytest.mark.usefixtures("way")
def test_every_door_leaves_out_the_same(door: str, name: str, tmp_path: Path) -> None:
    options, policy = OPTIONS[name]
    if door == "stream" and policy.protected:
        pytest.skip("a stream protects none")
    check(door, tmp_path, TEXTS, options, policy)


@pytest.mark.slow
@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.usefixtures("way")
def test_every_door_leaves_out_what_the_definition_says(door: str, seed: int, tmp_path: Path) -> None:
    check(door, tmp_path, generated(seed), [], Policy())


def test_each_option_changes_what_is_left_out() -> None:
    found = {name: by_brute_force(TEXTS, policy) for name, (_, policy) in OPTIONS.items()}
    assert len(found["defaults"]) > 15
    assert len({*map(frozenset, found.values())}) == len(OPTIONS)
