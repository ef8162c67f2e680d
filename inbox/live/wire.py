"""The stream on the wire: lines of Server-Sent Events, unnamed, references only (specification 14.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

FIELDS = ("type", "id", "workspaceId", "op", "rev")

RESYNC = b'data: {"type":"resync"}\n\n'
"""Reload everything shown: what happened before it need not be told one by one."""

OPENING = b"retry: 3000\n\n" + RESYNC
PING = b": ping\n\n"


def line(reference: Mapping[str, Any]) -> bytes:
    """The `data:` line of a reference as `feed.Reference.stored` wrote it; whatever else it holds stays here."""
    return b"data: " + orjson.dumps({name: reference[name] for name in FIELDS}) + b"\n\n"
