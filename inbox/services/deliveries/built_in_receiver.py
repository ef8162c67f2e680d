"""The built-in receiver: it keeps the last webhooks of a workspace in Redis for an hour (specification 9.12)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from redis.exceptions import RedisError

from inbox.config import settings
from inbox.database.base import connection_released
from inbox.destinations import outbound_policy
from inbox.domain.deliveries import built_in_receiver
from inbox.domain.deliveries.built_in_receiver import KEPT_HEADERS, KEPT_SECONDS, LONGEST_HEADER, MAX_REQUESTS
from inbox.domain.values.addresses import AddressRefused
from inbox.domain.values.refusals import NotFound, Unavailable
from inbox.runtime.queue import job_queues

_KEY = "inbox:built_in_receiver:{workspace}"


def url(workspace_id: UUID) -> str:
    """Return the address of a workspace's receiver, below `INBOX_BASE_URL`."""
    current_settings = settings.current()
    return f"{current_settings.base_url}{built_in_receiver.PATH}{built_in_receiver.token(current_settings.signing_key, workspace_id)}"


def refusal(workspace_id: UUID) -> str | None:
    """Return why this instance cannot call the address; None when it can."""
    try:
        with connection_released():
            outbound_policy.client().vet(url(workspace_id))
    except AddressRefused as refused:
        return f"The address of the built-in receiver {refused}."
    return None


def keep(token: str, headers: Mapping[str, str], body: bytes, *, now: datetime, signing_key: str) -> None:
    """Keep a request as the newest of its workspace. Raises `NotFound` for a wrong token, and `Unavailable`."""
    workspace_id = built_in_receiver.workspace_of(signing_key, token)
    if workspace_id is None:
        raise NotFound
    stored = {
        "received_at": now.timestamp(),
        "headers": {name: headers[name][:LONGEST_HEADER] for name in KEPT_HEADERS if name in headers},
        "body": body.decode("utf-8", "replace"),
    }
    key = _KEY.format(workspace=workspace_id.hex)
    try:
        with job_queues().redis.pipeline() as pipeline:
            pipeline.lpush(key, json.dumps(stored))
            pipeline.ltrim(key, 0, MAX_REQUESTS - 1)
            pipeline.expire(key, KEPT_SECONDS)
            pipeline.execute()
    except (RedisError, OSError):
        raise Unavailable from None


def requests(workspace_id: UUID) -> list[dict[str, Any]]:
    """Return the kept requests of a workspace, newest first. Raises `Unavailable` when Redis does not respond."""
    try:
        rows = job_queues().redis.lrange(_KEY.format(workspace=workspace_id.hex), 0, MAX_REQUESTS - 1)
    except (RedisError, OSError):
        raise Unavailable from None
    found = [json.loads(row) for row in rows]
    return [{**each, "received_at": datetime.fromtimestamp(each["received_at"], UTC)} for each in found]
