"""What commands print on standard error: errors, notices, and counts of similar messages."""

from __future__ import annotations

import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import ClassVar

from simhash_doc.console import CommandError
from simhash_doc.unseen import escape_unseen

# Control characters except the tab, line separators, and those that change the direction of what follows.
_CONTROLS = re.compile("[\x00-\x08\n-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_URL = re.compile("[A-Za-z][A-Za-z0-9+.-]*://")
# A password may contain "@": it ends at the last one.
_PASSWORD = re.compile(r"(postgres\w{0,9}+(?:\+\w{1,20}+)?://[^\s:/@]{0,200}+:)(?:[^\s@]{0,200}+@){1,9}", re.IGNORECASE)
NO_URLS = "simhash-doc reads no URLs: save it as a file (curl -o FILE URL)"
_NAMES = {"\n": "\\n", "\r": "\\r"}
_quiet = False
_SHOWN = 10  # of similar messages
_INTERVAL = 0.1  # seconds between two redraws of a progress line


def print_error(message: str) -> None:
    """Print a message on one line of standard error, with control characters of paths and texts escaped.

    Passwords in URLs of databases are masked: a URL may be given in place of a file.
    """
    Progress.clear()
    message = _PASSWORD.sub(r"\1***@", message)
    print(escape_unseen(escape_controls(message)), file=sys.stderr, flush=True)


def print_notice(message: str) -> None:
    """Print a message that is not an error, unless the command was called with --quiet."""
    if not is_quiet():
        print_error(message)


def is_quiet() -> bool:
    """Return True if the command was called with --quiet."""
    return _quiet


def set_quiet(quiet: bool) -> None:
    """Print only errors from now on, or everything. A command line calls this when a command begins."""
    global _quiet
    _quiet = quiet


def escape_controls(text: str) -> str:
    r"""Return a text on one line, with control characters as \n, \r, \x1b or \u2028."""
    return _CONTROLS.sub(_escaped, text)


def escape_lines(text: str) -> str:
    """Return a text with the control characters of its lines escaped, and with its line ends."""
    return "\n".join(map(escape_controls, text.split("\n")))


def escape_path(path: str) -> str:
    """Return the path on one line, as `sha256sum` does; a leading backslash marks a path that is escaped.

    Other control characters than line ends are escaped too, and what is not seen, and white space at its end, which
    readers of lines remove.
    """
    escaped = escape_unseen(escape_controls(path.replace("\\", "\\\\")))
    if escaped[-1:].isspace():
        last = ord(escaped[-1])
        escaped = escaped[:-1] + (f"\\x{last:02x}" if last < 0x100 else f"\\u{last:04x}")
    return path if escaped == path else "\\" + escaped


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun, such as "1 document" or "2,000 documents"; `plural` is for other plurals."""
    return f"{number:,} {agreeing(number, noun, plural)}"


def agreeing(number: int, noun: str, plural: str = "") -> str:
    """Return the words that follow a number: a noun, or others that agree with it.

    >>> agreeing(1, "row"), agreeing(2, "row"), agreeing(0, "its number", "their numbers")
    ('row', 'rows', 'their numbers')
    """
    return noun if number == 1 else plural or f"{noun}s"


class Messages:
    """Prints messages of several kinds: the first ten of each kind, and with `finish` the number of the others."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._printed: Counter[str] = Counter()

    def show(self, text: str, kind: str, shown: int = _SHOWN) -> None:
        """Print a message.

        Args:
            text: the message.
            kind: what similar messages have in common, as the count at the end shows it.
            shown: maximum number of messages of this kind that are printed.
        """
        self._counts[kind] += 1
        if self._counts[kind] <= shown:
            self._printed[kind] += 1
            print_error(f"simhash-doc: {text}")

    def finish(self) -> None:
        """Print how many messages of each kind were left out."""
        for kind, count in self._counts.items():
            if more := count - self._printed[kind]:
                print_error(f"simhash-doc: {more:,} more: {kind}")
        self._counts.clear()
        self._printed.clear()


class Progress:
    """A line with the number and the share of finished items on standard error, if that is a terminal.

    It disappears when something else is printed.

    Args:
        total: Number of all items; None if it is not known. It may change while items are counted.
        noun: What the items are called.
    """

    _is_drawn: ClassVar[bool] = False

    def __init__(self, total: int | None, noun: str = "") -> None:
        self.total, self._noun = total, noun
        self._done = 0
        self._shown = sys.stderr.isatty() and not is_quiet() and (total is None or total > 1)
        self._redraw_at = time.monotonic() + 5 * _INTERVAL

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.clear()

    @staticmethod
    def clear() -> None:
        """Remove the line before something else is printed."""
        if Progress._is_drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            Progress._is_drawn = False

    def advance(self, count: int = 1) -> None:
        """Count finished items and redraw the line from time to time."""
        self._done += count
        if not self._shown:
            return
        if not self.total:
            self.show(f"{self._done:,} {self._noun}")
        else:
            self.show(f"{self._done:,} of {self.total:,} {self._noun} ({100 * self._done // self.total} %)")

    def update(self, done: int, total: int | None) -> None:
        """Set the number of finished items and of all, and redraw the line from time to time."""
        self._done, self.total = done, total
        self.advance(0)

    def begin(self, step: str) -> Progress:
        """Draw the line for a step of unknown length at once."""
        self._redraw_at = 0.0
        self.show(step)
        return self

    def show_part(self, what: str, done: int, total: int) -> None:
        """Draw the line for one part of the work."""
        self.show(f"{what}, {done:,} of {total:,}")

    def show(self, line: str) -> None:
        """Draw another line, unless the last one was drawn just now."""
        if self._shown and time.monotonic() >= self._redraw_at:
            sys.stderr.write(f"\r\x1b[K{escape_unseen(escape_controls(line))}")
            sys.stderr.flush()
            Progress._is_drawn = True
            self._redraw_at = time.monotonic() + _INTERVAL


@contextmanager
def reading(path: str, hint: str = "") -> Iterator[None]:
    """Report an input that cannot be read.

    Raises:
        CommandError: instead of the OSError.
    """
    try:
        yield
    except OSError as error:
        reason = NO_URLS if is_url(path) else f"cannot be read: {error.strerror or error}{hint}"
        raise CommandError(f"{path}: {reason}") from error


def is_url(path: str) -> bool:
    """Return whether a path that no file has is a URL, which somebody took for one."""
    return _URL.match(path) is not None


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    code = ord(character)
    return _NAMES.get(character) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")
