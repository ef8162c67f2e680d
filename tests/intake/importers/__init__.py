"""Readers of the set-ups of other tools."""
