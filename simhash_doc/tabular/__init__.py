"""Fingerprints of the rows of Parquet and JSON-lines files; interrupted runs resume (extra `tables`)."""
