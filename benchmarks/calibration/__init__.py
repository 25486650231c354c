"""Measure the scheme on real documents: false positives, recall, and the effect of each design decision."""
