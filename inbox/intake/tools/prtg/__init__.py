"""PRTG: the form of an HTTP action."""

from __future__ import annotations

import re
from typing import Any

from inbox.domain.events.time_meaning import TimeMeaning
from inbox.domain.values.severity import Severity
from inbox.intake import event, macros
from inbox.intake.base import Event, Node, Payload, Tool, body_with
from inbox.intake.event import SenderAct

ENDED, DOWN = "up", "down"
WARNINGS = ("warning", "unusual")
ACKNOWLEDGED = "acknowledged"
HIGHEST_PRIORITY = "*****"
_NOW = re.compile(r"\(now: ([^()]{1,40})\)$")
"""Matches the state after the end of another one, as in `Down ended (now: Up)`."""


def read(form: Node, payload: Payload) -> Event:
    """Returns the event of a sensor."""
    form = macros.filled(form)
    sensor, word = form.require("sensorid"), form.require("status").lower()
    now = _NOW.search(word)
    status = now[1].strip() if now else word
    name = event.joined((form.text("sensor"), form.text("device")), " on ") or f"Sensor {sensor}"
    device = form.first("device", "host")
    more: dict[str, Any] = {
        "body": form.text("message"),
        "type": "sensor",
        "resource": f"host:{device}" if device else "",
        "tags": event.labels(group=form.text("group")),
        "url": form.text("link"),
    }
    key = f"prtg:{sensor}"
    if status == ENDED:
        return event.resolve(name, key, **more)
    if ACKNOWLEDGED in status:
        return event.act(SenderAct.ACKNOWLEDGE, f"{name} was acknowledged in PRTG", key, **more)
    if not status.startswith((DOWN, *WARNINGS)):
        return event.log(f"{name}: {form.text('status')}", **more)
    urgent = Severity.CRITICAL if form.text("prio") == HIGHEST_PRIORITY else Severity.ERROR
    return event.trigger(name, key, Severity.WARNING if status.startswith(WARNINGS) else urgent, **more)


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
