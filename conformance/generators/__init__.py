"""Recipes of the published test vectors: one short function for each subject, saying what each case is for."""
