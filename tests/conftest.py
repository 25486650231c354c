"""Settings of all tests."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import groupby
from typing import Any

import pytest
from hypothesis import settings

from simhash_doc.engines import select

# The tests start hundreds of Python processes, and each would compile the package for itself.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# The processes that tests start import numpy, which would start threads for products of matrices, that nobody needs.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# No timed tests: how long an example takes depends on what else the machine is doing.
settings.register_profile("quick", deadline=None, max_examples=10)
settings.register_profile("complete", deadline=None, max_examples=25)  # of the step slow
settings.register_profile("thorough", deadline=None, max_examples=300)  # pytest --hypothesis-profile=thorough
settings.load_profile("quick")


def pytest_xdist_auto_num_workers() -> int:
    """Use one process more than cores: many tests wait for other processes."""
    return (os.cpu_count() or 1) + 1


FEW, SAMPLED = 6, 3


@pytest.hookimpl(tryfirst=True)  # before the option -m leaves out what is slow
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of a test with more than a few parameters, test the first of every three by default, and all in the step slow."""
    for _, cases in groupby(items, key=lambda item: item.nodeid.partition("[")[0]):
        quick = [case for case in cases if not case.get_closest_marker("slow")]
        for at, case in enumerate(quick):
            if len(quick) > FEW and at % SAMPLED:
                case.add_marker(pytest.mark.slow)


@pytest.fixture(autouse=True)
def _default_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin each test without a setting of the engine, as tests before it may leave one, and restore it afterwards."""
    monkeypatch.setattr(select, "_setting", None)


@pytest.fixture(autouse=True, scope="session")
def _measured_workers() -> Iterator[None]:
    """Save the coverage of a worker process after each item: its pool kills it at the end."""
    if "COVERAGE_PROCESS_START" not in os.environ:
        yield
        return
    from simhash_doc.parallel import pool

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pool, "_run", partial(_run_measured, pool._run))
        yield


def _run_measured(run: Callable[..., None], end: object, work: Callable[[Any], Any], *rest: object) -> None:
    run(end, partial(_work_measured, work), *rest)


def _work_measured(work: Callable[[Any], Any], item: Any) -> Any:
    from coverage import Coverage

    try:
        return work(item)
    finally:
        if measurement := Coverage.current():
            measurement.save()
