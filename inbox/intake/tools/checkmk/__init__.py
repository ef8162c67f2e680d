"""Checkmk: the variables that our notification script posts, one context or several."""

from __future__ import annotations

from inbox.domain.events.time_meaning import TimeMeaning
from inbox.intake import event, macros, states
from inbox.intake.base import Event, Node, Payload, Tool


def items(payload: Payload) -> list[Node]:
    """Returns the contexts of a bulk, or the one of the body."""
    node = payload.node
    return node.items() or node.items("contexts") or ([node] if node.text("NOTIFICATIONTYPE") else [])


def read(context: Node, payload: Payload) -> Event:
    """Returns the event of one context."""
    context = macros.filled(context)
    host, of_service = context.require("HOSTNAME"), context.text("WHAT") != "HOST"
    service = context.text("SERVICEDESC") if of_service else ""
    what, site = ("SERVICE" if of_service else "HOST"), context.text("OMD_SITE")
    server, page = context.text("MONITORING_HOST"), context.text(f"{what}URL")
    kind, state = context.require("NOTIFICATIONTYPE"), context.text(f"{what}STATE")
    by, words = context.text("NOTIFICATIONAUTHOR"), context.text("NOTIFICATIONCOMMENT")
    return states.event_of(
        states.Notification(kind, state, host, service, by, words),
        event.joined(("cmk", site, host, service), ":"),
        body=states.output(context.text(f"{what}OUTPUT"), context.text(f"LONG{what}OUTPUT")),
        url=f"https://{server}/{site}{page}" if server and page else "",
        occurredAt=event.epoch(context.text("MICROTIME"), per_second=1_000_000),
    )


TOOL = Tool(
    name="checkmk",
    label="Checkmk",
    summary="Problems of hosts and services of a Checkmk site.",
    setup="Our script in the notifications folder of the site, and a notification rule.",
    expected="the variables of a notification, or a list of them, were expected",
    items=items,
    read=read,
    time=TimeMeaning.MOMENT,
    documentation="https://docs.checkmk.com/latest/en/notifications.html",
)
