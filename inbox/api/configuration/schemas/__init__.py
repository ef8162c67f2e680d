"""Shapes of the records that files keep."""
