"""Shapes of the compatible formats, with the names of their makers (specification 19.8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def _texts(**examples: str) -> dict[str, Any]:
    return {name: {"type": "string", "example": example} for name, example in examples.items()}


def closed(properties: Mapping[str, Any], *required: str) -> dict[str, Any]:
    """Returns the schema of an object with these members. The named ones are required."""
    return {"type": "object", "properties": dict(properties), "required": list(required)}


PAGERDUTY_PAYLOAD = closed(
    {
        **_texts(summary="db2 has 3 % free", source="db2", severity="critical", timestamp="2026-11-22T12:34:12Z"),
        **_texts(component="postgres", group="production", **{"class": "disk"}),
        "custom_details": {"type": ["object", "array", "string", "null"], "example": {"free": "3 %"}},
    },
    "summary",
)
PAGERDUTY_LINKS = {"type": "array", "items": closed(_texts(href="https://wiki.example.org/disk", text="Runbook"))}
PAGERDUTY_EVENT = closed(
    {
        **_texts(routing_key="INBOX_KEY_HERE", dedup_key="disk/db2"),
        "event_action": {"type": "string", "enum": ["trigger", "acknowledge", "resolve"]},
        "payload": PAGERDUTY_PAYLOAD,
        "links": PAGERDUTY_LINKS,
        **_texts(client="Monitoring", client_url="https://monitoring.example.org"),
    },
    "event_action",
)
PAGERDUTY_CHANGE = closed(
    {**_texts(routing_key="INBOX_KEY_HERE"), "payload": PAGERDUTY_PAYLOAD, "links": PAGERDUTY_LINKS}, "payload"
)
PAGERDUTY_ACCEPTED = closed(
    _texts(status="success", message="Event processed", dedup_key="disk/db2"), "status", "message", "dedup_key"
)
PAGERDUTY_CHANGED = closed(_texts(status="success", message="Change event processed"), "status", "message")
_OURS = _texts(code="bad_request", detail="The body is empty.", requestId="5f0c3c1e9a4b4d0f8a7b6c5d4e3f2a1b")
PAGERDUTY_ERROR = closed(
    {
        **_texts(status="invalid event", message="Event object is invalid"),
        "errors": {"type": "array", "items": {"type": "string", "example": "'payload.summary' is missing or blank"}},
        **_OURS,
    },
    *("status", "message", "errors", "code", "detail", "requestId"),
)

OPSGENIE_ALERT = closed(
    {
        **_texts(message="Disk full on db2", alias="disk/db2", description="3 % free", entity="host:db2", source="db2"),
        "priority": {"type": "string", "enum": ["P1", "P2", "P3", "P4", "P5"]},
        "tags": {"type": "array", "items": {"type": "string", "example": "production"}},
        "details": {"type": "object", "example": {"free": "3 %"}},
    },
    "message",
)
OPSGENIE_ACT = closed(_texts(source="db2", user="mia", note="Disk extended", endTime="2126-11-22T12:00:00Z"))
_ANSWER = {"took": {"type": "number", "example": 0.01}, **_texts(requestId="01900000-0000-7000-8000-000000000001")}
OPSGENIE_ACCEPTED = closed({**_texts(result="Request will be processed"), **_ANSWER}, "result", "took", "requestId")
OPSGENIE_STATUS = closed(
    {
        "data": closed(
            {
                "isSuccess": {"type": "boolean"},
                "success": {"type": "boolean"},
                **_texts(action="Create", status="Created alert", alias="disk/db2"),
                **_texts(processedAt="2026-11-22T12:00:00.000Z", alertId="01900000-0000-7000-8000-000000000001"),
            },
            *("isSuccess", "success", "action", "processedAt", "status", "alertId", "alias"),
        ),
        **_ANSWER,
    },
    *("data", "took", "requestId"),
)
_OPSGENIE_READ = closed(
    {
        **_texts(id="01900000-0000-7000-8000-000000000001", tinyId="7", alias="disk/db2", message="Disk full on db2"),
        "status": {"type": "string", "enum": ["open", "closed"]},
        **{name: {"type": "boolean"} for name in ("acknowledged", "snoozed", "isSeen")},
        "tags": {"type": "array", "items": {"type": "string", "example": "production"}},
        "count": {"type": "integer", "example": 1},
        **{name: {"type": "string", "format": "date-time"} for name in ("createdAt", "updatedAt", "lastOccurredAt")},
        **_texts(source="db2", owner="", priority="P1", entity="host:db2"),
    },
    *("id", "alias", "message", "status"),
)
OPSGENIE_ONE = closed(
    {
        "data": {
            **_OPSGENIE_READ,
            "properties": {
                **_OPSGENIE_READ["properties"],
                **_texts(description="3 % free"),
                "details": {"type": "object", "example": {"free": "3 %"}},
                "actions": {"type": "array", "items": {"type": "string"}},
            },
        },
        **_ANSWER,
    },
    *("data", "took", "requestId"),
)
OPSGENIE_LIST = closed(
    {
        "data": {"type": "array", "items": _OPSGENIE_READ},
        "paging": {"type": "object", "additionalProperties": {"type": "string"}},
        **_ANSWER,
    },
    *("data", "took", "requestId"),
)
OPSGENIE_ERROR = closed(
    {
        **_texts(message="Message can not be empty."),
        "took": {"type": "number", "example": 0.01},
        "errors": {"type": "object", "additionalProperties": {"type": "string"}},
        **_OURS,
    },
    *("message", "took", "code", "detail", "requestId"),
)
PROMETHEUS_ALERTS = {
    "type": "array",
    "items": closed(
        {
            "labels": {
                "type": "object",
                "additionalProperties": {"type": "string"},
                "example": {"alertname": "DiskFull", "instance": "db2:9100", "severity": "critical"},
            },
            "annotations": {
                "type": "object",
                "additionalProperties": {"type": "string"},
                "example": {"summary": "db2 has 3 % free"},
            },
            **_texts(startsAt="2026-11-22T12:37:06.632Z", generatorURL="http://prometheus:9090/graph"),
            "endsAt": {"type": "string", "example": "2126-11-22T12:42:11.632Z"},
        },
        "labels",
    ),
}
CLOUD_EVENT = closed(
    {
        **_texts(specversion="1.0", id="A-7", source="/backup/nas1", type="org.example.job.failed", subject="nightly"),
        **_texts(time="2026-11-22T10:15:30Z", datacontenttype="application/json", severity="error"),
        **_texts(action="trigger", dedupkey="backup/nas1"),
        "data": {"example": {"title": "The nightly backup failed", "exit": 2}},
    },
    *("specversion", "id", "source", "type"),
)
