"""The sweep thread of a worker. Due rows are found without a scheduler and after lost wake-ups.

Its first sweep also finds the schedules and monitors whose times were computed with other rules of time zones."""

from __future__ import annotations

import threading
from datetime import UTC, datetime

import structlog

from inbox.database.base import db
from inbox.flow.heartbeats import zone_rules
from inbox.flow.oncall.record import apply_zone_rules
from inbox.flow.upkeep.sweep import sweep
from inbox.runtime import outages

log = structlog.get_logger(__name__)

SECONDS = 5.0


class PeriodicSweep:
    """A thread that sweeps every five seconds, on its own connection, until `end`."""

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watch", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Stop sweeping. A running sweep has two seconds to finish."""
        self._stop.set()
        self._thread.join(2)

    def _run(self) -> None:
        are_zones_applied = False
        while not self._stop.wait(SECONDS):
            try:
                with db.connection_context():
                    are_zones_applied = are_zones_applied or _apply_zone_rules()
                    sweep(datetime.now(UTC))
                outages.postgres.record_success()
            except Exception as fault:  # Postgres may be unavailable; the next sweep is soon
                if outages.is_postgres_unavailable(fault):
                    outages.postgres.record_failure(fault)
                else:
                    log.exception("a sweep failed")


def _apply_zone_rules() -> bool:
    now = datetime.now(UTC)
    if count := apply_zone_rules(now):
        log.info("schedules computed anew", schedules=count)
    if count := zone_rules.apply(now):
        log.info("expected pings computed anew", monitors=count)
    return True
