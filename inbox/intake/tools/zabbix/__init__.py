"""Zabbix: the message of our media type."""

from __future__ import annotations

import re
from collections.abc import Iterator

from inbox.domain.events.time_meaning import TimeMeaning
from inbox.domain.values.severity import Severity
from inbox.intake import event, macros
from inbox.intake.base import Event, Node, Payload, Tool, body_with
from inbox.intake.event import SenderAct

SEVERITIES = (
    Severity.INFO, Severity.INFO, Severity.WARNING, Severity.WARNING, Severity.ERROR, Severity.CRITICAL,
)  # fmt: skip
"""By `EVENT.NSEVERITY`: not classified, information, warning, average, high, disaster."""

SEVERITY_CHANGED = "changed severity"
"""Prefix of the part of `EVENT.UPDATE.ACTION` that names two severities. `EVENT.NSEVERITY` has the new one."""

_ACKNOWLEDGED, _UNACKNOWLEDGED = re.compile(r"\backnowledged"), re.compile(r"\bunacknowledged")
ACTS = {SenderAct.ACKNOWLEDGE: "acknowledged", SenderAct.UNACKNOWLEDGE: "unacknowledged", SenderAct.NOTE: "updated"}


def read(body: Node, payload: Payload) -> Event:
    """Returns the event of a problem, its update or its recovery. An unexpanded macro marks a test message."""
    if body.text("alert_uid"):
        return _generic(body)
    number, name = body.require("eventId"), body.text("name")
    if "{" in number:
        return event.log(name or "Test message of Zabbix", type="zabbix.test")
    body = macros.filled(body)
    name, host, level = body.text("name"), body.text("host"), body.text("nseverity")
    did = _act(body)
    if did is not None:
        return event.act(
            did,
            f"{name or 'Problem'} was {ACTS[did]} in Zabbix",
            f"zbx:{number}",
            by=body.text("user"),
            words=body.text("message"),
            resource=_host(host),
            type="zabbix.update",
        )
    return event.either(
        body.text("value") == "0",
        name or "Problem",
        f"zbx:{number}",
        SEVERITIES[int(level)] if level in ("0", "1", "2", "3", "4", "5") else Severity.WARNING,
        body=event.joined((body.text("opdata"), body.text("comment"), body.text("message")), "\n"),
        type="zabbix.problem",
        resource=_host(host),
        tags=event.tags(*_tags(body)),
        url=_link(body),
        # With the time of the problem, an update would be a duplicate of its alarm.
        occurredAt=None if _changes_severity(body) else event.epoch(body.text("timestamp")),
    )


def _act(body: Node) -> SenderAct | None:
    """Returns what an update says that somebody did; None for a changed severity and for everything else.

    Older set-ups lack `action`: an update of an acknowledged problem then means that somebody acknowledged it.
    """
    action = body.text("action").lower()
    if body.text("update") != "1" or _changes_severity(body) or not (action or body.text("ack").lower() == "yes"):
        return None
    if _UNACKNOWLEDGED.search(action):
        return SenderAct.UNACKNOWLEDGE
    return SenderAct.ACKNOWLEDGE if not action or _ACKNOWLEDGED.search(action) else SenderAct.NOTE


def _tags(body: Node) -> Iterator[str]:
    for tag in map(macros.filled, body.elements("tags")):
        if tag.text("tag"):
            yield event.joined((tag.text("tag"), tag.text("value")), ":")


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
    if not address.startswith("http") or not trigger:
        return body.text("triggerUrl")
    return f"{address.rstrip('/')}/tr_events.php?triggerid={trigger}&eventid={body.text('eventId')}"


TOOL = Tool(
    name="zabbix",
    label="Zabbix",
    summary="Problems of Zabbix; the recovery operation closes the incident.",
    setup="A media type to import, a user with it, and an action with recovery and update operations.",
    expected="`eventId` and `value`, as our media type sends them, were expected",
    items=body_with("eventId", "alert_uid"),
    read=read,
    time=TimeMeaning.BEGINNING,
    documentation="https://www.zabbix.com/documentation/current/en/manual/config/notifications/media/webhook",
)
