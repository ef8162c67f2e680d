"""New notices and deliveries: the recipients, the destinations that were notified before, and the inserts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

from inbox.database.base import db
from inbox.database.bulk_sql import AT_ONCE, Statements, array_literal, unnest_rows
from inbox.domain.deliveries.digests import Digest
from inbox.domain.deliveries.pages import ACKNOWLEDGED, NOTIFICATION_RULE
from inbox.domain.deliveries.quiet_hours import is_deferred
from inbox.domain.values.severity import Severity
from inbox.domain.values.windows import QuietHours
from inbox.models.people.factors import HAS_REQUIRED_FACTOR


@dataclass(frozen=True, slots=True)
class Recipient:
    """The settings of a destination that decide whether it is notified (specification 9.2)."""

    id: UUID
    workspace_id: UUID
    name: str
    enabled: bool
    stopped: bool
    send_updates: bool
    min_severity: Severity | None
    quiet_hours_threshold: Severity | None
    send_notes: bool = True
    is_phone: bool = False
    digest: Digest | None = None
    own_quiet: QuietHours | None = None
    """The quiet hours of the person whose phone it is."""

    def quiet_until(
        self, of_workspace: datetime | None, severity: Severity, now: datetime, *, obeys: bool
    ) -> datetime | None:
        """Returns when quiet hours end for a notice. Those of the workspace count only if the plan `obeys` them."""
        threshold, own = self.quiet_hours_threshold, None if self.own_quiet is None else self.own_quiet.until(now)
        ends = [
            of_workspace if is_deferred(threshold, severity, respects_quiet_hours=obeys) else None,
            None if severity is Severity.CRITICAL else own,
        ]
        return max((end for end in ends if end is not None), default=None)


class Notice(Protocol):
    """A notice to insert; `body` is the JSON for webhooks without the event's members, `decisions` the explanation (JSON)."""

    @property
    def id(self) -> UUID: ...
    @property
    def at(self) -> datetime: ...
    @property
    def workspace_id(self) -> UUID: ...
    @property
    def incident_id(self) -> UUID | None: ...
    @property
    def event_id(self) -> UUID | None: ...
    @property
    def seq(self) -> int: ...
    @property
    def reason(self) -> str: ...
    @property
    def body(self) -> str: ...
    @property
    def decisions(self) -> str: ...
    @property
    def urgency(self) -> int: ...


@dataclass(frozen=True, slots=True)
class NewDelivery:
    """A delivery to insert: `pending` or `held`, or `skipped` with its cause.

    A delivery that waits for the end of quiet hours, or for a digest, is due at `until`. Any other held delivery is due
    at once: the next claim checks whether its destination is still stopped.
    """

    id: UUID
    notice: Notice
    destination_id: UUID
    status: str
    cause: str | None
    until: datetime | None = None


_OWN_QUIET = """CASE WHEN device_id IS NOT NULL THEN (
    SELECT p.preferences -> 'phoneQuietHours' FROM devices d JOIN user_preferences p ON p.user_id = d.user_id
     WHERE d.id = device_id) END"""


def recipients(destination_ids: Iterable[UUID]) -> dict[UUID, Recipient]:
    """Returns the existing destinations, by id."""
    id_array = array_literal(destination_ids, unquoted=True)
    if id_array == "{}":
        return {}
    found = db.execute_sql(
        "SELECT id, workspace_id, name, enabled, stopped_at IS NOT NULL, send_updates, min_severity,"
        f" quiet_hours_threshold, send_notes, device_id IS NOT NULL, digest, {_OWN_QUIET}"
        " FROM destinations WHERE id = ANY(%s::uuid[]) AND deleted_at IS NULL",
        (id_array,),
    )
    return {recipient.id: recipient for recipient in map(_recipient, found.fetchall())}


def _recipient(row: tuple[Any, ...]) -> Recipient:
    id, workspace, name, enabled, stopped, updates, least, threshold, notes, phone, digest, own = row
    minimum, quiet = _severity(least), _severity(threshold)
    setting = Digest.of(digest) if digest else None
    return Recipient(
        id,
        workspace,
        name,
        enabled,
        stopped,
        updates,
        minimum,
        quiet,
        notes,
        phone,
        setting,
        QuietHours.of(own, "UTC") if own else None,
    )


_GETS_ALERTS = """(t.alerts = 'all' OR EXISTS (
    SELECT FROM oncall_log l WHERE l.workspace_id = t.workspace_id AND l.ends_at IS NULL AND l.user_id = u.id))"""
"""Whether a phone gets alerts besides pages: always, or while its person is on call."""


def phones(workspace_ids: Iterable[UUID]) -> dict[UUID, tuple[UUID, ...]]:
    """Returns the phones of members that receive alerts of each workspace now.

    Members without the second factor that the workspace requires get none.
    """
    id_array = array_literal(workspace_ids, unquoted=True)
    # Most workspaces have no phone. To plan the joins for them takes ten times as long as to look.
    any_phone = db.execute_sql(
        "SELECT FROM destinations"
        " WHERE workspace_id = ANY(%s::uuid[]) AND device_id IS NOT NULL AND deleted_at IS NULL LIMIT 1",
        (id_array,),
    )
    if not any_phone.rowcount:
        return {}
    found = db.execute_sql(
        "SELECT t.workspace_id, array_agg(t.id ORDER BY t.id) FROM destinations t"
        " JOIN devices d ON d.id = t.device_id AND d.revoked_at IS NULL"
        " JOIN users u ON u.id = d.user_id AND u.disabled_at IS NULL AND u.deleted_at IS NULL"
        " JOIN members m ON m.user_id = u.id AND m.workspace_id = t.workspace_id"
        " JOIN workspaces w ON w.id = t.workspace_id"
        " WHERE t.workspace_id = ANY(%s::uuid[]) AND t.device_id IS NOT NULL AND t.deleted_at IS NULL"
        f" AND {_GETS_ALERTS} AND {HAS_REQUIRED_FACTOR}"
        " GROUP BY t.workspace_id",
        (id_array,),
    )
    return {workspace_id: tuple(ids) for workspace_id, ids in found.fetchall()}


def _severity(stored: str | None) -> Severity | None:
    return Severity(stored) if stored else None


def notified_before(incident_ids: Iterable[UUID]) -> set[tuple[UUID, UUID]]:
    """Returns (incident, destination) for each destination that earlier notices of the incident addressed.

    Skipped and expired deliveries do not count: no receiver got them. Phones of members without the second factor that
    the workspace requires do not count either, and deliveries that wait for their notification rules.
    """
    id_array = array_literal(incident_ids, unquoted=True)
    if id_array == "{}":
        return set()
    found = db.execute_sql(
        "SELECT n.incident_id, n.destination_id FROM (SELECT DISTINCT incident_id, destination_id FROM deliveries"
        " WHERE incident_id = ANY(%s::uuid[]) AND status NOT IN ('skipped', 'expired')"
        f" AND NOT (status = 'pending' AND cause IS NOT DISTINCT FROM '{NOTIFICATION_RULE}')) n"
        " JOIN destinations t ON t.id = n.destination_id WHERE t.device_id IS NULL OR EXISTS ("
        "SELECT FROM devices d JOIN members m ON m.user_id = d.user_id AND m.workspace_id = t.workspace_id"
        f" JOIN workspaces w ON w.id = t.workspace_id WHERE d.id = t.device_id AND {HAS_REQUIRED_FACTOR})",
        (id_array,),
    )
    return set(found.fetchall())


def stop_waiting(
    incident_ids: Collection[UUID], now: datetime, cause: str = ACKNOWLEDGED, paid_kinds: Collection[str] = ()
) -> list[tuple[UUID, UUID, UUID, UUID]]:
    """Skips what waits for notification rules of these incidents, or for the pace of SMS and calls, with this cause.

    Returns delivery, workspace, incident and destination of each.
    """
    found = db.execute_sql(
        f"UPDATE deliveries SET status = 'skipped', cause = %s, due_at = NULL, settled_at = %s"
        f" WHERE incident_id = ANY(%s::uuid[]) AND status = 'pending' AND (cause = '{NOTIFICATION_RULE}'"
        "  OR (attempt = 0 AND cause IS NULL AND EXISTS (SELECT FROM destinations t"
        "   WHERE t.id = destination_id AND t.provider_id IS NOT NULL AND t.kind = ANY(%s::text[]))))"
        " RETURNING id, workspace_id, incident_id, destination_id",
        (cause, now, array_literal(incident_ids, unquoted=True), list(paid_kinds)),
    )
    return list(found.fetchall())


def insert(
    notices: Sequence[Notice], deliveries: Sequence[NewDelivery], at: datetime, statements: Statements = AT_ONCE
) -> None:
    """Inserts notices, and their deliveries with the time `at`."""
    _insert_notices(notices, statements)
    _insert_deliveries(deliveries, at, statements)


# The newest event of the incident, for notices that no event causes. The order leaves only the index `events_incident`.
_NEWEST_EVENT = """coalesce(x.event_id, (
        SELECT r.event_id FROM routed_events r WHERE r.incident_id = x.incident_id
        ORDER BY r.incident_id DESC, r.event_id DESC LIMIT 1))"""


def _insert_notices(notices: Sequence[Notice], statements: Statements) -> None:
    if not notices:
        return
    columns = {
        "id": "uuid",
        "workspace_id": "uuid",
        "incident_id": "uuid",
        "event_id": "uuid",
        "seq": "integer",
        "reason": "text",
        "body": "text",
        "decisions": "text",
        "created_at": "timestamptz",
    }
    written = [
        (n.id, n.workspace_id, n.incident_id, n.event_id, n.seq, n.reason, n.body, n.decisions, n.at) for n in notices
    ]
    rows, values = unnest_rows(columns, written)
    statements.write(
        f"INSERT INTO notices ({', '.join(columns)}, newest_event_id) SELECT x.id, x.workspace_id, x.incident_id,"
        f" x.event_id, x.seq, x.reason, x.body, x.decisions::jsonb, x.created_at, {_NEWEST_EVENT} FROM {rows}",
        values,
    )


# The retry of an earlier notice of the incident. A later notice waits for it, so it is due no earlier: each claim reads
# all due deliveries of a destination. The first notice of an incident has none before it.
_DUE_AT = """CASE WHEN x.status = 'pending' AND x.seq > 1 THEN greatest(x.due_at, (
        SELECT e.due_at FROM deliveries e
        WHERE e.destination_id = x.destination_id AND e.incident_id = x.incident_id AND e.seq < x.seq
            AND e.status = 'retrying' AND e.replay_of IS NULL
        ORDER BY e.seq LIMIT 1)) ELSE x.due_at END"""


def _insert_deliveries(deliveries: Sequence[NewDelivery], at: datetime, statements: Statements) -> None:
    if not deliveries:
        return
    columns = {
        "id": "uuid",
        "workspace_id": "uuid",
        "notice_id": "uuid",
        "incident_id": "uuid",
        "destination_id": "uuid",
        "seq": "integer",
        "reason": "text",
        "status": "text",
        "cause": "text",
        "due_at": "timestamptz",
        "urgency": "smallint",
    }
    written = [
        (d.id, d.notice.workspace_id, d.notice.id, d.notice.incident_id, d.destination_id, d.notice.seq)
        + (d.notice.reason, d.status, d.cause, None if d.status == "skipped" else d.until or at, d.notice.urgency)
        for d in deliveries
    ]
    rows, values = unnest_rows(columns, written)
    chosen = ", ".join(_DUE_AT if name == "due_at" else f"x.{name}" for name in columns)
    statements.write(
        f"INSERT INTO deliveries ({', '.join(columns)}, created_at, settled_at) SELECT {chosen}, %s,"
        f" CASE WHEN x.status = 'skipped' THEN %s::timestamptz END FROM {rows}",
        [at, at, *values],
    )
