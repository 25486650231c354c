"""The conformance suite: test vectors, the runner, and mutants that measure the vectors."""
