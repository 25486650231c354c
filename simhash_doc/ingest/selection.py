"""Which files below a directory are selected, by patterns and by rules in the syntax of ``.gitignore``."""

from __future__ import annotations

import re
import warnings
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property

from simhash_doc.arguments import texts


@dataclass(frozen=True)
class IgnoreRules:
    """Rules in the syntax of ``.gitignore`` (https://git-scm.com/docs/gitignore). The last rule that matches decides.

    Attributes:
        lines: the lines of the files with rules, in order. A line that is not a rule matches nothing.

    >>> rules = IgnoreRules(("*.log", "!keep.log"))
    >>> [rules.ignores(name, is_directory=False) for name in ("a.log", "keep.log", "a.txt")]
    [True, False, None]
    """

    lines: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "lines", texts(self.lines, "lines", "rules"))

    def ignores(self, below: str, *, is_directory: bool) -> bool | None:
        """Return True if a path is ignored, False if a rule with ``!`` keeps it, and None if no rule matches.

        Args:
            below: the path below the directory to which the rules apply, with slashes.
            is_directory: whether it is a directory. Everything below an ignored directory is also ignored.

        >>> IgnoreRules(("build/",)).ignores("build", is_directory=True)
        True
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


@dataclass(frozen=True, slots=True, kw_only=True)
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

    Raises:
        TypeError: the patterns are one str, or one of them is not a str.

    >>> chosen = Selection(include=("*.txt",), exclude=("drafts",))
    >>> chosen.takes("notes/a.txt"), chosen.takes("notes/a.md")
    (True, False)
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    hidden: bool = False
    follow: bool = False
    ignore: IgnoreRules = IgnoreRules()

    def __post_init__(self) -> None:
        for name in ("include", "exclude"):
            object.__setattr__(self, name, texts(getattr(self, name), name, "patterns"))
        if not isinstance(self.ignore, IgnoreRules):
            raise TypeError(f"ignore is {type(self.ignore).__name__}; expected IgnoreRules")

    def takes(self, below: str) -> bool:
        """Return True if the patterns select a file, given by its path below the directory that is searched.

        >>> Selection(include=("*.txt",)).takes("notes/a.txt")
        True
        """
        return (not self.include or _matches(below, self.include)) and not _matches(below, self.exclude)

    def enters(self, below: str, *, is_directory: bool) -> bool:
        """Return False for an entry of a directory that is hidden or ignored.

        >>> Selection().enters(".git", is_directory=True)
        False
        """
        ignored = self.ignore.ignores(below, is_directory=is_directory)
        hidden = below.rpartition("/")[2].startswith(".") and not self.hidden
        return ignored is False or not (hidden or ignored)


ALL = Selection()


def _matches(below: str, patterns: tuple[str, ...]) -> bool:
    parts = below.split("/")
    return any(
        fnmatchcase(below, pattern) if "/" in pattern else any(fnmatchcase(part, pattern) for part in parts)
        for pattern in patterns
    )
