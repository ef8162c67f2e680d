"""Shapes of the instance, its administration, the first page and the stream."""
