"""The body of a request is read whole, bounded and in time, before a database connection is taken for its view."""

from __future__ import annotations

from io import BytesIO

from flask import Flask, g, request

from inbox import settings
from inbox.api.authorization import PEOPLE, identify_caller
from inbox.api.bodies import Body, ByteBudget
from inbox.api.connections import borrowed
from inbox.api.policy import entry

CAP = 1024 * 1024
"""Bytes of a body of the management API; `POST /v1/events` has its own."""

ANONYMOUS_CAP = 16 * 1024
"""Bytes of a body where no credential is asked for."""

IMPORT_CAP = 5 * 1024 * 1024
"""Bytes of an import: a file of 3 MiB in base64, with room for other fields."""

CHECK_IN_CAP = 256 * 1024
"""Bytes of a check-in of a watcher: 50 checks with their messages."""

ANONYMOUS_ROOM = 32 * 1024 * 1024
"""Bytes of such bodies that a process holds at once; none of it is taken from anybody else."""

SECONDS = 10.0

INTERACTION_CAP = 64 * 1024
"""Bytes of a request of a chat service, which repeats the message of the pressed button."""

CAPS = {
    "imports.create": IMPORT_CAP,
    "imports.preview": IMPORT_CAP,
    "interactions.receive": INTERACTION_CAP,
    "watchers.check_in": CHECK_IN_CAP,
}
"""Operations whose cap is neither `CAP` nor `ANONYMOUS_CAP`."""

OF_SENDERS = frozenset(
    {
        *("events.create", "heartbeats.ping_with_text", "heartbeats.ping_handle_with_text"),
        *("heartbeats.ping_signal_with_text", "heartbeats.ping_slug_with_text", "legacy.push", "legacy.push_at_root"),
        *("hooks.receive", "hooks.receive_by_put", "hooks.receive_signed", "hooks.receive_signed_by_put"),
        *("pagerduty.enqueue", "pagerduty.enqueue_change", "prometheus.push", "cloudevents.receive"),
        *("opsgenie.create", "opsgenie.act", "opsgenie.change", "opsgenie.ping_by_post"),
    }
)
"""They read their bodies themselves, with caps of their own, or ignore them."""

room, anonymous_room = ByteBudget(), ByteBudget()


def install(app: Flask) -> None:
    """Read before the view; give the room back after it. Install before `connections`."""
    app.before_request(_read)
    app.teardown_request(_release)


def _read() -> None:
    if request.endpoint is None or request.endpoint in OF_SENDERS or request.method in ("GET", "HEAD"):
        return
    anonymous = entry().credential not in PEOPLE
    held = g.body = Body(request.environ, cap=_cap(anonymous=anonymous), seconds=SECONDS)
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


def _cap(*, anonymous: bool) -> int:
    return CAPS.get(request.endpoint or "", ANONYMOUS_CAP if anonymous else CAP)


def _release(_: BaseException | None) -> None:
    held = g.pop("body", None)
    if held is not None:
        held.__exit__()
