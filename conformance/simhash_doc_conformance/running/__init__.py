"""A run: the process of an implementation, its answers, and their verdicts."""
