"""The names of the formats of files of fingerprints, which the command line shows without loading their readers."""

from __future__ import annotations

DIGITS = ("hex", "decimal", "base32")
"""The forms of digits; if a text fits several, the first counts: 16 decimal digits are hexadecimal, as in a column."""
LINE_FORMATS = ("json", *DIGITS, "text")
"""The formats of a line; if a line fits several, the first counts."""
FORMATS = (*LINE_FORMATS, "csv", "parquet")
