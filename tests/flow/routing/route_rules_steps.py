"""Creates rules and events for tests of routing."""

from __future__ import annotations

from datetime import timedelta

MINUTE = timedelta(minutes=1)
