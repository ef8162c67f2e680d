"""LibreNMS: the body that our snippet publishes for the API transport."""

from __future__ import annotations

from inbox.domain.events.time_meaning import TimeMeaning
from inbox.domain.values.severity import Severity
from inbox.intake import event, macros
from inbox.intake.base import Event, Node, Payload, Tool, body_with
from inbox.intake.event import SenderAct

RECOVERED, ACKNOWLEDGED = "0", "2"
TEST_ID, TEST_RULE = "000", "Test-Rule"


def read(body: Node, payload: Payload) -> Event:
    """Returns the event of an alert, with the severity of the rule even if the alert has ended."""
    body = macros.filled(body)
    state, number = body.require("state"), body.require("id")
    rule, host = body.text("rule"), body.text("host")
    title = body.text("title") or event.joined((rule, host), " on ") or "Alert"
    more = {
        "type": "alert",
        "resource": f"host:{host}" if host else "",
        "body": event.joined((rule, body.first("message", "value")), "\n"),
    }
    if number == TEST_ID or rule == TEST_RULE:
        return event.log(f"Test of LibreNMS: {title}", type="alert.test")
    if state == ACKNOWLEDGED:
        return event.act(SenderAct.ACKNOWLEDGE, f"{title} was acknowledged in LibreNMS", f"librenms:{number}", **more)
    level = event.severity(body.text("severity"), Severity.ERROR)
    return event.either(state == RECOVERED, title, f"librenms:{number}", level, **more)


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
