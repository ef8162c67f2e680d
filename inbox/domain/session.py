"""Lifetimes of a browser session (specification 11.2)."""

from datetime import timedelta

IDLE = timedelta(days=30)
"""The lifetime since the last use."""

ABSOLUTE = timedelta(days=90)
"""The lifetime since sign-in."""
