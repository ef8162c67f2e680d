"""Whether the process lives, and whether it can work (decision 1)."""

from __future__ import annotations

import structlog
from redis.exceptions import RedisError

from inbox import queue
from inbox.api.blueprint import Blueprint
from inbox.api.connections import borrowed
from inbox.api.errors import GONE
from inbox.api.schemas.info import Health
from inbox.domain.refusals import Unavailable
from inbox.models.base import db

log = structlog.get_logger("inbox.health")

blp = Blueprint("health", __name__, description="Whether the process lives and can work.")


@blp.route("/healthz", methods=["GET"], endpoint="healthz")
@blp.response(200, Health)
def healthz() -> dict[str, str]:
    """Whether this process lives

    It asks nobody else.
    """
    return {"status": "ok"}


@blp.route("/readyz", methods=["GET"], endpoint="readyz")
@blp.response(200, Health)
@blp.refuses("unavailable")
def readyz() -> dict[str, str]:
    """Whether this process can work

    Postgres and Redis answer; else 503, whose `detail` names what does not.
    """
    silent = [name for name, answers in (("Postgres", _postgres), ("Redis", _redis)) if not answers()]
    if silent:
        raise Unavailable(f"No answer from {' and '.join(silent)}.")
    return {"status": "ok"}


def _postgres() -> bool:
    try:
        with borrowed():
            return bool(db.execute_sql("SELECT 1").fetchone())
    except GONE as fault:
        log.warning("not ready", server="Postgres", fault=type(fault).__name__)
        return False


def _redis() -> bool:
    try:
        return bool(queue.bells().redis.ping())
    except (RedisError, OSError) as fault:
        log.warning("not ready", server="Redis", fault=type(fault).__name__)
        return False
