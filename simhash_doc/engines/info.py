"""A report of the engines of this process."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib.util import find_spec

from simhash_doc.engines.select import INSTALL_NUMBA, failures, get_setting, select_name


@dataclass(frozen=True, slots=True)
class EngineInfo:
    """The engines of this process.

    Attributes:
        setting: `auto`, `python`, `numpy` or `numba`.
        selected: the engine that the setting gives for a text of `size` bytes.
        size: see `selected`.
        versions: of each engine that is installed, the library and version that it runs on.
        unavailable: of each other engine, why it cannot be used.
    """

    setting: str
    selected: str
    size: int
    versions: dict[str, str]
    unavailable: dict[str, str]


def engine_info(size: int = 0) -> EngineInfo:
    """Return the engines, and the one that a text of `size` bytes uses.

    Nothing is loaded for the report, except what `auto` has to try before it can select `numba` for the size.

    >>> engine_info().setting
    'auto'
    """
    setting, selected = get_setting(), select_name(size)
    versions = {"python": f"Python {sys.version.split()[0]}", "numpy": f"numpy {_version('numpy')}"}
    unavailable = failures()
    if find_spec("numba") is None:
        unavailable["numba"] = INSTALL_NUMBA
    elif "numba" not in unavailable:
        versions["numba"] = f"numba {_version('numba')}"
    return EngineInfo(setting, selected, size, versions, unavailable)


def _version(package: str) -> str:
    from importlib import metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "(unknown version)"
