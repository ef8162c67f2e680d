"""Destination kinds."""
