"""The conformance suite: test vectors, the runner, and mutants that measure the vectors.

`adapter` serves this package to the runner, `python_adapter` a Python function of somebody else. `implementation` is
the specification in steps that mutants replace.
"""
