"""The wire format of the stream: unnamed Server-Sent Events with references only (specification 14.2)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from typing import Any

import orjson

FIELDS = ("type", "id", "workspaceId", "op", "rev")
FURTHER_FIELDS = ("incidentId", "sourceId", "destinationId")
"""Fields of some types. Rows of earlier versions do not have them."""

PING = b": ping\n\n"
_RETRY = b"retry: 3000\n\n"
_RESYNC = b'data: {"type":"resync",'

SPREAD_SECONDS = (0, 1, 2, 5, 10, 20, 30)
"""The seconds over which clients spread their reload. Each condition below leads to a later entry."""

STREAM_STEPS = (20, 200, 500, 1_500)
"""With this many streams, and with each further step, the spread is one entry longer."""

STORM_STEPS = (1, 3, 8)
"""After this many consecutive resyncs, and after each further step, the spread is one entry longer."""


STREAMS_PER_SECOND = 20
"""The clients of how many streams read within a second of the spread: a third of a core, at 17 ms for a list and its counts.
During continuous changes they read once in four spreads."""


def line(reference: Mapping[str, Any], *, streams: int = 1) -> bytes:
    """Format the `data:` line of a reference from `feed.Reference.stored`. Only fields of the stream are written.

    `streams` is the number of its receivers in this process. From 20 on, the line has a spread: reads that each client
    makes at once would stop the service for everybody.
    """
    shown = {name: reference[name] for name in FIELDS}
    shown |= {name: reference[name] for name in FURTHER_FIELDS if name in reference}
    if spread := min(SPREAD_SECONDS[-1], streams // STREAMS_PER_SECOND):
        shown["spreadSeconds"] = spread
    return b"data: " + orjson.dumps(shown) + b"\n\n"


def resync(workspace_id: str | None = None, *, streams: int = 1, earlier: int = 0) -> bytes:
    """Format the line that asks clients to reload what they show of this workspace, or everything.

    `streams` is the number of its receivers in this process, `earlier` the number of resyncs directly before it.
    """
    spread = SPREAD_SECONDS[bisect_right(STREAM_STEPS, streams) + bisect_right(STORM_STEPS, earlier)]
    if workspace_id is not None:
        spread = max(1, spread)
    return _RESYNC + _workspace(workspace_id) + b',"spreadSeconds":%d}\n\n' % spread


def opening(streams: int = 1) -> bytes:
    """Format the first lines of a stream. `streams` is the number of streams that opened at the same time."""
    return _RETRY + resync(streams=streams)


def is_resync(line: bytes) -> bool:
    """Whether the line is a `resync`."""
    return line.startswith(_RESYNC)


def is_replaced(line: bytes, by: bytes) -> bool:
    """Whether a waiting line is superseded by this `resync`, since its content will be reloaded."""
    workspace = by[len(_RESYNC) : by.rindex(b",")]
    return workspace == _workspace(None) or workspace + b"," in line


def _workspace(workspace_id: str | None) -> bytes:
    return b'"workspaceId":' + orjson.dumps(workspace_id)
