"""Tells whether a program opened an address to look at it, by the headers of its request (specification 18.5)."""

from __future__ import annotations

from typing import Any

from inbox.domain.heartbeats import previews


def is_preview(environ: dict[str, Any]) -> bool:
    """Returns whether a program opened the address of a ping to look at it."""
    purposes = [environ.get(f"HTTP_{name.upper().replace('-', '_')}", "") for name in previews.PURPOSES]
    return previews.is_preview(environ.get("HTTP_USER_AGENT", ""), purposes)
