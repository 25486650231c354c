"""PDF documents, read with PDFium."""
