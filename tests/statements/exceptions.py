"""Statements that may leave out the workspace, by what they do, with the reasons (decision 0045).

`read notices by incident_id` covers every query that reads notices by an equality of `incident_id`, also with others.
"""

from __future__ import annotations

from collections.abc import Mapping

DIRECTORY = frozenset({"members", "source_keys"})
"""Tables by which the service finds the workspace of a person or of a key. They are not judged."""

VOLATILE = "a changing statement calls clock_timestamp()"

ALLOWED: Mapping[str, tuple[str, ...]] = {
    "work is claimed in all workspaces, by its due time": (
        "read deliveries by destination_id",
        "read deliveries by status",
        "lock destinations by id",
        "lock destinations by kind",
        "delete event_queue by seq, shard",
        "read event_queue by nothing",
        "read event_queue by shard",
        "update event_queue by seq, shard",
        "lock heartbeat_monitors by workspace_id",
        "read heartbeat_monitors by id",
        "read oncall_calendars by schedule_id",
        "read oncall_schedules by id",
        "read oncall_slack by schedule_id",
        "read rule_previews by status",
        "read timers by kind",
        "read timers by nothing",
    ),
    "the workspace of a record is found by its id": (
        "read incidents by id",
        "read notices by id",
        "read rules by id",
        "read silences by id",
        "read sources by id",
    ),
    "a person or a device has rows in several workspaces": (
        "read destinations by device_id",
        "read destinations by provider_id",
        "update oncall_log by schedule_id, user_id",
        "delete paid_messages by user_id",
        "read paid_messages by user_id",
    ),
    "the workspace can be added": (
        "read alerts by incident_id",
        "read alerts by key, source_id",
        "update alerts by incident_id",
        "delete configuration_versions by record_id",
        "read costly_matches by match_id",
        "lock deliveries by id",
        "read deliveries by digest_id",
        "read deliveries by id",
        "read deliveries by incident_id",
        "read deliveries by notice_id",
        "update deliveries by destination_id",
        "update deliveries by id",
        "update deliveries by incident_id",
        "read destinations by id",
        "read destinations by nothing",
        "update destinations by id",
        "read event_queue by event_id",
        "update heartbeat_monitors by id",
        "update heartbeat_monitors by source_id",
        "read incident_search by incident_id",
        "lock incidents by id",
        "read incidents by silenced_by",
        "read incidents by source_id",
        "update incidents by id",
        "read notices by incident_id",
        "read oncall_overrides by schedule_id",
        "delete open_after_counters by fingerprint, rule_id",
        "read open_after_counters by nothing",
        "read received_events by id",
        "read received_events by source_id",
        "read routed_events by incident_id",
        "read routed_events_view by incident_id",
        "read routing_profiles by id",
        "read routing_profiles by nothing",
        "read rule_matches by rule_id",
        "read rules by workspace_id",
        "lock silences by id",
        "update silences by id",
        "read sources by routing_profile_id",
        "read timeline by incident_id",
        "delete timers by kind, subject_id",
        "lock timers by kind, subject_id",
        "update timers by kind, subject_id",
        "update watchers by source_id",
    ),
}
"""Reasons, each with its statements in the order of their tables."""


ALLOWED_IN: Mapping[str, tuple[str, str]] = {
    "inbox/models/deliveries/claims.py": (
        "a changing statement calls random()",
        "workers try again at different times",
    ),
    "inbox/models/instance/maintenance.py": ("", "the purge deletes rows of all workspaces"),
    "inbox/models/events/ingest_store.py": (VOLATILE, "the age of a key is told by the clock of the database"),
    "inbox/models/heartbeats/availability.py": (VOLATILE, "an outage is measured by the clock of the database"),
}
"""Files, each with the beginning of the findings that it may have, and the reason."""


def is_allowed(caller: str, fault: str) -> bool:
    """Whether an exception covers this finding about a statement of `caller`."""
    beginning, _ = ALLOWED_IN.get(caller.partition(":")[0], (None, ""))
    if beginning is not None and fault.startswith(beginning):
        return True
    use, _, columns = fault.partition(" by ")
    named = set(columns.split(", "))
    return any(named >= set(key.split(", ")) for key in _KEYS.get(use, ()))


_KEYS: dict[str, list[str]] = {}
for _statements in ALLOWED.values():
    for _use, _, _columns in (each.partition(" by ") for each in _statements):
        _KEYS.setdefault(_use, []).append(_columns)
