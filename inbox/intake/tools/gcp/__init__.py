"""Google Cloud Monitoring: incidents of alerting policies."""

from __future__ import annotations

from typing import Any

from inbox.domain.events.time_meaning import TimeMeaning
from inbox.domain.values.severity import Severity
from inbox.intake import event
from inbox.intake.base import Event, Node, Payload, Tool, body_with
from inbox.intake.event import SenderAct

OPEN, CLOSED, ACKNOWLEDGED = "open", "closed", "acknowledged"
TEST_VERSION = "test"


def read(body: Node, payload: Payload) -> Event:
    """Returns the event of an incident that was opened or closed. A test and other states are logged."""
    incident = body.at("incident")
    incident_id, state = incident.require("incident_id"), incident.text("state").lower()
    labels = incident.members("policy_user_labels")
    document = incident.text("documentation", "content") or incident.text("documentation")
    policy = event.joined((incident.text("policy_name"), incident.text("condition_name")), ": ")
    title = incident.text("documentation", "subject") or policy or incident.text("summary") or f"Incident {incident_id}"
    name = incident.first("resource_display_name", "resource_name")
    more: dict[str, Any] = {
        "body": event.joined((incident.text("summary"), document), "\n\n"),
        "type": "gcp.incident",
        "resource": f"{incident.text('resource', 'type') or 'resource'}:{name}" if name else "",
        "tags": event.labels(project=incident.text("scoping_project_id"))
        + [f"{key}:{value}" for key, value in labels.items()],
        "url": incident.text("url"),
        "occurredAt": event.epoch(incident.text("ended_at" if state == CLOSED else "started_at")),
    }
    if state == ACKNOWLEDGED:
        return event.act(SenderAct.ACKNOWLEDGE, f"{title}: acknowledged", f"gcp:{incident_id}", **more)
    if body.text("version") == TEST_VERSION or state not in (OPEN, CLOSED):
        return event.log(event.joined((title, state), ": "), **more)
    by_label = event.severity(labels.get("severity", ""), Severity.ERROR)
    level = event.severity(incident.text("severity"), by_label)
    return event.either(state == CLOSED, title, f"gcp:{incident_id}", level, **more)


TOOL = Tool(
    name="gcp",
    label="Google Cloud Monitoring",
    summary="Incidents of alerting policies; the closed incident closes ours.",
    setup="Alerting, Notification channels, Webhooks: HTTP Basic authentication with the key as the password.",
    expected="`incident` with `incident_id` was expected",
    items=body_with("incident"),
    read=read,
    time=TimeMeaning.BEGINNING,
    documentation="https://cloud.google.com/monitoring/support/notification-options",
)
