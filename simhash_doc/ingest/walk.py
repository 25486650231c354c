"""The sources of documents: what paths name, and the files below directories that are read, or skipped and why."""

from __future__ import annotations

import codecs
import os
import stat
from collections import Counter
from dataclasses import dataclass, field

from simhash_doc.arguments import STANDARD_INPUT, Many, collection
from simhash_doc.files import open_input
from simhash_doc.ingest.selection import ALL, Selection

_OTHER_FORMATS = {
    "CSS": "css scss less",
    "JavaScript": "js mjs cjs map",
    "script": "sh bash zsh fish bat cmd ps1 py rb pl lua",
    "JSON": "json jsonl ndjson webmanifest",
    "image": "png jpg jpeg gif webp avif svg ico bmp tif tiff",
    "font": "woff woff2 ttf otf eot",
    "audio or video": "mp3 m4a ogg oga wav flac mp4 m4v webm mkv avi mov",
}
_SAVED_SCRIPT = ".download"  # which browsers add to the names of scripts of a saved page
_BY_EXTENSION = {extension: kind for kind, names in _OTHER_FORMATS.items() for extension in names.split()}


_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True, slots=True)
class Source:
    """A file, or standard input, that documents come from.

    Attributes:
        path: its path; ``-`` for standard input.
        found: whether it was found in a directory, not named. It is skipped, and not an error, if it is not a document.

    >>> walk([Source("a.txt")]).sources
    [Source(path='a.txt', found=False)]
    """

    path: str
    found: bool = False


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A file in a directory, or a directory, that is not read.

    Attributes:
        path: its path.
        reason: why it is not read.
        failed: True if its documents are missing from the results; False if it is not a document, such as a pipe.
        format: its format, if that is the reason.

    >>> SkippedFile("queue", "is a named pipe").failed
    False
    """

    path: str
    reason: str
    failed: bool = False
    format: str | None = None


@dataclass(frozen=True, slots=True)
class Walk:
    """What a walk of paths found.

    Attributes:
        sources: the sources, in order.
        skipped: the files that are skipped because of what they are, and the directories that cannot be read.
    """

    sources: list[Source] = field(default_factory=list)
    skipped: list[SkippedFile] = field(default_factory=list)

    @property
    def skipped_formats(self) -> Counter[str]:
        """The number of files that are skipped because of their format, by format."""
        return Counter(one.format for one in self.skipped if one.format)

    @property
    def incomplete(self) -> bool:
        """Whether a directory cannot be read."""
        return any(one.failed for one in self.skipped)


def walk(
    paths: str | os.PathLike[str] | Source | Many[str | os.PathLike[str] | Source], selection: Selection = ALL
) -> Walk:
    """Return the sources that paths name, each directory replaced by the files below it, sorted by name.

    A file in a directory that is not regular, such as a named pipe or a device, is skipped: reading it might never end.
    A path that does not exist is a source, so that reading it reports the error.

    Args:
        paths: one or more files, directories, or ``-`` for standard input. A `Source` is returned as it is.
        selection: which files below directories are read.

    Raises:
        TypeError: a path is neither str nor `os.PathLike` of a str; or an open file is given.
    """
    if hasattr(paths, "read"):  # it would give its lines, which are no paths
        raise TypeError(f"paths is an open file, {type(paths).__name__}; expected its path")
    walked = Walk()
    is_one = isinstance(paths, str | os.PathLike | Source)
    for at, path in enumerate([paths] if is_one else collection(paths, "paths", "paths", ordered=False)):
        if isinstance(path, Source):
            walked.sources.append(path)
            continue
        name = os.fspath(path) if isinstance(path, str | os.PathLike) else path
        if not isinstance(name, str):
            raise TypeError(f"path {at} is {name!r}, of type {type(name).__name__}; expected a str or os.PathLike")
        if name != STANDARD_INPUT and os.path.isdir(name):
            _search(name, selection, walked)
        else:
            walked.sources.append(Source(name))
    return walked


def _search(start: str, selection: Selection, walked: Walk) -> None:
    """Add the files below a directory."""
    waiting: list[tuple[str, str, tuple[tuple[int, int], ...]]] = [(start, "", ())]
    while waiting:
        folder, below, above = waiting.pop()
        try:
            status = os.stat(folder)
            with os.scandir(folder) as scanned:
                entries = sorted(scanned, key=lambda entry: entry.name)
        except OSError as error:
            walked.skipped.append(SkippedFile(folder, f"cannot be read: {error.strerror}", failed=True))
            continue
        identity = (status.st_dev, status.st_ino)
        if identity in above:
            walked.skipped.append(SkippedFile(folder, "a link to a directory above it"))
            continue
        folders = []
        for entry in entries:
            name = f"{below}{entry.name}"
            is_directory = _is_directory(entry)
            if not selection.enters(name, is_directory=is_directory):
                continue
            if is_directory:
                if selection.follow or not entry.is_symlink():
                    folders.append((os.path.join(folder, entry.name), f"{name}/", (*above, identity)))
            elif selection.takes(name):
                path = os.path.join(folder, entry.name)
                if skipped := _skipped(path, selection):
                    walked.skipped.append(skipped)
                else:
                    walked.sources.append(Source(path, found=True))
        waiting += reversed(folders)


def _skipped(path: str, selection: Selection) -> SkippedFile | None:
    """Return why a file that the selection takes is not read; None if it is."""
    other = (
        None if selection.include else _BY_EXTENSION.get(path.removesuffix(_SAVED_SCRIPT).rpartition(".")[2].lower())
    )
    if not _is_regular_or_broken(path):
        return SkippedFile(path, "not a regular file")
    return SkippedFile(path, f"{other}, not a document", format=other) if other else None


def _is_directory(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to itself, for instance, fails later, when it is read
        return False


def _is_regular_or_broken(path: str) -> bool:
    """Return False if the path exists and is not a regular file. A broken path fails later, when it is read."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return True


def read_paths(path: str, *, null: bool = False) -> list[str]:
    """Return the paths that a file lists, one per line, or each followed by NUL if there is a NUL.

    Args:
        path: the file, or ``-`` for standard input.
        null: the list has no lines, also if it has no NUL.

    Raises:
        OSError: the file cannot be read.
    """
    with open_input(path) as file:
        data = file.read()
    has_lines = not null and (b"\0" not in data or data.startswith(_UTF16_MARKS))
    names = lines_of_list(data) if has_lines else data.split(b"\0")
    return [os.fsdecode(name) for name in names if name]


def lines_of_list(data: bytes) -> list[bytes]:
    r"""Return the lines of a list in UTF-8, without a byte order mark and the line ends of any system.

    Lists in UTF-16 with a mark, as PowerShell writes them, are converted.

    >>> lines_of_list(b"\xef\xbb\xbfa b.txt\r\nc.txt\r\n")
    [b'a b.txt', b'c.txt', b'']
    """
    if data.startswith(_UTF16_MARKS):
        data = data.decode("utf-16", "replace").encode("utf-8")
    return [line.removesuffix(b"\r") for line in data.removeprefix(codecs.BOM_UTF8).split(b"\n")]
