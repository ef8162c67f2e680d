"""The content of an export: the exported columns of each table."""

from __future__ import annotations

from dataclasses import dataclass

from orjson import Fragment

from inbox.models.workspaces.export_columns import Column, columns, moment

PAGE = 100
"""The rows of a statement."""


@dataclass(frozen=True, slots=True)
class Section:
    """One list of the document. `keys` are unique among its rows and sorted by an index; `t` is the table itself."""

    name: str
    table: str
    columns: tuple[Column, ...]
    source: str = ""
    keys: tuple[str, ...] = ("t.id",)
    where: str = "t.workspace_id"
    only: str = "TRUE"

    def statement(self) -> str:
        """Returns the statement for a page that begins after the given keys."""
        last = f"{self.keys[-1]} > %s"
        after = last if len(self.keys) == 1 else f"{self.keys[0]} >= %s AND ({self.keys[0]} > %s OR {last})"
        return (
            f"SELECT {', '.join((*self.keys, *(column.sql for column in self.columns)))}"
            f" FROM {self.source or self.table + ' t'}"
            f" WHERE {self.where} = %s AND {self.only} AND {after} ORDER BY {', '.join(self.keys)} LIMIT {PAGE}"
        )


_PUBLIC_CONFIG = Column(
    "config",
    "(SELECT coalesce(jsonb_object_agg(c.key, c.value), '{}') FROM jsonb_each(t.config) c"
    " WHERE right(c.key, 4) <> 'Hint')::text",
    Fragment,
    stored="config",
    kind="json",
)
_ATTEMPTS = Column(
    "attempts",
    "(SELECT coalesce(json_agg(json_build_object('number', a.number, 'at', "
    + moment("a.at")
    + ", 'statusCode', a.status_code, 'durationMs', a.duration_ms, 'error', a.error, 'responseExcerpt', a.excerpt)"
    " ORDER BY a.number), '[]') FROM delivery_attempts a WHERE a.delivery_id = t.id)::text",
    Fragment,
)

_SINGLE = "CASE WHEN i.alert_count = 1"
_FIRES = f"{_SINGLE} AND t.state = 'firing' AND t.round = i.alert_round"
_PRESENT = {
    "event_count": f"({_SINGLE} THEN i.event_count ELSE t.event_count END)",
    "last_seen_at": f"({_SINGLE} THEN i.last_seen_at ELSE t.last_seen_at END)",
    "severity": f"({_FIRES} THEN i.last_severity ELSE t.severity END)::text",
    "title": f"({_FIRES} AND NOT i.title_edited THEN i.title ELSE t.title END)",
}
"""The SQL of the present values of an alert `t` of the incident `i`, like `incidents.alerts.present`."""

SECTIONS: tuple[Section, ...] = (
    Section(
        "members",
        "members",
        (*columns("user_id:usr role joined_at:time"), Column("email", "u.email"), Column("name", "u.name")),
        source="members t JOIN users u ON u.id = t.user_id",
    ),
    Section(
        "invites",
        "invites",
        columns("id:inv email role created_by:usr created_at:time expires_at:time accepted_at:time accepted_by:usr"),
    ),
    Section(
        "sources",
        "sources",
        columns(
            "id:src name kind enabled default_severity:text group_by incident_for resolve_by resolve_when"
            " routing_profile_id:prf allow_query_token allow_sender_acknowledge keep_open_on_missing_data built_in expect_every_seconds recovery_pattern recovery_preset mapping:json created_at:time deleted_at:time rev"
        ),
    ),
    Section(
        "sourceKeys",
        "source_keys",
        columns(
            "id:key source_id:src kind tool name created_at:time created_by:usr last_used_at:time grace_ends_at:time"
            " revoked_at:time"
        ),
    ),
    Section(
        "destinations",
        "destinations",
        (
            *columns(
                "id:dst name kind enabled send_updates send_notes min_severity:text alerts quiet_hours_threshold:text digest:json template:json"
                " include_details for_contact_methods stopped_at:time stopped_reason created_at:time deleted_at:time rev"
            ),
            _PUBLIC_CONFIG,
        ),
        only="t.owner_id IS NULL",  # the contacts of people
    ),
    Section(
        "rules",
        "rules",
        columns(
            "id:rul name enabled position source_ids:src match:json active_during:json open_after:json then=actions:json continue_matching"
            " created_at:time deleted_at:time rev"
        ),
    ),
    Section(
        "routingProfiles",
        "routing_profiles",
        columns(
            "id:prf name delay_seconds=hold_seconds steps:json repeat renotify_minutes:json renotify_max ack_timeout_minutes"
            " auto_resolve_minutes reopen_window_minutes quiet_hours fallback_destination_id:dst created_at:time"
            " deleted_at:time rev"
        ),
    ),
    Section(
        "silences",
        "silences",
        columns(
            "id:sil match:json source_ids:src starts_at:time ends_at:time recurrence:json comment created_by:usr hits"
            " last_hit_at:time created_at:time deleted_at:time rev"
        ),
    ),
    Section(
        "onCallSchedules",
        "oncall_schedules",
        columns(
            "id:sch name description timezone layers:json notice_destination_id:dst follows_calendar created_at:time"
            " deleted_at:time rev"
        ),
    ),
    Section(
        "onCallCalendars",
        "oncall_calendars",
        columns("schedule_id:sch hint read_at:time failing_since:time failure"),
        keys=("t.schedule_id",),
    ),
    Section(
        "onCallSlack",
        "oncall_slack",
        columns("schedule_id:sch destination_id:dst user_group_id:text sets_topic failing_since:time failure"),
        keys=("t.schedule_id",),
    ),
    Section(
        "onCallCalendarShifts",
        "oncall_calendar_shifts",
        columns("schedule_id:sch starts_at:time ends_at:time user_ids:usr"),
    ),
    Section(
        "onCallOverrides",
        "oncall_overrides",
        columns(
            "id:ovr schedule_id:sch starts_at:time ends_at:time kind user_ids:usr instead_of:usr layer_ids:lay reason"
            " created_by:usr created_at:time rev"
        ),
    ),
    Section(
        "onCallForwardings",
        "oncall_forwardings",
        columns(
            "id:fwd user_id:usr to=to_user_id:usr starts_at:time ends_at:time reason created_by:usr created_at:time"
        ),
    ),
    Section(
        "onCallLog",
        "oncall_log",
        columns("schedule_id:sch user_id:usr starts_at:time ends_at:time"),
    ),
    Section(
        "calendarFeeds",
        "oncall_feeds",
        columns("id:cal user_id:usr schedule_id:sch created_at:time last_used_at:time"),
    ),
    Section(
        "heartbeatMonitors",
        "heartbeat_monitors",
        columns(
            "id:mon source_id:src name slug tags schedule:json grace_seconds severity:text failures_before_incident"
            " max_runtime_seconds alert_if_never_seen_after_seconds=never_seen_seconds methods status last_ping_at:time next_due_at=due_at:time"
            " started_at:time failures down_since:time paused_at:time last_duration_ms bar:json created_at:time"
            " deleted_at:time rev"
        ),
    ),
    Section(
        "watchers",
        "watchers",
        columns(
            "id:wat source_id:src heartbeat_monitor_id=monitor_id:mon watcher_id name reported_name hostname version"
            " interval_seconds labels:json checks:json last_check_in_at:time created_at:time deleted_at:time rev"
        ),
    ),
    Section(
        "heartbeatPings",
        "heartbeat_pings",
        columns("monitor_id:mon at:time kind exit_code run_id:text duration_ms method user_agent body"),
    ),
    Section(
        "heartbeatFlips",
        "heartbeat_flips",
        columns("monitor_id:mon at:time from=from_status to=to_status cause"),
    ),
    Section(
        "savedViews",
        "saved_views",
        columns(
            "id:view user_id:usr name list filters:json columns:json is_default order=position icon shared created_at:time deleted_at:time rev"
        ),
        only="t.shared",  # # a private view belongs to its person; the workspace's owner does not see it either
    ),
    Section(
        "incidents",
        "incidents",
        columns(
            "id:inc number source_id:src title severity:text last_severity:text state flapping resource type tags dedup_key"
            " state_before_silence fingerprint rule_id:rul routing_profile_id:prf destination_ids:dst people:json steps_taken last_step renotify_count assignee_id:usr event_count reopen_count first_seen_at:time"
            " last_seen_at:time opened_at:time acknowledged_at:time acknowledged_by:usr snoozed_until:time silenced_by:sil"
            " resolved_at:time resolved_by:json related_incident_id:inc notified_at:time notified_severity:text"
            " steps_start_at:time title_edited alert_count firing_count alert_round alerts_left_out joined_count joined_titles"
            " joined_at:time rev"
        ),
    ),
    Section(
        "alerts",
        "alerts",
        (
            *columns("id:alr incident_id:inc source_id:src key state round first_seen_at:time"),
            Column("title", _PRESENT["title"], stored="title"),
            Column("severity", _PRESENT["severity"], stored="severity"),
            Column("lastSeenAt", moment(_PRESENT["last_seen_at"]), stored="last_seen_at", kind="time"),
            Column("eventCount", _PRESENT["event_count"], stored="event_count"),
            *columns("repeat_count began_at:time"),
        ),
        source="incidents i JOIN alerts t ON t.incident_id = i.id",
        keys=("i.id", "t.id"),
        where="i.workspace_id",
    ),
    Section(
        "timeline",
        "timeline",
        columns("incident_id:inc at:time kind actor:json event_id:evt details:json"),
        source="incidents i JOIN timeline t ON t.incident_id = i.id",
        keys=("i.id", "t.id"),
        where="i.workspace_id",
    ),
    Section(
        "pages",
        "pages",
        columns(
            "incident_id:inc notice_id:ntc at=created_at:time opened_at:time step round schedule_id:sch user_id:usr cause"
        ),
        source="incidents i JOIN pages t ON t.incident_id = i.id",
        keys=("i.id", "t.id"),
        where="i.workspace_id",
    ),
    Section(
        "notices",
        "notices",
        columns(
            "id:ntc incident_id:inc event_id:evt newest_event_id:evt seq reason created_at:time body decisions:json"
        ),
    ),
    Section(
        "deliveries",
        "deliveries",
        (
            *columns(
                "id:dlv notice_id:ntc incident_id:inc destination_id:dst reason status cause replay_of:dlv digest_id:dlv created_at:time"
                " settled_at:time"
            ),
            _ATTEMPTS,
        ),
    ),
    Section(
        "auditLog",
        "audit_log",
        columns("id:aud at:time actor:json action target:json ip request_id details:details"),
    ),
    Section(
        "events",
        "events",
        columns(
            "id:evt source_id:src received_at:time occurred_at:time severity:text action title type resource dedup_key body"
            " tags url external_id idempotency_key metadata:json fingerprint group_fingerprint flags warnings:json disposition"
            " incident_id:inc routing:json"
        ),
    ),
)
"""All exported lists, in the order of the document. Other columns are not exported: keys, hashes, hints, sealed values."""
