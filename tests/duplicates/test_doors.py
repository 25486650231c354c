"""Every door leaves out the same documents of one corpus, by its defaults and with each option."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.duplicates.doors import DOORS, OPTIONS, expected

pytest.importorskip("pyarrow")


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    "name", [name if name == "defaults" else pytest.param(name, marks=pytest.mark.slow) for name in OPTIONS]
)
def test_every_door_leaves_out_the_same(door: str, name: str, tmp_path: Path) -> None:
    options, policy = OPTIONS[name]
    assert sorted(DOORS[door](tmp_path, options, policy)) == sorted(expected(policy))


def test_each_option_changes_what_is_left_out() -> None:
    found = {name: expected(policy) for name, (_, policy) in OPTIONS.items()}
    assert len(found["defaults"]) > 15
    assert len({*map(frozenset, found.values())}) == len(OPTIONS)
