"""Rules that leave out files, in the syntax of ``.gitignore``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

_CLASS = re.compile(r"\[([!^]?)(\]?(?:\\.|[^\]\\])*)\]", re.DOTALL)
_SPECIAL = re.compile(r"\\.|[\[\]&|~^]", re.DOTALL)


@dataclass(frozen=True)
class IgnoreRules:
    """Rules in the syntax of ``.gitignore`` (https://git-scm.com/docs/gitignore); of those that match, the last counts.

    Attributes:
        lines: the lines of the files with rules, in order.
    """

    lines: tuple[str, ...] = ()

    def ignores(self, below: str, *, is_directory: bool) -> bool | None:
        """Return True if a path is ignored, False if a rule with ``!`` keeps it, and None if no rule matches.

        Args:
            below: the path below the directory to which the rules apply, with slashes.
            is_directory: whether it is a directory. What is below an ignored directory is ignored, too.
        """
        for rule in reversed(self._rules):
            if (is_directory or not rule.only_directories) and rule.pattern.fullmatch(below):
                return not rule.keeps
        return None

    @cached_property
    def _rules(self) -> tuple[_Rule, ...]:
        return tuple(rule for rule in map(_rule, self.lines) if rule)


NO_RULES = IgnoreRules()


@dataclass(frozen=True)
class _Rule:
    pattern: re.Pattern[str]
    keeps: bool
    only_directories: bool


def _rule(line: str) -> _Rule | None:
    line = re.sub(r"(?<!\\)[ \t]+$", "", line.rstrip("\r\n"))
    if not line or line.startswith("#"):
        return None
    keeps = line.startswith("!")
    line = line[keeps:]
    only_directories = line.endswith("/")
    line = line.removesuffix("/")
    if not line:
        return None
    anywhere = "" if "/" in line else "(?:.*/)?"
    try:
        pattern = re.compile(anywhere + "".join(_translated(line.removeprefix("/"))), re.DOTALL)
    except (ValueError, re.error):  # such as an unclosed bracket, which matches nothing in Git either
        return None
    return _Rule(pattern, keeps, only_directories)


def _translated(glob: str) -> Iterator[str]:
    at = 0
    while at < len(glob):
        rest = glob[at:]
        if rest.startswith("**/") and (not at or glob[at - 1] == "/"):
            yield "(?:.*/)?"
            at += 3
        elif rest == "**" and (not at or glob[at - 1] == "/"):
            yield ".+"
            at += 2
        elif rest.startswith("*"):
            yield "[^/]*"
            at += len(rest) - len(rest.lstrip("*"))
        elif rest.startswith("?"):
            yield "[^/]"
            at += 1
        elif found := _CLASS.match(rest):
            negated, characters = found.groups()
            escaped = _SPECIAL.sub(lambda match: re.escape(match[0][-1]), characters)
            yield f"(?!/)[{'^' if negated else ''}{escaped}]"
            at += found.end()
        elif rest.startswith("[") or rest == "\\":
            raise ValueError(f"{rest[0]!r} at the end of {glob!r} is not closed")
        elif rest.startswith("\\"):
            yield re.escape(rest[1])
            at += 2
        else:
            yield re.escape(rest[0])
            at += 1
