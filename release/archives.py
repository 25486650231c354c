"""The archives of the specification and of the vectors, and the source packages of the vectors.

Two runs on two checkouts of one commit give the same bytes: files are sorted by name, and times, owners and modes are
constants. `build.py` writes them.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import re
import shutil
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
HERE = Path(__file__).parent
EPOCH = (2026, 1, 1, 0, 0, 0)  # of every file in an archive; the version says how old it is
EPOCH_SECONDS = 1767225600
MODE = 0o644

Files = dict[str, bytes]


class ReleaseError(Exception):
    """The checkout cannot be released as it is."""


def spec_version() -> str:
    """Return the version in the header of the specification, such as ``1.0.0-rc.1``."""
    text = (ROOT / "spec/simhash-doc.md").read_text(encoding="utf-8")
    found = re.search(r"^Version (\S+)", text, re.MULTILINE)
    if not found:
        raise ReleaseError("spec/simhash-doc.md: no line 'Version X.Y.Z' below the title")
    return found[1]


def _tree(folder: str, patterns: tuple[str, ...] = ("**/*",)) -> Iterator[tuple[str, bytes]]:
    for pattern in patterns:
        for path in sorted((ROOT / folder).glob(pattern)):
            if path.is_file():
                yield path.relative_to(ROOT).as_posix(), path.read_bytes()


def spec_files() -> Files:
    """Return the files of the specification archive by their names in it."""
    files = {name.removeprefix("spec/"): data for name, data in _tree("spec", ("*.md", "data/*", "schemas/*"))}
    files |= dict(_tree("LICENSES"))
    files["README.md"] = (HERE / "spec-README.md").read_bytes()
    return _with_own_links(files)


def vectors_files() -> Files:
    """Return the files of the vectors archive by their names in it."""
    names = ("vectors/**/*", "schemas/*", "PROTOCOL.md", "TRACEABILITY.md")
    files = {name.removeprefix("conformance/"): data for name, data in _tree("conformance", names)}
    files |= dict(_tree("LICENSES"))
    files |= {name: (ROOT / "spec" / name).read_bytes() for name in ("CHANGES.md", "errata.md")}
    files["GUIDE.md"] = (ROOT / "conformance/README.md").read_bytes()
    files["README.md"] = _with_counts((HERE / "vectors-README.md").read_text(encoding="utf-8"))
    return _with_own_links(files)


def _with_counts(readme: str) -> bytes:
    """Return the page of the vectors with the number of cases, and of those of the operation `extract`."""
    operations = [
        case["op"] for _, data in _tree("conformance/vectors", ("cases-*.json",)) for case in json.loads(data)["cases"]
    ]
    for name, count in (("cases", len(operations)), ("extract", operations.count("extract"))):
        readme = readme.replace(f"{{{name}}}", f"{count:,}")
    return readme.encode()


def _with_own_links(files: Files) -> Files:
    """Return the files with links in the pages at the top turned into plain text if the archive lacks their target.

    A link that is all that a parenthesis holds, such as "(measured)", is left out with the parenthesis.
    """

    def link(found: re.Match[str]) -> str:
        opening, text, target, fragment, closing = found.groups(default="")
        moved = target.removeprefix("../")
        inside = not target or target in files or target.rstrip("/") in folders
        if inside or moved in files or moved.rstrip("/") in folders:
            return f"{opening}[{text}]({target if inside else moved}{fragment}){closing}"
        return "" if opening and closing else f"{opening}{text}{closing}"

    folders = {name.rpartition("/")[0] for name in files}
    relative = re.compile(r"(\s+\()?\[([^\]]*)\]\((?!https?:)([^)#]*)((?:#[^)]*)?)\)((?(1)\)|))")
    pages = {name: data.decode() for name, data in files.items() if name.endswith(".md") and "/" not in name}
    return files | {name: relative.sub(link, page).encode() for name, page in pages.items()}


def tar_gz(prefix: str, files: Files) -> bytes:
    """Return a reproducible gzip-compressed tar archive."""
    buffer = io.BytesIO()
    with (
        gzip.GzipFile(filename="", mode="wb", fileobj=buffer, mtime=EPOCH_SECONDS) as compressed,
        tarfile.open(fileobj=compressed, mode="w", format=tarfile.USTAR_FORMAT) as archive,
    ):
        for name in sorted(files):
            entry = tarfile.TarInfo(f"{prefix}/{name}")
            entry.size, entry.mtime, entry.mode = len(files[name]), EPOCH_SECONDS, MODE
            archive.addfile(entry, io.BytesIO(files[name]))
    return buffer.getvalue()


def zipped(prefix: str, files: Files) -> bytes:
    """Return a reproducible ZIP archive."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(f"{prefix}/{name}", EPOCH)
            entry.create_system, entry.external_attr = 3, MODE << 16
            archive.writestr(entry, files[name], zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def archives(kind: str, version: str) -> Files:
    """Return both archives of ``spec`` or ``vectors`` by their file names."""
    files = {"spec": spec_files, "vectors": vectors_files}[kind]()
    prefix = f"simhash-doc-{kind}-{version}"
    return {f"{prefix}.tar.gz": tar_gz(prefix, files), f"{prefix}.zip": zipped(prefix, files)}


def sums(files: Files) -> str:
    """Return the lines of SHA256SUMS for files by their names."""
    return "".join(f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files))


def python_version(version: str) -> str:
    """Return the version as PEP 440 writes it: ``1.0.0rc1`` for ``1.0.0-rc.1``."""
    return re.sub(r"-rc\.(\d+)$", r"rc\1", version)


def write_packages(output: Path, version: str) -> None:
    """Write the source packages of the vectors for the package indexes of Python, JavaScript and Rust."""
    inside = {"pypi": "simhash_doc_vectors/data", "npm": "", "crates": "data"}
    versions = {"pypi": python_version(version)}
    for kind, folder in inside.items():
        target = output / "packages" / kind
        shutil.rmtree(target, ignore_errors=True)
        for path in sorted((HERE / "packages" / kind).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                text = path.read_text(encoding="utf-8").replace("@VERSION@", versions.get(kind, version))
                name = path.relative_to(HERE / "packages" / kind).as_posix().removesuffix(".in")
                write(target / name, text.encode())
        for name, data in vectors_files().items():
            write((target if name == "README.md" else target / folder) / name, data)


def write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
