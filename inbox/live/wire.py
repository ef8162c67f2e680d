"""The wire format of the stream: unnamed Server-Sent Events with references only (specification 14.2)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Mapping
from functools import lru_cache
from typing import Any

import orjson

FIELDS = ("type", "id", "workspaceId", "op", "rev")
FURTHER_FIELDS = ("incidentId", "sourceId", "destinationId")
"""Fields of some types."""

PING = b": ping\n\n"
_RETRY = b"retry: 3000\n\n"
_DATA = b"data: "
_RESYNC = _DATA + b'{"type":"resync",'

LONGEST_SPREAD = 30
"""The longest spread of the clients' reads, in seconds."""

STREAMS_PER_SECOND = 20
"""The number of streams whose clients read within a second of the spread.

At 17 ms for a list with counts they use a third of a core. During continuous changes they read once in four spreads.
"""

BURST_STEPS, BURST_SECONDS = (1, 3, 8), (0, 1, 2, 5)
"""After this many consecutive resyncs, the spread grows by this many seconds."""


def line(reference: Mapping[str, Any], *, streams: int = 1) -> bytes:
    """Format the `data:` line of a reference from `feed.Reference.stored`. Only fields of the stream are written.

    `streams` is the number of its receivers in this process. From 20 on, the line has a spread: simultaneous reads of
    all clients would stop the service for everybody.
    """
    shown = {name: reference[name] for name in FIELDS}
    shown |= {name: reference[name] for name in FURTHER_FIELDS if name in reference}
    if spread := _spread(streams):
        shown["spreadSeconds"] = spread
    return _DATA + orjson.dumps(shown) + b"\n\n"


def resync(
    workspace_id: str | None = None, *, types: Collection[str] = (), streams: int = 1, earlier: int = 0
) -> bytes:
    """Format the line that asks clients to reload their view of this workspace, or everything.

    With `types` only records of these types have changed. `streams` is the number of its receivers in this process,
    `earlier` the number of resyncs directly before it.
    """
    spread = min(LONGEST_SPREAD, _spread(streams) + BURST_SECONDS[bisect_right(BURST_STEPS, earlier)])
    if workspace_id is not None:
        spread = max(1, spread)
    scope = b',"types":' + orjson.dumps(sorted(types)) if types else b""
    return _RESYNC + _workspace(workspace_id) + scope + b',"spreadSeconds":%d}\n\n' % spread


def opening(streams: int = 1) -> bytes:
    """Format the first lines of a stream. `streams` is the number of streams that opened at the same time."""
    return _RETRY + resync(streams=streams)


def is_resync(line: bytes) -> bool:
    """Return whether the line is a `resync`."""
    return line.startswith(_RESYNC)


@lru_cache(maxsize=64)
def replaced_by(resync: bytes) -> Callable[[bytes], bool]:
    """Return whether a waiting line is superseded by this `resync`, which reloads its content."""
    found = orjson.loads(resync.removeprefix(_DATA))
    types = found.get("types")
    workspace = b"" if found["workspaceId"] is None else _workspace(found["workspaceId"]) + b","

    def is_replaced(line: bytes) -> bool:
        return workspace in line and (types is None or _types_of(line).issubset(types))

    return is_replaced


def _types_of(line: bytes) -> set[str]:
    """Return the types of the records that a line names. A `resync` of all types has a separate type."""
    found = orjson.loads(line.removeprefix(_DATA))
    return set(found.get("types") or (found["type"],))


def _spread(streams: int) -> int:
    return min(LONGEST_SPREAD, streams // STREAMS_PER_SECOND)


def _workspace(workspace_id: str | None) -> bytes:
    return b'"workspaceId":' + orjson.dumps(workspace_id)
