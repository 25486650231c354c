"""Fingerprints of the rows of a table: Parquet and JSON-lines files, resumable (extra `tables`)."""
