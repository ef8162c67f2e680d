"""Health alerts of Azure. They have the severity `Sev4` and the condition `Fired`, also at their end."""

from __future__ import annotations

from inbox.domain.values.severity import Severity
from inbox.intake import event
from inbox.intake.base import Event, Node

SERVICE, RESOURCE = "ServiceHealth", "Resource Health"
SERVICES = (SERVICE, RESOURCE)
INCIDENT = "incident"
ENDED = ("resolved", "available", "complete")


def read(alert: Node, context: Node, title: str, **more: object) -> Event:
    """Returns the event of an outage of Azure, or of a resource that became unavailable or available."""
    facts = context.at("properties")
    if alert.text("monitoringService") == SERVICE:
        key, kind = facts.text("trackingId"), facts.text("incidentType").lower()
        state, title = facts.text("stage").lower() or context.text("status").lower(), facts.text("title") or title
        level = Severity.ERROR if kind == INCIDENT else Severity.WARNING if kind == "maintenance" else Severity.INFO
    else:
        key, state = str(more.get("resource", "")), facts.text("currentHealthStatus").lower()
        level = Severity.ERROR
    body = event.joined((str(more.pop("body", "")), facts.first("communication", "cause", "title")), "\n\n")
    if not key:
        return event.log(title, body=body, **more)
    return event.either(state in ENDED, title, f"az:health:{key}", level, body=body, **more)
