"""Marks work that can wait: reads of people, beside events and writes (decision 0026)."""

from __future__ import annotations

from contextvars import ContextVar

is_low: ContextVar[bool] = ContextVar("is_low", default=False)
"""Marks the present request. A web process executes others before each step of such a request."""
