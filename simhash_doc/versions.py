"""The versions of the package, of the specification that it implements, and of the texts that it extracts."""

__version__ = "0.1.0"
SPEC_VERSION = "1.0.0-rc.3"
EXTRACTOR = "10"
"""Raised when the text of a document changes, so that the provenance shows the difference."""
