"""Alertmanager webhooks, version 4: one event for each alert of the group."""

from __future__ import annotations

import json
import re

from inbox.domain.events.fields import EventWarning, WarningCode
from inbox.domain.events.time_meaning import TimeMeaning
from inbox.intake import event
from inbox.intake.base import Event, Node, Payload, Tool, array
from inbox.intake.tools.alertmanager import values

LONGEST_NUMBER = 9
MOST_GROUP_LABELS = 256
TAGS = ("job", "cluster", "team", "env")
HOSTS = ("host", "hostname", "nodename", "node")
"""Labels that name a host. `instance` names what is scraped, which is often an exporter."""

TEST, TESTER = "TestAlert", "Grafana"
"""`alertname` and `instance` of the alert that the test button of Grafana sends."""

NO_VALUE = ("<no value>", "[no value]")
"""What templates of Prometheus and Grafana write for a missing value."""

REASON = "grafana_state_reason"
"""The annotation by which Grafana says why a state has changed, such as `MissingSeries`."""

LINKS = {
    "silence": "silenceURL",
    "rule": "generatorURL",
    "dashboard": "dashboardURL",
    "panel": "panelURL",
    "image": "imageURL",
}

_ADDRESS = re.compile(r"(\[[0-9a-fA-F:.]{2,60}\]|[^:/\s\[\]]{1,200})(?::\d{1,5})?")
_LOOPBACK = re.compile(r"localhost|127(?:\.\d{1,3}){3}|\[::1\]|0\.0\.0\.0|\[::\]")


def read(alert: Node, payload: Payload) -> Event:
    """Returns the event of one alert. A repeat has the same times, so it is a duplicate."""
    fingerprint = alert.require("fingerprint")
    made = of_alert(alert, f"alertmanager:{fingerprint}")
    made["externalId"] = event.bounded(fingerprint)
    return made


def of_alert(alert: Node, key: str) -> Event:
    """Returns the event of an alert with the labels of Prometheus, which Grafana also uses."""
    labels, notes = _members(alert, "labels"), _members(alert, "annotations")
    ended, name = alert.text("status") == "resolved", labels.get("alertname", "")
    resource = _resource(labels)
    subject = event.joined((name, resource.partition(":")[2]), " on ")
    title = notes.get("summary") or notes.get("title") or subject or "Alert"
    if name == TEST and labels.get("instance") == TESTER:
        return event.log(f"Test of Grafana: {title}", type="alert.test")
    return event.either(
        ended,
        title,
        key,
        event.severity(labels.get("severity") or labels.get("priority") or labels.get("level", "")),
        body=_body(alert, labels, notes),
        type="alert",
        resource=resource,
        tags=event.labels(**{name: labels[name] for name in TAGS if name in labels}),
        url=alert.first("panelURL", "dashboardURL", "generatorURL") or notes.get("runbook_url"),
        occurredAt=event.time(alert.text("endsAt" if ended else "startsAt")),
        metadata=_metadata(alert, labels, notes, ended=ended),
    )


def _members(alert: Node, name: str) -> dict[str, str]:
    return {each: text for each, text in alert.members(name).items() if text not in NO_VALUE}


def _body(alert: Node, labels: dict[str, str], notes: dict[str, str]) -> str:
    """Returns the reason of Grafana, the description, and the values. Without all of them, the labels tell what is known."""
    reason = notes.get(REASON)
    text = notes.get("description") or notes.get("message") or notes.get("summary", "")
    found = [f"Grafana: {reason}" if reason else "", text, *values.lines(alert)]
    known = [f"{name} = {value}" for name, value in labels.items() if name not in ("alertname", "severity")]
    return event.joined(found, "\n") or "\n".join(known)


def _resource(labels: dict[str, str]) -> str:
    """Returns the host of an alert; the instance as it is where it names no host."""
    host = next((labels[name] for name in HOSTS if labels.get(name)), "")
    if host:
        return f"host:{host}"
    instance = labels.get("instance", "")
    address = _ADDRESS.fullmatch(instance)
    if address is None or _LOOPBACK.fullmatch(address[1]):
        return f"instance:{instance}" if instance else ""
    return f"host:{address[1].strip('[]')}"


def group(payload: Payload) -> str:
    """Returns the key of the group, or else its labels; empty without both, or with too many labels."""
    key, sent = payload.node.text("groupKey"), payload.node.at("groupLabels").value
    if not key and isinstance(sent, dict) and len(sent) <= MOST_GROUP_LABELS:
        labels = payload.node.members("groupLabels")
        key = json.dumps(labels, sort_keys=True) if labels else ""
    return event.bounded(key)


def left_out(payload: Payload) -> list[EventWarning]:
    """Warns about a group that was cut at `max_alerts`, because the missing alerts may include recoveries."""
    number = payload.node.text("truncatedAlerts")
    if not number.isascii() or not number.isdigit() or not int(number[:LONGEST_NUMBER]):
        return []
    detail = (
        f"the sender left out {number[:LONGEST_NUMBER]} alerts of the group, maybe recoveries: add a label to its"
        " group_by, or raise its max_alerts"
    )
    return [EventWarning(WarningCode.ALERTS_TRUNCATED, "/truncatedAlerts", detail)]


def _metadata(alert: Node, labels: dict[str, str], notes: dict[str, str], *, ended: bool) -> dict[str, object]:
    reason = notes.get(REASON, "")
    links = {name: alert.text(member) for name, member in LINKS.items()}
    found = {
        "labels": labels,
        "annotations": notes,
        "values": values.numbers(alert),
        "links": {name: link for name, link in links.items() if link},
        "endReason": reason if ended else "",
    }
    return {name: members for name, members in found.items() if members}


TOOL = Tool(
    name="alertmanager",
    label="Alertmanager",
    summary="Alerts of Prometheus, one incident for each group of alerts.",
    setup="A `webhook_configs` receiver in alertmanager.yml.",
    expected="a webhook of version 4 with `alerts` was expected",
    items=array("alerts"),
    read=read,
    time=TimeMeaning.BEGINNING,
    warn=left_out,
    group=group,
    documentation="https://prometheus.io/docs/alerting/latest/configuration/#webhook_config",
)
