"""Requests beyond the vectors, and their comparison with the reference."""
