"""Lifetimes of a browser session (specification 11.2)."""

from datetime import UTC, datetime, timedelta

IDLE = timedelta(days=30)
"""The lifetime since the last use."""

ABSOLUTE = timedelta(days=90)
"""The lifetime since sign-in."""

NEVER_PROVED = datetime.fromtimestamp(0, UTC)
"""The time of the last proof in a session that has none, because its sign-in skipped the second factor."""
