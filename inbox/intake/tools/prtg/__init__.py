"""PRTG: the form of an HTTP action."""

from __future__ import annotations

from inbox.domain.events.time_meaning import TimeMeaning
from inbox.domain.values.severity import Severity
from inbox.intake import event
from inbox.intake.base import Event, Node, Payload, Tool, body_with

ENDED = ("up", "(now: up)")
WARNINGS = ("warning", "unusual")
HIGHEST_PRIORITY = "*****"


def read(form: Node, payload: Payload) -> Event:
    """Returns the event of a sensor."""
    sensor, status = form.require("sensorid"), form.require("status").lower()
    name = event.joined((form.text("sensor"), form.text("device")), " on ") or f"Sensor {sensor}"
    device = form.first("device", "host")
    more = {
        "body": form.text("message"),
        "type": "sensor",
        "resource": f"host:{device}" if device else "",
        "tags": event.tags(form.text("group")),
        "url": form.text("link"),
    }
    title, key = f"{name}: {form.text('status')}", f"prtg:{sensor}"
    if status.endswith(ENDED):
        return event.resolve(title, key, **more)
    if "acknowledged" in status or not status.startswith(("down", *WARNINGS)):
        return event.log(title, **more)
    urgent = Severity.CRITICAL if form.text("prio") == HIGHEST_PRIORITY else Severity.ERROR
    return event.trigger(title, key, Severity.WARNING if status.startswith(WARNINGS) else urgent, **more)


TOOL = Tool(
    name="prtg",
    label="PRTG",
    summary="Sensors of PRTG: Down and Warning open an incident, Up closes it.",
    setup="A notification template with an HTTP action, and triggers for Down, Warning and Up.",
    expected="`sensorid` and `status`, as in the published payload, were expected",
    items=body_with("sensorid"),
    read=read,
    time=TimeMeaning.NONE,
    documentation="https://www.paessler.com/manuals/prtg/notifications",
)
