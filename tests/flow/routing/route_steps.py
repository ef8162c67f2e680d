"""Routing in several workers at the same time."""

from __future__ import annotations

from datetime import timedelta

MINUTE = timedelta(minutes=1)
