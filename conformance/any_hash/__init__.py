"""An experiment with other similarity hashes: checks of any hash, adapters of published ones, and their results."""
