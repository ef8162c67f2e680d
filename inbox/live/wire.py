"""The wire format of the stream: unnamed Server-Sent Events with references only (specification 14.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

FIELDS = ("type", "id", "workspaceId", "op", "rev")

RESYNC = b'data: {"type":"resync"}\n\n'
"""Reload everything shown. Earlier changes need not be sent one by one."""

OPENING = b"retry: 3000\n\n" + RESYNC
PING = b": ping\n\n"


def line(reference: Mapping[str, Any]) -> bytes:
    """Format the `data:` line of a reference from `feed.Reference.stored`. Only `FIELDS` are written."""
    return b"data: " + orjson.dumps({name: reference[name] for name in FIELDS}) + b"\n\n"
