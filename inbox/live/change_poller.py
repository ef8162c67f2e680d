"""The database poll of a web process. It finds changes that Redis did not deliver, and checks the access of streams."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from datetime import UTC, datetime

import structlog

from inbox.live import permissions
from inbox.live.hub_interface import HubInterface
from inbox.models.sql.base import db
from inbox.models.tables.change_feed import OVERLAP_SECONDS, Change

log = structlog.get_logger(__name__)

POLL_SECONDS = 1.0
AUTHORITY_SECONDS = 3.0
LEAST_SECONDS = 0.1
MAX_ROWS = 200
"""A poll with more missing rows than this sends a `resync` instead of the rows."""


class ChangePoller:
    """Publishes committed changes that Redis did not deliver. The limit of 3 s depends on this loop alone.

    Specification 14.3.
    """

    def __init__(self, hub: HubInterface) -> None:
        self._hub = hub
        self._following = False
        self._poll_once = threading.Lock()
        self._wanted = threading.Event()
        self._hurry = threading.Event()
        self._looked_at = float("-inf")
        self._checked_at = float("-inf")

    def start_following(self) -> None:
        """Start polling for a new stream, on the database connection of its request.

        Rows that are visible now are not sent to the first stream.
        """
        with self._poll_once:
            if not self._following:
                self._hub.seen.begin(Change.recent())
                self._following, self._looked_at = True, time.monotonic()
        self._wanted.set()

    def poll_now(self) -> None:
        """Poll now, because the access of a person may have changed, or the hub stops."""
        self._checked_at = float("-inf")
        self._hurry.set()
        self._wanted.set()

    def run(self) -> None:
        """Poll until the hub stops.

        1. Wait until a stream is open.
        2. Poll the change feed and check the access of the streams.
        3. After a failed poll, retry and send a `resync` to all streams.
        """
        blind = False
        while not self._hub.stopping.is_set():
            self._wanted.wait()
            if self._no_subscribers():
                continue
            try:
                with db.connection_context():
                    self._poll(blind or time.monotonic() > self._looked_at + OVERLAP_SECONDS / 2)
                blind = False
            except Exception as fault:  # noqa: BLE001 - the loop must go on
                if not blind:
                    log.warning("change feed poll failed", fault=type(fault).__name__)
                blind = True
            self._hub.stopping.wait(LEAST_SECONDS)
            self._hurry.wait(POLL_SECONDS - LEAST_SECONDS)
            self._hurry.clear()

    def _no_subscribers(self) -> bool:
        with self._poll_once:
            if self._hub.audiences:
                return False
            self._following = False
            self._wanted.clear()
            return True

    def _poll(self, was_blind: bool) -> None:
        if was_blind:
            self._hub.seen.begin(Change.recent())
            self._hub.resync()
        else:
            self._catch_up()
        self._looked_at = time.monotonic()
        if self._looked_at >= self._checked_at + AUTHORITY_SECONDS:
            self._checked_at = self._looked_at
            self._check_authority()

    def _catch_up(self) -> None:
        missing = self._hub.seen.missing(Change.recent())
        if len(missing) > MAX_ROWS:
            self._hub.seen.begin(Change.recent())
            self._hub.resync()
        elif missing:
            for seq, references in Change.references(missing):
                self._hub.on_changes(seq, references)

    def _check_authority(self) -> None:
        sessions = self._hub.audiences.by_credential(devices=False)
        devices = self._hub.audiences.by_credential(devices=True)
        standing = permissions.current_workspaces(list(sessions), list(devices), datetime.now(UTC))
        for credential_id, theirs in (sessions | devices).items():
            workspace_ids = standing.get(credential_id)
            for stream in theirs:
                if workspace_ids is None:
                    self._hub.update_access(stream, None)
                elif workspace_ids != stream.listener.workspace_ids:
                    self._hub.update_access(stream, replace(stream.listener, workspace_ids=workspace_ids))
