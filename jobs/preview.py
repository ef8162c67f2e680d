"""The door to previews: heard, then played in turns between which the other bells of this worker are answered."""

from __future__ import annotations

import importlib
from datetime import UTC, datetime

import structlog

from inbox.flow.preview.job import run_pending
from inbox.models.sql.base import db
from inbox.queue import Bell, attended, bells

log = structlog.get_logger(__name__)


def run() -> None:
    """Play the previews that wait (specification 6.9)."""
    bells().heard(Bell.PREVIEW)
    turns = run_pending(lambda: datetime.now(UTC))
    while _turn_of(turns):
        _let_others()


def _turn_of(turns: object) -> bool:
    with db.connection_context():
        return next(turns, turns) is None  # type: ignore[call-overload]


def _let_others() -> None:
    """What waits behind another bell goes first: a preview takes minutes, and nobody waits for it."""
    for bell in attended():
        if bell is not Bell.PREVIEW and bells().rings(bell):
            try:
                importlib.import_module(f"jobs.{bell}").run()
            except Exception:  # as when it is rung for: the sweep finds what is left
                log.exception("a job run between steps of a preview failed", queue=bell.value)
