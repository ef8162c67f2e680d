"""Azure Monitor: alerts in the common alert schema."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

from inbox.domain.events.fields import URL_LIMIT
from inbox.domain.events.time_meaning import TimeMeaning
from inbox.domain.values.severity import Severity
from inbox.intake import event
from inbox.intake.base import Event, Node, Payload, Tool
from inbox.intake.tools.azure_monitor import health

FIRED, ENDED = "fired", "resolved"
SEVERITIES = {
    "sev0": Severity.CRITICAL,
    "sev1": Severity.ERROR,
    "sev2": Severity.WARNING,
    "sev3": Severity.INFO,
    "sev4": Severity.DEBUG,
}
PORTAL = "https://portal.azure.com/#blade/Microsoft_Azure_Monitoring/AlertDetailsTemplateBlade/alertId/"


def items(payload: Payload) -> list[Node]:
    """Returns the body, if it has the essentials of the common alert schema."""
    return [payload.node] if payload.node.members("data", "essentials") else []


def read(body: Node, payload: Payload) -> Event:
    """Returns the event of an alert that fired or was resolved."""
    alert, context = body.at("data", "essentials"), body.at("data", "alertContext")
    alert_id, condition = alert.require("alertId"), alert.text("monitorCondition").lower()
    places = ", ".join(filter(None, (item.text() for item in alert.elements("configurationItems"))))
    title = event.joined((alert.text("alertRule") or "Alert", places), " on ")
    more = {
        "body": event.joined((alert.text("description"), "\n".join(_conditions(context))), "\n\n"),
        "type": "azure.alert",
        "resource": _resource(alert),
        "tags": event.labels(signal=alert.text("signalType"), service=alert.text("monitoringService")),
        "url": alert.text("investigationLink") or PORTAL + quote(alert_id[:URL_LIMIT], safe="", errors="replace"),
        "occurredAt": event.time(alert.text("resolvedDateTime" if condition == ENDED else "firedDateTime")),
    }
    if condition not in (FIRED, ENDED):
        return event.log(event.joined((title, condition), ": "), **more)
    if alert.text("monitoringService") in health.SERVICES:
        return health.read(alert, context, title, **more)
    level = SEVERITIES.get(alert.text("severity").lower(), Severity.WARNING)
    return event.either(condition == ENDED, title, f"az:{alert_id}", level, **more)


def _conditions(context: Node) -> Iterator[str]:
    """Returns each condition of a metric or of a log search, with the measured value."""
    for each in context.elements("condition", "allOf"):
        name = each.first("metricName", "searchQuery")
        limit = event.joined((name, each.text("operator"), each.text("threshold")))
        if limit:
            yield event.joined((limit, each.text("metricValue")), ": ")


def _resource(alert: Node) -> str:
    """Returns type and name of the first target: the last two parts of its id."""
    for target in alert.elements("alertTargetIDs"):
        parts = target.text().rstrip("/").split("/")
        if len(parts) > 1:
            return ":".join(parts[-2:])
    return ""


TOOL = Tool(
    name="azure_monitor",
    label="Azure Monitor",
    summary="Alerts of Azure Monitor in the common alert schema; the resolved alert closes the incident.",
    setup="A Logic App in the action group, since a webhook of an action group cannot send a key.",
    expected="`data.essentials` was expected; switch the common alert schema on in the action group",
    items=items,
    read=read,
    time=TimeMeaning.BEGINNING,
    documentation="https://learn.microsoft.com/azure/azure-monitor/alerts/action-groups",
)
