"""Fingerprints of the rows of Parquet and JSON-lines files (extra `tables`)."""
