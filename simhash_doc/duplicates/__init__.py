"""Which documents (`document_clusters`) or rows (`rows`) are duplicates (`definition`), and which are kept."""
