"""The comparison of speeds with the record."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from benchmarks import regression, results
from benchmarks.regression import LIMIT, compare, main, measurements, ratio


class Clock:
    """A clock that work sets."""

    now = 0.0

    def __call__(self) -> float:
        return self.now

    def work(self, seconds: Iterator[float]) -> Callable[[], None]:
        def advance() -> None:
            self.now += next(seconds)

        return advance


def test_the_ratio_is_of_the_least_times_after_a_first_call_of_each() -> None:
    clock = Clock()
    work, yardstick = clock.work(iter([1, 9, 6, 8, 7, 9])), clock.work(iter([1, 4, 7, 5, 6, 9]))
    assert ratio(work, yardstick, clock) == 6 / 4


def test_a_slow_measurement_is_repeated_before_it_fails() -> None:
    assert compare(iter([2 * LIMIT, 3 * LIMIT, LIMIT]).__next__, 1.0) == (LIMIT, True)
    assert compare(iter([3 * LIMIT, 2 * LIMIT, 4 * LIMIT]).__next__, 1.0) == (2 * LIMIT, False)
    assert compare(iter([5.0]).__next__, None) == (5.0, True)


def test_a_slow_measurement_is_named_and_the_status_is_1(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ratios = {"steady": 1.0, "slower": 1.0}
    monkeypatch.setattr(results, "FOLDER", tmp_path)
    monkeypatch.setattr(
        regression, "measurements", lambda _: [(name, lambda name=name: ratios[name]) for name in ratios]
    )
    assert main(["--record"]) == 0
    assert main([]) == 0
    ratios["slower"] = 1.01 * LIMIT
    capsys.readouterr()
    assert main([]) == 1
    assert capsys.readouterr().err == "slower than 1.5 times the record: slower\n"


@pytest.mark.slow
def test_every_measurement_is_recorded(tmp_path: Path) -> None:
    pytest.importorskip("simhash_doc_native")
    assert list(results.read("regression")["ratios"]) == [name for name, _ in measurements(tmp_path)]
