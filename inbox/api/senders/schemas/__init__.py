"""Shapes of sources, events and the formats of other makers."""
