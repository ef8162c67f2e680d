"""The HTTP API: one blueprint per noun."""
