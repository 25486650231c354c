"""Generators of the published test vectors: a short function for each subject, and a comment for each case."""
