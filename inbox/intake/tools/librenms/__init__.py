"""LibreNMS: the body that our snippet publishes for the API transport."""

from __future__ import annotations

from inbox.domain.events.time_meaning import TimeMeaning
from inbox.domain.values.severity import Severity
from inbox.intake import event
from inbox.intake.base import Event, Node, Payload, Tool, body_with

RECOVERED, ACKNOWLEDGED = "0", "2"
UNFILLED = "is not a valid $alert"


def read(body: Node, payload: Payload) -> Event:
    """Returns the event of an alert, with the severity of the rule even if the alert has ended."""
    state = body.require("state")
    number, rule = body.require("id"), _filled(body, "rule")
    host, title = _filled(body, "host"), _filled(body, "title")
    more = {"type": "alert", "resource": f"host:{host}" if host else "", "body": rule}
    if state == ACKNOWLEDGED:
        return event.log(f"{title or rule or 'Alert'} was acknowledged in LibreNMS", **more)
    return event.either(
        state == RECOVERED,
        title or event.joined((rule, host), " on ") or "Alert",
        f"librenms:{number}",
        event.severity(_filled(body, "severity"), Severity.ERROR),
        **more,
    )


def _filled(body: Node, name: str) -> str:
    text = body.text(name)
    return "" if UNFILLED in text else text


TOOL = Tool(
    name="librenms",
    label="LibreNMS",
    summary="Alerts of LibreNMS; state 0 closes the incident.",
    setup="Alerts, Alert Transports, type API, method POST.",
    expected="`id` and `state`, as in the published body, were expected",
    items=body_with("state", "id"),
    read=read,
    time=TimeMeaning.NONE,
    documentation="https://docs.librenms.org/Alerting/Transports/",
)
