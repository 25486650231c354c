"""Fingerprints read from files, in every format that a command writes: text lines, JSON lines, CSV and Parquet."""

from simhash_doc.ingest.entries.lines import (
    FORMATS,
    fingerprint_of,
    parse_fingerprint,
    parse_line,
    parse_object,
    texts_of,
)
from simhash_doc.ingest.entries.reader import EntryReader
from simhash_doc.ingest.entries.result import Entries, render
from simhash_doc.ingest.entries.rewriting import JsonLines
from simhash_doc.ingest.entries.texts import parse_texts

__all__ = [
    "FORMATS",
    "Entries",
    "EntryReader",
    "JsonLines",
    "fingerprint_of",
    "parse_fingerprint",
    "parse_line",
    "parse_object",
    "parse_texts",
    "render",
    "texts_of",
]
