"""Home Assistant: the message of our blueprint."""

from __future__ import annotations

from inbox.domain.events.time_meaning import TimeMeaning
from inbox.domain.values.severity import Severity
from inbox.intake import event, macros
from inbox.intake.base import Event, Node, Payload, Tool, body_with

IGNORED = ("unavailable", "unknown")


def read(body: Node, payload: Payload) -> Event | None:
    """Returns the event of an entity; None while its state is unknown."""
    body = macros.filled(body)
    entity = body.require("entity")
    if body.text("state") in IGNORED:
        return None
    return event.either(
        body.text("action") == "resolve",
        body.text("title") or f"{entity}: {body.text('state')}",
        f"ha:{entity}",
        event.severity(body.text("severity"), Severity.WARNING),
        body=body.text("message"),
        type="ha.state",
        resource=f"entity:{entity}",
        occurredAt=event.time(body.text("changedAt")),
    )


TOOL = Tool(
    name="home_assistant",
    label="Home Assistant",
    summary="States of entities that an automation reports.",
    setup="A `rest_command` in configuration.yaml, called by an automation.",
    expected="`entity` was expected",
    items=body_with("entity"),
    read=read,
    time=TimeMeaning.BEGINNING,
    documentation="https://www.home-assistant.io/integrations/rest_command/",
)
