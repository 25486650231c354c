"""Which engines this process has, and which one a text uses. Not in `select`, which is loaded with the package."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec

from simhash_doc.arguments import integer
from simhash_doc.engines.select import LIBRARY, NOT_INSTALLED, failures, get_setting, select_name


@dataclass(frozen=True, slots=True)
class EngineInfo:
    """The engines of this process.

    Attributes:
        setting: `auto`, `python`, `numpy` or `native`.
        selected: the engine for a text of `size` bytes.
        size: see `selected`.
        versions: the library and its version for each installed engine.
        unavailable: for each other engine, the reason why it cannot be used.

    >>> found = engine_info(size=100_000)
    >>> found.size, found.selected in found.versions
    (100000, True)
    """

    setting: str
    selected: str
    size: int
    versions: dict[str, str]
    unavailable: dict[str, str]


def engine_info(size: int = 0) -> EngineInfo:
    """Return the engines, and the one that a text of `size` bytes uses.

    This loads no engine. With `auto`, it tests whether `native` works.

    Raises:
        TypeError: the size is not an integer.
        ValueError: the size is negative.

    >>> engine_info().setting
    'auto'
    """
    size = integer(size, "size", 0)
    setting, selected = get_setting(), select_name(size)
    versions = {"python": f"Python {sys.version.split()[0]}", "numpy": f"numpy {_version('numpy')}"}
    unavailable = failures()
    if "native" not in unavailable:
        if find_spec(LIBRARY.replace("-", "_")) is None:
            unavailable["native"] = NOT_INSTALLED
        else:
            versions["native"] = f"{LIBRARY} {_version(LIBRARY)}"
    return EngineInfo(setting, selected, size, versions, unavailable)


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "(unknown version)"
