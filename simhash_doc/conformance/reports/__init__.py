"""Reports of a conformance run: JSON, and the forms that are rendered from it."""
