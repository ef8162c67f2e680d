"""Shapes of the compatible formats, with the names of their makers (specification 19.8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def _texts(**examples: str) -> dict[str, Any]:
    return {name: {"type": "string", "example": example} for name, example in examples.items()}


def closed(properties: Mapping[str, Any], *required: str) -> dict[str, Any]:
    """The schema of an object with these members; the named ones are required."""
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

ERRORS: Mapping[str, Mapping[str, Any]] = {"pagerduty": PAGERDUTY_ERROR}
"""The shape of errors by the noun of the endpoint, where it is that of the maker."""
