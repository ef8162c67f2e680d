"""Zabbix: the message of our media type."""

from __future__ import annotations

from inbox.domain.severity import Severity
from inbox.intake import event
from inbox.intake.base import Event, Node, Payload, Tool, body_with

SEVERITIES = (
    Severity.INFO, Severity.INFO, Severity.WARNING, Severity.WARNING, Severity.ERROR, Severity.CRITICAL,
)  # fmt: skip
"""By `EVENT.NSEVERITY`: not classified, information, warning, average, high, disaster."""


def read(body: Node, payload: Payload) -> Event:
    """The event of a problem, its update or its recovery. A macro that was not expanded marks a test message."""
    if body.text("alert_uid"):
        return _generic(body)
    number, name = body.require("eventId"), body.text("name")
    if "{" in number:
        return event.log(name or "Test message of Zabbix", type="zabbix.test")
    host, level = body.text("host"), body.text("nseverity")
    if body.text("update") == "1" and body.text("ack").lower() == "yes":
        return event.log(f"{name} was acknowledged in Zabbix", resource=_host(host), type="zabbix.update")
    return event.either(
        body.text("value") == "0",
        name or "Problem",
        f"zbx:{number}",
        SEVERITIES[int(level)] if level in ("0", "1", "2", "3", "4", "5") else Severity.WARNING,
        body=body.text("opdata"),
        type="zabbix.problem",
        resource=_host(host),
        tags=event.tags(*(event.joined((tag.text("tag"), tag.text("value")), ":") for tag in body.items("tags"))),
        url=_link(body),
        occurredAt=event.epoch(body.text("timestamp")),
    )


def _generic(body: Node) -> Event:
    return event.either(
        body.text("state").lower() == "ok",
        body.text("title") or "Problem",
        f"zbx:{body.text('alert_uid')}",
        Severity.ERROR,
        body=body.text("message"),
        type="zabbix.problem",
        url=body.text("link_to_upstream_details"),
    )


def _host(name: str) -> str:
    return f"host:{name}" if name else ""


def _link(body: Node) -> str:
    address, trigger = body.text("url"), body.text("triggerId")
    if not address.startswith("http"):
        return ""
    return f"{address.rstrip('/')}/tr_events.php?triggerid={trigger}&eventid={body.text('eventId')}"


TOOL = Tool(
    name="zabbix",
    label="Zabbix",
    summary="Problems of Zabbix; the recovery operation closes the incident.",
    setup="The media type below, a user with it, and an action with recovery and update operations.",
    expected="`eventId` and `value`, as our media type sends them, were expected",
    items=body_with("eventId", "alert_uid"),
    read=read,
)
