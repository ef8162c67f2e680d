"""The database poll of a web process. It finds changes that Redis did not deliver, and checks the access of streams."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from datetime import UTC, datetime

import structlog

from inbox.database.base import db
from inbox.live import permissions
from inbox.live.feed import OVERLAP_SECONDS, Change
from inbox.live.hub_interface import HubInterface

log = structlog.get_logger(__name__)

POLL_SECONDS = 1.0
ACCESS_CHECK_SECONDS = 3.0
MIN_POLL_SECONDS = 0.1
MAX_ROWS = 200
"""A poll with more missing rows than this sends a `resync` instead of the rows."""


class ChangePoller:
    """Publishes committed changes that Redis did not deliver. The limit of 3 s depends on this loop alone.

    Specification 14.3.
    """

    def __init__(self, hub: HubInterface, overlap_seconds: float = OVERLAP_SECONDS) -> None:
        self._hub = hub
        self._overlap_seconds = overlap_seconds
        self._following = False
        self._follow_lock = threading.Lock()
        self._has_streams = threading.Event()
        self._poll_requested = threading.Event()
        self._polled_at = float("-inf")
        self._checked_at = float("-inf")

    def start_following(self) -> None:
        """Start polling for a new stream, on the database connection of its request.

        Rows that are visible now are not sent to the first stream.
        """
        with self._follow_lock:
            if not self._following:
                self._hub.seen.begin(Change.at_the_beginning())
                self._following, self._polled_at = True, time.monotonic()
        self._has_streams.set()

    def poll_now(self) -> None:
        """Poll now, because the access of a person may have changed, or the hub stops."""
        self._checked_at = float("-inf")
        self._poll_requested.set()
        self._has_streams.set()

    def run(self) -> None:
        """Poll until the hub stops.

        1. Wait until a stream is open.
        2. Poll the change feed and check the access of the streams.
        3. After a failed poll, retry and send a `resync` to all streams.
        """
        poll_failed = False
        while not self._hub.stopping.is_set():
            self._has_streams.wait()
            if self._no_subscribers():
                continue
            try:
                with db.connection_context():
                    self._poll(poll_failed or time.monotonic() > self._polled_at + OVERLAP_SECONDS / 2)
                poll_failed = False
            except Exception as fault:  # noqa: BLE001 - the loop must go on
                if not poll_failed:
                    log.warning("change feed poll failed", fault=type(fault).__name__)
                poll_failed = True
            self._hub.stopping.wait(MIN_POLL_SECONDS)
            self._poll_requested.wait(POLL_SECONDS - MIN_POLL_SECONDS)
            self._poll_requested.clear()

    def _no_subscribers(self) -> bool:
        with self._follow_lock:
            if self._hub.audiences:
                return False
            self._following = False
            self._has_streams.clear()
            return True

    def _poll(self, after_failure: bool) -> None:
        if after_failure:
            self._hub.seen.begin(Change.at_the_beginning())
            self._hub.resync()
        else:
            self._catch_up()
        self._polled_at = time.monotonic()
        if self._polled_at >= self._checked_at + ACCESS_CHECK_SECONDS:
            self._checked_at = self._polled_at
            self._check_access()

    def _catch_up(self) -> None:
        missing = self._hub.seen.missing(Change.recent(self._overlap_seconds))
        if gaps := self._hub.seen.gaps:
            missing = self._hub.seen.late(*Change.within([(gap.low, gap.high) for gap in gaps])) + missing
        if len(missing) > MAX_ROWS:
            self._hub.seen.skip(missing)
            self._hub.resync()
        elif missing:
            for seq, references in Change.references(missing):
                self._hub.on_changes(seq, references)

    def _check_access(self) -> None:
        sessions = self._hub.audiences.by_credential(devices=False)
        devices = self._hub.audiences.by_credential(devices=True)
        current_access = permissions.current_workspaces(list(sessions), list(devices), datetime.now(UTC))
        for credential_id, streams in (sessions | devices).items():
            workspace_ids = current_access.get(credential_id)
            for stream in streams:
                if workspace_ids is None:
                    self._hub.update_access(stream, None)
                elif workspace_ids != stream.subscriber.workspace_ids:
                    self._hub.update_access(stream, replace(stream.subscriber, workspace_ids=workspace_ids))
