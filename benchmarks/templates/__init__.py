"""What a close pair means among pages of one template (specification, section 10)."""
