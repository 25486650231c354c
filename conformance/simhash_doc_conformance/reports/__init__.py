"""What a run, or a comparison of implementations, is written down as."""
