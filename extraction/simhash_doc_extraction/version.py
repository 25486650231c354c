"""The version of the texts."""

VERSION = "19"
"""Raised when any document gets another text, so that provenance shows the difference."""
