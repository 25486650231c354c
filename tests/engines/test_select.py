"""The choice of the engine: from arguments alone, and without numba where it is absent or broken."""

from __future__ import annotations

import multiprocessing
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import simhash_doc
from simhash_doc import (
    Accumulator,
    EngineUnavailableError,
    UnknownEngineError,
    cli,
    engine_info,
    fingerprint,
    fingerprint_batches,
    fingerprint_many,
    set_engine,
)
from simhash_doc.engines import select
from simhash_doc.engines.select import NUMBA_SIZE, NUMPY_SIZE, VARIABLE, select_engine, select_name
from simhash_doc.ingest import ReadOptions
from tests.engines.engines import NUMBA_MARKS, all_engines, needs_numba

VALUE = "sd64:larqgiqsckcca"
TEXT = "The quick brown fox"


@pytest.fixture(autouse=True)
def _default_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(select, "_setting", None)
    monkeypatch.delenv(VARIABLE, raising=False)


@pytest.fixture
def selected(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list to which the name of each engine is added that is selected from now on."""
    names: list[str] = []
    original = select.select_name

    def recorded(size: int, *, parallel: bool = False) -> str:
        names.append(original(size, parallel=parallel))
        return names[-1]

    monkeypatch.setattr(select, "select_name", recorded)
    return names


@pytest.mark.parametrize(
    ("size", "name"),
    [
        (0, "python"),
        (NUMPY_SIZE - 1, "python"),
        (NUMPY_SIZE, "numpy"),
        (NUMBA_SIZE - 1, "numpy"),
        pytest.param(NUMBA_SIZE, "numba", marks=NUMBA_MARKS),
        pytest.param(1 << 40, "numba", marks=NUMBA_MARKS),
    ],
)
def test_size_decides_and_nothing_that_was_done_before(size: int, name: str) -> None:
    for earlier in (0, NUMBA_SIZE - 1, size):
        select_engine(earlier)
        assert select_engine(size).name == name == engine_info(size).selected
    if name == "numba":
        assert select_name(0, parallel=True) == name  # processes share the documents


@needs_numba
def test_each_call_selects_by_the_size_of_its_arguments(selected: list[str]) -> None:
    long = f"{TEXT} " * (NUMBA_SIZE // 20 + 1)
    for text, name in ((TEXT, "python"), (long[:NUMPY_SIZE], "numpy"), (long, "numba"), (TEXT, "python")):
        selected.clear()
        fingerprint(text)
        simhash_doc.buckets(text)
        accumulator = Accumulator()
        accumulator.update(text)
        accumulator.fingerprint()
        fingerprint_many([text])
        assert set(selected) == {name}
        assert len(selected) == 4


@needs_numba
def test_documents_of_a_list_are_counted_together_and_those_of_a_stream_as_they_come(selected: list[str]) -> None:
    texts = [f"{TEXT} " * 1000] * (2 * NUMBA_SIZE // 20_000)
    fingerprint_many(texts)
    assert set(selected) == {"numba"}
    selected.clear()
    list(fingerprint_batches(iter(texts)))
    assert selected == sorted(selected, reverse=True)
    assert set(selected) == {"numpy", "numba"}


@all_engines
@pytest.mark.parametrize("in_environment", [True, False])
def test_setting_holds_for_every_size(name: str, in_environment: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if in_environment:
        monkeypatch.setenv(VARIABLE, name)
    else:
        set_engine(name)
    assert {select_engine(size).name for size in (0, NUMPY_SIZE, NUMBA_SIZE)} == {name}
    assert (engine_info().setting, engine_info().selected) == (name, name)
    set_engine("auto")
    assert select_name(0) == "python"


def test_unknown_engine_is_refused_and_the_setting_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    set_engine("numpy")
    with pytest.raises(UnknownEngineError, match=r"the engine is 'fast'; expected auto, python, numpy, numba"):
        set_engine("fast")
    assert select_name(0) == "numpy"
    monkeypatch.setattr(select, "_setting", None)
    monkeypatch.setenv(VARIABLE, "compiled")
    with pytest.raises(UnknownEngineError, match=r"SIMHASH_DOC_ENGINE is 'compiled'; expected auto, python"):
        fingerprint(TEXT)


@needs_numba
def test_info_names_the_version_of_each_engine() -> None:
    info = engine_info()
    assert (info.setting, info.selected, info.unavailable) == ("auto", "python", {})
    assert list(info.versions) == ["python", "numpy", "numba"]
    assert info.versions["numpy"].startswith("numpy 2")


class SettingTask:
    """Returns the setting of the process, and the engine that it gives for a small text."""

    options = ReadOptions()

    def of_extracted(self, *_: object) -> tuple[str, str]:
        return select.get_setting(), select_engine(0).name

    def failed(self, path: str, error: Exception) -> None:
        raise error


@pytest.mark.slow
@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
@pytest.mark.parametrize("name", ["python", "numpy"])
def test_documents_in_workers_have_the_setting_of_the_parent(name: str, method: str) -> None:
    script = (
        "import multiprocessing\n"
        "from simhash_doc import set_engine\n"
        "from simhash_doc.ingest.tasks import UnparsedDocument\n"
        "from simhash_doc.ingest.workers import map_in_workers\n"
        "from tests.engines.test_select import SettingTask\n"
        "if __name__ == '__main__':\n"
        f"    multiprocessing.set_start_method({method!r})\n"
        f"    set_engine({name!r})\n"
        "    documents = [UnparsedDocument('page', 10, 'html', content=b'<p>a page')] * 4\n"
        "    print(set(map_in_workers(SettingTask(), documents, 2)))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (f"{ {(name, name)} }\n", "")


SCRIPT = """
import sys, warnings
{before}
from simhash_doc import engine_info, fingerprint, set_engine
from simhash_doc.engines import select
select.NUMBA_SIZE = 10_000
text = "The quick brown fox " * {repeats}
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    assert [str(fingerprint(text)) for _ in range(2)] == ["{value}"] * 2
info = engine_info(len(text))
print(info.selected, "llvmlite" in sys.modules, [str(warning.message) for warning in caught], info.unavailable)
{after}
"""


def run(
    before: str = "", after: str = "", *, path: Path | None = None, repeats: int = 600
) -> subprocess.CompletedProcess[str]:
    environment = dict(os.environ)
    if path is not None:
        environment["PYTHONPATH"] = str(path)
    script = SCRIPT.format(before=before, after=after, value=VALUE, repeats=repeats)
    return subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False)


def test_small_text_loads_neither_numba_nor_numpy() -> None:
    done = run(repeats=10, before="", after="print('numpy' in sys.modules)")
    assert re.fullmatch(r"python False \[\] .*\nFalse\n", done.stdout)


def test_without_numba_numpy_is_used_and_asking_for_numba_reports_what_to_install() -> None:
    done = run(before="sys.modules['numba'] = None", after="set_engine('numba')")
    assert done.stdout.startswith("numpy False [] {'numba': \"numba is not installed")
    assert "EngineUnavailableError: the engine 'numba' cannot be used: numba is not installed" in done.stderr
    assert "pip install 'simhash-doc[numba]'" in done.stderr


def test_broken_numba_gives_one_warning_and_numpy_is_used(tmp_path: Path) -> None:
    (tmp_path / "numba").mkdir()
    (tmp_path / "numba/__init__.py").write_text("raise OSError('libLLVM is gone')", encoding="utf-8")
    done = run(path=tmp_path, after="set_engine('numba')")
    assert done.stdout.startswith("numpy False [\"the engine 'numba' cannot be used: OSError: libLLVM is gone.")
    assert done.stdout.count("libLLVM is gone") == 2  # one warning, and the report
    assert "SIMHASH_DOC_ENGINE=numpy" in done.stdout
    assert "EngineUnavailableError" in done.stderr


@needs_numba
def test_compiled_loops_that_give_another_result_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    from simhash_doc.engines.numba import engine as numba_engine

    monkeypatch.setattr(select, "_loaded", {})
    monkeypatch.setattr(select, "_failed", {})
    monkeypatch.setattr(numba_engine, "_SAMPLE_FINGERPRINT", 1)
    with pytest.raises(EngineUnavailableError, match="the compiled loops give"):
        set_engine("numba")
    select._failed.clear()
    with pytest.warns(RuntimeWarning, match="the compiled loops give"):
        assert select_name(NUMBA_SIZE) == "numpy"
    assert "numba" in engine_info().unavailable


@needs_numba
def test_digest_of_the_compiled_loops_covers_the_constants_that_they_import(monkeypatch: pytest.MonkeyPatch) -> None:
    from simhash_doc.engines.numba import fold, hash_table, kernels, tokenize

    before = kernels.source_digest()
    assert before == kernels.source_digest()
    for module, name in (
        (fold, "NONSTARTER_LIMIT"), (fold, "NORMALIZE"), (hash_table, "OCCURRENCE_CAP"), (tokenize, "CONTINUA"),
        (hash_table, "P1"),
    ):  # fmt: skip
        with monkeypatch.context() as patch:
            patch.setattr(module, name, getattr(module, name) + type(getattr(module, name))(1))
            assert kernels.source_digest() != before


@needs_numba
def test_a_compilation_is_reported_once(monkeypatch: pytest.MonkeyPatch) -> None:
    import numba

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
