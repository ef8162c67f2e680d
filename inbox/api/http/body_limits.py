"""Reads the whole body of a request, bounded and in time, before its view takes a database connection."""

from __future__ import annotations

from io import BytesIO

from flask import Flask, g, request

from inbox.api.http.authorization import identify_caller
from inbox.api.http.bodies import Body, ByteBudget
from inbox.api.http.connections import borrowed
from inbox.api.http.policy import PEOPLE, EndpointPolicy, entry
from inbox.config import settings

CAP = 1024 * 1024
"""The bytes of a body of a person, unless the endpoint declares a `body_cap`."""

ANONYMOUS_CAP = 16 * 1024
"""The bytes of a body without the credential of a person, unless the endpoint declares a `body_cap`."""

ANONYMOUS_ROOM = 32 * 1024 * 1024
"""The bytes of such bodies that a process holds at once. Bodies of people have separate room."""

SECONDS = 10.0

room, anonymous_room = ByteBudget(), ByteBudget()


def install(app: Flask) -> None:
    """Reads the body before the view, and releases its room afterwards. Install it before `connections`."""
    app.before_request(_read)
    app.teardown_request(_release)


def _read() -> None:
    if request.endpoint is None or entry().own_body or request.method in ("GET", "HEAD"):
        return
    anonymous = entry().credential not in PEOPLE
    held = g.body = Body(request.environ, cap=cap_of(entry()), seconds=SECONDS)
    if not held.begin() and not anonymous:
        with borrowed():
            identify_caller()
    if anonymous:
        body = held.finish(anonymous_room, ANONYMOUS_ROOM)
    else:
        body = held.finish(room, settings.current().ingest_bytes_in_flight)
    request.environ["wsgi.input"] = BytesIO(body)
    request.environ["CONTENT_LENGTH"] = str(len(body))
    request.environ.pop("HTTP_TRANSFER_ENCODING", None)


def cap_of(here: EndpointPolicy) -> int:
    """Returns the most bytes of a body that an endpoint accepts."""
    return here.body_cap or (CAP if here.credential in PEOPLE else ANONYMOUS_CAP)


def _release(_: BaseException | None) -> None:
    held = g.pop("body", None)
    if held is not None:
        held.__exit__()
