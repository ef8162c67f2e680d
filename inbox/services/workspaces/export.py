"""The export of a workspace: one JSON document, streamed from one snapshot, once a minute (specification 12.6)."""

from __future__ import annotations

import math
import socket
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import orjson
import structlog

from inbox.config.settings import current
from inbox.domain.values import ids, times
from inbox.domain.values.refusals import NotFound, RateLimited
from inbox.domain.workspaces import settings as rules
from inbox.domain.workspaces.export_format import FORMAT, VERSION
from inbox.flow.unit_of_work import work
from inbox.live.client_socket import ClientSocket
from inbox.models.records.audit import ExportRun
from inbox.models.workspaces.export_snapshot import Snapshot
from inbox.models.workspaces.exports import SECTIONS
from inbox.models.workspaces.tables import Workspace
from inbox.services.records import audit

log = structlog.get_logger(__name__)

EVERY = timedelta(minutes=1)
AT_ONCE = 4
"""The maximum number of concurrent exports in one process. Each uses its own connection."""

PAUSE_SECONDS = 0.003
"""The pause after each page, about as long as the page took, so that the process serves other requests."""

SEND_SECONDS = 20.0
"""The seconds in which a client must accept a chunk. The limits of the kernel and the database are longer."""

_room = threading.BoundedSemaphore(AT_ONCE)


class Export:
    """The response body: an iterator of chunks. The server closes it, also when it was not read completely.

    The last byte is sent only after everything else, so a truncated document is invalid JSON.
    """

    def __init__(self, workspace: Workspace, snapshot: Snapshot, now: datetime, sock: socket.socket | None) -> None:
        self.filename = f"{workspace.slug}-{now:%Y-%m-%d}.json"
        self._snapshot = snapshot
        self._chunks = _document(workspace, snapshot, now)
        self._handed_at: float | None = None
        self._closed = threading.Event()
        self._peer = ClientSocket(sock, _nothing)
        if sock is not None:
            threading.Thread(target=self._watch, name="export-watch", daemon=True).start()

    def __iter__(self) -> Export:
        return self

    def __next__(self) -> bytes:
        self._handed_at = None
        try:
            piece = next(self._chunks)
        except BaseException:  # also at the end
            self.close()
            raise
        self._handed_at = time.monotonic()
        return piece

    def close(self) -> None:
        """Release the connection, after the last chunk or a disconnect. A second call is allowed."""
        if not self._closed.is_set():
            self._closed.set()
            self._peer.stop_watching()
            self._snapshot.close()
            _room.release()

    def _watch(self) -> None:
        """Disconnect a client that does not accept a chunk within 20 seconds. That ends the blocked send."""
        while not self._closed.wait(1.0):
            since = self._handed_at
            if since is not None and time.monotonic() > since + SEND_SECONDS:
                log.info("a client stopped reading its export")
                self._snapshot.close()
                self._peer.disconnect()
                return


def begin(workspace_id: UUID, user_id: UUID, *, now: datetime, sock: socket.socket | None = None) -> Export:
    """Begin an export. The caller closes it. `sock` is the client's socket, for the disconnect of a blocked client.

    Raises `RateLimited` within a minute of the last export in any process, and `NotFound`.
    """
    workspace = Workspace.get_or_none(Workspace.id == workspace_id, Workspace.deleted_at.is_null())
    if workspace is None:
        raise NotFound
    _refuse_too_soon(workspace_id, now)
    if not _room.acquire(blocking=False):
        raise RateLimited("Too many exports at the same time.", retry_after=10)
    snapshot = None
    try:
        snapshot = _snapshot()
        with work():
            if not ExportRun.start(workspace_id, user_id, now, now - EVERY):
                _refuse_too_soon(workspace_id, now)
            about = audit.target("workspace", workspace_id, workspace.name)
            audit.record("workspace.exported", target=about, now=now, workspace_id=workspace_id)
        return Export(workspace, snapshot, now, sock)
    except BaseException:
        if snapshot is not None:
            snapshot.close()
        _room.release()
        raise


def _snapshot() -> Snapshot:
    """Connects to the server itself where its address is set: an export lasts minutes, and a pool has few connections."""
    settings = current()
    if settings.direct_database_url:
        return Snapshot.open(settings.direct_database_url)
    return Snapshot.open(settings.database_url, pooled=bool(settings.database_pooler))


def _refuse_too_soon(workspace_id: UUID, now: datetime) -> None:
    run = ExportRun.get_or_none(ExportRun.workspace == workspace_id)
    if run is not None and run.started_at > now - EVERY:
        wait = math.ceil((run.started_at + EVERY - now).total_seconds())
        # The export may have begun after this request arrived, or by another machine's clock. A minute is the maximum.
        most = int(EVERY.total_seconds())
        raise RateLimited("A workspace can be exported once a minute.", retry_after=min(max(1, wait), most))


def _document(workspace: Workspace, snapshot: Snapshot, now: datetime) -> Iterator[bytes]:
    head = {"format": FORMAT, "version": VERSION, "exportedAt": times.rfc3339(now)}
    yield orjson.dumps({**head, "workspace": _record(workspace)})[:-1]
    for section in SECTIONS:
        opening = b',\n"' + section.name.encode() + b'":['
        for page in snapshot.pages(section, workspace.id):
            yield opening + b"\n" + b",\n".join(map(orjson.dumps, page))
            opening = b","
            time.sleep(PAUSE_SECONDS)
        yield b"\n]" if opening == b"," else opening + b"]"
    snapshot.finish(workspace.id, datetime.now(UTC))
    yield b"}\n"


def _record(workspace: Workspace) -> dict[str, Any]:
    settings, route = (
        rules.merged(rules.SHIPPED, workspace.settings),
        rules.effective_route(workspace.default_route),
    )
    fallback = settings["fallbackDestinationId"]
    settings["fallbackDestinationId"] = ids.encode("dst", UUID(fallback)) if fallback else None
    profile = route.routing_profile_id
    return {
        "id": ids.encode("wsp", workspace.id),
        "name": workspace.name,
        "slug": workspace.slug,
        "timezone": workspace.timezone,
        "settings": settings,
        "defaultRoute": {
            "destinationIds": [ids.encode("dst", each) for each in route.destination_ids],
            "people": [each.record() for each in route.people],
            "routingProfileId": ids.encode("prf", profile) if profile else None,
            "dispositions": dict(route.dispositions),
        },
        "createdAt": times.rfc3339(workspace.created_at),
        "rev": workspace.rev,
    }


def _nothing() -> None:
    """Ignore a disconnect, because the next send fails."""
