"""Measure how well texts match that were extracted from different formats of one work."""
