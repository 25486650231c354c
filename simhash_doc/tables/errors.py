"""What can be wrong with a table as a whole. What is wrong with one row is said in its row."""

from __future__ import annotations

from simhash_doc.errors import SimhashDocError


class TableError(SimhashDocError):
    """A table cannot be read, or its result cannot be written."""


class WrongUseError(TableError):
    """The table is not what the options say: a column is missing or of another type, the output exists."""
