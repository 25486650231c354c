"""Where the files that the specification publishes are: in the installed package or in a checkout."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent


def published(directory: str) -> Path:
    """Return a published directory, such as ``spec/data``.

    A wheel carries it as ``simhash_doc/published/spec/data``; in a checkout (or an
    editable install) it stands beside the package.
    """
    for root in (_PACKAGE / "published", _PACKAGE.parent):
        if (root / directory).is_dir():
            return root / directory
    raise FileNotFoundError(f"{directory} is neither in the installed package nor beside it: reinstall simhash-doc")
