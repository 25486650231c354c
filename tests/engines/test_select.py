"""The choice of the engine: from arguments alone, and without the compiled core where it is absent or broken."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from simhash_doc import (
    Accumulator,
    engine_info,
    fingerprint,
    fingerprint_batches,
    fingerprint_many,
    set_engine,
)
from simhash_doc.engines import select
from simhash_doc.engines.select import NUMPY_SIZE, VARIABLE, select_engine, select_name
from simhash_doc.errors import UnknownEngineError
from simhash_doc.ingest import ReadOptions
from simhash_doc.published_files import data_path
from simhash_doc.versions import SPEC_VERSION
from tests.engines.engines import NATIVE_MARKS, all_engines, has_native, needs_native

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


@pytest.fixture
def _absent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the compiled core be absent."""
    monkeypatch.setitem(sys.modules, "simhash_doc_native", None)
    monkeypatch.delitem(sys.modules, "simhash_doc.engines.native", raising=False)
    monkeypatch.setattr(select, "_loaded", {})
    monkeypatch.setattr(select, "_failed", {})


SIZES = [0, NUMPY_SIZE - 1, NUMPY_SIZE, 1 << 40]


@needs_native
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("parallel", [False, True])
def test_the_compiled_core_is_used_for_every_size(size: int, parallel: bool) -> None:
    assert select_engine(size, parallel=parallel).name == "native"
    assert engine_info(size).selected == "native"


@pytest.mark.usefixtures("_absent")
@pytest.mark.parametrize(
    ("size", "name"), [(0, "python"), (NUMPY_SIZE - 1, "python"), (NUMPY_SIZE, "numpy"), (1 << 40, "numpy")]
)
def test_size_decides_and_nothing_that_was_done_before(size: int, name: str) -> None:
    for earlier in (0, NUMPY_SIZE, size):
        select_engine(earlier)
        assert select_engine(size).name == name == engine_info(size).selected
    assert select_name(size, parallel=True) == "numpy"  # processes share the documents


@pytest.mark.usefixtures("_absent")
def test_each_call_selects_by_the_size_of_its_arguments(selected: list[str]) -> None:
    long = f"{TEXT} " * (NUMPY_SIZE // 20 + 1)
    for text, name in ((TEXT, "python"), (long, "numpy"), (TEXT, "python")):
        selected.clear()
        fingerprint(text)
        accumulator = Accumulator()
        accumulator.update(text)
        accumulator.fingerprint()
        fingerprint_many([text])
        assert set(selected) == {name}
        assert len(selected) == 3


@pytest.mark.usefixtures("_absent")
def test_documents_of_a_list_are_counted_together_and_those_of_a_stream_as_they_come(selected: list[str]) -> None:
    texts = [f"{TEXT} " * 1000] * 200
    fingerprint_many(texts[:1])
    assert set(selected) == {"numpy"}
    selected.clear()
    list(fingerprint_batches(iter([TEXT, *texts])))
    assert set(selected) == {"numpy"}
    selected.clear()
    list(fingerprint_batches(iter([TEXT])))
    assert selected == ["python"]


@all_engines
@pytest.mark.parametrize("in_environment", [True, False])
def test_setting_holds_for_every_size(name: str, in_environment: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if in_environment:
        monkeypatch.setenv(VARIABLE, name)
    else:
        set_engine(name)
    assert {select_engine(size).name for size in (0, NUMPY_SIZE, 1 << 40)} == {name}
    assert (engine_info().setting, engine_info().selected) == (name, name)
    set_engine("auto")
    assert select_name(0) == ("native" if has_native() else "python")


def test_the_environment_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "numpy")
    assert select_name(0) == "numpy"
    monkeypatch.setenv(VARIABLE, "python")
    assert select_name(0) == "numpy"


def test_unknown_engine_is_refused_and_the_setting_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    set_engine("numpy")
    with pytest.raises(UnknownEngineError, match=r"the engine is 'fast'; expected auto, python, numpy, native"):
        set_engine("fast")
    assert select_name(0) == "numpy"
    monkeypatch.setattr(select, "_setting", None)
    monkeypatch.setenv(VARIABLE, "compiled")
    with pytest.raises(UnknownEngineError, match=r"SIMHASH_DOC_ENGINE is 'compiled'; expected auto, python"):
        fingerprint(TEXT)


@needs_native
def test_info_names_the_version_of_each_engine() -> None:
    info = engine_info()
    assert (info.setting, info.selected, info.unavailable) == ("auto", "native", {})
    assert list(info.versions) == ["python", "numpy", "native"]
    assert info.versions["numpy"].startswith("numpy 2")


class SettingTask:
    """Returns the setting of the process, and the engine that it gives for a small text."""

    options = ReadOptions()

    def of_extracted(self, *_: object) -> tuple[str, str]:
        return select.get_setting(), select_engine(0).name

    def failed(self, path: str, error: Exception) -> None:
        raise error

    def pack(self, result: tuple[str, str]) -> tuple[object, str]:
        return result, ""

    def unpack(self, path: str, value: list[str], text: str) -> tuple[str, ...]:
        return tuple(value)


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
text = "The quick brown fox " * {repeats}
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    assert [str(fingerprint(text)) for _ in range(2)] == ["{value}"] * 2
info = engine_info(len(text))
print(info.selected, [str(warning.message) for warning in caught], info.unavailable.get("native"))
{after}
"""
ABSENT = "simhash-doc-native is not installed; run: pip install 'simhash-doc[fast]'"


def run(
    before: str = "", after: str = "", *, path: Path | None = None, repeats: int = 600
) -> subprocess.CompletedProcess[str]:
    environment = dict(os.environ)
    if path is not None:
        environment["PYTHONPATH"] = str(path)
    script = SCRIPT.format(before=before, after=after, value=VALUE, repeats=repeats)
    return subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("before", "engine"),
    [
        pytest.param("", "native", marks=NATIVE_MARKS),
        ("sys.modules['simhash_doc_native'] = None", "python"),
    ],
)
def test_small_text_does_not_load_numpy(before: str, engine: str) -> None:
    done = run(before, "print('numpy' in sys.modules)", repeats=10)
    assert done.stdout.startswith(f"{engine} [] ")
    assert done.stdout.endswith("\nFalse\n")


def test_without_the_compiled_core_there_is_no_warning_and_asking_for_it_reports_what_to_install() -> None:
    done = run(before="sys.modules['simhash_doc_native'] = None", after="set_engine('native')")
    assert done.stdout == f"numpy [] {ABSENT}\n"
    assert f"EngineUnavailableError: the engine 'native' cannot be used: {ABSENT}" in done.stderr


REAL = """
SPECIFICATION, DATA_DIGEST, INTERFACE = {specification!r}, {digest!r}, 5
measure = measure_batch = TokenCounter = None
def fingerprint(text, lanes):
    return 1
"""
REINSTALL = "; run: pip install --force-reinstall simhash-doc-native"
CORE = "simhash-doc-native implements the specification"
UPGRADE = "; run: pip install --upgrade 'simhash-doc[fast]'"
DIGEST = sha256((data_path("spec/data") / "SHA256SUMS").read_bytes()).hexdigest()


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("raise OSError('libgcc is gone')", f"OSError: libgcc is gone{REINSTALL}"),
        (
            "from simhash_doc_native import core",
            "ImportError: cannot import name 'core' from partially initialized mod",
        ),
        ("import simhash_doc_native.core", "ModuleNotFoundError: No module named 'simhash_doc_native.core'; "),
        ("", f"AttributeError: module 'simhash_doc_native' has no attribute 'SPECIFICATION'{REINSTALL}"),
        (
            REAL.format(specification=SPEC_VERSION, digest=DIGEST),
            f"RuntimeError: the fingerprint of a sample is 1; expected 2092841124594421024{REINSTALL}",
        ),
        (
            REAL.format(specification=SPEC_VERSION, digest=DIGEST) + "del measure",
            f"AttributeError: module 'simhash_doc_native' has no attribute 'measure'{REINSTALL}",
        ),
        (
            REAL.format(specification=SPEC_VERSION, digest=DIGEST) + "INTERFACE = 6",
            f"simhash-doc-native has the interface 6, and simhash-doc uses 5{UPGRADE}",
        ),
        (
            REAL.format(specification=SPEC_VERSION, digest=DIGEST)
            + "class Panic(BaseException): pass\ndef fingerprint(text, lanes): raise Panic",
            f"Panic: {REINSTALL}",
        ),
        (
            REAL.format(specification="0.9.0", digest=DIGEST),
            f"{CORE} 0.9.0 with the data {DIGEST[:8]}, and simhash-doc {SPEC_VERSION} with {DIGEST[:8]}{UPGRADE}",
        ),
        (
            REAL.format(specification=SPEC_VERSION, digest="0123456789ab"),
            f"{CORE} {SPEC_VERSION} with the data 01234567, and simhash-doc {SPEC_VERSION} with {DIGEST[:8]}{UPGRADE}",
        ),
    ],
    ids=[
        "not loadable",
        "name missing",
        "file missing",
        "empty",
        "wrong",
        "function missing",
        "other interface",
        "panic",
        "old",
        "other data",
    ],
)
def test_a_compiled_core_that_does_not_fit_is_named_once_and_not_used(source: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "simhash_doc_native").mkdir()
    (tmp_path / "simhash_doc_native/__init__.py").write_text(source, encoding="utf-8")
    done = run(path=tmp_path, after="set_engine('native')")
    message = f"the engine 'native' cannot be used: {reason}"
    assert done.stdout.startswith("numpy [")
    assert message in done.stdout
    assert done.stdout.count("cannot be used") == 1
    assert "The engines python and numpy are used instead." in done.stdout
    assert f"EngineUnavailableError: {message}" in done.stderr
