"""The errors of the package are one tree."""

from __future__ import annotations

import inspect
import re

import pytest

from simhash_doc import SimhashDocError, WorkerFailedError, errors

CLASSES = [value for value in vars(errors).values() if inspect.isclass(value) and issubclass(value, SimhashDocError)]


@pytest.mark.parametrize("error", [*CLASSES, WorkerFailedError])
def test_every_error_has_a_name_and_a_code_of_one_form(error: type[SimhashDocError]) -> None:
    assert issubclass(error, SimhashDocError)
    assert error.__name__.endswith("Error")
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", error.code)
    assert error.__doc__


def test_codes_are_unique() -> None:
    assert len({error.code for error in CLASSES}) == len(CLASSES)
