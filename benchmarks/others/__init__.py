"""Simhash algorithms of other projects, written from their public descriptions, to show why values differ.

They are for comparison only. docs/why-your-simhash-differs.md explains each. tests/benchmarks/test_others.py checks
each against values that its project publishes and, where it can be installed, against the project itself.
"""
