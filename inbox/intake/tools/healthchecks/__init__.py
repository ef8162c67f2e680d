"""Healthchecks: the body that our snippet publishes for both halves of its webhook integration."""

from __future__ import annotations

from inbox.domain.events.time_meaning import TimeMeaning
from inbox.domain.values.severity import Severity
from inbox.intake import event, macros
from inbox.intake.base import Event, Node, OddItem, Payload, Tool, body_with


def read(body: Node, payload: Payload) -> Event:
    """Returns the event of a check that went down or up. The test button sends a check named TEST with 42 pings."""
    body = macros.filled(body)
    check, status = body.at("check"), body.require("status")
    if status not in ("up", "down"):
        raise OddItem("/status", "must be `up` or `down`")
    name = check.first("name", "slug") or body.text("name") or body.require("code")
    if name == "TEST" and check.text("n_pings") in ("", "42"):
        return event.log("Test of Healthchecks", type="check.test")
    return event.either(
        status == "up",
        f"{name} is {status}",
        f"hc:{body.require('code')}",
        Severity.ERROR,
        body=body.text("lastBody") or check.text("desc"),
        type="check",
        resource=f"check:{name}",
        tags=event.tags(*check.text("tags").split()),
        occurredAt=event.time(body.text("now")),
    )


TOOL = Tool(
    name="healthchecks",
    label="Healthchecks",
    summary="Checks of Healthchecks.io or of your own instance.",
    setup="Integrations, Webhook: the same address and body for down and for up.",
    expected="`code` and `status`, as in the published body, were expected",
    items=body_with("code", "status"),
    read=read,
    time=TimeMeaning.MOMENT,
    documentation="https://healthchecks.io/docs/configuring_notifications/",
)
