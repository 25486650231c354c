"""The conformance suite: test vectors, the runner, and known wrong implementations to judge the vectors by."""
