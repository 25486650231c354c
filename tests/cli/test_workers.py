"""Work in several processes: order, and workers that die."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from simhash_doc.cli.workers import ordered_map


def square(number: int) -> int:
    if number == 13:
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def die_once(path: Path) -> str:
    if path.name == "fragile" and not path.exists():
        path.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return path.name


def test_results_keep_the_order_and_a_dead_worker_costs_one_item() -> None:
    numbers = list(range(40))
    results = list(ordered_map(square, numbers, 2, lost=lambda _: -1))
    assert results == [-1 if number == 13 else number * number for number in numbers]


def test_item_whose_worker_died_is_tried_once_more(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a", "fragile", "b")]
    assert list(ordered_map(die_once, paths, 2, lost=lambda _: "lost")) == ["a", "fragile", "b"]
