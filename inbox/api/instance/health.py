"""Health checks: whether the process lives, and whether it can work (specification 13.4)."""

from __future__ import annotations

import structlog
from redis.exceptions import RedisError

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.connections import borrowed
from inbox.api.http.errors import ENDED
from inbox.api.http.policy import NONE, EndpointPolicy
from inbox.api.instance.schemas.info import Health, Readiness
from inbox.database.base import db
from inbox.database.migrate import Difference, difference
from inbox.domain.values.refusals import Unavailable
from inbox.runtime import queue

log = structlog.get_logger("inbox.health")

blp = Blueprint("health", __name__, description="Liveness and readiness of the process.", section="13.4")


@blp.route("/healthz", methods=["GET"], endpoint="healthz")
@EndpointPolicy(NONE, workspace_from="none", database=False, quiet=True)
@blp.response(200, Health)
def healthz() -> dict[str, str]:
    """Liveness check

    It checks no other server.
    """
    return {"status": "ok"}


@blp.route("/readyz", methods=["GET"], endpoint="readyz")
@EndpointPolicy(NONE, workspace_from="none", database=False, quiet=True)
@blp.response(200, Readiness)
@blp.refuses("unavailable")
def readyz() -> dict[str, str]:
    """Readiness check

    503 when PostgreSQL does not answer or lacks tables of this version; `detail` says which. Without Redis, events are
    accepted and delivered some seconds later: 200 with the status `degraded`.
    """
    tables = _tables()
    if tables is None:
        raise Unavailable("No answer from Postgres.")
    if tables.missing:
        raise Unavailable(str(tables))
    trouble = [str(tables)] if tables.unknown else []
    if not _redis():
        trouble.append("No answer from Redis: workers poll the database, a few seconds late.")
    return {"status": "degraded", "detail": " ".join(trouble)} if trouble else {"status": "ok"}


def _tables() -> Difference | None:
    try:
        with borrowed():
            return difference(db)
    except ENDED as fault:
        log.warning("not ready", server="Postgres", fault=type(fault).__name__)
        return None


def _redis() -> bool:
    try:
        return bool(queue.job_queues().redis.ping())
    except (RedisError, OSError) as fault:
        log.warning("not ready", server="Redis", fault=type(fault).__name__)
        return False
