"""The policy: which documents may be left out, whatever the door, and the defaults of that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

from simhash_doc.arguments import integer, real, texts
from simhash_doc.schemes import get_scheme

Numbers = Literal["keep", "ignore"]

LONGEST, FIRST, OLDEST, NEWEST = "longest", "first", "oldest", "newest"
BY_COLUMN = "column:"  # begins a rule for what is kept: the least value in the column that follows


@dataclass(frozen=True, slots=True)
class Policy:
    """The rule that decides which documents are left out. It is the same for files, tables, stores, streams and Spark.

    Attributes:
        scheme: short id of the scheme of the fingerprints.
        distance: maximum number of bits in which near fingerprints differ; None for the *loose* threshold of the
            scheme, 36 bits of sd256, because texts confirm.
        min_similarity: minimum share of common tokens, and of common distinct tokens; over 0, at most 1.
            1 with numbers ``keep``: the texts are equal except for white space, and so is what documents show outside
            them.
        numbers: ``keep``: a text is left out only for a text that contains all of its numbers; ``ignore``: numbers do
            not count.
        keep: which document is kept. ``longest``: the text with the most numbers, then the longest in bytes of UTF-8;
            with numbers ``ignore``, the longest. ``first``: the first in the input. ``oldest`` and ``newest``: the
            oldest or newest file or capture. ``column:NAME``: the lowest value in a column. The order of rows, or of
            paths, breaks ties.
        min_tokens: texts with fewer tokens are duplicates only of equal texts. Each distinct token counts at most 8
            times.
        protected: sources (directories, files, tables) whose documents are never left out, and are preferred.

    Raises:
        TypeError: a value has the wrong type.
        ValueError: a value is out of range.
        UnknownSchemeError: the scheme is not in the registry.

    >>> Policy().bits, Policy(scheme="sd64").bits
    (36, 6)
    """

    scheme: str = "sd256"
    distance: int | None = None
    min_similarity: float = 0.9
    numbers: Numbers = "keep"
    keep: str = LONGEST
    min_tokens: int = 0
    protected: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        get_scheme(self.scheme)
        if self.distance is not None:
            integer(self.distance, "distance", 0)
        integer(self.min_tokens, "min_tokens", 0)
        texts(self.protected, "protected", "paths")
        if not 0 < real(self.min_similarity, "min_similarity", "a number over 0, at most 1") <= 1:
            raise ValueError(f"min_similarity is {self.min_similarity}; expected a number over 0, at most 1")
        if self.numbers not in get_args(Numbers):
            raise ValueError(f"numbers is {self.numbers!r}; expected 'keep' or 'ignore'")
        keep: Any = self.keep
        if not isinstance(keep, str) or (keep not in (LONGEST, FIRST, OLDEST, NEWEST) and self.column is None):
            raise ValueError(
                f"keep is {self.keep!r}; expected 'longest', 'first', 'oldest', 'newest', or '{BY_COLUMN}NAME'"
            )

    @property
    def bits(self) -> int:
        """Maximum number of bits in which near fingerprints differ."""
        return get_scheme(self.scheme).loose if self.distance is None else self.distance

    @property
    def column(self) -> str | None:
        """The column of which the lowest value is kept; None for another rule."""
        return self.keep.removeprefix(BY_COLUMN) if self.keep.startswith(BY_COLUMN) else None

    @property
    def is_whole(self) -> bool:
        """Whether a text is left out only for a text that is equal except for white space."""
        return self.min_similarity == 1 and self.keeps_numbers

    @property
    def keeps_numbers(self) -> bool:
        """Whether a text is left out only for a text with all of its numbers."""
        return self.numbers == "keep"
