"""Collections of template-heavy documents, from Debian packages that the user downloads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from simhash_doc.extract import ExtractionError, extract

Reader = Callable[[Path], str | None]

_LARGEST = 2 << 20  # bytes of a file that is read


@dataclass(frozen=True, slots=True)
class Collection:
    """Documents that share a template or much of their wording.

    Attributes:
        package: the Debian package that holds them.
        pattern: glob of the files, below the directory to which the package was unpacked.
    """

    name: str
    package: str
    pattern: str


COLLECTIONS = [
    Collection("boost reference", "libboost1.74-doc", "usr/share/doc/libboost1.74-doc/**/*.html"),
    Collection("debian policy", "debian-policy", "usr/share/doc/debian-policy/policy.html/*.html"),
    Collection("developers reference", "developers-reference", "usr/share/developers-reference/*.html"),
    Collection("javadoc", "openjdk-17-doc", "usr/share/doc/openjdk-17-jre-headless/api/java.base/**/*.html"),
    Collection("postgresql manual", "postgresql-doc-15", "usr/share/doc/postgresql-doc-15/html/*.html"),
    Collection("python manual", "python3.11-doc", "usr/share/doc/python3.11/html/**/*.html"),
    Collection("qt reference", "qtbase5-doc-html", "usr/share/qt5/doc/**/*.html"),
    Collection("rustdoc", "rust-doc", "usr/share/doc/rust-doc/html/std/**/*.html"),
    Collection("sqlite manual", "sqlite3-doc", "usr/share/doc/sqlite3/**/*.html"),
    Collection("valgrind manual", "valgrind", "usr/share/doc/valgrind/html/*.html"),
    Collection("libstdc++ manual", "libstdc++-12-doc", "usr/share/doc/gcc-12-base/**/*.html"),
    Collection("licence notices", "(installed)", "usr/share/doc/*/copyright"),
]


def find_files(root: Path, collection: Collection, most: int) -> list[Path]:
    """Return at most `most` files of a collection, evenly spread over their names."""
    base = Path("/") if collection.package == "(installed)" else root
    files = sorted(path for path in base.glob(collection.pattern) if path.is_file() and path.stat().st_size <= _LARGEST)
    step = max(1, -(-len(files) // most))
    return files[::step]


def _extracted(path: Path) -> str | None:
    try:
        return extract(path.read_bytes(), name=path.name).text
    except ExtractionError:
        return None


def _complete(path: Path) -> str | None:
    """Return all visible text of a page, its navigation included; None for a document that is not a page."""
    from resiliparse.extract.html2text import extract_plain_text

    if path.suffix != ".html":
        return None
    text: str = extract_plain_text(path.read_bytes().decode("utf-8", "replace"), main_content=False)
    return text


READERS: dict[str, Reader] = {"extracted": _extracted, "complete pages": _complete}
