"""The text of PDF files: what is on a page, in which order, and what pagination added to it."""
