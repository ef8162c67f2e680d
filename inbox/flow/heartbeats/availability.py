"""Detects outages of this service: web processes report that they can receive pings, and a gap excuses the monitors.

Specification 18.6.
"""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from typing import Protocol

import structlog

from inbox.database.base import db
from inbox.domain.heartbeats.monitor import Cause, Change
from inbox.domain.heartbeats.outages import after_outage
from inbox.flow.heartbeats import transitions
from inbox.flow.heartbeats.transitions import MonitorWrites
from inbox.flow.ingest import alert_expiry
from inbox.flow.unit_of_work import AfterCommit, work
from inbox.models.heartbeats import availability, monitors
from inbox.runtime import metrics, outages

log = structlog.get_logger(__name__)

INTERVAL_SECONDS = 3.0


class Worker(Protocol):
    """The gunicorn worker. `alive` becomes false with SIGTERM."""

    alive: bool


def report(now: datetime) -> int:
    """Reports that this process can receive pings; returns the number of monitors that an outage excused.

    1. The row of the last report is locked. Checks of deadlines wait for it.
    2. After a gap, each monitor whose ping may have been lost expects the next one instead. Pushed alerts end later.
    3. The new time is stored.
    """
    excused = 0
    with work() as done:
        last = availability.lock_last()
        if last is not None and last.is_outage(now):
            excused = _excuse(last.at, now, done)
            alert_expiry.postpone(now)
        availability.report(now)
    if excused:
        metrics.HEARTBEATS_EXCUSED.inc(excused)
        log.warning("no pings were received", since=last.at.isoformat() if last else "", excused=excused)
    return excused


def _excuse(began: datetime, ended: datetime, done: AfterCommit) -> int:
    excused, writes = 0, MonitorWrites()
    for batch in monitors.lock_expecting(ended):
        for monitor in batch:
            state = after_outage(monitor.state, monitor.settings, began, ended)
            if state != monitor.state:
                transitions.apply(monitor, Change(state, Cause.EXCUSED), ended, done, writes=writes)
                excused += 1
        writes.flush(done)
    return excused


def start(worker: Worker | None = None) -> None:
    """Starts the thread that reports, until `worker` stops."""
    threading.Thread(target=_run, args=(worker,), name="ping availability", daemon=True).start()


def _run(worker: Worker | None) -> None:
    pause, failing = threading.Event(), False
    while worker is None or worker.alive:
        try:
            with db.connection_context():
                report(datetime.now(UTC))
            outages.postgres.record_success()
            failing = False
        except Exception as fault:  # noqa: BLE001 - the loop must go on, and the next report finds the gap
            if outages.is_postgres_unavailable(fault):
                outages.postgres.record_failure(fault)
            elif not failing:
                failing = True
                log.warning("ping availability not reported", fault=type(fault).__name__)
        pause.wait(INTERVAL_SECONDS)
