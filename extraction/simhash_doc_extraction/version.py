"""The version of the texts."""

VERSION = "15"
"""Raised when any document gets another text, so that provenance shows the difference."""
