"""Fingerprints that were written down: files of text lines, JSON lines, CSV and Parquet, read as entries."""
