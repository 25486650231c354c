"""Messages on standard error: of many similar ones the first ten, and then their number; numbers with nouns."""

from __future__ import annotations

from collections import Counter

from simhash_doc.cli.streams import print_error

SHOWN = 10


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun, such as "1 document" or "2,000 documents"; `plural` is for other plurals."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


class Messages:
    """Prints messages of several kinds: the first ten of each kind, and with `finish` the number of the others."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._printed: Counter[str] = Counter()

    def show(self, text: str, kind: str, shown: int = SHOWN) -> None:
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
