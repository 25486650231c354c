"""Generated requests: strategies of Hypothesis for the members of each operation."""
