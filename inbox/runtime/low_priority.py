"""Marks work that may wait for a moment: reads of people, beside events and writes (decision 0026)."""

from __future__ import annotations

from contextvars import ContextVar

is_low: ContextVar[bool] = ContextVar("is_low", default=False)
"""Of the present request. A web process executes others before each step of such a request."""
