"""Parameters of which a part is tested by default, and all in the step slow."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def sampled(cases: Iterable[Any], every: int = 3) -> list[Any]:
    """Return cases for `parametrize`: the first of every so many is tested by default, the others are marked slow."""
    return [case if at % every == 0 else pytest.param(case, marks=pytest.mark.slow) for at, case in enumerate(cases)]
