"""What may be removed, and in which order: what hangs on a row goes before the row, so that no removal is large."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from inbox.domain import ids, session
from inbox.domain import workspace as rules
from inbox.models import upkeep
from inbox.models.known_clients import KEPT_FOR
from inbox.models.upkeep import Kept, Removal

RECOGNISED_FOR = timedelta(hours=48)
"""For how long a replay is recognised (specification 4.8)."""

DELETED_FOR = timedelta(days=7)
"""For how long what is deleted can still be brought back by an operator (specification 12.9)."""

WAITS_KEPT = timedelta(days=1)
"""No rule waits for longer than this until an incident opens (specification 6.5)."""

MATCHES_KEPT = timedelta(days=90)
"""For how long it can be seen how often a rule matched."""

MAILS_KEPT = INVITES_KEPT = timedelta(days=30)
"""For how long it can be seen to whom a mail went and why one did not, and who was invited."""

WARNINGS_KEPT = timedelta(days=30)
"""How long the count of a warning that does not come any more is shown."""

RECORDS_OUTLIVE = timedelta(days=2)
"""So much longer than events are the records kept that they share: those of a day, by clocks that need not agree."""

WITH_MUCH = 100
"""How many at a time of rows with which others go."""


@dataclass(frozen=True, slots=True)
class Incidents:
    """The incidents (`t`) of a condition, with their timeline, notices and deliveries."""

    where: str
    values: tuple[Any, ...]

    @property
    def parts(self) -> Iterator[Removal]:
        """As removals, for counting."""
        for table in ("timeline", "deliveries", "notices"):
            yield Removal(table, f"t.incident_id IN (SELECT t.id FROM incidents t WHERE {self.where})", self.values)
        yield Removal("incidents", self.where, self.values)


OF_A_WORKSPACE = (
    *(
        "event_queue",
        "received_events",
        "routed_events",
        "routing_traces",
        "source_keys",
        "sources",
        "open_after_counters",
        "rule_matches",
    ),
    *("rule_previews", "rules", "routing_profiles", "silences", "saved_views", "destinations", "invites", "members"),
    "timers",
)
"""The tables of a workspace, besides what hangs on its incidents, in the order in which they are emptied."""

Step = Removal | Incidents


def steps(now: datetime, *, older_than: timedelta | None = None) -> Iterator[Step]:
    """All of it, looked up step by step as the one before is done.

    With `older_than` no workspace keeps events, resolved incidents and deliveries for longer, and nothing that is
    deleted is kept for longer; the audit log keeps its time.
    """
    gone = now - min(DELETED_FOR, older_than or DELETED_FOR)
    yield from _expired(now, gone)
    for workspace_id in upkeep.deleted("workspaces", gone):
        yield from _workspace(workspace_id)
    for source_id in upkeep.deleted("sources", gone):
        yield from _source(source_id)
    for destination_id in upkeep.deleted("destinations", gone):
        yield Removal("deliveries", "t.destination_id = %s", (destination_id,), WITH_MUCH)
        yield Removal("destinations", "t.id = %s", (destination_id,))
    for rule_id in upkeep.deleted("rules", gone):
        yield Removal("rule_matches", "t.rule_id = %s AND t.hour >= %s", (rule_id, now - MATCHES_KEPT))
        yield Removal("rules", "t.id = %s", (rule_id,))
    for table in ("routing_profiles", "silences"):
        yield Removal(table, "t.deleted_at < %s", (gone,))
    for user_id in upkeep.deleted("users", gone):
        yield from _user(user_id)
    for kept in upkeep.with_excess(_kept(now, older_than)):
        yield from _excess(kept, now)
    yield _ownerless_entries(now)


def _expired(now: datetime, gone: datetime) -> Iterator[Step]:
    for table in ("idempotency_records", "event_dedup"):
        yield Removal(table, "t.created_at < %s", (now - RECOGNISED_FOR,))
    for table, moment in upkeep.SHORT_LIVED.items():
        yield Removal(table, f"{moment} < %s", (now - MAILS_KEPT if table == "mail_outbox" else now,))
    yield Removal("sessions", "t.revoked_at < %s OR t.created_at < %s", (gone, gone - session.ABSOLUTE))
    yield Removal("devices", "t.revoked_at < %s", (gone,), WITH_MUCH)
    yield Removal("saved_views", "t.deleted_at < %s", (gone,))
    yield Removal("invites", "t.deleted_at < %s OR t.expires_at < %s", (gone, now - INVITES_KEPT))
    yield Removal("open_after_counters", "t.last_at < %s", (now - WAITS_KEPT,))
    yield Removal("rule_matches", "t.hour < %s", (now - MATCHES_KEPT,))
    yield Removal("source_warnings", "t.last_at < %s", (now - WARNINGS_KEPT,))
    yield Removal("rate_limit_buckets", "t.filled_at < %s", (now - timedelta(days=2),))
    yield Removal("known_clients", "t.last_seen_at < %s", (now - KEPT_FOR,))


def _workspace(workspace_id: UUID) -> Iterator[Step]:
    whole, one = "t.workspace_id = %s", (workspace_id,)
    yield Incidents(whole, one)
    for table in ("deliveries", "notices"):
        yield Removal(table, whole, one, WITH_MUCH)
    for table in OF_A_WORKSPACE:
        yield Removal(table, whole, one)
    yield Removal("workspaces", "t.id = %s AND t.deleted_at IS NOT NULL", one)


def _source(source_id: UUID) -> Iterator[Step]:
    one = (source_id,)
    yield Incidents("t.source_id = %s", one)
    of_source = "e.workspace_id = t.workspace_id AND e.id = t.event_id AND e.source_id = %s"
    for table in ("event_queue", "routed_events"):
        yield Removal(table, f"EXISTS (SELECT FROM received_events e WHERE {of_source})", one)
    home = "(SELECT s.workspace_id FROM sources s WHERE s.id = %s)"
    for table in ("routing_traces", "received_events"):
        yield Removal(table, f"t.workspace_id = {home} AND t.source_id = %s", (source_id, source_id))
    yield Removal("source_keys", "t.source_id = %s", one)
    empty = "NOT EXISTS (SELECT FROM incidents i WHERE i.source_id = t.id)"
    yield Removal("sources", f"t.id = %s AND t.deleted_at IS NOT NULL AND {empty}", one)


def _user(user_id: UUID) -> Iterator[Step]:
    one = (user_id,)
    yield Removal("device_tokens", "t.device_id IN (SELECT d.id FROM devices d WHERE d.user_id = %s)", one)
    yield Removal("saved_views", "t.user_id = %s AND NOT t.shared", one)
    for table in ("device_pairings", "sessions", "devices", "links", "members"):
        yield Removal(table, "t.user_id = %s", one)
    yield Removal("users", "t.id = %s AND t.deleted_at IS NOT NULL", one)


def _kept(now: datetime, older_than: timedelta | None) -> list[Kept]:
    most = older_than or timedelta.max
    found = []
    for workspace_id, stored in upkeep.retention():
        days = {name: timedelta(days=number) for name, number in rules.effective_settings(stored).retention.items()}
        found.append(
            Kept(
                workspace_id,
                first_event=_first_id(now - min(days["eventDays"], most)),
                first_record=_first_id(now - min(days["eventDays"], most) - RECORDS_OUTLIVE),
                resolved_after=now - min(days["incidentDays"], most),
                first_delivery=_first_id(now - min(days["deliveryDays"], most)),
                first_entry=_first_id(now - days["auditDays"]),
            )
        )
    return found


def _excess(kept: Kept, now: datetime) -> Iterator[Step]:
    """What is not routed yet stays, and a delivery for as long as its incident may still want to tell its end."""
    here, young = "t.workspace_id = %s AND t.id < %s", (kept.workspace_id, kept.first_delivery)
    waits = "EXISTS (SELECT FROM event_queue q WHERE q.workspace_id = t.workspace_id AND q.event_id = t.id)"
    old = (kept.workspace_id, kept.first_event)
    yield Removal("received_events", f"{here} AND NOT {waits}", old)
    yield Removal("routed_events", "t.workspace_id = %s AND t.event_id < %s AND t.disposition <> 'pending'", old)
    yield Removal("routing_traces", here, (kept.workspace_id, kept.first_record))
    resolved = "t.workspace_id = %s AND t.state = 'resolved' AND t.resolved_at < %s"
    yield Incidents(resolved, (kept.workspace_id, kept.resolved_after))
    over = "t.workspace_id = %s AND t.deleted_at IS NULL AND t.ends_at < %s"
    yield Removal("silences", over, (kept.workspace_id, kept.resolved_after))
    lively = "i.id = t.incident_id AND (i.state <> 'resolved' OR i.resolved_at > %s)"
    yield Removal(
        "deliveries",
        f"{here} AND t.status IN ('sent', 'failed', 'skipped', 'expired')"
        f" AND NOT EXISTS (SELECT FROM incidents i WHERE {lively})",
        (*young, now - DELETED_FOR),
        WITH_MUCH,
    )
    untold = "NOT EXISTS (SELECT FROM deliveries d WHERE d.notice_id = t.id)"
    yield Removal("notices", f"{here} AND t.incident_id IS NULL AND {untold}", young)
    yield Removal(upkeep.AUDIT_LOG, here, (kept.workspace_id, kept.first_entry), function="purge_audit_log")


def _ownerless_entries(now: datetime) -> Removal:
    """Entries of no workspace, or of one that is no more, are kept for as long as a workspace keeps its own unless told."""
    before = now - timedelta(days=rules.SHIPPED["retention"]["auditDays"])
    orphaned = "NOT EXISTS (SELECT FROM workspaces w WHERE w.id = t.workspace_id)"
    where = f"t.at < %s AND (t.workspace_id IS NULL OR {orphaned})"
    return Removal(upkeep.AUDIT_LOG, where, (before,), function="purge_ownerless_audit_log")


def _first_id(moment: datetime) -> UUID:
    """The lowest id that can have been made at this moment."""
    return ids.uuid7(max(0, int(moment.timestamp() * 1000)), bytes(10))
