"""The sources of documents: what paths name, which files below directories are read, and which are skipped and why."""

from __future__ import annotations

import os
import re
import stat
import sys
import warnings
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from io import BufferedReader
from pathlib import Path

STANDARD_INPUT = "-"

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


@dataclass(frozen=True, slots=True)
class Source:
    """A file, or standard input, that documents come from.

    Attributes:
        path: its path; ``-`` for standard input.
        found: whether it was found in a directory, not named. It is skipped, and not an error, if it is not a document.
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


@dataclass(frozen=True)
class IgnoreRules:
    """Rules in the syntax of ``.gitignore`` (https://git-scm.com/docs/gitignore); of those that match, the last counts.

    Attributes:
        lines: the lines of the files with rules, in order. A line that is not a rule matches nothing.
    """

    lines: tuple[str, ...] = ()

    def ignores(self, below: str, *, is_directory: bool) -> bool | None:
        """Return True if a path is ignored, False if a rule with ``!`` keeps it, and None if no rule matches.

        Args:
            below: the path below the directory to which the rules apply, with slashes.
            is_directory: whether it is a directory. What is below an ignored directory is ignored, too.
        """
        for rule, ignores in self._last_first:
            if _applies(rule, below, is_directory=is_directory):
                return ignores
        return None

    @cached_property
    def _last_first(self) -> list[tuple[re.Pattern[str], bool]]:
        from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

        rules: list[tuple[re.Pattern[str], bool]] = []
        for line in reversed(self.lines):
            # What is not a rule raises ValueError; `re` warns about [[.
            with suppress(ValueError), warnings.catch_warnings(action="ignore", category=FutureWarning):
                pattern = GitIgnoreSpecPattern(line)
                if pattern.regex and pattern.include is not None:
                    rules.append((pattern.regex, pattern.include))
        return rules


def _applies(rule: re.Pattern[str], below: str, *, is_directory: bool) -> bool:
    """Return whether a rule is for a path itself, and not only for a directory above it.

    GitIgnoreSpec takes ``*`` for stronger than a later ``!*/``, because it decides in one step for a path and the
    directories above it, which are asked about first here. The only group of a rule is the slash behind a directory.
    """
    if (found := rule.search(below)) and not found.lastgroup:
        return True
    ends = (found.end() for found in rule.finditer(f"{below}/") if found.lastgroup) if is_directory else ()
    return len(below) + 1 in ends


@dataclass(frozen=True, slots=True)
class Selection:
    """Which files below a directory are read.

    A pattern such as ``*.html`` applies to the name of a file and of each directory above it; one with a slash, such as
    ``drafts/*.txt``, to the path below the directory that is searched. A file that is named is always read.

    Attributes:
        include: a file must match one of these patterns; empty selects every file, except those whose names show
            another format, such as images, style sheets and scripts.
        exclude: a file must match none of these patterns.
        hidden: also read files and directories whose names begin with a dot.
        follow: also search directories behind symbolic links.
        ignore: rules in the syntax of ``.gitignore``, which apply to paths below the directory that is searched.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    hidden: bool = False
    follow: bool = False
    ignore: IgnoreRules = IgnoreRules()

    def takes(self, below: str) -> bool:
        """Return True if the patterns select a file, given by its path below the directory that is searched."""
        return (not self.include or _matches(below, self.include)) and not _matches(below, self.exclude)

    def enters(self, below: str, *, is_directory: bool) -> bool:
        """Return False for an entry of a directory that is hidden or ignored."""
        ignored = self.ignore.ignores(below, is_directory=is_directory)
        hidden = below.rpartition("/")[2].startswith(".") and not self.hidden
        return ignored is False or not (hidden or ignored)


ALL = Selection()


def walk(paths: Iterable[str | os.PathLike[str] | Source], selection: Selection = ALL) -> Walk:
    """Return the sources that paths name, each directory replaced by the files below it, sorted by name.

    A file in a directory that is not regular, such as a named pipe or a device, is skipped: reading it might never end.
    A path that does not exist is a source, so that reading it reports the error.

    Args:
        paths: files, directories, or ``-`` for standard input. A `Source` is returned as it is.
        selection: which files below directories are read.
    """
    walked = Walk()
    for path in paths:
        if isinstance(path, Source):
            walked.sources.append(path)
            continue
        name = os.fspath(path)
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


def is_read(path: str, start: str, selection: Selection) -> bool:
    """Return True if a search of the directory `start` finds an existing file. Links to it are not looked for."""
    below = os.path.relpath(os.path.realpath(path), os.path.realpath(start)).split(os.sep)
    names = ["/".join(below[: depth + 1]) for depth in range(len(below))]
    entered = all(selection.enters(name, is_directory=name != names[-1]) for name in names)
    found = below[0] != os.pardir and entered and selection.takes(names[-1])
    return found and not _skipped(path, selection)


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


def _matches(below: str, patterns: tuple[str, ...]) -> bool:
    parts = below.split("/")
    return any(
        fnmatchcase(below, pattern) if "/" in pattern else any(fnmatchcase(part, pattern) for part in parts)
        for pattern in patterns
    )


def read_paths(path: str) -> list[str]:
    """Return the paths that a file lists, one per line, or each followed by NUL if there is a NUL.

    Args:
        path: the file, or ``-`` for standard input.

    Raises:
        OSError: the file cannot be read.
    """
    with open_input(path) as file:
        data = file.read()
    separator = b"\0" if b"\0" in data else b"\n"
    return [os.fsdecode(name) for name in data.split(separator) if name]


def open_input(path: str) -> BufferedReader:
    """Open a file, or standard input for ``-``, for reading bytes.

    Raises:
        OSError: The file cannot be opened.
    """
    return os.fdopen(sys.stdin.fileno(), "rb", closefd=False) if path == STANDARD_INPUT else Path(path).open("rb")
