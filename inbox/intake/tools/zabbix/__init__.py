"""Zabbix: the message of our media type."""

from __future__ import annotations

import re

from inbox.domain.events.time_meaning import TimeMeaning
from inbox.domain.values.severity import Severity
from inbox.intake import event
from inbox.intake.base import Event, Node, Payload, Tool, body_with

SEVERITIES = (
    Severity.INFO, Severity.INFO, Severity.WARNING, Severity.WARNING, Severity.ERROR, Severity.CRITICAL,
)  # fmt: skip
"""By `EVENT.NSEVERITY`: not classified, information, warning, average, high, disaster."""

SEVERITY_CHANGED = "changed severity"
"""Prefix of the part of `EVENT.UPDATE.ACTION` that names two severities. `EVENT.NSEVERITY` has the new one."""

_ACKNOWLEDGED = re.compile(r"\backnowledged")


def read(body: Node, payload: Payload) -> Event:
    """Returns the event of a problem, its update or its recovery. An unexpanded macro marks a test message."""
    if body.text("alert_uid"):
        return _generic(body)
    number, name = body.require("eventId"), body.text("name")
    if "{" in number:
        return event.log(name or "Test message of Zabbix", type="zabbix.test")
    host, level = body.text("host"), body.text("nseverity")
    if _is_notice(body):
        what = "acknowledged" if _ACKNOWLEDGED.search(body.text("action").lower() or "acknowledged") else "updated"
        return event.log(f"{name} was {what} in Zabbix", resource=_host(host), type="zabbix.update")
    return event.either(
        body.text("value") == "0",
        name or "Problem",
        f"zbx:{number}",
        SEVERITIES[int(level)] if level in ("0", "1", "2", "3", "4", "5") else Severity.WARNING,
        body=body.text("opdata"),
        type="zabbix.problem",
        resource=_host(host),
        tags=event.tags(*(event.joined((tag.text("tag"), tag.text("value")), ":") for tag in body.elements("tags"))),
        url=_link(body),
        # With the time of the problem, an update would be a duplicate of its alarm.
        occurredAt=None if _changes_severity(body) else event.epoch(body.text("timestamp")),
    )


def _is_notice(body: Node) -> bool:
    """Returns whether an update of an acknowledged problem keeps its severity. Older set-ups lack `action`."""
    is_of_acknowledged = body.text("update") == "1" and body.text("ack").lower() == "yes"
    return is_of_acknowledged and not _changes_severity(body)


def _changes_severity(body: Node) -> bool:
    return body.text("update") == "1" and SEVERITY_CHANGED in body.text("action").lower()


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
    time=TimeMeaning.BEGINNING,
    documentation="https://www.zabbix.com/documentation/current/en/manual/config/notifications/media/webhook",
)
