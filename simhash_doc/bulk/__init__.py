"""Fingerprints of many documents at once."""
