"""The published files of the suite: vectors and schemas."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parents[1]


def published_path(name: str) -> Path:
    """Return the path of a published directory of the suite: ``vectors`` or ``schemas``.

    A wheel has it in ``simhash_doc_conformance/published``; in a checkout it is beside the package.

    Raises:
        FileNotFoundError: the directory is in neither place.
    """
    for root in (_PACKAGE / "published", _PACKAGE.parent):
        if (root / name).is_dir():
            return root / name
    raise FileNotFoundError(f"the directory {name} is neither in {_PACKAGE} nor beside it; reinstall simhash-doc")
