"""A compilation that takes seconds is reported, once, and only at a terminal."""

from __future__ import annotations

import sys

import pytest

from simhash_doc import cli
from simhash_doc.engines import select

numba = pytest.importorskip("numba", reason="numba is not installed: pip install -e '.[dev]'")


@pytest.mark.slow
def test_a_compilation_is_reported_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    monkeypatch.setattr(select, "on_compilation", None)
    select.watch_compilation()
    numba.njit(lambda value: value - 1)(1)
    monkeypatch.setattr(select, "on_compilation", lambda: calls.append("compiling"))
    select.watch_compilation()
    assert calls == []
    for number in range(2):
        numba.njit(lambda value, number=number: value + number)(1)
    assert calls == ["compiling"]


@pytest.mark.parametrize(("terminal", "shown"), [(True, 1), (False, 0)])
def test_it_is_reported_at_a_terminal_only(
    terminal: bool, shown: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    cli._report_compilation()
    assert capsys.readouterr().err.count("compiling the loops of Numba") == shown
