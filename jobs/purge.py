"""The door to the purge; a clock of the scheduler rings it."""

from __future__ import annotations

from datetime import UTC, datetime

import structlog

from inbox.flow.upkeep.purge import purge
from inbox.models.sql.base import db
from inbox.queue import TURN_SECONDS, Bell, bells

log = structlog.get_logger(__name__)


def run() -> None:
    """Remove what has had its time; rings for the next run when there is more."""
    bells().heard(Bell.PURGE)
    with db.connection_context():
        purged = purge(datetime.now(UTC), seconds=TURN_SECONDS)
    if not purged.finished:
        bells().ring(Bell.PURGE)
    log.info("purged", finished=purged.finished, **{table: count for table, count in purged.items() if count})
