"""Where the published files of the specification are: its text and its data."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def data_path(directory: str) -> Path:
    """Return the path of a published directory, such as ``spec/data``.

    A wheel has it as ``simhash_doc/published/spec/data``. In a checkout or an editable install it is next to the
    package.

    Raises:
        FileNotFoundError: the directory is in neither place.
    """
    from pathlib import Path

    package = Path(__file__).parent
    for root in (package / "published", package.parent):
        if (root / directory).is_dir():
            return root / directory
    raise FileNotFoundError(f"the directory {directory} is neither in {package} nor next to it; reinstall simhash-doc")
