"""Writers of the documents of the extraction vectors: each work in many formats, always with the same bytes."""
