"""Plain functions for the rows of the four longest lists.

Each returns the same as its schema. Marshmallow looks at every field of every row, which takes most of the time of a
page.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from inbox.domain.routing.decision import with_incident
from inbox.domain.values import ids, times

Record = dict[str, Any]


def incident_row(row: Any) -> Record:
    """Returns an incident as `IncidentRecord` dumps it."""
    return {
        "id": ids.encode("inc", row.id),
        "number": row.number,
        "workspaceId": ids.encode("wsp", row.workspace_id),
        "sourceId": ids.encode("src", row.source_id),
        "sourceName": row.source_name,
        "title": row.title,
        "severity": str(row.severity),
        "lastSeverity": str(row.last_severity),
        "state": str(row.state),
        "flapping": row.flapping,
        **_notices(row),
        "resource": row.resource,
        "type": row.type,
        "tags": list(row.tags),
        "dedupKey": row.dedup_key,
        "fingerprint": row.fingerprint,
        **_rule_and_profile(row),
        "assigneeId": _id("usr", row.assignee_id),
        "assignee": _some(row.assignee, _ACTOR),
        "eventCount": row.event_count,
        "reopenCount": row.reopen_count,
        **_alerts(row),
        "firstSeenAt": times.rfc3339(row.first_seen_at),
        "lastSeenAt": times.rfc3339(row.last_seen_at),
        "openedAt": times.rfc3339(row.opened_at),
        "acknowledgedAt": _time(row.acknowledged_at),
        "acknowledgedBy": _some(row.acknowledger, _ACTOR),
        "snoozedUntil": _time(row.snoozed_until),
        "silencedBy": _id("sil", row.silenced_by),
        "silence": _silence(row.silence),
        "resolvedAt": _time(row.resolved_at),
        "resolvedBy": _some(row.resolved_by, _ACTOR),
        "lastEvent": _event(row.last_event),
        "relatedIncidentId": _id("inc", row.related_incident_id),
        "url": row.url,
        "rev": row.rev,
    }


def _notices(row: Any) -> Record:
    failing = row.undelivered and {
        "since": times.rfc3339(row.undelivered["since"]),
        "attempts": row.undelivered["attempts"],
        "nextAttemptAt": _time(row.undelivered["next_attempt_at"]),
        "destinationNames": list(row.undelivered["destination_names"]),
    }
    return {"notifiedNobody": row.notified_nobody, "undelivered": failing}


def _alerts(row: Any) -> Record:
    firing = 0 if row.state == "resolved" else row.firing_count
    return {"alertCount": row.alert_count, "firingCount": firing, "alertsLeftOut": row.alerts_left_out}


def _rule_and_profile(row: Any) -> Record:
    return {
        "ruleId": _id("rul", row.rule_id),
        "rule": _named("rul", row.rule),
        "routingProfileId": _id("prf", row.routing_profile_id),
        "routingProfile": _named("prf", row.routing_profile),
    }


def event_row(row: Any) -> Record:
    """Returns an event in a list as `EventRow` dumps it."""
    return {
        "id": ids.encode("evt", row.id),
        "workspaceId": ids.encode("wsp", row.workspace_id),
        "sourceId": ids.encode("src", row.source_id),
        "sourceName": row.source_name,
        "receivedAt": times.rfc3339(row.received_at),
        "occurredAt": times.rfc3339(row.occurred_at),
        "severity": str(row.severity),
        "action": str(row.action),
        "title": row.title,
        "type": row.type,
        "resource": row.resource,
        "dedupKey": row.dedup_key,
        "tags": list(row.tags),
        "url": row.url,
        "externalId": row.external_id,
        "fingerprint": row.fingerprint,
        "flags": list(row.flags),
        "warnings": [_some(each, _WARNING) for each in row.warnings],
        "disposition": str(row.disposition),
        "incidentId": _id("inc", row.incident_id),
        "routing": with_incident(row.routing, row.incident_id),
        "bodyExcerpt": row.body_excerpt,
        "hasMetadata": row.has_metadata,
    }


def delivery_row(row: Any) -> Record:
    """Returns a delivery with its attempts as `DeliveryRecord` dumps it."""
    about = row.destination
    return {
        "id": ids.encode("dlv", row.id),
        "workspaceId": ids.encode("wsp", row.workspace_id),
        "noticeId": ids.encode("ntc", row.notice_id),
        "incidentId": _id("inc", row.incident_id),
        "incident": _incident(row.incident),
        "destinationId": ids.encode("dst", row.destination_id),
        "destination": {
            "id": ids.encode("dst", about.id),
            "name": about.name,
            "kind": about.kind,
            "deleted": about.deleted,
        },
        "reason": str(row.reason),
        "status": str(row.status),
        "attempts": [_attempt(each) for each in row.attempts_made],
        "attemptsMax": row.attempts_max,
        "nextAttemptAt": _time(row.next_attempt_at),
        "cause": row.cause,
        "replayOf": _id("dlv", row.replay_of),
        "digest": _digest(row.digest),
        "gathered": row.gathered,
        "createdAt": times.rfc3339(row.created_at),
        "settledAt": _time(row.settled_at),
    }


def audit_row(row: Any) -> Record:
    """Returns an audit entry as `AuditRecord` dumps it."""
    return {
        "id": ids.encode("aud", row.id),
        "at": times.rfc3339(row.at),
        "actor": _some(row.actor, _ACTOR),
        "action": row.action,
        "target": _some(row.target, _ACTOR),
        "workspaceId": _id("wsp", row.workspace_id),
        "ip": row.ip,
        "requestId": row.request_id,
        "details": row.details,
    }


_ACTOR, _WARNING = ("type", "id", "name"), ("code", "pointer", "detail")


def _some(stored: Mapping[str, Any] | None, names: tuple[str, ...]) -> Record | None:
    """Returns the named members of stored JSON. Members that were not stored are left out."""
    return None if stored is None else {name: stored[name] for name in names if name in stored}


def _id(prefix: str, value: UUID | None) -> str | None:
    return None if value is None else ids.encode(prefix, value)


def _time(at: datetime | None) -> str | None:
    return None if at is None else times.rfc3339(at)


def _named(prefix: str, record: Mapping[str, Any] | None) -> Record | None:
    return None if record is None else {"name": record["name"], "id": ids.encode(prefix, record["id"])}


def _silence(record: Mapping[str, Any] | None) -> Record | None:
    if record is None:
        return None
    return {
        "id": ids.encode("sil", record["id"]),
        "comment": record["comment"],
        "endsAt": _time(record["ends_at"]),
    }


def _event(newest: Mapping[str, Any] | None) -> Record | None:
    if newest is None:
        return None
    return {
        "id": ids.encode("evt", newest["id"]),
        "receivedAt": times.rfc3339(newest["received_at"]),
        "url": newest["url"],
        "bodyExcerpt": newest["body_excerpt"],
    }


def _incident(about: Mapping[str, Any] | None) -> Record | None:
    if about is None:
        return None
    return {"id": ids.encode("inc", about["id"]), "number": about["number"], "title": about["title"]}


def _digest(found: Any) -> Record | None:
    if found is None:
        return None
    return {"deliveryId": ids.encode("dlv", found.delivery_id), "status": str(found.status), "at": _time(found.at)}


def _attempt(made: Any) -> Record:
    return {
        "at": times.rfc3339(made.at),
        "statusCode": made.status_code,
        "durationMs": made.duration_ms,
        "error": made.error,
        "responseExcerpt": made.excerpt,
        "note": made.note,
    }
