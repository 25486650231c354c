"""What is wrong with an implementation: the first wrong step, and known bugs that answer alike."""
