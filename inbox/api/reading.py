"""The body of a request is read whole, bounded and in time, before a database connection is taken for it."""

from __future__ import annotations

from io import BytesIO

from flask import Flask, g, request

from inbox import settings
from inbox.api.bodies import Body, Room

CAP = 1024 * 1024
"""Bytes of a body of the management API; `POST /v1/events` has its own."""

SECONDS = 10.0

OF_SENDERS = "events.create"
"""It reads its body itself, with a cap of its own."""

room = Room()


def install(app: Flask) -> None:
    """Read before the view; give the room back after it. Install before `connections`."""
    app.before_request(_read)
    app.teardown_request(_let_go)


def _read() -> None:
    if request.endpoint in (None, OF_SENDERS) or request.method in ("GET", "HEAD"):
        return
    held = g.body = Body(request.environ, room, settings.current().ingest_bytes_in_flight)
    body = held.read(cap=CAP, seconds=SECONDS)
    request.environ["wsgi.input"] = BytesIO(body)
    request.environ["CONTENT_LENGTH"] = str(len(body))
    request.environ.pop("HTTP_TRANSFER_ENCODING", None)


def _let_go(_: BaseException | None) -> None:
    held = g.pop("body", None)
    if held is not None:
        held.__exit__()
