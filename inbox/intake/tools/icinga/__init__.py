"""Icinga 2 and Nagios: the facts that our notification script posts."""

from __future__ import annotations

from inbox.domain.events.time_meaning import TimeMeaning
from inbox.intake import event, macros, states
from inbox.intake.base import Event, Node, Payload, Tool, body_with


def read(body: Node, payload: Payload) -> Event:
    """Returns the event of a notification of a host or of a service."""
    body = macros.filled(body)
    host, service = body.text("host"), body.text("service")
    if not service:
        host = body.require("host")
    found = {name: body.text(name) for name in ("displayName", "address")}
    kind, by, words = body.require("type"), body.text("author"), body.text("comment")
    return states.event_of(
        states.Notification(kind, body.text("state"), host, service, by, words),
        f"icinga:{host}!{service}",
        body=states.output(body.text("output"), body.text("longOutput")),
        url=body.first("notesUrl", "url"),
        occurredAt=event.epoch(body.text("time")),
        metadata={name: text for name, text in found.items() if text},
    )


TOOL = Tool(
    name="icinga",
    label="Icinga and Nagios",
    summary="Problems of hosts and services; the recovery closes the incident.",
    setup="Two notification commands, for hosts and for services, that run the script below.",
    expected="`type` and `host`, as our script sends them, were expected",
    items=body_with("type", "host"),
    read=read,
    time=TimeMeaning.MOMENT,
    documentation="https://icinga.com/docs/icinga-2/latest/doc/03-monitoring-basics/",
    synonyms=("nagios",),
)
