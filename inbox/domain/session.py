"""How long a browser session lasts (specification 11.2)."""

from datetime import timedelta

IDLE = timedelta(days=30)
"""Since it was last used."""

ABSOLUTE = timedelta(days=90)
"""Since sign-in."""
