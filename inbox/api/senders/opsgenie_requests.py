"""What requests in the Opsgenie format do with the alerts and the heartbeats of their source (specification 19.11)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, TypeVar
from uuid import UUID, uuid4

from flask import request

from inbox.api.http.connections import borrowed
from inbox.api.http.link_previews import is_preview
from inbox.api.senders import sender_bodies, source_requests
from inbox.api.senders.ingest import read_body
from inbox.api.senders.sender_samples import SentBody, keeping_refused
from inbox.api.senders.shown_refusals import showing_too_large
from inbox.domain.heartbeats import pings
from inbox.domain.heartbeats.monitor import PingKind
from inbox.domain.values import ids
from inbox.domain.values.refusals import NotFound, ValidationFailed
from inbox.flow.heartbeats import ping
from inbox.flow.heartbeats.ping import ReceivedPing
from inbox.intake import opsgenie, opsgenie_alerts
from inbox.intake.base import Event, WrongPayload
from inbox.models.events import sender_alerts, sender_sources
from inbox.models.events.sender_sources import SenderSource

Read = TypeVar("Read")

ACCEPTED, PONG = "Request will be processed", "PONG - Heartbeat received"
NOT_PROCESSABLE = "Request body is not processable. Please check the errors."
ID, ALIAS = "id", "alias"
LONGEST_PAGE, USUAL_PAGE = 100, 20


def sent_key() -> str:
    """Returns the key as `GenieKey`, or as other tools send it."""
    scheme, _, sent = request.headers.get("Authorization", "").partition(" ")
    return sent.strip(" ") if scheme.lower() == "geniekey" else source_requests.sent_key(request.environ)


def created(source: SenderSource) -> dict[str, Any]:
    """Stores the event of a new alert."""
    return _stored(source, lambda document: opsgenie.create(document, str(uuid4())))


def _stored(source: SenderSource, read: Callable[[Any], Event]) -> dict[str, Any]:
    """Returns the answer to a request whose event is stored. The id of the request is the id of the event."""
    with showing_too_large(source, "opsgenie", request.environ):
        sent = SentBody("opsgenie", request.environ, read_body(request.environ))
    with keeping_refused(source, sent):
        sent.document = sender_bodies.json(sent.body, request.environ) if sent.body else {}
        event = _valid(read, sent.document)
    [receipt] = source_requests.store(request.environ, source, [event], time=opsgenie.TIME)
    return {"result": ACCEPTED, "requestId": str(ids.decode("evt", receipt["id"]))}


def _valid(read: Callable[[Any], Read], document: Any) -> Read:
    try:
        return read(document)
    except WrongPayload as wrong:
        raise ValidationFailed(NOT_PROCESSABLE, errors=wrong.faults) from None


def acted(source: SenderSource, alert: str, name: str) -> dict[str, Any]:
    """Stores the event of an act on an alert."""
    supported = opsgenie.CHANGES if request.method == "PUT" else opsgenie.ACTS
    if name not in supported:
        raise NotFound("The action does not exist in this format, or is not supported.")
    alias, key = _identified(source, alert)
    return _stored(source, lambda document: opsgenie.act(name, document, alias, key))


def _identified(source: SenderSource, alert: str) -> tuple[str, str]:
    """Returns the alias and the dedup key of an alert. An id of no event counts as an alias."""
    event_id = _uuid(alert) if request.args.get("identifierType", ID) != ALIAS else None
    found = None
    if event_id is not None:
        with borrowed():
            found = sender_sources.event_of(source, event_id)
    if found is None or found.dedup_key is None:
        return alert, f"{opsgenie.PREFIX}{alert}"
    return str(found.metadata.get("alias", alert)), found.dedup_key


def read_one(source: SenderSource, alert: str) -> dict[str, Any]:
    """Returns an alert by its id or alias. Raises `NotFound`."""
    _, key = _identified(source, alert)
    event_id = _uuid(alert) if request.args.get("identifierType", ID) != ALIAS else None
    with borrowed():
        found = sender_alerts.of_events(source, [event_id]) if event_id else []
        one = found[0] if found and found[0].event.dedup_key == key else sender_alerts.of_key(source, key)
    if one is None:
        raise NotFound("The alert does not exist.")
    return {"data": opsgenie_alerts.whole(*one)}


def listed(source: SenderSource) -> dict[str, Any]:
    """Returns a page of the alerts of the source."""
    terms = _valid(lambda _: opsgenie_alerts.search(request.args.get("query", "")), None)
    offset, limit = _number("offset", 0), min(_number("limit", USUAL_PAGE), LONGEST_PAGE)
    with borrowed():
        alerts = sender_alerts.of_events(source, list(sender_alerts.newest(source, opsgenie.PREFIX).values()))
    records = [
        each for each in (opsgenie_alerts.record(*alert) for alert in alerts) if opsgenie_alerts.passes(each, terms)
    ]
    return {"data": records[offset : offset + limit], "paging": {}}


def _number(name: str, default: int) -> int:
    sent = request.args.get(name, "")
    return int(sent) if sent.isascii() and sent.isdigit() and len(sent) < 7 else default


def status_of(source: SenderSource, alert_request: str) -> dict[str, Any]:
    """Returns the status of a request. Raises `NotFound`."""
    event_id = _uuid(alert_request)
    with borrowed():
        found = None if event_id is None else sender_sources.event_of(source, event_id)
    if found is None:
        raise NotFound("Request not found. It might not be processed, yet.")
    action = str(found.metadata.get("request", ""))
    data = {
        "isSuccess": True,
        "success": True,
        "action": action,
        "processedAt": found.received_at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "status": "Created alert" if action == opsgenie.CREATE else f"{action} was accepted",
        "alertId": str(event_id),
        "alias": str(found.metadata.get("alias", "")),
    }
    return {"data": data}


def pinged(source: SenderSource, name: str) -> dict[str, Any]:
    """Pings the monitor with this name. Raises `NotFound`."""
    agent = pings.short_agent(request.headers.get("User-Agent", ""))
    counts = not is_preview(request.environ)
    received = ReceivedPing(PingKind.SUCCESS, method=request.method, user_agent=agent, counts=counts)
    with borrowed():
        ping.receive_by_name(source.source_id, name, received, datetime.now(UTC))
    return {"result": PONG}


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
