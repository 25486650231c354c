"""Results that keep tables in Spark's cache until they are no longer needed."""

from __future__ import annotations

from dataclasses import dataclass
from types import TracebackType
from typing import Self

from pyspark.sql import DataFrame


@dataclass(frozen=True)
class Cached:
    """A lazily computed result with tables in the cache. Leaving its `with` block frees them.

    Attributes:
        cached: the tables.
    """

    cached: list[DataFrame]

    def unpersist(self) -> None:
        """Free the memory and disk of the cached tables."""
        for table in self.cached:
            table.unpersist()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.unpersist()
