"""Writes alerts in the form in which the Opsgenie Alert API reads them out, and reads its search (specification 19.11)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from inbox.domain.values import times
from inbox.domain.values.refusals import Fault
from inbox.domain.values.severity import Severity
from inbox.intake.base import WrongPayload
from inbox.intake.opsgenie import PREFIX

OPEN, CLOSED = "open", "closed"
_PRIORITIES: Mapping[str, str] = {
    Severity.CRITICAL: "P1",
    Severity.ERROR: "P2",
    Severity.WARNING: "P3",
    Severity.INFO: "P4",
}
LOWEST = "P5"
_TERM = re.compile(r'\s*(?:AND\s+)?(status|alias|tag)\s*[:=]\s*("[^"]*"|[^\s"]+)', re.IGNORECASE)
_NO_SEARCH = "Search by status, alias and tag, such as `status: open AND alias: disk`. Other fields are not supported."


def search(query: str) -> list[tuple[str, str]]:
    """Returns the fields and the values of a search. Raises `WrongPayload` for other fields."""
    found, at = [], 0
    while query[at:].strip():
        matched = _TERM.match(query, at)
        if matched is None:
            raise WrongPayload([Fault("/query", _NO_SEARCH)])
        found.append((matched[1].lower(), matched[2].strip('"')))
        at = matched.end()
    return found


def passes(record: Mapping[str, Any], terms: list[tuple[str, str]]) -> bool:
    """Returns whether an alert is found by all terms of a search."""
    return all(
        value in record["tags"] if name == "tag" else record[name].lower() == value.lower() for name, value in terms
    )


def record(sent: Any, incident: Any) -> dict[str, Any]:
    """Returns an alert in the words of the format, of its event and its incident."""
    metadata = sent.metadata or {}
    return {
        "id": str(sent.id),
        "tinyId": str(incident.number) if incident else "0",
        "alias": str(metadata.get("alias") or sent.dedup_key.removeprefix(PREFIX)),
        "message": sent.title,
        "status": CLOSED if incident and incident.state == "resolved" else OPEN,
        "acknowledged": bool(incident and incident.state == "acknowledged"),
        "snoozed": bool(incident and incident.state == "snoozed"),
        "isSeen": bool(incident and incident.acknowledged_at),
        "tags": list(sent.tags),
        "count": incident.event_count if incident else 1,
        "createdAt": _time(incident.first_seen_at if incident else sent.received_at),
        "updatedAt": _time(incident.last_seen_at if incident else sent.received_at),
        "lastOccurredAt": _time(incident.last_seen_at if incident else sent.received_at),
        "source": str(metadata.get("source", "")),
        "owner": "",
        "priority": _PRIORITIES.get(sent.severity, LOWEST),
        "entity": sent.resource or "",
    }


def whole(sent: Any, incident: Any) -> dict[str, Any]:
    """Returns an alert as `record` does, with its description and its details."""
    details = (sent.metadata or {}).get("details")
    more: dict[str, Any] = {
        "description": sent.body or "",
        "details": details if isinstance(details, dict) else {},
        "actions": [],
    }
    return record(sent, incident) | more


def _time(moment: datetime) -> str:
    return times.rfc3339(moment)
