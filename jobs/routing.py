"""The door to routing: heard, then drained."""

from __future__ import annotations

from datetime import UTC, datetime

from inbox.flow.route import route
from inbox.models.base import db
from inbox.queue import Bell, bells


def run() -> None:
    """Route what waits."""
    bells().heard(Bell.ROUTING)
    with db.connection_context():
        route(lambda: datetime.now(UTC))
