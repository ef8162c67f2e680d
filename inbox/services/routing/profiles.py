"""Use cases of routing profiles: create, edit, delete (specification 6.7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from inbox.database.base import new_id
from inbox.domain.routing.people import PageTarget
from inbox.domain.routing.profiles import profile_of
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.domain.values.refusals import Conflict, Fault, ValidationFailed
from inbox.flow.timers import recheck, reschedule
from inbox.flow.unit_of_work import AfterCommit, work
from inbox.models.deliveries import deferred as deferred_deliveries
from inbox.models.incidents import timers
from inbox.models.routing import references as reference_queries
from inbox.models.routing import routing_config
from inbox.models.routing.profiles import RoutingProfile
from inbox.models.routing.references import ProfileUsage
from inbox.models.routing.silences import IN_FLIGHT_GRACE
from inbox.services.records import audit, reference_checks, versions
from inbox.services.records.record_limits import check_room
from inbox.services.records.resources import Resource

EMPTY_STEP = "A step needs a destination or people."
MAX_PROFILES = 100
"""The maximum number of routing profiles of a workspace."""

TOO_MANY = "A workspace has at most {} routing profiles."

RECORDED = (
    *("name", "delay_seconds", "steps", "repeat", "renotify_minutes", "renotify_max", "ack_timeout_minutes"),
    *("auto_resolve_minutes", "reopen_window_minutes", "quiet_hours", "fallback_destination_id", "created_at"),
)
"""The columns of a deleted profile that the audit log keeps."""

PROFILES = Resource(RoutingProfile, "routingProfile")
existing, find = PROFILES.existing, PROFILES.find
deleted, find_any = PROFILES.deleted, PROFILES.find_any


def create(workspace_id: UUID, fields: Mapping[str, Any], *, now: datetime) -> RoutingProfile:
    """Create a profile.

    Raises `ValidationFailed` for destinations of other workspaces, and `Conflict` at the maximum.
    """
    with work() as done:
        routing_config.bump_revision(workspace_id)
        check_room(existing([workspace_id]), MAX_PROFILES, TOO_MANY)
        made = build(workspace_id, fields, now=now)
        made.save(force_insert=True)
        versions.record(made, versions.PROFILE_FIELDS, now)
        PROFILES.note("routing_profile.created", made, now)
        PROFILES.publish(done, made, "created")
    return made


def build(workspace_id: UUID, fields: Mapping[str, Any], *, now: datetime, at: str = "") -> RoutingProfile:
    """Build an unsaved profile.

    Raises `ValidationFailed` with pointers below `at` for destinations of other workspaces.
    """
    values = _columns(workspace_id, fields, at)
    return RoutingProfile(id=new_id(now), workspace_id=workspace_id, created_at=now, **values)


def edit(
    profile: RoutingProfile, fields: Mapping[str, Any], *, expected_rev: int | None, now: datetime
) -> RoutingProfile:
    """Change the given fields. The change takes effect at once, also for the incidents that use the profile.

    Raises `RevMismatch`, `NotFound`, and `ValidationFailed` for destinations of other workspaces.
    """
    with work() as done:
        profile = lock(profile, expected_rev)
        change(profile, _columns(profile.workspace_id, fields, ""), done, now)
    return profile


def change(profile: RoutingProfile, values: Mapping[str, Any], done: AfterCommit, now: datetime) -> None:
    """Save these column values of a locked profile in the caller's unit of work."""
    PROFILES.note(
        "routing_profile.changed", profile, now, audit.changes(_audit_view(profile.__data__), _audit_view(values))
    )
    was = profile_of(profile)
    PROFILES.save(profile, **values)
    versions.record(profile, versions.PROFILE_FIELDS, now)
    if replace(profile_of(profile), name=was.name) != was:
        recheck.schedule_with_recheck(reschedule.KINDS, profile.workspace_id, profile.workspace_id, now, done)
    if "quiet_hours" in values:
        timers.set_timer(
            deferred_deliveries.SECOND_RECHECK, profile.workspace_id, profile.workspace_id, now + IN_FLIGHT_GRACE
        )
    PROFILES.publish(done, profile)


def remove(profile: RoutingProfile, *, expected_rev: int | None, now: datetime) -> None:
    """Delete an unused profile. Raises `RevMismatch`, `NotFound`, and `Conflict` with `usedBy`."""
    with work() as done:
        profile = lock(profile, expected_rev)
        users = reference_queries.of_profiles([profile.id])[profile.id]
        if users:
            raise Conflict(_text(users), extra={"usedBy": _used_by(users)})
        PROFILES.save(profile, deleted_at=now)
        PROFILES.note(
            "routing_profile.deleted", profile, now, audit.removed(_audit_view(audit.columns(profile, *RECORDED)))
        )
        recheck.schedule_with_recheck(reschedule.KINDS, profile.workspace_id, profile.workspace_id, now, done)
        PROFILES.publish(done, profile, "deleted")


def lock(profile: RoutingProfile, expected_rev: int | None) -> RoutingProfile:
    """Lock the profile and the routing configuration. Raises `RevMismatch` and `NotFound`."""
    routing_config.bump_revision(profile.workspace_id)
    return PROFILES.lock(profile, expected_rev)


def check(workspace_id: UUID, fields: Mapping[str, Any], at: str = "") -> None:
    """Check that destinations and people belong to the workspace, and that each step has one.

    Raises `ValidationFailed` with pointers below `at`.
    """
    steps: Sequence[Mapping[str, Any]] = fields.get("steps", ())
    faults = [
        fault for place, step in enumerate(steps) for fault in _step_faults(workspace_id, step, f"{at}/steps/{place}")
    ]
    fallback = fields.get("fallback_destination_id")
    if fallback is not None and reference_checks.destinations(workspace_id, [fallback], at):
        faults.append(Fault(f"{at}/fallbackDestinationId", "No such destination in this workspace."))
    if faults:
        raise ValidationFailed(errors=faults)


def _step_faults(workspace_id: UUID, step: Mapping[str, Any], at: str) -> list[Fault]:
    destination_ids, people = step.get("destination_ids", ()), _targets(step)
    if not (destination_ids or people):
        return [Fault(f"{at}/destinationIds", EMPTY_STEP)]
    return [
        *reference_checks.destinations(workspace_id, destination_ids, f"{at}/destinationIds"),
        *reference_checks.people(workspace_id, people, f"{at}/people"),
    ]


def _targets(step: Mapping[str, Any]) -> list[PageTarget]:
    return [PageTarget(each.get("schedule_id"), each.get("user_id")) for each in step.get("people", ())]


def _columns(workspace_id: UUID, fields: Mapping[str, Any], at: str) -> dict[str, Any]:
    """Return the column values. Raises `ValidationFailed`."""
    check(workspace_id, fields, at)
    steps: Sequence[Mapping[str, Any]] = fields.get("steps", ())
    return {**fields, **({"steps": _in_order(steps)} if steps else {})}


def _in_order(steps: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the steps in their stored form and order."""
    return [
        {
            "afterMinutes": step["after_minutes"],
            "minSeverity": None if step["min_severity"] is None else str(step["min_severity"]),
            "destinationIds": [ids.encode(Prefix.DESTINATION, id) for id in dict.fromkeys(step["destination_ids"])],
            "people": [each.record() for each in dict.fromkeys(_targets(step))],
        }
        for step in sorted(steps, key=lambda step: int(step["after_minutes"]))
    ]


def _text(users: ProfileUsage) -> str:
    named = [
        *(["the default route"] if users.default_route else []),
        *(f"the rule “{rule.name}”" for rule in users.rules),
        *(f"the source “{source.name}”" for source in users.sources),
    ]
    more = users.rules_total + users.sources_total - len(users.rules) - len(users.sources)
    return f"Still used by {', '.join(named)}{f' and {more} more' if more else ''}."


def _used_by(users: ProfileUsage) -> dict[str, Any]:
    return {
        "defaultRoute": users.default_route,
        "rules": [{"id": ids.encode(Prefix.RULE, rule.id), "name": rule.name} for rule in users.rules],
        "rulesTotal": users.rules_total,
        "sources": [{"id": ids.encode(Prefix.SOURCE, source.id), "name": source.name} for source in users.sources],
        "sourcesTotal": users.sources_total,
    }


def _audit_view(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns as the audit log shows them."""
    fallback = values.get("fallback_destination_id")
    fallback_field = {"fallback_destination_id": ids.encode(Prefix.DESTINATION, fallback)} if fallback else {}
    return {**values, **fallback_field}
