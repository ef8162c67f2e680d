"""A sender that posts to `/v1/events` through either front, and reads the stored events."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import orjson
from flask import Flask
from werkzeug.test import Client, TestResponse

from inbox.models.events.tables import Event, EventDedup, EventQueueRow, IdempotencyRecord
from tests.browser import sound

DOORS = ("front", "view")
"""The callable in front of the framework, and the view that stands behind it."""


class Sender:
    """Holds a source key; each answer is checked for what every answer must have."""

    def __init__(self, app: Flask, key: str | None, *, door: str = "front") -> None:
        front: Any = app.wsgi_app
        self.client = Client(front if door == "front" else front.app)
        self.key = key

    def post(
        self,
        body: Any,
        *,
        key: str | None = None,
        headers: Mapping[str, str] | None = None,
        content_type: str | None = "application/json",
    ) -> TestResponse:
        """Send a JSON value, or bytes as they are; `key` is the `Idempotency-Key`."""
        sent = dict(headers or {})
        if self.key is not None:
            sent.setdefault("Authorization", f"Bearer {self.key}")
        if key is not None:
            sent["Idempotency-Key"] = key
        data = body if isinstance(body, bytes) else orjson.dumps(body)
        answer = self.client.post("/v1/events", data=data, headers=sent, content_type=content_type)
        sound(answer)
        return answer

    def stored(self, body: Any, **more: Any) -> list[dict[str, Any]]:
        """Send and be accepted: the receipts of the events."""
        answer = self.post(body, **more)
        assert answer.status_code == 202, answer.text
        receipts: list[dict[str, Any]] = answer.get_json()["events"]
        return receipts


def counts() -> tuple[int, int, int, int]:
    """Rows of events, of the queue without repeats, of remembered requests and of identities."""
    return (
        Event.select().count(),
        EventQueueRow.select().where(EventQueueRow.repeated_at.is_null()).count(),
        IdempotencyRecord.select().count(),
        EventDedup.select().count(),
    )


def only_event() -> Event:
    """The one event there is."""
    [event] = Event.select()
    return event


def until(condition: Callable[[], Any], seconds: float = 60) -> None:
    """Wait for something that happens by itself."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.01)


def event(**more: Any) -> dict[str, Any]:
    """An event that is good."""
    return {"title": "Disk nearly full", "severity": "ERROR", **more}
