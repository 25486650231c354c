"""The published cases: their files, inputs, ground truth of documents, and the requirements that they test."""
