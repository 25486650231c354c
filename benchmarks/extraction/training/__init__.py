"""Trains the classifier of blocks of web pages."""
