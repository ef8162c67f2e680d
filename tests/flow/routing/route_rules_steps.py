"""Rules and events, as tests of routing make them."""

from __future__ import annotations

from datetime import timedelta

MINUTE = timedelta(minutes=1)
