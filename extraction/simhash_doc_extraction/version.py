"""The version of the texts."""

VERSION = "18"
"""Raised when any document gets another text, so that provenance shows the difference."""
