"""Which documents (`clusters`) or rows of a column (`rows`) are duplicates (`definition`), and which are kept."""
