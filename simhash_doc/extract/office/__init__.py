"""Office documents and e-books: DOCX, ODT, RTF, EPUB."""
