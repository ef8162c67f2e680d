"""The HTTP face: one blueprint per noun."""
