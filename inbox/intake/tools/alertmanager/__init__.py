"""Alertmanager webhooks, version 4: one event for each alert of the group."""

from __future__ import annotations

from inbox.domain.events.fields import EventWarning, WarningCode
from inbox.domain.events.time_meaning import TimeMeaning
from inbox.intake import event
from inbox.intake.base import Event, Node, Payload, Tool, array

LONGEST_NUMBER = 9
TAGS = ("job", "cluster", "team", "env")


def read(alert: Node, payload: Payload) -> Event:
    """Returns the event of one alert. A repeat has the same times, so it is a duplicate."""
    fingerprint = alert.require("fingerprint")
    made = of_alert(alert, f"alertmanager:{fingerprint}")
    made["externalId"] = event.bounded(fingerprint)
    return made


def of_alert(alert: Node, key: str) -> Event:
    """Returns the event of an alert with the labels of Prometheus, which Grafana also uses."""
    labels, notes = alert.members("labels"), alert.members("annotations")
    ended = alert.text("status") == "resolved"
    instance, summary = labels.get("instance", ""), notes.get("summary", "")
    return event.either(
        ended,
        summary or notes.get("title") or event.joined((labels.get("alertname", ""), instance), " on ") or "Alert",
        key,
        event.severity(labels.get("severity") or labels.get("priority") or labels.get("level", "")),
        body=notes.get("description") or notes.get("message") or summary,
        type="alert",
        resource=f"instance:{instance}" if instance else "",
        tags=list(dict.fromkeys([labels[name] for name in TAGS if name in labels])),
        url=alert.first("panelURL", "dashboardURL", "generatorURL") or notes.get("runbook_url"),
        occurredAt=event.time(alert.text("endsAt" if ended else "startsAt")),
        metadata=_metadata(labels, notes),
    )


def left_out(payload: Payload) -> list[EventWarning]:
    """Warns about a group that was cut at `max_alerts`, because the missing alerts may include recoveries."""
    number = payload.node.text("truncatedAlerts")
    if not number.isascii() or not number.isdigit() or not int(number[:LONGEST_NUMBER]):
        return []
    detail = (
        f"the sender left out {number[:LONGEST_NUMBER]} alerts of the group, maybe recoveries: set its max_alerts to 0"
    )
    return [EventWarning(WarningCode.ALERTS_TRUNCATED, "/truncatedAlerts", detail)]


def _metadata(labels: dict[str, str], notes: dict[str, str]) -> dict[str, dict[str, str]]:
    found = {"labels": labels, "annotations": notes}
    return {name: members for name, members in found.items() if members}


TOOL = Tool(
    name="alertmanager",
    label="Alertmanager",
    summary="Alerts of Prometheus, one incident for each alert; the resolved alert closes it.",
    setup="A `webhook_configs` receiver in alertmanager.yml.",
    expected="a webhook of version 4 with `alerts` was expected",
    items=array("alerts"),
    read=read,
    time=TimeMeaning.BEGINNING,
    warn=left_out,
    documentation="https://prometheus.io/docs/alerting/latest/configuration/#webhook_config",
)
