"""Icinga 2 and Nagios: the facts that our notification script posts."""

from __future__ import annotations

from inbox.domain.events.time_meaning import TimeMeaning
from inbox.intake import event, states
from inbox.intake.base import Event, Node, Payload, Tool, body_with


def read(body: Node, payload: Payload) -> Event:
    """Returns the event of a notification of a host or of a service."""
    host, service = body.require("host"), body.text("service")
    comment = event.joined((body.text("author"), body.text("comment")), ": ")
    return states.notification(
        body.require("type").upper(),
        body.text("state").upper(),
        host,
        service,
        f"icinga:{host}!{service}",
        body=event.joined((body.text("output"), comment), "\n"),
        occurredAt=event.epoch(body.text("time")),
    )


TOOL = Tool(
    name="icinga",
    label="Icinga and Nagios",
    summary="Problems of hosts and services; the recovery closes the incident.",
    setup="A notification command that runs the script below.",
    expected="`type` and `host`, as our script sends them, were expected",
    items=body_with("type", "host"),
    read=read,
    time=TimeMeaning.MOMENT,
    documentation="https://icinga.com/docs/icinga-2/latest/doc/03-monitoring-basics/",
    synonyms=("nagios",),
)
