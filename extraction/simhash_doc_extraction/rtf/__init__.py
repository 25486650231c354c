"""The text of RTF files."""
