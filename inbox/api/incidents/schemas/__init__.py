"""Shapes of incidents, their filters and facets."""
