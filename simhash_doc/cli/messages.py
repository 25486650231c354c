"""Messages on standard error: of many similar ones the first ten, and then their number."""

from __future__ import annotations

from collections import Counter

from simhash_doc.cli.streams import print_error

SHOWN = 10


class Messages:
    """Prints messages of several kinds; of each kind the first ten, and with `finish` the number of the others."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def show(self, text: str, kind: str) -> None:
        """Print a message.

        Args:
            text: the message.
            kind: what similar messages have in common, as the count at the end shows it.
        """
        self._counts[kind] += 1
        if self._counts[kind] <= SHOWN:
            print_error(f"simhash-doc: {text}")

    def finish(self) -> None:
        """Print how many messages of each kind were left out."""
        for kind, count in self._counts.items():
            if count > SHOWN:
                print_error(f"simhash-doc: {count - SHOWN:,} more: {kind}")
        self._counts.clear()
