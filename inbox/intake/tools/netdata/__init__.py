"""Netdata Cloud: alerts and reachability of nodes."""

from __future__ import annotations

import re

from inbox.domain.events.time_meaning import TimeMeaning
from inbox.domain.values.severity import Severity
from inbox.intake import event
from inbox.intake.base import Event, Node, Payload, Tool, body_with

TOKEN = ("token", "verification_token", "verificationToken")
TEST = re.compile(r"\btest (?:alert|notification)\b|^test_", re.IGNORECASE)
_NODE = re.compile(r" on (\S{1,200})$")


def read(body: Node, payload: Payload) -> Event:
    """Returns the event of an alert, or of a node that became unreachable or reachable.

    A test has a token that people type into Netdata Cloud.
    """
    if not body.text("alert") and not body.at("status") or body.first(*TOKEN):
        token = body.first(*TOKEN) or body.text("message")
        return event.log(f"Verification of Netdata Cloud: {token}", type="alert.test")
    status = body.at("status")
    if status.text("reachable"):
        host = body.require("host")
        return event.either(
            status.text("reachable") == "true",
            body.text("message") or f"{host} is {status.text('text')}",
            f"nd:reachability:{host}",
            event.severity(body.text("severity"), Severity.CRITICAL),
            type="reachability",
            resource=f"host:{host}",
            url=body.text("url"),
        )
    return _alert(body)


def _alert(body: Node) -> Event:
    message, alert = body.text("message"), body.require("alert")
    found = _NODE.search(message)
    host = body.text("host") or (found[1] if found else "")
    level = body.text("severity")
    if TEST.search(message) or TEST.search(alert):
        return event.log(f"Test of Netdata Cloud: {message or alert}", type="alert.test")
    return event.either(
        level.lower() == "clear",
        event.joined((alert, host), " on "),
        ":".join(("nd", body.text("space"), body.text("chart"), alert, host)),
        event.severity(level),
        body=body.text("info"),
        type="alert",
        resource=f"host:{host}" if host else "",
        tags=event.labels(space=body.text("space"), **{"class": body.text("class")}),
        url=body.text("alert_url"),
        occurredAt=event.time(body.text("date")),
    )


TOOL = Tool(
    name="netdata",
    label="Netdata Cloud",
    summary="Alerts and reachability notices of Netdata Cloud.",
    setup="Space settings, Alerts & Notifications, Webhook; the key as bearer token.",
    expected="`alert`, or `status` with `reachable`, was expected",
    items=body_with("alert", "status", *TOKEN),
    read=read,
    time=TimeMeaning.BEGINNING,
    documentation="https://learn.netdata.cloud/",
)
