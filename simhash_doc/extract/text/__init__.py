"""Plain text and light markup: Markdown, AsciiDoc."""
