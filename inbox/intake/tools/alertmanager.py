"""Alertmanager webhooks, version 4: one event for each alert of the group."""

from __future__ import annotations

from inbox.intake import event
from inbox.intake.base import Event, Node, Payload, Tool, array


def read(alert: Node, payload: Payload) -> Event:
    """The event of one alert. A repeat has the same times, so it is a duplicate."""
    key = f"alertmanager:{alert.require('fingerprint')}"
    return of_alert(alert, key) | {"externalId": event.bounded(alert.text("fingerprint"))}


def of_alert(alert: Node, key: str) -> Event:
    """The event of an alert as Prometheus labels it, which Grafana does as well."""
    labels, notes = alert.at("labels"), alert.at("annotations")
    ended = alert.text("status") == "resolved"
    at = event.time(alert.text("endsAt" if ended else "startsAt"))
    instance = labels.text("instance")
    name = labels.text("alertname")
    return event.either(
        ended,
        notes.first("summary", "title") or event.joined((name, instance), " on ") or "Alert",
        key,
        event.severity(labels.first("severity", "priority", "level")),
        body=notes.first("description", "message", "summary"),
        type="alert",
        resource=f"instance:{instance}" if instance else "",
        tags=event.tags(*(labels.text(each) for each in ("job", "cluster", "team", "env"))),
        url=alert.first("panelURL", "dashboardURL", "generatorURL") or notes.text("runbook_url"),
        occurredAt=at,
        metadata=event_labels(alert),
    )


def event_labels(alert: Node) -> dict[str, dict[str, str]]:
    """The labels and the annotations."""
    found = {"labels": alert.members("labels"), "annotations": alert.members("annotations")}
    return {name: members for name, members in found.items() if members}


TOOL = Tool(
    name="alertmanager",
    label="Alertmanager",
    summary="Alerts of Prometheus, one incident for each alert; the resolved alert closes it.",
    setup="A `webhook_configs` receiver in alertmanager.yml.",
    expected="a webhook of version 4 with `alerts` was expected",
    items=array("alerts"),
    read=read,
)
