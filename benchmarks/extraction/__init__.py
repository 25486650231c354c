"""How well texts match that were extracted from different media of one work."""
