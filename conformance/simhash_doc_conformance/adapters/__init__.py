"""Implementations that answer requests: the specification in steps, this package, a Python function, templates."""
