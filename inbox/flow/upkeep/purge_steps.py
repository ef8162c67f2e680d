"""The purge steps in order: dependent rows are removed before their row, so that no removal is large."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import chain
from typing import Any, ClassVar
from uuid import UUID

from inbox.domain.people import session
from inbox.domain.values import ids
from inbox.domain.workspaces import settings as rules
from inbox.models.instance import maintenance, partitions
from inbox.models.instance.maintenance import PurgeBatch, RetentionCutoffs, SourceEvents
from inbox.models.instance.partitions import OldPartitions
from inbox.models.people.known_clients import RETENTION
from inbox.models.senders.source_samples import RETENTION as SAMPLES_RETENTION

DEDUP_RETENTION = timedelta(hours=48)
"""The time for which a replay is recognised (specification 4.8)."""

DELETED_RETENTION = timedelta(days=7)
"""The time for which an operator can restore deleted objects (specification 12.9)."""

COUNTERS_RETENTION = timedelta(days=1)
"""The longest time that a rule waits before an incident opens (specification 6.5)."""

MATCH_COUNTS_RETENTION = timedelta(days=90)
OLD_MATCHES = "t.hour < %s AND EXISTS (SELECT FROM rule_matches n WHERE n.rule_id = t.rule_id AND n.hour > t.hour)"
"""The newest match hour of a rule is kept, because it shows that the rule has matched, and when."""
"""The time for which the match counts of a rule are available."""

MAILS_RETENTION = INVITES_RETENTION = timedelta(days=30)
"""The time for which results of mails and invites are visible: recipients, failures, invited persons."""

WARNINGS_RETENTION = timedelta(days=30)
"""The time for which the count of a warning is shown after its last occurrence."""

WARNING_HOURS_RETENTION = timedelta(days=2)
"""The time for which the hourly counts of warnings and costly matches are stored. The last 24 hours are shown."""

ALERTS_RETENTION = timedelta(days=3)
"""The time for which the end of an alert is stored. A repeat is a duplicate of its first event for two days."""

ALERT_TIMES_RETENTION = timedelta(days=30)
"""The time for which the newest times of an alert are stored after its last report."""

IN_WAITING = (
    "SELECT n.newest_event_id FROM deliveries d JOIN notices n ON n.id = d.notice_id WHERE d.workspace_id = %s"
    " AND d.status IN ('pending', 'sending', 'retrying', 'held') AND n.newest_event_id IS NOT NULL"
)
"""The events in the bodies of deliveries that wait: each attempt has the same body (specification 10.2)."""

TRACE_GRACE = timedelta(days=2)
"""The time by which shared traces outlast events: a trace covers a whole day, and clocks may differ."""

LARGE_TABLES = 100
"""The batch size for rows with dependent rows."""


@dataclass(frozen=True, slots=True)
class Incidents:
    """The incidents (`t`) that fulfil a condition, with their alerts, timeline, notices and deliveries."""

    where: str
    values: tuple[Any, ...]
    table: ClassVar[str] = "incidents"

    @property
    def parts(self) -> Iterator[PurgeBatch]:
        """Returns the removals of its tables, for counting."""
        for table in ("alerts", "timeline", "deliveries", "notices"):
            yield PurgeBatch(table, f"t.incident_id IN (SELECT t.id FROM incidents t WHERE {self.where})", self.values)
        yield PurgeBatch("incidents", self.where, self.values)


OF_A_WORKSPACE = (
    *("event_queue", "received_events", "routed_events", "routing_traces", "source_keys", "sources"),
    *("open_after_counters", "rule_matches", "costly_matches"),
    *("watchers", "heartbeat_pings", "heartbeat_flips", "heartbeat_monitors"),
    *("rule_previews", "configuration_versions", "imported_records", "kept_records"),
    *("rules", "routing_profiles", "silences"),
    *("oncall_log", "oncall_shift_notices", "oncall_feeds", "oncall_calendars", "oncall_calendar_shifts"),
    *("oncall_slack", "oncall_forwardings", "oncall_overrides", "oncall_schedules"),
    *("saved_views", "paid_messages", "destinations", "chat_accounts", "invites", "members"),
    "timers",
)
"""The tables of a workspace in the order of removal, except tables that depend on its incidents."""

Step = PurgeBatch | SourceEvents | OldPartitions | Incidents

Group = Iterable[Step]
"""Steps that depend on each other: a step that fails ends its group."""


def steps(now: datetime, *, older_than: timedelta | None = None) -> Iterator[Step]:
    """Yields the steps of all `phases`."""
    for group in chain.from_iterable(phases(now, older_than=older_than)):
        yield from group


def phases(now: datetime, *, older_than: timedelta | None = None) -> list[Iterator[Group]]:
    """Yields all steps. Each step is computed after the previous one is done.

    Retention comes before deleted objects, because removing the events of a deleted source can take hours.

    With `older_than`, no workspace retains events, resolved incidents, deliveries and deleted objects for longer. The
    audit log keeps its retention.
    """
    expired = now - min(DELETED_RETENTION, older_than or DELETED_RETENTION)
    return [
        _alone(_expired(now, expired)),
        _alone(partitions.beyond(_retention_steps(now, older_than, deleted=True))),
        _over_retention(now, older_than),
        _alone([_ownerless_entries(now), PurgeBatch("silences", "t.deleted_at < %s", (expired,))]),
        iter([_heartbeats(expired)]),
        _of_deleted("workspaces", expired, workspace_steps),
        _of_deleted("sources", expired, _source),
        _of_deleted("destinations", expired, _destination),
        _of_deleted("rules", expired, partial(_rule, now=now)),
        _of_deleted("routing_profiles", expired, _profile),
        _of_deleted("oncall_schedules", expired, _schedule),
        _of_deleted("users", expired, account_steps),
    ]


def _alone(independent: Iterable[Step]) -> Iterator[Group]:
    return ((step,) for step in independent)


def _of_deleted(table: str, expired: datetime, steps_of: Callable[[UUID], Group]) -> Iterator[Group]:
    for object_id in maintenance.deleted_ids(table, expired):
        yield steps_of(object_id)


def _over_retention(now: datetime, older_than: timedelta | None) -> Iterator[Group]:
    for cutoffs in maintenance.over_retention(_retention_steps(now, older_than)):
        yield from _alone(_excess(cutoffs, now))


def _expired(now: datetime, expired: datetime) -> Iterator[Step]:
    yield PurgeBatch("alert_times", "t.updated_at < %s", (now - ALERT_TIMES_RETENTION,))
    for table in ("idempotency_records", "event_dedup"):
        yield PurgeBatch(table, "t.created_at < %s", (now - DEDUP_RETENTION,))
    for table, moment in maintenance.SHORT_LIVED.items():
        yield PurgeBatch(table, f"{moment} < %s", (now - MAILS_RETENTION if table == "mail_outbox" else now,))
    yield PurgeBatch("sessions", "t.revoked_at < %s OR t.created_at < %s", (expired, expired - session.ABSOLUTE))
    yield PurgeBatch("devices", "t.revoked_at < %s", (expired,), LARGE_TABLES)
    yield PurgeBatch("saved_views", "t.deleted_at < %s", (expired,))
    yield PurgeBatch("invites", "t.deleted_at < %s OR t.expires_at < %s", (expired, now - INVITES_RETENTION))
    yield PurgeBatch("open_after_counters", "t.last_at < %s", (now - COUNTERS_RETENTION,))
    yield PurgeBatch("rule_matches", OLD_MATCHES, (now - MATCH_COUNTS_RETENTION,))
    yield PurgeBatch("costly_matches", "t.hour < %s", (now - WARNING_HOURS_RETENTION,))
    yield PurgeBatch("source_warnings", "t.last_at < %s", (now - WARNINGS_RETENTION,))
    yield PurgeBatch("source_warning_hours", "t.hour < %s", (now - WARNING_HOURS_RETENTION,))
    yield PurgeBatch("rate_limit_buckets", "t.filled_at < %s", (now - timedelta(days=2),))
    yield PurgeBatch("source_samples", "t.received_at < %s", (now - SAMPLES_RETENTION,))
    yield PurgeBatch("pushed_alerts", "t.ends_at < %s", (now - ALERTS_RETENTION,))
    yield PurgeBatch("known_clients", "t.last_seen_at < %s", (now - RETENTION,))


def workspace_steps(workspace_id: UUID) -> Iterator[Step]:
    """Yields the steps for one closed workspace."""
    everything, one = "t.workspace_id = %s", (workspace_id,)
    yield Incidents(everything, one)
    for table in ("deliveries", "notices"):
        yield PurgeBatch(table, everything, one, LARGE_TABLES)
    for table in OF_A_WORKSPACE:
        yield PurgeBatch(table, everything, one)
    yield PurgeBatch("workspaces", "t.id = %s AND t.deleted_at IS NOT NULL", one)


def _source(source_id: UUID) -> Iterator[Step]:
    one = (source_id,)
    yield Incidents("t.source_id = %s", one)
    for workspace_id in maintenance.workspaces_of_source(source_id):
        yield SourceEvents(workspace_id, source_id)
        yield PurgeBatch("routing_traces", "t.workspace_id = %s AND t.source_id = %s", (workspace_id, source_id))
    yield PurgeBatch("source_keys", "t.source_id = %s", one)
    empty = "NOT EXISTS (SELECT FROM incidents i WHERE i.source_id = t.id)"
    yield PurgeBatch("sources", f"t.id = %s AND t.deleted_at IS NOT NULL AND {empty}", one)


def _destination(destination_id: UUID) -> Iterator[Step]:
    yield PurgeBatch("deliveries", "t.destination_id = %s", (destination_id,), LARGE_TABLES)
    yield PurgeBatch("destinations", "t.id = %s", (destination_id,))


def _rule(rule_id: UUID, *, now: datetime) -> Iterator[Step]:
    remaining = f"t.rule_id = %s AND NOT ({OLD_MATCHES})"
    yield PurgeBatch("rule_matches", remaining, (rule_id, now - MATCH_COUNTS_RETENTION))
    yield PurgeBatch("configuration_versions", "t.record_id = %s", (rule_id,))
    yield PurgeBatch("rules", "t.id = %s", (rule_id,))


def _profile(profile_id: UUID) -> Iterator[Step]:
    yield PurgeBatch("configuration_versions", "t.record_id = %s", (profile_id,))
    yield PurgeBatch("routing_profiles", "t.id = %s", (profile_id,))


def _schedule(schedule_id: UUID) -> Iterator[Step]:
    for table in ("log", "shift_notices", "feeds", "calendars", "calendar_shifts", "slack", "overrides"):
        yield PurgeBatch(f"oncall_{table}", "t.schedule_id = %s", (schedule_id,))
    yield PurgeBatch("configuration_versions", "t.record_id = %s", (schedule_id,))
    yield PurgeBatch("oncall_schedules", "t.id = %s", (schedule_id,))


def _heartbeats(expired: datetime) -> Iterator[Step]:
    """Yields the steps for deleted watchers, and for deleted monitors with their history."""
    yield PurgeBatch("watchers", "t.deleted_at < %s", (expired,))
    gone = "t.monitor_id IN (SELECT m.id FROM heartbeat_monitors m WHERE m.deleted_at < %s)"
    for table in ("heartbeat_pings", "heartbeat_flips"):
        yield PurgeBatch(table, gone, (expired,))
    yield PurgeBatch("heartbeat_monitors", "t.deleted_at < %s", (expired,))


def account_steps(user_id: UUID) -> Iterator[Step]:
    """Yields the steps for one closed account."""
    one = (user_id,)
    yield PurgeBatch("device_tokens", "t.device_id IN (SELECT d.id FROM devices d WHERE d.user_id = %s)", one)
    yield PurgeBatch("saved_views", "t.user_id = %s AND NOT t.shared", one)
    own = ("device_pairings", "sessions", "devices", "contact_methods", "notification_rules", "paid_messages")
    for table in (*own, "links", "members"):
        yield PurgeBatch(table, "t.user_id = %s", one)
    yield PurgeBatch("users", "t.id = %s AND t.deleted_at IS NOT NULL", one)


def _retention_steps(now: datetime, older_than: timedelta | None, *, deleted: bool = False) -> list[RetentionCutoffs]:
    limit = older_than or timedelta.max
    workspaces = []
    for workspace_id, counts in maintenance.retention(even_deleted=deleted):
        days = {name: timedelta(days=number) for name, number in rules.effective_settings(counts).retention.items()}
        workspaces.append(
            RetentionCutoffs(
                workspace_id,
                first_event=_first_id(now - min(days["eventDays"], limit)),
                first_record=_first_id(now - min(days["eventDays"], limit) - TRACE_GRACE),
                resolved_after=now - min(days["incidentDays"], limit),
                first_delivery=_first_id(now - min(days["deliveryDays"], limit)),
                first_entry=_first_id(now - days["auditDays"]),
            )
        )
    return workspaces


def _excess(cutoffs: RetentionCutoffs, now: datetime) -> Iterator[Step]:
    """Yields the steps for data beyond the retention of a workspace.

    Unrouted events are kept, and those of waiting deliveries. Deliveries are kept while their incident may notify its end.
    """
    own, delivery_arguments = "t.workspace_id = %s AND t.id < %s", (cutoffs.workspace_id, cutoffs.first_delivery)
    of_event = "q.workspace_id = t.workspace_id AND q.event_id = t.id AND q.repeated_at IS NULL"
    is_queued = f"EXISTS (SELECT FROM event_queue q WHERE {of_event})"
    old = (cutoffs.workspace_id, cutoffs.first_event)
    is_sent = f"NOT IN ({IN_WAITING})"
    yield PurgeBatch("received_events", f"{own} AND NOT {is_queued} AND t.id {is_sent}", (*old, cutoffs.workspace_id))
    routed = f"t.workspace_id = %s AND t.event_id < %s AND t.disposition <> 'pending' AND t.event_id {is_sent}"
    yield PurgeBatch("routed_events", routed, (*old, cutoffs.workspace_id))
    yield PurgeBatch("routing_traces", own, (cutoffs.workspace_id, cutoffs.first_record))
    for table in ("heartbeat_pings", "heartbeat_flips"):
        yield PurgeBatch(table, own, old)
    resolved = "t.workspace_id = %s AND t.state = 'resolved' AND t.resolved_at < %s"
    yield Incidents(resolved, (cutoffs.workspace_id, cutoffs.resolved_after))
    ended = "t.workspace_id = %s AND t.deleted_at IS NULL AND t.ends_at < %s"
    yield PurgeBatch("silences", ended, (cutoffs.workspace_id, cutoffs.resolved_after))
    past = "t.workspace_id = %s AND t.ends_at < %s"
    for table in ("oncall_log", "oncall_calendar_shifts"):
        yield PurgeBatch(table, past, (cutoffs.workspace_id, cutoffs.resolved_after))
    is_recent = "i.id = t.incident_id AND (i.state <> 'resolved' OR i.resolved_at > %s)"
    yield PurgeBatch(
        "deliveries",
        f"{own} AND t.status IN ('sent', 'failed', 'skipped', 'expired', 'gathered')"
        f" AND NOT EXISTS (SELECT FROM incidents i WHERE {is_recent})",
        (*delivery_arguments, now - DELETED_RETENTION),
        LARGE_TABLES,
    )
    unreported = "NOT EXISTS (SELECT FROM deliveries d WHERE d.notice_id = t.id)"
    yield PurgeBatch("notices", f"{own} AND t.incident_id IS NULL AND {unreported}", delivery_arguments)
    yield PurgeBatch(
        maintenance.AUDIT_LOG, own, (cutoffs.workspace_id, cutoffs.first_entry), function="purge_audit_log"
    )


def _ownerless_entries(now: datetime) -> PurgeBatch:
    """Returns the removal of audit entries without a workspace, or of a purged one, by the default retention."""
    before = now - timedelta(days=rules.SHIPPED["retention"]["auditDays"])
    orphaned = "NOT EXISTS (SELECT FROM workspaces w WHERE w.id = t.workspace_id)"
    where = f"t.at < %s AND (t.workspace_id IS NULL OR {orphaned})"
    return PurgeBatch(maintenance.AUDIT_LOG, where, (before,), function="purge_ownerless_audit_log")


def _first_id(moment: datetime) -> UUID:
    """Returns the lowest id that can be created at this time."""
    return ids.uuid7(max(0, int(moment.timestamp() * 1000)), bytes(10))
