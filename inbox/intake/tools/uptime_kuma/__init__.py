"""Uptime Kuma webhooks: monitors that go down and up."""

from __future__ import annotations

from inbox.domain.events.time_meaning import TimeMeaning
from inbox.domain.values.severity import Severity
from inbox.intake import event
from inbox.intake.base import Event, Node, Payload, Tool, body_with
from inbox.intake.tools.uptime_kuma import expiry

DOWN, UP = "0", "1"


def read(body: Node, payload: Payload) -> Event:
    """Returns the event of a heartbeat. The test button and notices of an expiry have none."""
    beat, monitor = body.at("heartbeat"), body.at("monitor")
    status = beat.text("status")
    if status not in (DOWN, UP):
        text = body.text("msg") or "Notice of Uptime Kuma"
        return (None if status else expiry.read(text)) or event.log(text, type="uptime.notice")
    name = monitor.text("name")
    return event.either(
        status == UP,
        f"{name or 'Monitor'} is {'up' if status == UP else 'down'}",
        f"kuma:{monitor.text('id') or beat.require('monitorID')}",
        _severity(monitor),
        body=beat.text("msg") or body.text("msg"),
        type="uptime.monitor",
        resource=f"monitor:{name}" if name else "",
        tags=event.tags(
            *(event.joined((tag.text("name"), tag.text("value")), ":") for tag in monitor.elements("tags"))
        ),
        url=monitor.text("url"),
        occurredAt=event.time(beat.text("time")),
    )


def _severity(monitor: Node) -> Severity:
    """Returns the severity of a tag named `severity`, else ERROR."""
    tagged = [tag.text("value") for tag in monitor.elements("tags") if tag.text("name") == "severity"]
    return event.severity(tagged[0] if tagged else "", Severity.ERROR)


TOOL = Tool(
    name="uptime_kuma",
    label="Uptime Kuma",
    summary="Monitors of Uptime Kuma: down opens an incident, up closes it.",
    setup="Settings, Notifications, type Webhook; the key in the additional headers.",
    expected="`heartbeat`, `monitor` and `msg` were expected",
    items=body_with("heartbeat", "monitor", "msg"),
    read=read,
    time=TimeMeaning.MOMENT,
    documentation="https://github.com/louislam/uptime-kuma/wiki",
)
