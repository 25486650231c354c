"""Web pages: HTML and XHTML."""
