"""Writers of the documents of the extraction vectors: one work, many media, the same bytes each time."""
