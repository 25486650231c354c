"""Which documents (`clusters`) or rows of a column (`rows`) are copies of each other, and which of them are kept."""
