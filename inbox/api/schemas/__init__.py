"""Shapes of JSON on the wire; camelCase lives here only."""
