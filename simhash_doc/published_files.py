"""Where the published files of the specification are: its text and its data."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def data_directory(directory: str) -> str:
    """Return the name of a published directory, such as ``spec/data``.

    A wheel has it as ``simhash_doc/published/spec/data``. In a checkout or an editable install it is next to the
    package.

    Raises:
        FileNotFoundError: the directory is in neither place.
    """
    package = os.path.dirname(__file__)
    for root in (os.path.join(package, "published"), os.path.dirname(package)):
        if os.path.isdir(name := os.path.join(root, directory)):
            return name
    raise FileNotFoundError(f"the directory {directory} is neither in {package} nor next to it; reinstall simhash-doc")


def data_path(directory: str) -> Path:
    """Return `data_directory` as a path."""
    from pathlib import Path  # not above: `import simhash_doc` is meant to be cheap

    return Path(data_directory(directory))
